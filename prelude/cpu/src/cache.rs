//! How much the processor's caches hold, as Linux tells.

use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

/// Bytes of all caches of the last level together; where Linux does not tell, as much as few processors have.
pub(super) fn bytes() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| read(Path::new("/sys/devices/system/cpu")).unwrap_or(64 << 20))
}

fn read(cpus: &Path) -> Option<usize> {
    let text = |path: &Path| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    // A cache is listed under each processor that it serves.
    let mut found: HashMap<(u32, String), usize> = HashMap::new();
    for cpu in std::fs::read_dir(cpus).ok()?.flatten() {
        for cache in std::fs::read_dir(cpu.path().join("cache")).into_iter().flatten().flatten() {
            let of = |name: &str| text(&cache.path().join(name));
            let (Some(level), Some(size), Some(shared)) = (of("level"), of("size"), of("shared_cpu_list")) else {
                continue;
            };
            if let (Ok(level), Some(size)) = (level.parse(), size_of(&size)) {
                found.insert((level, shared), size);
            }
        }
    }
    let last = found.keys().map(|(level, _)| *level).max()?;
    Some(found.iter().filter(|((level, _), _)| *level == last).map(|(_, size)| size).sum())
}

/// `32768K` in bytes.
fn size_of(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(['K', 'M']);
    let unit = if text.ends_with('M') {
        1 << 20
    } else if text.ends_with('K') {
        1 << 10
    } else {
        1
    };
    digits.parse::<usize>().ok().map(|number| number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_of_the_last_level_are_added_up() {
        let root = std::env::temp_dir().join(format!("warpcell-processor-{}", std::process::id()));
        for (cpu, index, level, size, shared) in [
            (0, 0, 1, "48K", "0"),
            (0, 3, 3, "32M", "0-1"),
            (1, 0, 1, "48K", "1"),
            (1, 3, 3, "32768K", "0-1"),
            (2, 3, 3, "32768K", "2-3"),
        ] {
            let folder = root.join(format!("cpu{cpu}/cache/index{index}"));
            std::fs::create_dir_all(&folder).unwrap();
            for (name, text) in
                [("level", level.to_string()), ("size", size.into()), ("shared_cpu_list", shared.into())]
            {
                std::fs::write(folder.join(name), format!("{text}\n")).unwrap();
            }
        }
        let found = read(&root);
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(found, Some(64 << 20));
        assert_eq!(read(Path::new("/nowhere")), None);
        assert!(bytes() > 0);
    }
}
