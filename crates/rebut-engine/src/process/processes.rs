//! The processes of this machine, from Linux's `/proc`; other systems show none.

pub(super) struct Process {
    pub(super) id: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    /// Whether it is a zombie.
    pub(super) has_ended: bool,
}

/// Whether `/proc` is of this process's PID namespace. After `unshare -pf` it is not, and its ids mean other processes.
pub(super) fn is_ours() -> bool {
    let own = rustix::process::getpid().as_raw_nonzero().to_string();
    std::fs::read_link("/proc/self").is_ok_and(|link| link.as_os_str() == own.as_str())
}

/// The ids of all processes; none if `/proc` is of another PID namespace.
pub(super) fn ids() -> impl Iterator<Item = i32> {
    let entries = is_ours().then(|| std::fs::read_dir("/proc").ok()).flatten();
    entries.into_iter().flatten().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

pub(super) fn processes() -> impl Iterator<Item = Process> {
    ids().filter_map(process)
}

pub(super) fn process(id: i32) -> Option<Process> {
    read(id, &std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

fn read(id: i32, status: &str) -> Option<Process> {
    // The name may contain anything, even a parenthesis.
    let mut fields = status.rsplit_once(") ")?.1.split(' ');
    Some(Process {
        id,
        has_ended: matches!(fields.next()?, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name_is() {
        let status = "71 (a) Z (b) S 70 69 68 34816 71 4194304 93 0 0 0 0 0 0 0 20 0 1 0 5150 4096 200 1\n";
        let read = read(71, status).unwrap();
        assert_eq!((read.id, read.parent, read.group, read.has_ended), (71, 70, 69, false));
    }
}
