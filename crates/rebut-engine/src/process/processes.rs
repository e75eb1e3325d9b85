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
    let status = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name may contain anything, even a parenthesis.
    let mut fields = status.rsplit_once(") ")?.1.split(' ');
    Some(Process {
        id,
        has_ended: matches!(fields.next()?, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
    })
}
