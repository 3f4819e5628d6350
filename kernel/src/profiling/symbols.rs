//! Finds the functions at addresses of this process, in the files that it has loaded: by their tables for debuggers, which a profiled
//! cell has, or else by their tables of symbols.

use crate::build_step::COMPILED_SOURCE;
use crate::profile::Frame;
use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian};
use object::elf::FileHeader64;
use object::read::elf::ElfFile;
use object::{
    LittleEndian as Little, Object as _, ObjectSection as _, ObjectSegment as _, ObjectSymbol as _, SymbolKind,
};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

type Elf<'a> = ElfFile<'a, FileHeader64<Little>>;
type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// A part of a file that is loaded as code.
#[derive(Debug, PartialEq, Eq)]
struct Loaded {
    start: usize,
    end: usize,
    /// Where it is in the file.
    offset: usize,
    path: PathBuf,
}

/// The functions at addresses, the innermost one first: with those that the compiler has built into their callers.
pub fn functions(addresses: impl Iterator<Item = usize>) -> HashMap<usize, Vec<Frame>> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let loaded = loaded(&maps);
    let mut by_file: BTreeMap<&Path, Vec<(usize, u64)>> = BTreeMap::new();
    let mut found = HashMap::new();
    for address in addresses {
        let index = loaded.partition_point(|part| part.start <= address);
        match index.checked_sub(1).map(|index| &loaded[index]).filter(|part| address < part.end) {
            Some(part) => {
                let in_file = address - part.start + part.offset;
                by_file.entry(&part.path).or_default().push((address, in_file as u64));
            }
            None => {
                found.insert(address, vec![unknown("code without a file")]);
            }
        }
    }
    for (path, addresses) in by_file {
        let of_file = Mapped::open(path).and_then(|file| in_file(&file, &addresses)).unwrap_or_default();
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        for (address, _) in addresses {
            found.insert(address, of_file.get(&address).cloned().unwrap_or_else(|| vec![unknown(&name)]));
        }
    }
    found
}

/// A function whose name is not known.
fn unknown(place: &str) -> Frame {
    Frame { name: format!("[{place}]"), ..Frame::default() }
}

/// The code in a text such as `/proc/self/maps` has, by addresses.
fn loaded(maps: &str) -> Vec<Loaded> {
    let of_line = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (range, rights, offset) = (words.next()?, words.next()?, words.next()?);
        let path = line.find('/').map(|at| PathBuf::from(&line[at..]))?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let (start, end) = range.split_once('-')?;
        let part = Loaded { start: number(start)?, end: number(end)?, offset: number(offset)?, path };
        rights.contains('x').then_some(part)
    };
    maps.lines().filter_map(of_line).collect()
}

/// A file that is mapped for reading.
struct Mapped {
    address: *mut libc::c_void,
    length: usize,
}

