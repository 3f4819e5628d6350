//! Kernels over tiles of the two innermost axes.
//!
//! Arrays that are views of one array, moved by some rows and columns, have most of their elements in common: those of a stencil have. A
//! thread reads what its elements need of such an array once, as neighbours where that is possible.

use super::{Access, Elementwise, WalkedArray, indented, rows};
use std::fmt::Write;

/// Threads of a block side by side; the others are below them.
pub const ACROSS: usize = 128;
/// The most arrays that have a place of their own.
const MOST_ARRAYS: usize = 16;

/// Where the elements of an array lie, as far as the kernel is made for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Anywhere.
    #[default]
    Any,
    /// Neighbours along the innermost axis lie side by side, those of a thread at a multiple of their size. For what is written.
    Packs,
    /// So many rows and columns behind the corner that the arrays of a group share; neighbours lie side by side. For what is read.
    Of { group: u8, row: u8, column: u8 },
}

/// What a kernel knows of the arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// The columns of a thread. All that it reads of a group, and writes in packs, is in packs of as many elements.
    pub columns: usize,
    /// In the order of the arrays.
    pub places: [Place; MOST_ARRAYS],
}

impl Default for Tiles {
    fn default() -> Tiles {
        Tiles { columns: 1, places: [Place::Any; MOST_ARRAYS] }
    }
}

/// An array of a group: its number, and its place.
#[derive(Clone, Copy)]
struct Member {
    number: usize,
    row: usize,
    column: usize,
}

impl Tiles {
    pub fn place(&self, number: usize) -> Place {
        self.places.get(number).copied().unwrap_or_default()
    }

    /// The groups of some arrays, each with its number.
    fn groups(&self, arrays: usize) -> Vec<(u8, Vec<Member>)> {
        let mut groups: Vec<(u8, Vec<Member>)> = Vec::new();
        for number in 0..arrays {
            let Place::Of { group, row, column } = self.place(number) else { continue };
            let member = Member { number, row: row.into(), column: column.into() };
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, members)) => members.push(member),
                None => groups.push((group, vec![member])),
            }
        }
        groups
    }
}

