//! How much more memory this process may take: of the machine's, of its control group's (containers and batch systems set such
//! limits), and of its own address space (`ulimit -v`). Not the limits of the pool, which are users' own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Bytes of memory that are available; `isize::MAX` if the system does not say.
pub fn available() -> usize {
    let groups = groups().iter().filter_map(Group::room);
    let bounds = meminfo("MemAvailable:").into_iter().chain(address_space()).chain(groups);
    bounds.min().unwrap_or(isize::MAX as usize)
}

/// The memory in bytes that the machine has, or this process may have of it; zero where the system does not say.
pub(super) fn total() -> usize {
    static TOTAL: OnceLock<usize> = OnceLock::new();
    *TOTAL.get_or_init(|| {
        let groups = groups().iter().filter_map(Group::limit);
        meminfo("MemTotal:").into_iter().chain(groups).min().unwrap_or(0)
    })
}

fn meminfo(field: &str) -> Option<usize> {
    field_of(&fs::read_to_string("/proc/meminfo").ok()?, field)?.checked_mul(1024)
}

/// The number in the line that begins with this word.
fn field_of(text: &str, field: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What is left of the address space, if that is limited.
fn address_space() -> Option<usize> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the address is that of a structure of this type.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    if status != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    let used = field_of(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?.checked_mul(1024)?;
    Some(usize::try_from(limit.rlim_cur).ok()?.saturating_sub(used))
}

/// A control group that limits memory: this process's own, or one around it.
#[derive(Debug, PartialEq)]
struct Group {
    folder: PathBuf,
    names: &'static Names,
}

/// The names of a control group's files and of the line with the bytes that the system has cached and would give back.
#[derive(Debug, PartialEq)]
struct Names {
    limit: &'static str,
    used: &'static str,
    cached: &'static str,
}

const VERSION_1: Names =
    Names { limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes", cached: "total_inactive_file " };
const VERSION_2: Names = Names { limit: "memory.max", used: "memory.current", cached: "inactive_file " };

impl Group {
    fn limit(&self) -> Option<usize> {
        // Without a limit, version 2 says `max`, and version 1 the largest multiple of a page.
        self.number(self.names.limit).filter(|&limit| limit < 1 << 60)
    }

    fn room(&self) -> Option<usize> {
        let cached = fs::read_to_string(self.folder.join("memory.stat")).ok();
        let cached = cached.and_then(|text| field_of(&text, self.names.cached)).unwrap_or(0);
        Some(self.limit()?.saturating_sub(self.number(self.names.used)?.saturating_sub(cached)))
    }

    fn number(&self, file: &str) -> Option<usize> {
        fs::read_to_string(self.folder.join(file)).ok()?.trim().parse().ok()
    }
}

/// The groups with a limit. Looked for once: limits come with a container or a job, and few processes are in one.
fn groups() -> &'static [Group] {
    static GROUPS: OnceLock<Vec<Group>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        limiting(Path::new("/sys/fs/cgroup"), &own)
    })
}

/// The groups with a limit among those that `own`, the text of `/proc/self/cgroup`, names, and those around them. Seen from inside
/// a container the first of their folders may be missing, and the outermost be the container's.
fn limiting(mount: &Path, own: &str) -> Vec<Group> {
    let mut found = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let (base, names) = match controllers {
            "" => (mount.to_owned(), &VERSION_2),
            _ if controllers.split(',').any(|controller| controller == "memory") => (mount.join("memory"), &VERSION_1),
            _ => continue,
        };
        let path = Path::new(path.trim_start_matches('/'));
        for path in path.ancestors().filter(|path| path.components().all(|part| part.as_os_str() != "..")) {
            let group = Group { folder: base.join(path), names };
            if group.limit().is_some() {
                found.push(group);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder in the place of `/sys/fs/cgroup`, which goes at the end.
    struct Mount(PathBuf);

    impl Mount {
        fn new(test: &str) -> Mount {
            let folder = std::env::temp_dir().join(format!("warpcell-room-{test}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Mount(folder)
        }
    }

    impl Drop for Mount {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// Writes files as control groups have them.
    fn write(folder: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(folder).unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
    }

    #[test]
    fn a_group_without_its_cache_is_what_is_used() {
        let mount = Mount::new("cache");
        let pod = mount.0.join("pods/one");
        let stat = "anon 5\ninactive_file 300\nactive_file 7\n";
        write(&pod, &[("memory.max", "1000\n"), ("memory.current", "800\n"), ("memory.stat", stat)]);
        write(&mount.0.join("pods"), &[("memory.max", "max\n"), ("memory.current", "900\n")]);
        let found = limiting(&mount.0, "0::/pods/one\n");
        assert_eq!(found, [Group { folder: pod, names: &VERSION_2 }]);
        assert_eq!((found[0].limit(), found[0].room()), (Some(1000), Some(500)));
    }

    #[test]
    fn inside_a_container_the_outermost_group_is_its_own() {
        let mount = Mount::new("container");
        let memory = mount.0.join("memory");
        let files = [("memory.limit_in_bytes", "4096\n"), ("memory.usage_in_bytes", "5000\n")];
        write(&memory, &files);
        let found = limiting(&mount.0, "5:cpu,cpuacct:/x\n4:memory:/docker/0123\n0::/docker/0123\n");
        assert_eq!(found, [Group { folder: memory, names: &VERSION_1 }]);
        assert_eq!(found[0].room(), Some(0));
    }

    #[test]
    fn without_a_limit_there_is_no_group() {
        let mount = Mount::new("none");
        write(&mount.0.join("memory/a"), &[("memory.limit_in_bytes", "9223372036854771712\n")]);
        assert_eq!(limiting(&mount.0, "4:memory:/a\n"), []);
        assert_eq!(limiting(&mount.0, "0::/../outside\nnonsense\n"), []);
    }

    #[test]
    fn there_is_memory_and_not_more_than_the_machine_has() {
        let (free, machine) = (available(), meminfo("MemTotal:").unwrap());
        assert!(free > 0 && free < machine && total() <= machine && free <= total(), "{free} of {machine}");
    }
}
