//! How much memory there is, and taking it so that a lack of it is an error and not the process's end.

use std::fs;

use crate::error::ModelError;

/// A vector of this many copies, or an error if there is no memory for it.
pub(crate) fn filled<T: Clone>(count: usize, value: T) -> Result<Vec<T>, ModelError> {
    let mut all = Vec::new();
    grow(&mut all, count, value)?;
    Ok(all)
}

/// Makes a vector longer, or gives an error if there is no memory for it.
pub(crate) fn grow<T: Clone>(all: &mut Vec<T>, length: usize, value: T) -> Result<(), ModelError> {
    let more = length.saturating_sub(all.len());
    all.try_reserve_exact(more).map_err(|_| ModelError::NoMemory {
        what: "a part of the model",
        needed_mb: megabytes(more.saturating_mul(size_of::<T>()) as u64),
        available_mb: megabytes(available().unwrap_or(0)),
    })?;
    all.resize(length, value);
    Ok(())
}

/// What must be left for everything else: whoever takes the last byte has the next small thing end the process.
const HEADROOM: u64 = 64_000_000;

/// Refuses what would not fit into the memory that is available now, with room for everything else beside it. Where the
/// system does not tell, nothing is refused.
pub(crate) fn check(what: &'static str, needed: u64) -> Result<(), ModelError> {
    refuse(what, needed.saturating_add(HEADROOM), available())
}

fn refuse(what: &'static str, needed: u64, available: Option<u64>) -> Result<(), ModelError> {
    match available {
        Some(available) if needed > available => {
            Err(ModelError::NoMemory { what, needed_mb: megabytes(needed), available_mb: megabytes(available) })
        }
        _ => Ok(()),
    }
}

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}

/// The memory that can be had without swapping: the system's, what the control group leaves, or what the limits of the
/// process leave, whichever is least.
fn available() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let system = available_in(&read("/proc/meminfo"));
    let process = limits_leave(&read("/proc/self/limits"), &read("/proc/self/status"));
    [system, group_left(), process].into_iter().flatten().min()
}

/// What the limits of the process leave, as a shell sets them with `ulimit -v` and `ulimit -d`.
fn limits_leave(limits: &str, status: &str) -> Option<u64> {
    let left = |limit: &str, used: &str| {
        let soft = limits.lines().find_map(|line| line.strip_prefix(limit))?.split_whitespace().next()?;
        let used = status.lines().find_map(|line| line.strip_prefix(used))?;
        let used = used.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)?;
        Some(soft.parse::<u64>().ok()?.saturating_sub(used))
    };
    let space = left("Max address space", "VmSize:");
    let data = left("Max data size", "VmData:");
    [space, data].into_iter().flatten().min()
}

fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What the limits of the process's control group and the groups above it leave (version 2, as all current systems have).
fn group_left() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut group = groups.lines().find_map(|line| line.strip_prefix("0::"))?.trim_start_matches('/');
    let mut least: Option<u64> = None;
    loop {
        let number = |file: &str| {
            let text = fs::read_to_string(format!("/sys/fs/cgroup/{group}/{file}")).ok()?;
            text.trim().parse::<u64>().ok()
        };
        if let (Some(limit), Some(used)) = (number("memory.max"), number("memory.current")) {
            // Cached files count as used, and are given back under pressure.
            let stat = fs::read_to_string(format!("/sys/fs/cgroup/{group}/memory.stat")).unwrap_or_default();
            let cached = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok()).unwrap_or(0);
            let left = limit.saturating_sub(used.saturating_sub(cached));
            least = Some(least.map_or(left, |least| least.min(left)));
        }
        if group.is_empty() {
            return least;
        }
        group = group.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_available_memory_is_read_from_the_systems_table() {
        assert_eq!(available_in("MemTotal:  10 kB\nMemAvailable:   2048 kB\n"), Some(2048 * 1024));
        assert_eq!(available_in("MemTotal:  10 kB\n"), None);
        assert_eq!(available_in("MemAvailable: much\n"), None);
    }

    #[test]
    fn limits_of_the_process_leave_what_it_has_not_used() {
        let limits = "Limit   Soft Limit  Hard Limit  Units\nMax data size   unlimited  unlimited  bytes\n\
                      Max address space   10240   unlimited   bytes\n";
        assert_eq!(limits_leave(limits, "VmSize:\t       4 kB\nVmData:\t   1 kB\n"), Some(10_240 - 4_096));
        assert_eq!(limits_leave(limits, "VmSize:\t      40 kB\n"), Some(0));
        let data = limits.replace("unlimited  unlimited", "4096 unlimited");
        assert_eq!(limits_leave(&data, "VmSize:\t       4 kB\nVmData:\t   1 kB\n"), Some(3_072));
        assert_eq!(limits_leave(&limits.replace("10240", "unlimited"), "VmSize:\t 4 kB\n"), None);
        assert_eq!(limits_leave("", ""), None);
    }

    #[test]
    fn more_than_there_can_be_is_an_error_with_numbers() {
        let error = filled(usize::MAX / 16, 0u64).expect_err("no machine has that much");
        assert!(matches!(error, ModelError::NoMemory { .. }));
        if available().is_some() {
            let error = check("the model", u64::MAX).expect_err("no machine has that much");
            assert!(error.to_string().starts_with("the model needs 18446744073710 MB of memory"), "{error}");
        }
        check("nothing", 0).expect("nothing always fits");
        refuse("the model", 10, Some(9)).expect_err("it does not fit");
        refuse("the model", 10, Some(10)).expect("it fits");
        refuse("the model", 10, None).expect("nobody knows");
    }
}
