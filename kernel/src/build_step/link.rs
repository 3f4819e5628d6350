//! Links a cell: makes a shared library of the one object file that the compiler writes. A linker that is started for each cell takes
//! longer than all that it does for it.
//!
//! A cell needs few of a linker's abilities. It refers to the prelude and the standard library, which its process has loaded, and to
//! some functions of the C library. If an object has anything else, such as variables of threads or functions of other libraries, there
//! is no answer here, and the linker of the toolchain links it (`flags.rs`).
//!
//! The library has three parts in memory: what is read (tables for the loader, constants, tables for unwinding), code, and what is
//! written (including pointers, which the loader fills in).

use crate::syntax::list_has;
use object::LittleEndian as Little;
use object::elf::{self, FileHeader64, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, SHN_UNDEF, SHT_INIT_ARRAY, SHT_NOBITS};
use object::elf::{R_X86_64_64 as R_64, R_X86_64_GLOB_DAT as R_GLOB_DAT, R_X86_64_GOTPCREL as R_GOTPCREL};
use object::elf::{R_X86_64_GOTPCRELX as R_GOTPCRELX, R_X86_64_PC32 as R_PC32, R_X86_64_PLT32 as R_PLT32};
use object::elf::{R_X86_64_RELATIVE as R_RELATIVE, R_X86_64_REX_GOTPCRELX as R_REX_GOTPCRELX};
use object::elf::{STB_LOCAL, STT_FILE, STT_FUNC, STT_GNU_IFUNC, STT_SECTION, STT_TLS, STV_DEFAULT};
use object::read::elf::{FileHeader as _, Rela as _, SectionHeader as _, Sym as _};
use std::collections::HashMap;
use std::ops::Range;

const PAGE: u64 = 0x1000;
const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;
const SECTION_HEADER: usize = 64;
const SYMBOL: usize = 24;
const RELOCATION: usize = 24;

/// Functions that the process of a cell has for all to see, beside those of Rust, whose names begin as in [`OF_RUST`].
const KNOWN: [&str; 8] =
    ["memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "_Unwind_Resume", "rust_eh_personality"];
const OF_RUST: [&str; 3] = ["_R", "_ZN", super::statics::SYMBOL];

/// Functions of numbers that the code of Rust's own calls. Most of them also exist for `f32`, with an `f` behind the name.
const OF_NUMBERS: &str = "acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh exp exp2 expm1 fdim floor fma fmax fmin fmod hypot log \
                          log10 log1p log2 pow rint round roundeven sin sinh sqrt tan tanh tgamma trunc";

/// The libraries that have these functions.
const LIBRARIES: [&str; 3] = ["libgcc_s.so.1", "libc.so.6", "libm.so.6"];

/// Whether the process of a cell has a symbol.
fn is_known(name: &str) -> bool {
    KNOWN.contains(&name)
        || OF_RUST.iter().any(|start| name.starts_with(start))
        || list_has(OF_NUMBERS, name)
        || name.strip_suffix('f').is_some_and(|name| list_has(OF_NUMBERS, name))
}

/// A section of an object.
struct Section<'a> {
    kind: u32,
    flags: u32,
    contents: &'a [u8],
    size: u64,
    alignment: u64,
    name: &'a str,
    /// Where it is in the library.
    address: u64,
}

impl Section<'_> {
    fn is_loaded(&self) -> bool {
        self.flags & SHF_ALLOC != 0
    }

    fn part(&self) -> Part {
        if self.flags & SHF_EXECINSTR != 0 {
            Part::Code
        } else if self.flags & SHF_WRITE == 0 {
            Part::Read
        } else if self.kind == SHT_INIT_ARRAY {
            Part::Initialisers
        } else if self.kind == SHT_NOBITS {
            Part::Zeros
        } else {
            Part::Written
        }
    }
}

/// The parts of a library, in this order.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Read,
    Code,
    Initialisers,
    Written,
    Zeros,
}

/// A symbol of an object.
#[derive(Clone, Copy)]
struct Symbol<'a> {
    name: &'a str,
    kind: u8,
    binding: u8,
    visibility: u8,
    section: u16,
    value: u64,
    size: u64,
}

impl Symbol<'_> {
    fn is_defined(&self) -> bool {
        self.section != SHN_UNDEF
    }

    fn is_offered(&self) -> bool {
        self.is_defined() && self.binding != STB_LOCAL && self.visibility == STV_DEFAULT
    }
}

