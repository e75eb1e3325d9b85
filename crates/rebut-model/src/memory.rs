//! Checked allocation: too little memory is an error, not the end of the process.

use std::fs;

use crate::error::ModelError;

pub(crate) fn filled<T: Clone>(count: usize, value: T) -> Result<Vec<T>, ModelError> {
    let mut vec = Vec::new();
    grow(&mut vec, count, value)?;
    Ok(vec)
}

pub(crate) fn grow<T: Clone>(vec: &mut Vec<T>, length: usize, value: T) -> Result<(), ModelError> {
    let more = length.saturating_sub(vec.len());
    vec.try_reserve_exact(more).map_err(|_| ModelError::NoMemory {
        what: "a part of the model",
        needed_mb: megabytes(more.saturating_mul(size_of::<T>()) as u64),
        available_mb: megabytes(available().unwrap_or(0)),
    })?;
    vec.resize(length, value);
    Ok(())
}

/// Must remain for everything else, because other allocations abort the process when they fail.
const HEADROOM: u64 = 64_000_000;

/// An error if this much does not fit into the available memory with [`HEADROOM`] to spare. Passes where the system does not
/// report what is available.
pub(crate) fn check(what: &'static str, needed: u64) -> Result<(), ModelError> {
    check_available(what, needed.saturating_add(HEADROOM), available())
}

fn check_available(what: &'static str, needed: u64, available: Option<u64>) -> Result<(), ModelError> {
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

/// Memory that is available without swapping: the minimum of the system's, the control group's and the process limits'.
fn available() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let system = system_available(&read("/proc/meminfo"));
    let process = process_available(&read("/proc/self/limits"), &read("/proc/self/status"));
    [system, cgroup_available(), process].into_iter().flatten().min()
}

/// Within the limits of `ulimit -v` and `ulimit -d`.
fn process_available(limits: &str, status: &str) -> Option<u64> {
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

fn system_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Within the limits of the process's control group and its ancestors (cgroup v2).
fn cgroup_available() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut group = groups.lines().find_map(|line| line.strip_prefix("0::"))?.trim_start_matches('/');
    let mut min_left: Option<u64> = None;
    loop {
        let number = |file: &str| {
            let text = fs::read_to_string(format!("/sys/fs/cgroup/{group}/{file}")).ok()?;
            text.trim().parse::<u64>().ok()
        };
        if let (Some(limit), Some(used)) = (number("memory.max"), number("memory.current")) {
            // Cached files count as used but are reclaimable.
            let stat = fs::read_to_string(format!("/sys/fs/cgroup/{group}/memory.stat")).unwrap_or_default();
            let cached = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok()).unwrap_or(0);
            let left = limit.saturating_sub(used.saturating_sub(cached));
            min_left = Some(min_left.map_or(left, |min| min.min(left)));
        }
        if group.is_empty() {
            return min_left;
        }
        group = group.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_from_meminfo() {
        assert_eq!(system_available("MemTotal:  10 kB\nMemAvailable:   2048 kB\n"), Some(2048 * 1024));
        assert_eq!(system_available("MemTotal:  10 kB\n"), None);
        assert_eq!(system_available("MemAvailable: much\n"), None);
    }

    #[test]
    fn process_limits_leave_what_is_not_used() {
        let limits = "Limit   Soft Limit  Hard Limit  Units\nMax data size   unlimited  unlimited  bytes\n\
                      Max address space   10240   unlimited   bytes\n";
        assert_eq!(process_available(limits, "VmSize:\t       4 kB\nVmData:\t   1 kB\n"), Some(10_240 - 4_096));
        assert_eq!(process_available(limits, "VmSize:\t      40 kB\n"), Some(0));
        let data = limits.replace("unlimited  unlimited", "4096 unlimited");
        assert_eq!(process_available(&data, "VmSize:\t       4 kB\nVmData:\t   1 kB\n"), Some(3_072));
        assert_eq!(process_available(&limits.replace("10240", "unlimited"), "VmSize:\t 4 kB\n"), None);
        assert_eq!(process_available("", ""), None);
    }

    #[test]
    fn too_much_is_an_error_with_numbers() {
        let error = filled(usize::MAX / 16, 0u64).expect_err("no machine has that much");
        assert!(matches!(error, ModelError::NoMemory { .. }));
        if available().is_some() {
            let error = check("the model", u64::MAX).expect_err("no machine has that much");
            assert!(error.to_string().starts_with("the model needs 18446744073710 MB of memory"), "{error}");
        }
        check("nothing", 0).expect("nothing always fits");
        check_available("the model", 10, Some(9)).expect_err("it does not fit");
        check_available("the model", 10, Some(10)).expect("it fits");
        check_available("the model", 10, None).expect("unknown passes");
    }
}