impl Mapped {
    fn open(path: &Path) -> Option<Mapped> {
        let file = File::open(path).ok()?;
        let length = usize::try_from(file.metadata().ok()?.len()).ok().filter(|length| *length > 0)?;
        // SAFETY: asks for a new mapping. The process has loaded the file as code, so nobody makes it shorter.
        let address =
            unsafe { libc::mmap(null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
        (address != libc::MAP_FAILED).then_some(Mapped { address, length })
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped as long as this exists.
        unsafe { std::slice::from_raw_parts(self.address.cast(), self.length) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: `open` has mapped it, and `bytes` lends it for less than its life.
        unsafe { libc::munmap(self.address, self.length) };
    }
}

/// The functions of a file at addresses, each with its place in the file.
fn in_file(file: &Mapped, addresses: &[(usize, u64)]) -> Option<HashMap<usize, Vec<Frame>>> {
    let elf = Elf::parse(file.bytes()).ok()?;
    // Addresses as the file counts them.
    let mut own: Vec<(u64, usize)> =
        addresses.iter().filter_map(|&(address, at)| Some((own_address(&elf, at)?, address))).collect();
    own.sort_unstable();
    let mut found = by_debug_tables(&elf, &own);
    own.retain(|(_, address)| !found.contains_key(address));
    if !own.is_empty() {
        found.extend(by_symbols(&elf, &own));
    }
    Some(found)
}

/// The address that a place in a file has by its own count.
fn own_address(elf: &Elf<'_>, at: u64) -> Option<u64> {
    elf.segments().find_map(|segment| {
        let (offset, size) = segment.file_range();
        (offset <= at && at < offset + size).then(|| segment.address() + (at - offset))
    })
}

fn by_debug_tables(elf: &Elf<'_>, own: &[(u64, usize)]) -> HashMap<usize, Vec<Frame>> {
    let mut found = HashMap::new();
    if elf.section_by_name(".debug_info").is_none() {
        return found;
    }
    let section = |id: addr2line::gimli::SectionId| {
        let data = elf.section_by_name(id.name()).and_then(|section| section.data().ok()).unwrap_or_default();
        Ok::<_, addr2line::gimli::Error>(Slice::new(data, LittleEndian))
    };
    let Some(context) = Dwarf::load(section).ok().and_then(|dwarf| Context::from_dwarf(dwarf).ok()) else {
        return found;
    };
    for &(own, address) in own {
        let frames = frames_at(&context, own);
        if !frames.is_empty() {
            found.insert(address, frames);
        }
    }
    found
}

/// The functions at an address that tables for debuggers know.
fn frames_at(context: &Context<Slice<'_>>, address: u64) -> Vec<Frame> {
    let mut frames = Vec::new();
    let Ok(mut iterator) = context.find_frames(address).skip_all_loads() else { return frames };
    while let Ok(Some(frame)) = iterator.next() {
        let Some(name) = frame.function.as_ref().and_then(|function| function.raw_name().ok()) else { continue };
        let location = frame.location.and_then(|place| Some((place.file?, place.line?, place.column.unwrap_or(1))));
        let location = location.filter(|(file, ..)| *file == COMPILED_SOURCE);
        frames.push(Frame {
            name: demangled(&name),
            location: location.map(|(file, line, column)| format!("{file}:{line}:{}", column.max(1))),
            inlined: true,
        });
    }
    // All but the last one are built into it.
    frames.last_mut().into_iter().for_each(|frame| frame.inlined = false);
    frames
}

/// The functions of the tables of symbols in which addresses are. `own` is in order.
fn by_symbols(elf: &Elf<'_>, own: &[(u64, usize)]) -> HashMap<usize, Vec<Frame>> {
    let mut found = HashMap::new();
    for symbol in elf.symbols().chain(elf.dynamic_symbols()) {
        if symbol.kind() != SymbolKind::Text || symbol.size() == 0 || symbol.is_undefined() {
            continue;
        }
        let (start, end) = (symbol.address(), symbol.address().saturating_add(symbol.size()));
        let first = own.partition_point(|(own, _)| *own < start);
        for (_, address) in own[first..].iter().take_while(|(own, _)| *own < end) {
            let Ok(name) = symbol.name() else { continue };
            found.entry(*address).or_insert_with(|| vec![Frame { name: demangled(name), ..Frame::default() }]);
        }
    }
    found
}

/// A symbol's name as it is in the source.
fn demangled(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_in_the_list_of_what_is_loaded() {
        let maps = "\
7f00-7f80 r--p 00000000 08:01 11 /lib/a b.so
7f80-8000 r-xp 00000080 08:01 11                         /lib/a b.so
9000-9100 r-xp 00000000 00:00 0 [vdso]
";
        let expected = Loaded { start: 0x7f80, end: 0x8000, offset: 0x80, path: "/lib/a b.so".into() };
        assert_eq!(loaded(maps), [expected]);
    }

    #[test]
    fn a_function_of_this_program_is_found() {
        let address = code_is_found_in_the_list_of_what_is_loaded as *const () as usize + 1;
        let found = functions([address, 16].into_iter());
        let names: Vec<&str> = found[&address].iter().map(|frame| frame.name.as_str()).collect();
        assert!(names.iter().any(|name| name.contains("code_is_found")), "{names:?}");
        assert_eq!(found[&16][0].name, "[code without a file]");
    }

    #[test]
    fn names_have_no_hash() {
        assert_eq!(demangled("_ZN3ctx4slow17h0123456789abcdefE"), "ctx::slow");
        assert_eq!(demangled("_RNvCs1234_3ctx4slow"), "ctx::slow");
        assert_eq!(demangled("exp"), "exp");
    }
}