/// A place in an object that depends on the address of a symbol.
struct Relocation {
    section: usize,
    offset: u64,
    kind: u32,
    symbol: usize,
    addend: i64,
}

/// The shared library of an object file. None if the object needs more than is known here.
pub fn shared_library(object: &[u8]) -> Option<Vec<u8>> {
    Object::read(object)?.link()
}

struct Object<'a> {
    sections: Vec<Section<'a>>,
    symbols: Vec<Symbol<'a>>,
    relocations: Vec<Relocation>,
}

impl<'a> Object<'a> {
    fn read(object: &'a [u8]) -> Option<Object<'a>> {
        let file = FileHeader64::<Little>::parse(object).ok()?;
        if (file.e_type(Little), file.e_machine(Little)) != (elf::ET_REL, elf::EM_X86_64) {
            return None;
        }
        let text = |name: object::Result<&'a [u8]>| std::str::from_utf8(name.ok()?).ok();
        let table = file.sections(Little, object).ok()?;
        let sections = table.iter().map(|section| {
            Some(Section {
                kind: section.sh_type(Little),
                flags: section.sh_flags(Little) as u32,
                contents: section.data(Little, object).ok()?,
                size: section.sh_size(Little),
                alignment: section.sh_addralign(Little).max(1),
                name: text(table.section_name(Little, section))?,
                address: 0,
            })
        });
        let sections: Vec<Section<'_>> = sections.collect::<Option<_>>()?;
        let names = table.symbols(Little, object, elf::SHT_SYMTAB).ok()?;
        let symbols = names.iter().map(|symbol| {
            Some(Symbol {
                name: text(names.symbol_name(Little, symbol))?,
                kind: symbol.st_type(),
                binding: symbol.st_bind(),
                visibility: symbol.st_visibility(),
                section: symbol.st_shndx(Little),
                value: symbol.st_value(Little),
                size: symbol.st_size(Little),
            })
        });
        let symbols = symbols.collect::<Option<_>>()?;
        let mut relocations = Vec::new();
        for of_section in table.iter() {
            let Some((entries, _)) = of_section.rela(Little, object).ok()? else { continue };
            let section = of_section.info_link(Little).0;
            if sections.get(section)?.is_loaded() {
                relocations.extend(entries.iter().map(|entry| Relocation {
                    section,
                    offset: entry.r_offset(Little),
                    kind: entry.r_type(Little, false),
                    symbol: entry.r_sym(Little, false) as usize,
                    addend: entry.r_addend(Little),
                }));
            }
        }
        let object = Object { sections, symbols, relocations };
        object.is_known().then_some(object)
    }

    /// Whether everything in it is known here.
    fn is_known(&self) -> bool {
        let of_section = |section: &Section<'_>| {
            let kinds = [elf::SHT_PROGBITS, SHT_NOBITS, SHT_INIT_ARRAY, elf::SHT_X86_64_UNWIND];
            let is_initialiser = section.name.contains("init_array") || section.kind == SHT_INIT_ARRAY;
            let is_plain = kinds.contains(&section.kind)
                && section.flags & elf::SHF_TLS == 0
                && section.alignment <= PAGE
                && section.alignment.is_power_of_two()
                && section.flags & (SHF_WRITE | SHF_EXECINSTR) != SHF_WRITE | SHF_EXECINSTR
                && !section.name.starts_with(".ctors")
                && !section.name.starts_with(".fini");
            let is_ordered = !is_initialiser || (section.name == ".init_array" && section.kind == SHT_INIT_ARRAY);
            !section.is_loaded() || (is_plain && is_ordered)
        };
        let of_symbol = |symbol: &Symbol<'_>| {
            let is_there = symbol.section < elf::SHN_LORESERVE && usize::from(symbol.section) < self.sections.len();
            let is_named = || is_known(symbol.name);
            match symbol.kind {
                STT_FILE => true,
                STT_TLS | STT_GNU_IFUNC => false,
                _ if symbol.is_defined() => is_there,
                _ => symbol.name.is_empty() || is_named(),
            }
        };
        let of_relocation = |relocation: &Relocation| {
            let section = &self.sections[relocation.section];
            let width = if relocation.kind == R_64 { 8 } else { 4 };
            let fits = relocation.offset.checked_add(width).is_some_and(|end| end <= section.contents.len() as u64);
            let Some(symbol) = self.symbols.get(relocation.symbol) else { return false };
            let is_loaded = || self.sections[usize::from(symbol.section)].flags & SHF_ALLOC != 0;
            let is_placed =
                if symbol.is_defined() { symbol.kind != STT_FILE && is_loaded() } else { !symbol.name.is_empty() };
            let is_possible = match relocation.kind {
                R_64 => section.flags & SHF_WRITE != 0,
                R_PC32 => symbol.is_defined(),
                R_PLT32 | R_GOTPCREL | R_GOTPCRELX | R_REX_GOTPCRELX => true,
                _ => false,
            };
            fits && is_placed && is_possible
        };
        self.sections.iter().all(of_section)
            && self.symbols.iter().all(of_symbol)
            && self.relocations.iter().all(of_relocation)
    }

    fn link(mut self) -> Option<Vec<u8>> {
        // Which symbols the loader looks at, which have a pointer, and which are called through it.
        let (mut names, mut pointers, mut stubs) = (Indices::default(), Indices::default(), Indices::default());
        for relocation in &self.relocations {
            let is_defined = self.symbols[relocation.symbol].is_defined();
            match relocation.kind {
                R_64 if !is_defined => names.add(relocation.symbol),
                R_PLT32 if !is_defined => {
                    stubs.add(relocation.symbol);
                    pointers.add(relocation.symbol);
                    names.add(relocation.symbol);
                }
                R_GOTPCREL | R_GOTPCRELX | R_REX_GOTPCRELX => {
                    pointers.add(relocation.symbol);
                    if !is_defined {
                        names.add(relocation.symbol);
                    }
                }
                _ => {}
            }
        }
        let undefined = names.keys.len();
        (0..self.symbols.len()).filter(|&index| self.symbols[index].is_offered()).for_each(|index| names.add(index));
        let mut strings = vec![0];
        let mut add_string = |text: &str| {
            let at = strings.len() as u32;
            strings.extend(text.as_bytes());
            strings.push(0);
            at
        };
        let libraries = LIBRARIES.map(&mut add_string);
        let name_places: Vec<u32> = names.keys.iter().map(|&index| add_string(self.symbols[index].name)).collect();
        let is_absolute = |relocation: &&Relocation| relocation.kind == R_64;
        let dynamic_count = self.relocations.iter().filter(is_absolute).count() + pointers.keys.len();

        // Where everything is.
        let mut place = Place(HEADER + 6 * PROGRAM_HEADER);
        let hash = place.take((2 + 1 + 1 + names.keys.len()) * 4, 8);
        let symbol_table = place.take((1 + names.keys.len()) * SYMBOL, 8);
        let string_table = place.take(strings.len(), 1);
        let relocation_table = place.take(dynamic_count * RELOCATION, 8);
        self.put(Part::Read, &mut place);
        // The tables for unwinding are one after another, so that one end is the end of all.
        let unwinding = self.put_unwinding(&mut place);
        let unwinding_header = place.take(8, 4);
        let read_end = place.0;
        place.next_page();
        let code_start = place.0;
        self.put(Part::Code, &mut place);
        let stub_code = place.take(stubs.keys.len() * 8, 16);
        let code_end = place.0;
        place.next_page();
        let written_start = place.0;
        let initialisers = self.put(Part::Initialisers, &mut place);
        let dynamic_entries = 10 + libraries.len() + 2 * usize::from(!initialisers.is_empty());
        let dynamic = place.take(dynamic_entries * 16, 16);
        let pointer_table = place.take(pointers.keys.len() * 8, 8);
        self.put(Part::Written, &mut place);
        let file_end = place.0;
        self.put(Part::Zeros, &mut place);
        let memory_end = place.0;

        let mut out = vec![0; file_end];
        for section in self.sections.iter().filter(|section| section.is_loaded() && section.kind != SHT_NOBITS) {
            let start = usize::try_from(section.address).ok()?;
            out.get_mut(start..start + section.contents.len())?.copy_from_slice(section.contents);
        }
        let address_of = |symbol: &Symbol<'_>| self.sections[usize::from(symbol.section)].address + symbol.value;

        // The loader's tables.
        let mut written = Vec::with_capacity(dynamic_count * RELOCATION);
        let mut add_dynamic = |place: u64, symbol: usize, kind: u32, addend: i64| {
            let known = &self.symbols[symbol];
            let (kind, index, addend) = if known.is_defined() {
                (R_RELATIVE, 0, (address_of(known) as i64).wrapping_add(addend))
            } else {
                (kind, 1 + names.index(symbol), addend)
            };
            written.extend(place.to_le_bytes());
            written.extend(((index as u64) << 32 | u64::from(kind)).to_le_bytes());
            written.extend(addend.to_le_bytes());
        };
        for (index, &symbol) in pointers.keys.iter().enumerate() {
            add_dynamic((pointer_table.start + index * 8) as u64, symbol, R_GLOB_DAT, 0);
        }
        for relocation in &self.relocations {
            let section = &self.sections[relocation.section];
            let place = section.address + relocation.offset;
            let symbol = &self.symbols[relocation.symbol];
            let target = match relocation.kind {
                R_64 => {
                    add_dynamic(place, relocation.symbol, R_64, relocation.addend);
                    continue;
                }
                R_PC32 | R_PLT32 if symbol.is_defined() => address_of(symbol),
                R_PLT32 => (stub_code.start + stubs.index(relocation.symbol) * 8) as u64,
                _ => (pointer_table.start + pointers.index(relocation.symbol) * 8) as u64,
            };
            let distance = (target as i64).wrapping_add(relocation.addend).wrapping_sub(place as i64);
            put(&mut out, usize::try_from(place).ok()?, &i32::try_from(distance).ok()?.to_le_bytes());
        }
        put(&mut out, relocation_table.start, &written);
        // `jmp *pointer(%rip)`
        for (index, &symbol) in stubs.keys.iter().enumerate() {
            let stub = stub_code.start + index * 8;
            let pointer = pointer_table.start + pointers.index(symbol) * 8;
            put(&mut out, stub, &[0xff, 0x25]);
            put(&mut out, stub + 2, &i32::try_from(pointer - (stub + 6)).ok()?.to_le_bytes());
        }
        put(&mut out, string_table.start, &strings);
        let section_of = |symbol: &Symbol<'_>| if symbol.is_defined() { 1_u16 } else { SHN_UNDEF };
        let entry_of = |symbol: &Symbol<'_>, name: u32| {
            let value = if symbol.is_defined() { address_of(symbol) } else { 0 };
            symbol_entry(symbol, name, section_of(symbol), value)
        };
        for (index, (&symbol, &name)) in names.keys.iter().zip(&name_places).enumerate() {
            put(&mut out, symbol_table.start + (1 + index) * SYMBOL, &entry_of(&self.symbols[symbol], name));
        }
        // One bucket: few names are looked for here. The chain has those that are offered.
        let count = 1 + names.keys.len();
        let mut table = vec![1, count as u32, if undefined + 1 < count { undefined as u32 + 1 } else { 0 }, 0];
        table.extend(
            (1..count as u32)
                .map(|index| if index as usize > undefined && (index as usize) + 1 < count { index + 1 } else { 0 }),
        );
        put(&mut out, hash.start, &table.iter().flat_map(|word: &u32| word.to_le_bytes()).collect::<Vec<u8>>());

        // Where the tables for unwinding are: version 1, a relative pointer, and no sorted table.
        put(&mut out, unwinding_header.start, &[1, 0x1b, 0xff, 0xff]);
        let distance = unwinding.start as i64 - (unwinding_header.start as i64 + 4);
        put(&mut out, unwinding_header.start + 4, &i32::try_from(distance).ok()?.to_le_bytes());

        let mut entries: Vec<(u64, usize)> = libraries.iter().map(|&name| (1, name as usize)).collect();
        if !initialisers.is_empty() {
            entries.extend([(25, initialisers.start), (27, initialisers.len())]);
        }
        entries.extend([(4, hash.start), (5, string_table.start), (6, symbol_table.start), (10, strings.len())]);
        entries.extend([(11, SYMBOL), (7, relocation_table.start), (8, relocation_table.len()), (9, RELOCATION)]);
        // All symbols are looked for when the library is loaded.
        entries.extend([(30, 8), (0, 0)]);
        debug_assert_eq!(entries.len(), dynamic_entries);
        for (index, (tag, value)) in entries.into_iter().enumerate() {
            put(&mut out, dynamic.start + index * 16, &tag.to_le_bytes());
            put(&mut out, dynamic.start + index * 16 + 8, &(value as u64).to_le_bytes());
        }

        let segments = [
            (1_u32, 4_u32, 0..read_end, read_end, PAGE),
            (1, 5, code_start..code_end, code_end, PAGE),
            (1, 6, written_start..file_end, memory_end, PAGE),
            (2, 6, dynamic.clone(), dynamic.end, 8),
            (0x6474_e550, 4, unwinding_header.clone(), unwinding_header.end, 4),
            (0x6474_e551, 6, 0..0, 0, 16),
        ];
        for (index, (kind, flags, range, end, alignment)) in segments.into_iter().enumerate() {
            let start = range.start as u64;
            let mut header = Vec::with_capacity(PROGRAM_HEADER);
            header.extend(kind.to_le_bytes());
            header.extend(flags.to_le_bytes());
            [start, start, start, range.len() as u64, (end - range.start) as u64, alignment]
                .iter()
                .for_each(|word| header.extend(word.to_le_bytes()));
            put(&mut out, HEADER + index * PROGRAM_HEADER, &header);
        }

        // For those who read the file: the code, and the names of functions.
        let mut function_names = vec![0];
        let mut functions = vec![0; SYMBOL];
        for symbol in self.symbols.iter().filter(|symbol| symbol.kind == STT_FUNC && symbol.is_defined()) {
            let name = function_names.len() as u32;
            function_names.extend(symbol.name.as_bytes());
            function_names.push(0);
            functions.extend(symbol_entry(&Symbol { binding: STB_LOCAL, ..*symbol }, name, 1, address_of(symbol)));
        }
        const NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0.shstrtab\0";
        out.resize(out.len().next_multiple_of(8), 0);
        let functions_start = out.len();
        out.extend(&functions);
        let function_names_start = out.len();
        out.extend(&function_names);
        let names_start = out.len();
        out.extend(NAMES);
        out.resize(out.len().next_multiple_of(8), 0);
        let headers = out.len();
        out.resize(headers + SECTION_HEADER, 0);
        let code = code_end - code_start;
        for (name, kind, flags, address, start, size, link, info, entry) in [
            (1_u32, elf::SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code_start, code_start, code, 0_u32, 0_u32, 0),
            (7, elf::SHT_SYMTAB, 0, 0, functions_start, functions.len(), 3, (functions.len() / SYMBOL) as u32, SYMBOL),
            (15, 3, 0, 0, function_names_start, function_names.len(), 0, 0, 0),
            (23, 3, 0, 0, names_start, NAMES.len(), 0, 0, 0),
        ] {
            out.extend(name.to_le_bytes());
            out.extend(kind.to_le_bytes());
            for word in [u64::from(flags), address as u64, start as u64, size as u64] {
                out.extend(word.to_le_bytes());
            }
            out.extend(link.to_le_bytes());
            out.extend(info.to_le_bytes());
            out.extend(16_u64.to_le_bytes());
            out.extend((entry as u64).to_le_bytes());
        }

        let mut header = b"\x7fELF\x02\x01\x01".to_vec();
        header.resize(16, 0);
        for half in [3_u16, 62] {
            header.extend(half.to_le_bytes());
        }
        header.extend(1_u32.to_le_bytes());
        for word in [0, HEADER as u64, headers as u64] {
            header.extend(word.to_le_bytes());
        }
        header.extend(0_u32.to_le_bytes());
        for half in [HEADER, PROGRAM_HEADER, 6, SECTION_HEADER, 5, 4] {
            header.extend((half as u16).to_le_bytes());
        }
        put(&mut out, 0, &header);
        Some(out)
    }

    /// Gives the sections of a part their addresses.
    fn put(&mut self, part: Part, place: &mut Place) -> Range<usize> {
        let mut taken: Option<Range<usize>> = None;
        for section in self.sections.iter_mut() {
            if section.is_loaded() && section.part() == part && section.name != UNWINDING {
                let range = place.take(section.size as usize, section.alignment as usize);
                section.address = range.start as u64;
                taken = Some(taken.map_or(range.clone(), |taken| taken.start..range.end));
            }
        }
        taken.unwrap_or(place.0..place.0)
    }

    /// The same of the tables for unwinding, with the zeros that end them.
    fn put_unwinding(&mut self, place: &mut Place) -> Range<usize> {
        let start = place.take(0, 8).start;
        for section in self.sections.iter_mut().filter(|section| section.is_loaded() && section.name == UNWINDING) {
            section.address = place.take(section.size as usize, 8).start as u64;
        }
        start..place.take(4, 4).end
    }
}

