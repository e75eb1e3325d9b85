{
  src = fetchurl {
    url = "https://example.org/a-1.2.tar.gz";
    sha256 = "bj7if2r2avck9q2kbfzhvn07j23g72ldn5srfi5nvwmw3dv8zc2h";
    hash = "sha256-WVN4hX8eVrex0i9nn0ZF+fd5ewPjRLOZREh7qjzZVk8=";
  };
  path = "/nix/store/xrd7j0pzd23ikc7kw7alwxpja420xz5m-rust-1.95.0/bin";
  vendorHash = "sha256-hzf63vphpAS3LpKAfShGDgzKSpe8X1Y0nqfCXrajdbw=";
}
