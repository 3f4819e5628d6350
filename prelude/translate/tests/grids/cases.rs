//! What each kernel is launched with, and what `warpcell-threads` makes of that.

use super::{faults, kernels};
use std::fmt::Debug;
use warpcell_threads::{FailureKind, Launch, Memory, Mode, View, ViewElement, ViewMut, run};

/// The texts that the kernels are compiled and translated from.
pub const KERNELS: &str = include_str!("kernels.rs");
pub const FAULTS: &str = include_str!("faults.rs");

/// A kernel with its arguments, and what came of it.
pub struct Case {
    pub name: &'static str,
    /// The text of the file that has it.
    pub file: &'static str,
    pub grid: [usize; 3],
    pub block: [usize; 3],
    pub dynamic_shared_bytes: usize,
    pub arguments: Vec<Argument>,
    pub outcome: Outcome,
}

/// An argument as text: `View2<f32>`, and what is needed to make it.
pub struct Argument {
    /// As `program::Program::kernel` takes it.
    pub kind: String,
    pub element: &'static str,
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    /// Of an array: where the first element is.
    pub offset: usize,
    /// The elements before the launch, or those of a scalar.
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The elements of all arrays afterwards.
    Wrote(Vec<Vec<u8>>),
    /// Of what a record of failures has, and the array's name.
    Failed { kind: u32, line: u32, array: Option<String>, index: Vec<usize>, thread: [usize; 3], block: [usize; 3] },
}