const UNWINDING: &str = ".eh_frame";

fn symbol_entry(symbol: &Symbol<'_>, name: u32, section: u16, value: u64) -> Vec<u8> {
    let kind = if symbol.kind == STT_SECTION { 0 } else { symbol.kind };
    let mut entry = name.to_le_bytes().to_vec();
    entry.extend([symbol.binding << 4 | kind, STV_DEFAULT]);
    entry.extend(section.to_le_bytes());
    entry.extend(value.to_le_bytes());
    entry.extend(if section == SHN_UNDEF { 0 } else { symbol.size }.to_le_bytes());
    entry
}

/// Numbers of symbols, each once.
#[derive(Default)]
struct Indices {
    keys: Vec<usize>,
    places: HashMap<usize, usize>,
}

impl Indices {
    fn add(&mut self, key: usize) {
        self.places.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() - 1
        });
    }

    fn index(&self, key: usize) -> usize {
        self.places[&key]
    }
}

/// The next free address, which is also the place in the file.
struct Place(usize);

impl Place {
    fn take(&mut self, size: usize, alignment: usize) -> Range<usize> {
        let start = self.0.next_multiple_of(alignment);
        self.0 = start + size;
        start..self.0
    }

    fn next_page(&mut self) {
        self.0 = self.0.next_multiple_of(PAGE as usize);
    }
}

