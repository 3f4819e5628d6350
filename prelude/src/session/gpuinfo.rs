//! What `%gpuinfo` prints: the device that arrays are made on, its software, its memory, and how busy it is.

use crate::backend::MemoryFigures;
use crate::device::{self, Device};
use crate::error::{Result, check};

/// Prints the current device, why it is this one, and what is known of it.
///
/// **Panics** if `WARPCELL_DEVICE` names a device that cannot be used.
#[track_caller]
pub fn gpuinfo() {
    println!("{}", check(describe()));
}

fn describe() -> Result<String> {
    let handle = device::current()?;
    let mut rows = vec![("Device", device::device_info())];
    rows.extend(handle.backend.details());
    let figures = handle.backend.memory();
    rows.push(("Memory", memory(figures)));
    rows.push(("Arrays", format!("{} in use, {} held for reuse", amount(figures.used), amount(unused(figures)))));
    rows.push(match handle.device {
        Device::Cpu => ("No GPU", device::reason()),
        Device::Cuda(_) => ("Chosen", device::reason()),
    });
    Ok(table(&rows))
}

fn unused(figures: MemoryFigures) -> usize {
    figures.pooled.saturating_sub(figures.used)
}

fn memory(figures: MemoryFigures) -> String {
    let used = figures.total.saturating_sub(figures.free);
    let percent = 100.0 * used as f64 / figures.total.max(1) as f64;
    format!("{} used of {} ({percent:.0} %)", amount(used), amount(figures.total))
}

fn amount(bytes: usize) -> String {
    match bytes {
        0..0x40_0000 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        0x40_0000..0x1_0000_0000 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0) + 1;
    let lines: Vec<String> =
        rows.iter().map(|(name, value)| format!("{:width$}  {value}", format!("{name}:"))).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_shown_in_a_unit_that_fits() {
        let figures = MemoryFigures { used: 1024, pooled: 3 << 20, free: 6 << 30, total: 8 << 30 };
        assert_eq!(memory(figures), "2048.0 MiB used of 8.0 GiB (25 %)");
        assert_eq!(amount(unused(figures)), "3071.0 KiB");
        assert_eq!(memory(MemoryFigures::default()), "0.0 KiB used of 0.0 KiB (0 %)");
    }

    #[test]
    fn the_current_device_is_described() {
        let text = describe().unwrap();
        println!("{text}");
        let wanted: &[&str] = match crate::device::device() {
            Device::Cpu => &["Device:", "Threads:", "Memory:", "Arrays:", "No GPU:"],
            Device::Cuda(_) => &["Device:", "Driver:", "supports CUDA 1", "NVRTC 1", "Utilisation:", "Memory:"],
        };
        for part in wanted {
            assert!(text.contains(part), "{part} is missing:\n{text}");
        }
    }

    #[test]
    fn rows_are_aligned() {
        assert_eq!(table(&[("Device", "x".into()), ("No GPU at", "y".into())]), "Device:     x\nNo GPU at:  y");
    }
}
