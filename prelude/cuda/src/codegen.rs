//! One generator of CUDA C for kernels around code that is only known at run time: functions of the notebook (`gpu::map`) and the
//! user's expressions (`gpu::ElementwiseKernel`, `gpu::ReductionKernel`). Text only: no device is needed.
//!
//! A kernel has parameters, arrays that it walks over, and code for one element of each. This module writes the loops.
//! In its templates `$` begins each name that the kernel has beside its parameters. A prefix replaces it, so that macros of the user
//! cannot change the kernel.

mod reduction;
mod tiles;

pub use reduction::{AxesReduction, WholeReduction};
use std::fmt::Write;
pub use tiles::{ACROSS, Place, Tiles};

const PACK: &str = include_str!("../kernels/pack.cuh");
const AXES: &str = include_str!("../kernels/axes.cuh");

/// Threads of a block, for most kernels.
pub const THREADS: usize = 256;
/// At addresses that are multiples of this many bytes, neighbours are read and written together.
pub const ALIGNMENT: usize = 16;

/// The layout of the arrays in memory, which decides the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All arrays are contiguous and begin at multiples of 16 bytes.
    Packed,
    /// All arrays are contiguous.
    Single,
    /// Any strides, fewer than 2^31 elements, in long rows along the innermost axis.
    Rows,
    /// Any strides, fewer than 2^31 elements, in tiles of the two innermost axes.
    Tiles,
    /// Any strides, fewer than 2^31 elements.
    Strided,
    /// Any strides.
    StridedWide,
}

impl Form {
    pub const ALL: [Form; 6] = [Form::Packed, Form::Single, Form::Rows, Form::Tiles, Form::Strided, Form::StridedWide];

    /// The form for arrays of so many elements. `are_aligned`: whether all begin at multiples of 16 bytes.
    pub fn of(are_contiguous: bool, are_aligned: bool, elements: usize) -> Form {
        match (are_contiguous, are_aligned) {
            (true, true) => Form::Packed,
            (true, false) => Form::Single,
            (false, _) if elements <= i32::MAX as usize => Form::Strided,
            (false, _) => Form::StridedWide,
        }
    }

    /// A part of the kernel's name.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Packed => "packed",
            Form::Single => "single",
            Form::Rows => "rows",
            Form::Tiles => "tiles",
            Form::Strided => "strided",
            Form::StridedWide => "strided_wide",
        }
    }

    pub const fn is_strided(self) -> bool {
        matches!(self, Form::Rows | Form::Tiles | Form::Strided | Form::StridedWide)
    }

    /// What a program needs above a kernel of this form.
    pub const fn support(self) -> &'static str {
        match self {
            Form::Packed | Form::Single => PACK,
            Form::Tiles => concat!(include_str!("../kernels/pack.cuh"), "\n", include_str!("../kernels/axes.cuh")),
            Form::Rows | Form::Strided | Form::StridedWide => AXES,
        }
    }

    /// The type of the number of an element.
    const fn index(self) -> &'static str {
        if matches!(self, Form::StridedWide) { "unsigned long long" } else { "unsigned int" }
    }
}

/// An array of which a kernel meets each element once.
#[derive(Clone, Debug)]
pub struct WalkedArray {
    /// The kernel's parameter with the address.
    pub address: String,
    /// The type of the elements in CUDA C.
    pub element: &'static str,
    pub access: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    /// The code may read an element before it writes it, or not write it.
    ReadWrite,
}

/// Writes code in CUDA C, given the number of an element and the elements of the arrays.
pub type Code<'a> = &'a dyn Fn(&str, &[String]) -> String;

/// A kernel that runs code for each element. Its last parameters are the number of elements and, if it is strided, the axes.
pub struct Elementwise<'a> {
    pub name: &'a str,
    pub prefix: &'a str,
    pub form: Form,
    pub threads: usize,
    /// How many neighbouring elements a thread takes at once; of rows, how many elements, and of tiles, how many rows.
    pub each: usize,
    /// Whether the kernel checks that the arrays begin at multiples of 16 bytes before it reads neighbours together.
    pub checks_alignment: bool,
    pub parameters: &'a [String],
    pub arrays: &'a [WalkedArray],
    /// Of [`Form::Tiles`].
    pub tiles: Tiles,
    pub code: Code<'a>,
}