fn put(out: &mut [u8], at: usize, bytes: &[u8]) {
    out[at..at + bytes.len()].copy_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const SOURCE: &str = r#"
        #![no_std]
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
        static mut COUNT: u64 = 40;
        static mut ZEROS: [u64; 1000] = [0; 1000];
        static NAMES: [&str; 3] = ["a", "bc", "def"];
        #[used]
        #[unsafe(link_section = ".init_array")]
        static BEGIN: extern "C" fn() = begin;
        extern "C" fn begin() { unsafe { COUNT += 1; ZEROS[999] = 1000; } }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn total(name: usize, from: *const u8, to: *mut u8, length: usize) -> u64 {
            unsafe {
                core::ptr::copy_nonoverlapping(from, to, length);
                COUNT + ZEROS[999] + NAMES.get(name).map_or(0, |name| name.len()) as u64 * 10000
            }
        }
    "#;

    fn compiled(source: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let (file, object) = (folder.path().join("lib.rs"), folder.path().join("lib.o"));
        std::fs::write(&file, source).unwrap();
        let mut compiler = Command::new("rustc");
        compiler.args([
            "--crate-type",
            "cdylib",
            "--edition",
            "2024",
            "-C",
            "codegen-units=1",
            "-C",
            "panic=abort",
            "-O",
        ]);
        compiler.arg("--emit").arg(format!("obj={}", object.display())).arg(&file);
        // It writes files to its directory too.
        let output = compiler.current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(object).unwrap()
    }

    #[test]
    fn a_library_is_loaded_and_does_what_its_source_says() {
        let library = shared_library(&compiled(SOURCE)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for name in ["one.so", "another.so"] {
            let path = folder.path().join(name);
            std::fs::write(&path, &library).unwrap();
            let mut copy = [0_u8; 3];
            // SAFETY: the source has this function, which writes as many bytes as there is room for.
            let total = unsafe {
                let loaded = libloading::Library::new(&path).unwrap();
                type Total = unsafe extern "C" fn(usize, *const u8, *mut u8, usize) -> u64;
                let total = loaded.get::<Total>(b"total").unwrap();
                assert!(loaded.get::<Total>(b"begin").is_err() && loaded.get::<Total>(b"memcpy_").is_err());
                total(2, b"abc".as_ptr(), copy.as_mut_ptr(), 3)
            };
            assert_eq!((total, &copy), (31_041, b"abc"), "each library has statics of its own");
        }
    }

    #[test]
    fn what_needs_a_linker_is_left_to_it() {
        let foreign = "unsafe extern \"C\" { safe fn getpagesize() -> i32; }\n\
                       #[unsafe(no_mangle)] pub extern \"C\" fn f() -> i32 { getpagesize() }";
        assert!(
            shared_library(&compiled(&SOURCE.replace("static mut COUNT", &format!("{foreign}\nstatic mut COUNT"))))
                .is_none()
        );
        let ordered = SOURCE.replace(".init_array", ".init_array.5");
        assert!(shared_library(&compiled(&ordered)).is_none(), "an order of its own");
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let object = compiled(SOURCE);
        assert!((0..object.len()).step_by(7).all(|length| shared_library(&object[..length]).is_none()));
        assert!(shared_library(&shared_library(&object).unwrap()).is_none(), "a library is no object");
    }
}