impl Elementwise<'_> {
    /// A block has a tile, of which each thread has `each` rows. The grid has all tiles of the same rows side by side.
    pub(super) fn tiles(&self) -> String {
        let Elementwise { threads, each, arrays, tiles, .. } = *self;
        let (down, across) = (threads / ACROSS * each, ACROSS * tiles.columns);
        let mut text = format!(
            "    const unsigned int $length = (unsigned int)$layout.length[0], $lines = (unsigned int)$layout.length[1];
    const unsigned int $parts = ($length + {past_column}) / {across}, $bands = ($lines + {past_row}) / {down};
    const unsigned int $band = blockIdx.x / $parts, $rest = $band / $bands;
    const unsigned int $column = (blockIdx.x - $band * $parts) * {across} + threadIdx.x % {ACROSS} * {columns};
    const unsigned int $row = ($band - $rest * $bands) * {down} + threadIdx.x / {ACROSS} * {each};
    if ($column >= $length || $row >= $lines) return;
    long long $offset[{count}] = {{}};
    warpcell_move($layout, $rest, $offset, 2);
",
            past_column = across - 1,
            past_row = down - 1,
            columns = tiles.columns,
            count = rows(arrays),
        );
        for (number, array) in arrays.iter().enumerate() {
            self.begin(&mut text, number, array);
        }
        let groups = tiles.groups(arrays.len());
        for (group, members) in &groups {
            self.read(&mut text, *group, members);
        }
        let loose =
            |number: usize, array: &WalkedArray| array.access == Access::Read && tiles.place(number) == Place::Any;
        let reads: String = (arrays.iter().enumerate().filter(|(number, array)| loose(*number, array)))
            .map(|(number, _)| format!("$v{number}[$k][$c] = $p{number}[$k * $step{number} + $c * $next{number}];\n"))
            .collect();
        if !reads.is_empty() {
            self.in_rows(&mut text, "", &reads, "");
        }
        self.compute(&mut text);
        text
    }

    /// Where an array's elements for a thread begin, and how far apart they are.
    fn begin(&self, text: &mut String, number: usize, WalkedArray { address, element, access }: &WalkedArray) {
        let Tiles { columns, .. } = self.tiles;
        let place = self.tiles.place(number);
        if matches!(place, Place::Of { .. }) {
            return;
        }
        let is_const = if *access == Access::Read { "const " } else { "" };
        let stride = format!("$layout.stride[{number}]");
        let _ = writeln!(
            text,
            "    {is_const}{element}* const $p{number} = {address} + $offset[{number}] + $column * {stride}[0] + $row * {stride}[1];
    const long long $step{number} = {stride}[1];"
        );
        if place == Place::Any {
            let _ = writeln!(text, "    const long long $next{number} = {stride}[0];");
        }
        if *access == Access::Read {
            let _ = writeln!(text, "    {element} $v{number}[{}][{columns}];", self.each);
        }
    }

    /// Reads what a thread needs of a group, row by row. A pack is read for the first element that needs a part of it: if that is past the
    /// last line, all others are.
    fn read(&self, text: &mut String, group: u8, members: &[Member]) {
        let Elementwise { each, arrays, tiles: Tiles { columns, .. }, .. } = *self;
        let Member { number, row, column } = members[0];
        let WalkedArray { address, element, .. } = &arrays[number];
        let last = |of: fn(&Member) -> usize| members.iter().map(of).max().unwrap_or(0);
        let pack = |element: &str| format!("warpcell_pack<{element}, {columns}>");
        let (rows, packs) =
            (each + last(|member| member.row), (columns + last(|member| member.column)).div_ceil(columns));
        let _ = writeln!(
            text,
            "    const long long $pitch{group} = $layout.stride[{number}][1];
    const {element}* const $corner{group} = {address} + $offset[{number}] + $column + ((long long)$row - {row}) * $pitch{group} - {column};
    alignas({}) {element} $cells{group}[{rows}][{}];",
            pack(element),
            packs * columns
        );
        for (line, column) in (0..rows).flat_map(|line| (0..packs).map(move |number| (line, number * columns))) {
            // The first of the thread's rows that needs it, if one does.
            let needs = |member: &&Member| member.column < column + columns && member.column + columns > column;
            let rows_of = |member: &Member| line.checked_sub(member.row).filter(|&row| row < each);
            let Some(first) = members.iter().filter(needs).filter_map(rows_of).min() else { continue };
            let guard = if first == 0 { String::new() } else { format!("if ($row + {first} < $lines) ") };
            let kind = pack(element);
            let _ = writeln!(
                text,
                "    {guard}*({kind}*)&$cells{group}[{line}][{column}] = *(const {kind}*)($corner{group} + {line} * $pitch{group} + {column});"
            );
        }
    }

    /// A loop over a thread's elements: what is done before a row, for each element of it, and after it.
    fn in_rows(&self, text: &mut String, before: &str, element: &str, after: &str) {
        let Elementwise { each, tiles: Tiles { columns, .. }, .. } = *self;
        let _ = write!(
            text,
            "#pragma unroll
    for (int $k = 0; $k < {each}; $k++) {{
        if ($row + $k >= $lines) break;
{}#pragma unroll
        for (int $c = 0; $c < {columns}; $c++) {{
{}        }}
{}    }}
",
            indented(8, before),
            indented(12, element),
            indented(8, after)
        );
    }

    fn compute(&self, text: &mut String) {
        let Elementwise { arrays, code, tiles: Tiles { columns, .. }, .. } = *self;
        let one = |(number, array): (usize, &WalkedArray)| match (self.tiles.place(number), array.access) {
            (Place::Of { group, row, column }, _) => format!("$cells{group}[$k + {row}][$c + {column}]"),
            (Place::Packs, _) => format!("$pack{number}.at[$c]"),
            (Place::Any, Access::Read) => format!("$v{number}[$k][$c]"),
            (Place::Any, _) => format!("$p{number}[$k * $step{number} + $c * $next{number}]"),
        };
        let elements: Vec<String> = arrays.iter().enumerate().map(one).collect();
        let (mut before, mut after) = (String::new(), String::new());
        for (number, WalkedArray { element, .. }) in arrays.iter().enumerate() {
            if self.tiles.place(number) == Place::Packs {
                let kind = format!("warpcell_pack<{element}, {columns}>");
                let _ = writeln!(before, "{kind} $pack{number};");
                let _ = writeln!(after, "*({kind}*)($p{number} + $k * $step{number}) = $pack{number};");
            }
        }
        let at = "((long long)$rest * $lines + $row + $k) * $length + $column + $c";
        self.in_rows(text, &before, &code(at, &elements), &after);
    }
}