/// What may be an argument.
trait Pass {
    type Passed: Copy + Send + Sync;
    fn pass(&mut self, name: &'static str) -> Self::Passed;
    fn described(&self) -> Argument;
    fn written(&self) -> Option<Vec<u8>>;
}

trait Bytes: Copy + Debug + Send + Sync {
    const NAME: &'static str;
    fn bytes(self) -> Vec<u8>;
}

macro_rules! scalars {
    ($($type:ident)*) => {$(
        impl Bytes for $type {
            const NAME: &'static str = stringify!($type);
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
        impl Pass for $type {
            type Passed = $type;
            fn pass(&mut self, _: &'static str) -> $type {
                *self
            }
            fn described(&self) -> Argument {
                scalar(stringify!($type), Bytes::bytes(*self))
            }
            fn written(&self) -> Option<Vec<u8>> {
                None
            }
        }
    )*};
}
scalars!(u8 i32 u32 i64 u64 f32 f64 usize isize);

impl Bytes for bool {
    const NAME: &'static str = "bool";
    fn bytes(self) -> Vec<u8> {
        vec![u8::from(self)]
    }
}

impl Pass for bool {
    type Passed = bool;
    fn pass(&mut self, _: &'static str) -> bool {
        *self
    }
    fn described(&self) -> Argument {
        scalar("bool", self.bytes())
    }
    fn written(&self) -> Option<Vec<u8>> {
        None
    }
}

fn scalar(name: &'static str, bytes: Vec<u8>) -> Argument {
    Argument { kind: name.to_owned(), element: name, shape: Vec::new(), strides: Vec::new(), offset: 0, bytes }
}

/// An array with its layout.
struct Array<T> {
    elements: Vec<T>,
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
    /// Whether its elements are told to lie in C order without gaps.
    contiguous: bool,
}

/// An array that is read, one that is changed.
struct Read<T>(Array<T>);
struct Change<T>(Array<T>);

impl<T: Bytes> Array<T> {
    fn described(&self, access: &str) -> Argument {
        let gaps = if self.contiguous { "" } else { "*" };
        Argument {
            kind: format!("{access}{}<{}>{gaps}", self.shape.len(), T::NAME),
            element: T::NAME,
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            offset: self.offset,
            bytes: self.bytes(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        self.elements.iter().flat_map(|element| element.bytes()).collect()
    }

    /// The same elements, the axes in the other order.
    fn turned(mut self) -> Array<T> {
        self.shape.reverse();
        self.strides.reverse();
        self.contiguous = false;
        self
    }

    /// Every second element along the last axis, from the last one back.
    fn backwards(mut self) -> Array<T> {
        let last = self.shape.len() - 1;
        self.offset += (self.shape[last] - 1) * self.strides[last] as usize;
        self.shape[last] = self.shape[last].div_ceil(2);
        self.strides[last] *= -2;
        self.contiguous = false;
        self
    }
}

impl<T: Bytes + ViewElement> Pass for Read<T> {
    type Passed = View<T>;
    fn pass(&mut self, name: &'static str) -> View<T> {
        let data = self.0.elements[self.0.offset..].as_ptr();
        // SAFETY: shape and strides stay within the elements, which outlive the launch.
        unsafe { View::from_raw(data, &self.0.shape, &self.0.strides, name) }
    }
    fn described(&self) -> Argument {
        self.0.described("View")
    }
    fn written(&self) -> Option<Vec<u8>> {
        Some(self.0.bytes())
    }
}

impl<T: Bytes + ViewElement> Pass for Change<T> {
    type Passed = ViewMut<T>;
    fn pass(&mut self, name: &'static str) -> ViewMut<T> {
        let data = self.0.elements.as_mut_ptr().wrapping_add(self.0.offset);
        // SAFETY: as above, and nothing else uses the elements meanwhile.
        unsafe { ViewMut::from_raw(data, &self.0.shape, &self.0.strides, name) }
    }
    fn described(&self) -> Argument {
        self.0.described("ViewMut")
    }
    fn written(&self) -> Option<Vec<u8>> {
        Some(self.0.bytes())
    }
}

fn array<T>(shape: &[usize], element: impl Fn(usize) -> T) -> Array<T> {
    let mut strides = vec![1isize; shape.len()];
    for axis in (0..shape.len() - 1).rev() {
        strides[axis] = strides[axis + 1] * shape[axis + 1] as isize;
    }
    let elements = (0..shape.iter().product()).map(element).collect();
    Array { elements, shape: shape.to_vec(), strides, offset: 0, contiguous: true }
}

/// Numbers without order, from 0 to 999.
fn mixed(i: usize) -> usize {
    (i * 7919 + 104_729) % 1009 % 1000
}

fn read<T>(shape: &[usize], element: impl Fn(usize) -> T) -> Read<T> {
    Read(array(shape, element))
}

fn change<T>(shape: &[usize], element: impl Fn(usize) -> T) -> Change<T> {
    Change(array(shape, element))
}

fn zeros<T: Default>(shape: &[usize]) -> Change<T> {
    Change(array(shape, |_| T::default()))
}

fn text_of(file: &str) -> &'static str {
    if file == "faults" { FAULTS } else { KERNELS }
}

/// Runs a kernel as Rust has compiled it.
fn outcome(launch: &Launch<'_>, thread: &(dyn Fn() + Sync)) -> Option<Outcome> {
    // SAFETY: the cases give each kernel arrays of its own.
    let result = unsafe { run(launch, thread) };
    let failure = result.err()?;
    let line = failure.line.expect("failures have lines");
    let (thread, block) = (failure.thread, failure.block);
    Some(match failure.kind {
        FailureKind::OutOfBounds { memory, index, .. } => {
            let array = match memory {
                Memory::Array { name } => Some(name.to_owned()),
                _ => None,
            };
            Outcome::Failed { kind: 3, line, array, index, thread, block }
        }
        FailureKind::Panic { message } => {
            let kind = if message.contains("divide by zero") { 1 } else { 5 };
            Outcome::Failed { kind, line, array: None, index: Vec::new(), thread, block }
        }
        other => panic!("{}: {other:?}", launch.function),
    })
}

macro_rules! case {
    ($cases:ident, $file:ident::$name:ident, $grid:expr, $block:expr, $dynamic:expr; $($argument:ident = $value:expr),*) => {{
        $(let mut $argument = $value;)*
        let arguments = vec![$($argument.described()),*];
        let launch = Launch {
            function: stringify!($name),
            grid: $grid,
            block: $block,
            dynamic_shared_bytes: $dynamic,
            mode: Mode::Plain,
            interrupted: &|| false,
        };
        let failed = {
            $(let $argument = $argument.pass(stringify!($argument));)*
            outcome(&launch, &|| $file::$name($($argument),*))
        };
        let wrote = [$($argument.written()),*].into_iter().flatten().collect();
        $cases.push(Case {
            name: stringify!($name),
            file: text_of(stringify!($file)),
            grid: $grid,
            block: $block,
            dynamic_shared_bytes: $dynamic,
            arguments,
            outcome: failed.unwrap_or(Outcome::Wrote(wrote)),
        });
    }};
}

/// All kernels, each with arguments that show what it does.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let small = |i: usize| mixed(i) as f32 * 0.25 - 100.0;
    let wide = |i: usize| mixed(i) as f64 * 0.125 - 60.0;
    let whole = |i: usize| mixed(i) as i32 - 300;
    case!(cases, kernels::saxpy, [4, 1, 1], [32, 1, 1], 0;
        a = 2.5f32,
        x = read(&[100], small),
        y = change(&[100], small));
    case!(cases, kernels::saxpy, [2, 1, 1], [32, 1, 1], 0;
        a = -1.0f32,
        x = Read(array(&[99], small).backwards()),
        y = change(&[50], small));
    case!(cases, kernels::outer_product, [2, 3, 1], [8, 4, 1], 0;
        x = read(&[11], wide),
        y = read(&[13], wide),
        out = zeros(&[11, 13]));
    case!(cases, kernels::three_axes, [2, 2, 2], [4, 2, 2], 0;
        input = read(&[3, 4, 7], |i| mixed(i) as i64),
        out = zeros(&[3, 4, 7]));
    case!(cases, kernels::three_axes, [2, 2, 2], [4, 2, 2], 0;
        input = Read(array(&[7, 4, 3], |i| mixed(i) as i64).turned()),
        out = zeros(&[3, 4, 7]));
    case!(cases, kernels::four_axes, [1, 1, 1], [24, 1, 1], 0;
        input = read(&[2, 3, 4, 5], |i| mixed(i) as u32),
        out = zeros(&[2, 3, 4, 5]));
    case!(cases, kernels::four_axes, [1, 1, 1], [24, 1, 1], 0;
        input = Read(array(&[2, 3, 4, 9], |i| mixed(i) as u32).backwards()),
        out = Change(array(&[5, 4, 3, 2], |_| 0).turned()));
    case!(cases, kernels::transposed, [3, 2, 1], [4, 8, 1], 0; input = read(&[13, 9], small), out = zeros(&[9, 13]));
    case!(cases, kernels::transposed, [3, 2, 1], [4, 8, 1], 0;
        input = read(&[13, 9], small),
        out = Change(array(&[13, 9], |_| 0.0).turned()));
    case!(cases, kernels::counted_strides, [2, 1, 1], [8, 1, 1], 0; n = 77usize, out = zeros(&[16]));
    case!(cases, kernels::block_sums, [4, 1, 1], [64, 1, 1], 0; input = read(&[200], small), out = zeros(&[4]));
    case!(cases, kernels::reversed_blocks, [3, 1, 1], [16, 1, 1], 64; input = read(&[48], whole), out = zeros(&[48]));
    case!(cases, kernels::tiled_product, [2, 3, 1], [8, 8, 1], 0;
        a = read(&[19, 21], small),
        b = read(&[21, 14], small),
        c = zeros(&[19, 14]));
    case!(cases, kernels::tiled_product, [2, 3, 1], [8, 8, 1], 0;
        a = Read(array(&[21, 19], small).turned()),
        b = read(&[21, 14], small),
        c = zeros(&[19, 14]));
    case!(cases, kernels::plain_product, [2, 3, 1], [8, 8, 1], 0;
        a = read(&[19, 21], wide),
        b = Read(array(&[14, 21], wide).turned()),
        c = zeros(&[19, 14]),
        inner = 21usize);
    case!(cases, kernels::histogram, [2, 1, 1], [24, 1, 1], 0;
        input = read(&[1000], |i| mixed(i) as u8),
        counts = zeros(&[32]));
    case!(cases, kernels::warp_sums, [2, 1, 1], [64, 1, 1], 0; input = read(&[128], small), out = zeros(&[4]));
    case!(cases, kernels::butterflies, [1, 1, 1], [64, 1, 1], 0;
        a = change(&[64], whole),
        b = change(&[64], |i| mixed(i) as u32),
        c = change(&[64], |i| -(mixed(i) as i64) << 40),
        d = change(&[64], |i| (mixed(i) as u64) << 50));
    case!(cases, kernels::warp_scan, [1, 1, 1], [64, 1, 1], 0; input = read(&[64], wide), out = zeros(&[64]));
    case!(cases, kernels::from_one_lane, [1, 1, 1], [32, 1, 1], 0;
        input = read(&[32], small),
        out = zeros(&[32]),
        lane = 9u32);
    case!(cases, kernels::votes, [1, 1, 1], [64, 1, 1], 0;
        input = read(&[64], |i| i as i32 - 32),
        ballots = zeros(&[64]),
        all = zeros(&[64]),
        any = zeros(&[64]));
    case!(cases, kernels::votes_of_blocks, [3, 1, 1], [40, 1, 1], 0;
        input = read(&[120], |i| i as i32),
        out = zeros(&[120]));
    case!(cases, kernels::atomics_of_i32, [2, 1, 1], [32, 1, 1], 0;
        input = read(&[64], whole),
        out = change(&[7], |i| i as i32 + 0xff));
    case!(cases, kernels::atomics_of_u64, [2, 1, 1], [32, 1, 1], 0;
        input = read(&[64], |i| (mixed(i) as u64) << 33),
        out = change(&[4], |i| if i == 3 { u64::MAX } else { 1 }));
    case!(cases, kernels::atomics_of_i64, [2, 1, 1], [32, 1, 1], 0;
        input = read(&[64], |i| (mixed(i) as i64 - 400) << 33),
        out = change(&[6], |i| i as i64 - 1));
    case!(cases, kernels::atomics_of_floats, [2, 1, 1], [32, 1, 1], 0;
        input = read(&[64], small),
        out = zeros(&[4]),
        wide = zeros(&[2, 2]));
    case!(cases, kernels::exchanges, [1, 1, 1], [1, 1, 1], 0;
        out = change(&[3], |_| 7),
        floats = change(&[1], |_| 3.0),
        seen = zeros(&[300]));
    case!(cases, kernels::added_by_comparing, [2, 1, 1], [32, 1, 1], 0;
        floats = change(&[1], |_| 3.0),
        wide = change(&[1], |_| -5));
    case!(cases, kernels::row_sums, [1, 1, 1], [16, 1, 1], 0;
        a = read(&[9, 5], small),
        b = Read(array(&[7, 9], small).turned()),
        out = zeros(&[9]));
    case!(cases, kernels::deposits, [1, 1, 1], [32, 1, 1], 0; out = change(&[60], |i| i as i32), done = zeros(&[32]));
    case!(cases, kernels::sums_by_function, [2, 1, 1], [32, 1, 1], 128;
        input = read(&[64], whole),
        out = zeros(&[64]));
    case!(cases, kernels::blur, [2, 2, 1], [8, 8, 1], 0; input = read(&[11, 13], small), out = zeros(&[11, 13]));
    case!(cases, kernels::long_range, [1, 1, 1], [1, 1, 1], 0; n = 140_000usize, start = 3u64, out = zeros(&[1]));
    case!(cases, kernels::check_prime, [1, 1, 1], [1, 1, 1], 0; number = 1009, result = zeros(&[1]));
    case!(cases, kernels::check_prime, [1, 1, 1], [1, 1, 1], 0; number = 1001, result = zeros(&[1]));
    case!(cases, kernels::pooling, [2, 1, 1], [32, 1, 1], 0; input = read(&[50], small), out = zeros(&[50]));
    case!(cases, kernels::convolution, [2, 1, 1], [32, 1, 1], 0;
        input = read(&[60], small),
        kernel = read(&[8], small),
        out = zeros(&[60]));
    case!(cases, kernels::prefix_sums, [1, 1, 1], [64, 1, 1], 0; input = read(&[64], whole), out = zeros(&[64]));
    case!(cases, kernels::axis_sums, [1, 5, 1], [32, 1, 1], 0; input = read(&[5, 27], wide), out = zeros(&[5]));
    case!(cases, kernels::normalised, [1, 1, 1], [30, 1, 1], 0; input = read(&[30], small), out = zeros(&[30]));
    case!(cases, kernels::index_of_array, [1, 1, 1], [6, 6, 1], 0;
        input = read(&[6, 6], whole),
        out = zeros(&[6, 6]));
    case!(cases, kernels::index_of_array, [1, 1, 1], [6, 6, 1], 0;
        input = Read(array(&[6, 11], whole).backwards()),
        out = zeros(&[6, 6]));
    case!(cases, kernels::flags, [1, 1, 1], [40, 1, 1], 0;
        input = read(&[40], |i| mixed(i) < 500),
        bytes = read(&[40], |i| mixed(i) as u8),
        out = zeros(&[40]),
        counts = zeros(&[40]));
    case!(cases, kernels::other_names, [1, 1, 1], [8, 4, 1], 0;
        input = read(&[4, 8], |i| mixed(i) as u64),
        out = zeros(&[4, 8]));
    case!(cases, kernels::exchanged, [1, 1, 1], [16, 1, 1], 0; out = change(&[32], small));
    case!(cases, kernels::assignments, [1, 1, 1], [32, 1, 1], 0;
        a = change(&[32], whole),
        b = change(&[32], small),
        c = change(&[32], |i| mixed(i) as u8));
    case!(cases, kernels::order, [1, 1, 1], [4, 1, 1], 0; out = change(&[24], whole));
    case!(cases, kernels::references, [1, 1, 1], [16, 1, 1], 0; out = change(&[16], whole), sums = zeros(&[16]));
    case!(cases, kernels::fences, [1, 1, 1], [32, 1, 1], 0; input = read(&[32], small), out = zeros(&[32]));
    case!(cases, kernels::scalars, [1, 1, 1], [1, 1, 1], 0;
        a = -5i64 << 40,
        b = 1usize << 33,
        c = -2isize,
        d = 250u8,
        e = true,
        f = 0.1f64,
        out = zeros(&[6]));
    case!(cases, kernels::local_arrays, [1, 1, 1], [20, 1, 1], 0; input = read(&[20], small), out = zeros(&[20]));
    case!(cases, kernels::grids, [2, 3, 2], [3, 2, 2], 0; out = zeros(&[144]));
    case!(cases, kernels::found, [1, 1, 1], [16, 1, 1], 0;
        input = read(&[40], whole),
        out = zeros(&[16]),
        wanted = -300);
    case!(cases, faults::beyond_the_end, [2, 1, 1], [21, 1, 1], 0; input = read(&[42], small), out = zeros(&[41]));
    case!(cases, faults::beyond_the_end, [2, 1, 1], [21, 1, 1], 0; input = read(&[41], small), out = zeros(&[42]));
    case!(cases, faults::beyond_the_column, [1, 1, 1], [4, 4, 1], 0; out = zeros(&[4, 5]));
    case!(cases, faults::beyond_the_column, [1, 1, 1], [4, 4, 1], 0; out = Change(array(&[5, 4], |_| 0).turned()));
    case!(cases, faults::beyond_the_tile, [1, 1, 1], [5, 1, 1], 0; out = zeros(&[5]));
    case!(cases, faults::beyond_dynamic_memory, [1, 1, 1], [6, 1, 1], 40; out = zeros(&[6]));
    case!(cases, faults::beyond_in_a_function, [1, 1, 1], [6, 1, 1], 0; out = zeros(&[40]));
    case!(cases, faults::beyond_by_an_atomic, [1, 1, 1], [6, 1, 1], 0; out = zeros(&[5]));
    case!(cases, faults::divided_by_zero, [1, 1, 1], [6, 1, 1], 0;
        input = read(&[6], |i| 4 - i as i32),
        out = zeros(&[6]));
    case!(cases, faults::asserted, [1, 1, 1], [6, 1, 1], 0; input = read(&[6], |i| i as i32), out = zeros(&[6]));
    case!(cases, kernels::unused, [1, 1, 1], [1, 1, 1], 16;
        input = read(&[3], small), n = 4, at = 2usize, out = zeros(&[3]));
    case!(cases, faults::beyond_before_a_barrier, [1, 1, 1], [40, 1, 1], 0;
        input = read(&[39], whole), out = zeros(&[40]));
    cases
}
