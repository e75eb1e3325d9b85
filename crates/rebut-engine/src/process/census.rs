//! Who lives on this machine, as Linux tells it in `/proc`.

/// A process: whose child it is, in which group, and since when. Those that have ended and are not yet buried are among
/// them.
pub(super) struct Process {
    pub(super) id: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) has_ended: bool,
    /// When it was started, in ticks since the machine was. A number is used again; a number and this are not.
    pub(super) started: u64,
}

/// Whether `/proc` tells of the PID namespace that this process is in. After `unshare -pf` it does not, and every number
/// in it is somebody else's here.
pub(super) fn is_ours() -> bool {
    let own = rustix::process::getpid().as_raw_nonzero().to_string();
    std::fs::read_link("/proc/self").is_ok_and(|link| link.as_os_str() == own.as_str())
}

/// The ids of all processes; none where `/proc` is of another PID namespace.
pub(super) fn ids() -> impl Iterator<Item = i32> {
    let entries = is_ours().then(|| std::fs::read_dir("/proc").ok()).flatten();
    entries.into_iter().flatten().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// All processes.
pub(super) fn processes() -> impl Iterator<Item = Process> {
    ids().filter_map(process)
}

/// The process with this number.
pub(super) fn process(id: i32) -> Option<Process> {
    read(id, &std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

fn read(id: i32, status: &str) -> Option<Process> {
    // The name may hold anything, also a parenthesis.
    let mut fields = status.rsplit_once(") ")?.1.split(' ');
    Some(Process {
        id,
        has_ended: matches!(fields.next()?, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        // The twenty-second of all, of which the last read was the fifth.
        started: fields.nth(16)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name_is() {
        let status = "71 (a) Z (b) S 70 69 68 34816 71 4194304 93 0 0 0 0 0 0 0 20 0 1 0 5150 4096 200 1\n";
        let read = read(71, status).unwrap();
        assert_eq!((read.id, read.parent, read.group, read.has_ended, read.started), (71, 70, 69, false, 5150));
    }

    #[test]
    fn this_process_is_among_all() {
        let own = i32::try_from(std::process::id()).unwrap();
        let found = processes().find(|process| process.id == own).unwrap();
        assert_eq!(Some(found.started), process(own).map(|process| process.started));
        assert!(!found.has_ended);
    }
}
