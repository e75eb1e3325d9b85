//! Files that hold keys and passwords: a forgotten ignore rule must not send them to a model.

use std::path::{Path, PathBuf};

/// Names of files and folders.
const PRIVATE: [&str; 15] = [
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".htpasswd",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    "credentials.json",
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".azure",
];

/// Ends of paths, for folders that projects have too.
const PRIVATE_WITHIN: [&str; 2] = [".docker/config.json", ".config/gcloud"];

/// Extensions of files that hold a key, a certificate with its key or a store of them.
const OF_KEYS: [&str; 9] = ["pem", "key", "p8", "p12", "pfx", "ppk", "jks", "keystore", "kdbx"];

/// What follows `id_` in SSH keys; with `.pub` it is the public half.
const OF_SSH: [&str; 6] = ["rsa", "dsa", "ecdsa", "ecdsa_sk", "ed25519", "ed25519_sk"];

/// What follows `.env.`, or precedes `.env`, in public files.
const TO_BE_READ: [&str; 4] = ["example", "sample", "template", "dist"];

/// The leading part of a path that is named like a file or folder that holds keys. `.env.local` is private, `.env.example`
/// is not.
pub fn private_part(path: &Path) -> Option<PathBuf> {
    let parts: Vec<&Path> = path.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
    parts.into_iter().rev().find(|part| is_private(part)).map(Path::to_owned)
}

fn is_private(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let ends = |extension: &str| name.strip_suffix(extension)?.strip_suffix('.');
    let of_environment = name.strip_prefix(".env.").or_else(|| ends("env"));
    PRIVATE.contains(&name.as_str())
        || of_environment.is_some_and(|rest| !TO_BE_READ.contains(&rest.rsplit('.').next().unwrap_or(rest)))
        || OF_KEYS.iter().any(|extension| ends(extension).is_some())
        || name.strip_prefix("id_").is_some_and(|rest| OF_SSH.contains(&rest))
        || PRIVATE_WITHIN.iter().any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_private_is_told_from_what_is_called_alike() {
        let part = |path: &str| private_part(Path::new(path)).map(|part| part.display().to_string());
        for (path, private) in [("app/.ssh/keys/id", "app/.ssh"), ("home/.config/gcloud/x.json", "home/.config/gcloud")] {
            assert_eq!(part(path).as_deref(), Some(private));
        }
        let private = ".env app/.env.local deploy/id_ed25519 tls/Server.PEM signing.key app.keystore credentials.json \
            config/prod.env www/.htpasswd";
        for path in private.split(' ') {
            assert_eq!(part(path).as_deref(), Some(path));
        }
        let public = "id_ed25519.pub id_generator src/key.rs docs/keystore.md example.env prod.example.env .env.example \
            .env.local.example src/env.rs .docker/nginx.conf";
        for path in public.split(' ') {
            assert_eq!(part(path), None, "{path}");
        }
    }
}
