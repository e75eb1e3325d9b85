//! Numbers: medians, and how times and sizes are written.

use std::time::Duration;

/// The middle of what was measured.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

/// A duration in milliseconds.
pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Milliseconds as text.
pub(crate) fn ms_text(ms: f64) -> String {
    if ms.abs() < 9.995 { format!("{ms:.2} ms") } else { format!("{ms:.0} ms") }
}

/// A count as the f64 that it is divided by.
#[expect(clippy::cast_precision_loss, reason = "nothing here is counted beyond 2^53")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}

/// The highest memory that a process has had, in MB, as the system reports it.
pub(crate) fn peak_memory(process: &str) -> Option<f64> {
    memory(process, "VmHWM")
}

/// A size that the system reports of a process, in MB.
pub(crate) fn memory(process: &str, field: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kb| kb / 1024.0)
}

/// How long this thread has been on a processor, as the system tells it.
pub(crate) fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// How long all processors of the machine were busy since it started, and how long they could have been.
pub(crate) fn busy_time() -> Option<(f64, f64)> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let times: Vec<f64> = stat.lines().next()?.split_whitespace().skip(1).flat_map(str::parse).collect();
    // Idle, and waiting for the disk.
    let all: f64 = times.iter().sum();
    Some((all - times.get(3)? - times.get(4)?, all))
}