impl Elementwise<'_> {
    /// The kernel. The program must have `Form::support` above it.
    pub fn text(&self) -> String {
        let Elementwise { form, threads, each, arrays, code, .. } = *self;
        let index = form.index();
        let body = match form {
            Form::Packed if each > 1 => self.packed(),
            Form::Packed | Form::Single => format!(
                "    const long long $at = (long long)blockIdx.x * {threads} + threadIdx.x;
    if ($at >= $size) return;
{}",
                indented(4, &code("$at", &elements(arrays, |_| "$at".into())))
            ),
            Form::Rows => self.rows(),
            Form::Tiles => self.tiles(),
            Form::Strided | Form::StridedWide => format!(
                "    const {index} $at = ({index})blockIdx.x * {threads} + threadIdx.x;
    if ($at >= ({index})$size) return;
    long long $offset[{count}] = {{}};
    warpcell_move($layout, $at, $offset);
{}",
                indented(4, &code("$at", &elements(arrays, |number| format!("$offset[{number}]")))),
                count = rows(arrays),
            ),
        };
        let mut parameters = self.parameters.to_vec();
        parameters.push("long long $size".into());
        if form.is_strided() {
            parameters.push(format!("const __grid_constant__ warpcell_axes<{}> $layout", rows(arrays)));
        }
        kernel(self.name, threads, &parameters, &body).replace('$', self.prefix)
    }

    /// A block has a part of a row, and the grid a row for each index of the other axes. All that a thread reads is under way before it
    /// computes.
    fn rows(&self) -> String {
        let Elementwise { threads, each, arrays, code, .. } = *self;
        let mut text = format!(
            "    long long $offset[{}] = {{}};
    warpcell_move($layout, (unsigned int)blockIdx.x, $offset, 1);
    const unsigned int $column = blockIdx.y * {} + threadIdx.x, $length = (unsigned int)$layout.length[0];
",
            rows(arrays),
            threads * each
        );
        for (number, WalkedArray { address, element, access }) in arrays.iter().enumerate() {
            let is_const = if *access == Access::Read { "const " } else { "" };
            let _ = writeln!(
                text,
                "    {is_const}{element}* const $p{number} = {address} + $offset[{number}] + $column * $layout.stride[{number}][0];
    const long long $step{number} = $layout.stride[{number}][0] * {threads};"
            );
            if *access == Access::Read {
                let _ = writeln!(text, "    {element} $v{number}[{each}];");
            }
        }
        let _ = writeln!(
            text,
            "#pragma unroll
    for (int $k = 0; $k < {each}; $k++) {{
        if ($column + $k * {threads} >= $length) break;"
        );
        for (number, _) in arrays.iter().enumerate().filter(|(_, array)| array.access == Access::Read) {
            let _ = writeln!(text, "        $v{number}[$k] = $p{number}[$k * $step{number}];");
        }
        let one = |(number, array): (usize, &WalkedArray)| match array.access {
            Access::Read => format!("$v{number}[$k]"),
            Access::Write | Access::ReadWrite => format!("$p{number}[$k * $step{number}]"),
        };
        let elements: Vec<String> = arrays.iter().enumerate().map(one).collect();
        let at = format!("(long long)blockIdx.x * $length + $column + $k * {threads}");
        let _ = write!(
            text,
            "    }}
#pragma unroll
    for (int $k = 0; $k < {each}; $k++) {{
        if ($column + $k * {threads} >= $length) break;
{}    }}
",
            indented(8, &code(&at, &elements))
        );
        text
    }

    fn packed(&self) -> String {
        let Elementwise { threads, each, arrays, code, .. } = *self;
        let addresses: Vec<String> = arrays.iter().map(|array| format!("(size_t){}", array.address)).collect();
        let aligned =
            if self.checks_alignment { format!(" && ({}) % 16 == 0", addresses.join(" | ")) } else { String::new() };
        let mut text = format!(
            "    const long long $first = ((long long)blockIdx.x * {threads} + threadIdx.x) * {each};
    if ($first + {each} <= $size{aligned}) {{
"
        );
        for (number, WalkedArray { address, element, access }) in arrays.iter().enumerate() {
            let pack = format!("warpcell_pack<{element}, {each}>");
            let load = if *access == Access::Write {
                String::new()
            } else {
                format!(" = *(const {pack}*)({address} + $first)")
            };
            let is_const = if *access == Access::Read { "const " } else { "" };
            let _ = writeln!(text, "        {is_const}{pack} $pack{number}{load};");
        }
        let neighbours: Vec<String> = (0..arrays.len()).map(|number| format!("$pack{number}.at[$k]")).collect();
        let _ = write!(
            text,
            "#pragma unroll
        for (int $k = 0; $k < {each}; $k++) {{
{}        }}
",
            indented(12, &code("$first + $k", &neighbours))
        );
        for (number, WalkedArray { address, element, access }) in arrays.iter().enumerate() {
            if *access != Access::Read {
                let _ =
                    writeln!(text, "        *(warpcell_pack<{element}, {each}>*)({address} + $first) = $pack{number};");
            }
        }
        let _ = write!(
            text,
            "        return;
    }}
#pragma unroll 1
    for (long long $at = $first; $at < $size && $at < $first + {each}; $at++) {{
{}    }}
",
            indented(8, &code("$at", &elements(arrays, |_| "$at".into())))
        );
        text
    }
}

/// A kernel with this body.
fn kernel(name: &str, threads: usize, parameters: &[String], body: &str) -> String {
    let parameters = parameters.join(", ");
    format!("extern \"C\" __global__ void __launch_bounds__({threads})\n{name}({parameters}) {{\n{body}}}\n")
}

/// The element of each array at the offset that `offset` writes for its number.
fn elements(arrays: &[WalkedArray], offset: impl Fn(usize) -> String) -> Vec<String> {
    arrays.iter().enumerate().map(|(number, array)| format!("{}[{}]", array.address, offset(number))).collect()
}

/// How many rows of strides the axes of some arrays have.
fn rows(arrays: &[WalkedArray]) -> usize {
    arrays.len().max(1)
}

/// The lines of a text behind some blanks; directives stay where they are.
fn indented(blanks: usize, text: &str) -> String {
    text.lines().map(|line| format!("{:1$}{line}\n", "", if line.starts_with('#') { 0 } else { blanks })).collect()
}
