//! Paths that lead out of a project, and what of that kind is no path of a file at all.
//!
//! Such a path is never read; that it is cited at all must be seen. Prose and code are full of routes (`/api/v1/users`),
//! folders (`cd ../..`), devices (`/dev/null`) and programs (`/usr/bin/env`), which nobody cites: so without lines a path
//! out of the project counts only where its last part is called like a file.

use super::names::{extension, is_dot_file, is_known_extension, is_known_name};

/// Where no project lies whole.
const ROOTS: [&str; 12] =
    ["/etc/", "/usr/", "/var/", "/home/", "/root/", "/proc/", "/sys/", "/dev/", "/opt/", "/tmp/", "/Users/", "~/"];

/// Files of a system or of a person that have no extension.
#[rustfmt::skip]
const FILES: [&str; 42] = [
    "authorized_keys", "cmdline", "cpuinfo", "credentials", "crontab", "dmesg", "environ", "environment", "fstab", "group",
    "gshadow", "hostname", "hosts", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa", "issue", "kallsyms", "known_hosts",
    "kcore", "machine-id", "maps", "meminfo", "mem", "messages", "motd", "mounts", "mtab", "passwd", "profile", "secrets",
    "secure", "services", "shadow", "shells", "smaps", "ssh_config", "sshd_config",
    "status", "sudoers", "syslog",
];

/// Folders in which people keep keys: whatever lies in them is a file.
const PRIVATE: [&str; 5] = [".ssh", ".gnupg", ".aws", ".kube", ".docker"];

/// What servers call the first part of an address: below it are no files of this machine.
const SERVED: [&str; 8] = ["api", "static", "assets", "rest", "graphql", "v1", "v2", "v3"];

/// A path that stands outside any project. Its separators are `/`.
pub(super) fn leads_outside(path: &str) -> bool {
    ROOTS.iter().any(|root| path.starts_with(root)) || path.starts_with("../")
}

/// Whether a path that leads outside, with nothing behind it, is called like a file.
pub(super) fn names_a_file(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let in_private = parts.next().is_some_and(|folder| PRIVATE.contains(&folder));
    let extended = extension(name).is_some_and(is_known_extension);
    let called_so = extended || is_dot_file(name) || is_known_name(name) || FILES.contains(&name);
    // `~/.ssh` itself is a folder.
    (called_so || in_private) && !PRIVATE.contains(&name) && !path.starts_with("/dev/") && !name.is_empty()
}

/// `/users/:id`, `/api/v1/users`, `/static/app.js`: an address inside a program.
pub(super) fn is_route(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/').filter(|_| !leads_outside(path)) else { return false };
    let served = rest.split_once('/').is_some_and(|(first, _)| SERVED.contains(&first));
    served || extension(rest.rsplit('/').next().unwrap_or_default()).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_outside_are_told_from_folders_devices_and_programs() {
        for path in [
            "/etc/passwd",
            "../../etc/passwd",
            "/etc/gate/gate.toml",
            "~/.ssh/id_rsa",
            "~/.ssh/deploy key",
            "~/.bashrc",
            "/proc/self/environ",
            "../other/Makefile",
            "/home/ann/traces/pool.log",
        ] {
            assert!(leads_outside(path) && names_a_file(path), "{path}");
        }
        for path in [
            "/etc/nginx",
            "/dev/null",
            "/dev/disk.txt",
            "/var/run/docker.sock",
            "/usr/bin/env",
            "/var/lib/gate",
            "../other",
            "../..",
            "~/.ssh",
        ] {
            assert!(leads_outside(path) && !names_a_file(path), "{path}");
        }
    }

    #[test]
    fn a_route_is_no_path_of_a_file() {
        for path in ["/users/42", "/api/v1/users", "/api/v1/users.json", "/static/app.js"] {
            assert!(is_route(path), "{path}");
        }
        for path in ["/src/pool.rs", "/etc/passwd", "/data/gate/src/pool.rs", "src/api", "../api/x"] {
            assert!(!is_route(path), "{path}");
        }
    }
}
