//! CUDA C around a translated function: the kernels that run it over arrays. Text only: no device is needed.

use super::super::axes::MOST_AXES;
use super::super::reduce;
use super::super::type_name;
use std::fmt::Write;
use warpcell_base::backend::ReduceOperation;
use warpcell_base::dtype::DType;
use warpcell_translate::{Scalar, Translation};

/// Threads of a block.
const THREADS: usize = 256;
/// The same for functions with loops: a block is done when its slowest thread is, and small ones soon make room for others. The
/// compiler moves work into loops, too, to save registers, where it is told of 256.
const FEW_THREADS: usize = 128;

/// What reductions add up in; its kernels are left out.
const REDUCTIONS: &str = include_str!("../../kernels/reduce.cu");

/// How the elements of the arrays lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// They follow one another, from multiples of 16 bytes on.
    Packed,
    /// They follow one another.
    Single,
    /// Anyhow; fewer than 2^31.
    Strided,
    /// Anyhow.
    StridedWide,
}

impl Form {
    pub const ALL: [Form; 4] = [Form::Packed, Form::Single, Form::Strided, Form::StridedWide];

    const fn name(self) -> &'static str {
        match self {
            Form::Packed => "packed",
            Form::Single => "single",
            Form::Strided => "strided",
            Form::StridedWide => "strided_wide",
        }
    }
}

/// A kernel: what it runs, over what, and what it does with the results.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    pub translation: &'a Translation,
    pub form: Form,
    /// A bit for each parameter that is one value for all elements.
    pub scalars: u32,
    /// What makes one value of all results; without it each goes into an array.
    pub reduction: Option<ReduceOperation>,
}

/// A kernel's text.
#[derive(Clone, Debug)]
pub struct Text {
    /// The whole program.
    pub source: String,
    /// What the kernel is called in it.
    pub name: String,
    /// How many elements a thread takes at a time.
    pub each: usize,
    /// How many threads a block has.
    pub threads: usize,
}

/// The element type of arrays for what functions take and return; those of pointers' size have none.
pub const fn element(scalar: Scalar) -> Option<DType> {
    Some(match scalar {
        Scalar::Bool => DType::Bool,
        Scalar::I8 => DType::I8,
        Scalar::U8 => DType::U8,
        Scalar::I16 => DType::I16,
        Scalar::U16 => DType::U16,
        Scalar::I32 => DType::I32,
        Scalar::U32 => DType::U32,
        Scalar::I64 => DType::I64,
        Scalar::U64 => DType::U64,
        Scalar::F32 => DType::F32,
        Scalar::F64 => DType::F64,
        Scalar::Isize | Scalar::Usize => return None,
    })
}

const fn size(scalar: Scalar) -> usize {
    match element(scalar) {
        Some(dtype) => dtype.size(),
        None => 8,
    }
}

/// What a function is called, without the namespace in which it is.
pub(super) fn own_name(translation: &Translation) -> &str {
    translation.name.rsplit("::").next().unwrap_or(&translation.name)
}

/// The type of a value in CUDA C.
const fn value_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "signed char",
        Scalar::U8 => "unsigned char",
        Scalar::I16 => "short",
        Scalar::U16 => "unsigned short",
        Scalar::I32 => "int",
        Scalar::U32 => "unsigned int",
        Scalar::I64 | Scalar::Isize => "long long",
        Scalar::U64 | Scalar::Usize => "unsigned long long",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// The type of an array's elements in CUDA C: truth values are bytes there, of which others than 0 are true.
const fn stored_type(scalar: Scalar) -> &'static str {
    if matches!(scalar, Scalar::Bool) { "unsigned char" } else { value_type(scalar) }
}

impl Kernel<'_> {
    /// The program with this kernel.
    pub fn text(&self) -> Text {
        let (each, turns) = self.elements();
        let name = self.name(each * turns);
        let mut source = self.head();
        let body = match (self.reduction, self.form) {
            (None, Form::Packed) if each > 1 => self.packed(&name, each),
            (None, Form::Packed | Form::Single) => self.single(&name),
            (None, Form::Strided | Form::StridedWide) => self.strided(&name),
            (Some(reduction), _) => {
                source += &reduction_support(reduction, self.translation.results[0]);
                match self.form {
                    Form::Packed | Form::Single => self.reduced(&name, each, turns),
                    Form::Strided | Form::StridedWide => self.reduced_strided(&name),
                }
            }
        };
        Text { source: source + "\n" + &body, name, each: each * turns, threads: self.threads() }
    }

    /// The comment at the head, and the function.
    fn head(&self) -> String {
        let Translation { support, source, functions, .. } = self.translation;
        let name = functions.first().map_or(own_name(self.translation), String::as_str);
        format!("// `{name}` over arrays: CUDA C, made of the Rust lines in the comments.\n\n{support}\n{source}")
    }

    /// A name that the rest of the program does not use.
    fn name(&self, each: usize) -> String {
        let form = if self.form == Form::Packed && each == 1 { Form::Single } else { self.form };
        let reduction = self.reduction.map_or(String::new(), |reduction| reduce::name(reduction).to_lowercase() + "_");
        let mut name = format!("{reduction}{}_{}", form.name(), own_name(self.translation));
        while self.translation.source.contains(&name) {
            name.push('_');
        }
        name
    }

    fn is_scalar(&self, parameter: usize) -> bool {
        self.scalars & 1 << parameter != 0
    }

    /// The numbers and types of the parameters that are arrays.
    fn arrays(&self) -> impl Iterator<Item = (usize, Scalar)> {
        let parameters = self.translation.parameters.iter().copied().enumerate();
        parameters.filter(|(number, _)| !self.is_scalar(*number))
    }

    fn results(&self) -> impl Iterator<Item = (usize, Scalar)> {
        self.translation.results.iter().copied().enumerate()
    }

    /// How many neighbouring elements a thread takes at once, and how often, before it computes: enough that memory is kept busy,
    /// few enough that the compiler, which writes the function out for each, takes no longer than for a small kernel. With
    /// loops, whose length differs from element to element, one is best.
    fn elements(&self) -> (usize, usize) {
        let is_reduced = self.reduction.is_some();
        let (packs, takes_turns) = match self.form {
            Form::Packed => (true, is_reduced),
            Form::Single => (false, is_reduced),
            Form::Strided | Form::StridedWide => return (1, 1),
        };
        let inputs: usize = self.arrays().map(|(_, scalar)| size(scalar)).sum::<usize>().max(1);
        let outputs = self.results().map(|(_, scalar)| size(scalar)).filter(|_| !is_reduced);
        let widest = self.arrays().map(|(_, scalar)| size(scalar)).chain(outputs).max().unwrap_or(16);
        let most = MOST_WEIGHT / weight(&self.translation.source);
        // Powers of two.
        let at_most = |wanted: usize, limit: usize| 1 << wanted.min(limit).max(1).ilog2();
        let each: usize = if packs { at_most((32 / inputs).min(16 / widest), most) } else { 1 };
        let turns = if takes_turns { at_most((64 / (each * inputs)).min(4), most / each) } else { 1 };
        (each, turns)
    }

    fn threads(&self) -> usize {
        if self.reduction.is_none() && has_loops(&self.translation.source) { FEW_THREADS } else { THREADS }
    }

    /// The kernel's parameters for the function's: addresses and values.
    fn inputs(&self) -> String {
        let parameters = self.translation.parameters.iter().enumerate().map(|(number, &scalar)| {
            if self.is_scalar(number) {
                format!("{} x{number}", value_type(scalar))
            } else {
                format!("const {}* x{number}", stored_type(scalar))
            }
        });
        parameters.map(|parameter| parameter + ", ").collect()
    }

    fn outputs(&self) -> String {
        self.results().map(|(number, scalar)| format!("{}* y{number}, ", stored_type(scalar))).collect()
    }

    /// `const auto y = f(…);`: arrays' elements are what `element` writes for a parameter.
    fn call(&self, element: impl Fn(usize) -> String) -> String {
        let arguments = self.translation.parameters.iter().enumerate().map(|(number, &scalar)| {
            match (self.is_scalar(number), scalar) {
                (true, _) => format!("x{number}"),
                (false, Scalar::Bool) => format!("{} != 0", element(number)),
                (false, _) => element(number),
            }
        });
        // From the outermost scope: a local name may be the function's, too.
        format!("const auto y = ::{}({});", self.translation.name, arguments.collect::<Vec<_>>().join(", "))
    }

    /// A part of the result.
    fn part(&self, number: usize) -> String {
        if self.translation.results.len() == 1 { "y".to_owned() } else { format!("y._{number}") }
    }

    /// One element a thread.
    fn single(&self, name: &str) -> String {
        let threads = self.threads();
        let mut text = format!(
            "extern \"C\" __global__ void __launch_bounds__({threads})\n{name}({}{}long long size) {{\n",
            self.inputs(),
            self.outputs()
        );
        text += &format!(
            "    const long long at = (long long)blockIdx.x * {threads} + threadIdx.x;\n    if (at >= size) return;\n"
        );
        let _ = writeln!(text, "    {}", self.call(|number| format!("x{number}[at]")));
        for (number, _) in self.results() {
            let _ = writeln!(text, "    y{number}[at] = {};", self.part(number));
        }
        text + "}\n"
    }

    /// Some neighbours a thread, read and written together. Behind the last element of all stands that element again.
    fn packed(&self, name: &str, each: usize) -> String {
        let mut text = pack(each);
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void __launch_bounds__({THREADS})\n{name}({}{}long long size) {{",
            self.inputs(),
            self.outputs()
        );
        text += &format!(
            "    const long long first = ((long long)blockIdx.x * {THREADS} + threadIdx.x) * {each};
    if (first >= size) return;
    const bool whole = first + {each} <= size;
"
        );
        text += &self.load(each, "x", "first", "    ");
        for (number, scalar) in self.results() {
            let _ = writeln!(text, "    WarpcellPack<{}> b{number};", stored_type(scalar));
        }
        let _ = writeln!(text, "#pragma unroll\n    for (int i = 0; i < {each}; i++) {{");
        let _ = writeln!(text, "        {}", self.call(|number| format!("a{number}.at[i]")));
        for (number, _) in self.results() {
            let _ = writeln!(text, "        b{number}.at[i] = {};", self.part(number));
        }
        text += "    }\n    if (whole) {\n";
        for (number, scalar) in self.results() {
            let stored = stored_type(scalar);
            let _ = writeln!(text, "        *(WarpcellPack<{stored}>*)(y{number} + first) = b{number};");
        }
        let _ = writeln!(text, "        return;\n    }}\n#pragma unroll\n    for (int i = 0; i < {each}; i++) {{");
        text += "        if (first + i >= size) break;\n";
        for (number, _) in self.results() {
            let _ = writeln!(text, "        y{number}[first + i] = b{number}.at[i];");
        }
        text + "    }\n}\n"
    }

    /// Packs `a0` … of the arrays from the element `first` on; `whole` tells whether there are enough.
    fn load(&self, each: usize, array: &str, first: &str, indent: &str) -> String {
        let mut text = String::new();
        if self.arrays().next().is_none() {
            return text;
        }
        for (number, scalar) in self.arrays() {
            let _ = writeln!(text, "{indent}WarpcellPack<{}> a{number};", stored_type(scalar));
        }
        let _ = writeln!(text, "{indent}if (whole) {{");
        for (number, scalar) in self.arrays() {
            let stored = stored_type(scalar);
            let _ =
                writeln!(text, "{indent}    a{number} = *(const WarpcellPack<{stored}>*)({array}{number} + {first});");
        }
        let _ = writeln!(text, "{indent}}} else {{\n#pragma unroll\n{indent}    for (int i = 0; i < {each}; i++) {{");
        let _ = writeln!(text, "{indent}        const long long at = {first} + i < size ? {first} + i : size - 1;");
        for (number, _) in self.arrays() {
            let _ = writeln!(text, "{indent}        a{number}.at[i] = {array}{number}[at];");
        }
        let _ = writeln!(text, "{indent}    }}\n{indent}}}");
        text
    }

    /// What finds the place of element `at` in each array: `x0_at` … .
    fn places(&self, indent: &str) -> String {
        let sides: Vec<String> = self.sides().collect();
        let zeros: Vec<String> = sides.iter().map(|side| format!("{side}_at = 0")).collect();
        let mut text = String::new();
        if !zeros.is_empty() {
            let _ = writeln!(text, "{indent}long long {};", zeros.join(", "));
        }
        let rest = if self.form == Form::Strided {
            "(__umulhi(left, axes.magic[axis]) + left) >> axes.shift[axis]"
        } else {
            "left / (unsigned long long)axes.length[axis]"
        };
        let _ = write!(
            text,
            "#pragma unroll 1
{indent}for (int axis = 0; axis < axes.rank; axis++) {{
{indent}    const {index} rest = axis + 1 == axes.rank ? 0 : {rest};
{indent}    const long long here = left - rest * ({index})axes.length[axis];
{indent}    left = rest;
",
            index = self.index()
        );
        for (number, side) in sides.iter().enumerate() {
            let _ = writeln!(text, "{indent}    {side}_at += here * axes.stride[{number}][axis];");
        }
        let _ = writeln!(text, "{indent}}}");
        text
    }

    /// The arrays, those that are read first.
    fn sides(&self) -> impl Iterator<Item = String> {
        let outputs = self.results().filter(|_| self.reduction.is_none()).map(|(number, _)| format!("y{number}"));
        self.arrays().map(|(number, _)| format!("x{number}")).chain(outputs)
    }

    /// The type of the number of an element.
    fn index(&self) -> &'static str {
        if self.form == Form::Strided { "unsigned int" } else { "unsigned long long" }
    }

    /// `WarpcellAxes`: from the innermost outwards. Strides count elements. `magic` and `shift` replace the division by `length` for
    /// indices below 2^31, as in `kernels/elementwise.cu`.
    fn axes(&self) -> String {
        format!(
            "struct WarpcellAxes {{
    int rank;
    unsigned int magic[{MOST_AXES}], shift[{MOST_AXES}];
    long long length[{MOST_AXES}];
    long long stride[{sides}][{MOST_AXES}];
}};

",
            sides = self.sides().count().max(1)
        )
    }

    fn strided(&self, name: &str) -> String {
        let mut text = self.axes();
        let (index, threads) = (self.index(), self.threads());
        let _ = write!(
            text,
            "extern \"C\" __global__ void __launch_bounds__({threads})
{name}({}{}long long size, const __grid_constant__ WarpcellAxes axes) {{
    {index} left = ({index})blockIdx.x * {threads} + threadIdx.x;
    if (left >= ({index})size) return;
",
            self.inputs(),
            self.outputs()
        );
        text += &self.places("    ");
        let _ = writeln!(text, "    {}", self.call(|number| format!("x{number}[x{number}_at]")));
        for (number, _) in self.results() {
            let _ = writeln!(text, "    y{number}[y{number}_at] = {};", self.part(number));
        }
        text + "}\n"
    }

    /// The head of a kernel that makes one value of all results.
    fn reduction_head(&self, name: &str, more: &str) -> String {
        format!(
            "extern \"C\" __global__ void __launch_bounds__({THREADS})
{name}({}long long size{more}, warpcell_reduction::State* of_blocks, unsigned int* finished, warpcell_reduction::output* out) {{
    warpcell_reduction::State state;
    state.start();
    const long long lane = (long long)blockIdx.x * {THREADS} + threadIdx.x;
    const long long lanes = (long long)gridDim.x * {THREADS};
",
            self.inputs()
        )
    }

    /// One value of arrays whose elements follow one another. Each thread reads `turns` packs before it computes.
    fn reduced(&self, name: &str, each: usize, turns: usize) -> String {
        let mut text = pack(each) + &self.reduction_head(name, "");
        text += "    long long pack = lane;\n";
        if turns > 1 {
            let _ = writeln!(
                text,
                "#pragma unroll 1\n    for (; (pack + {last} * lanes + 1) * {each} <= size; pack += {turns} * lanes) {{",
                last = turns - 1
            );
            for (number, scalar) in self.arrays() {
                let _ = writeln!(text, "        WarpcellPack<{}> a{number}[{turns}];", stored_type(scalar));
            }
            let _ = writeln!(text, "#pragma unroll\n        for (int k = 0; k < {turns}; k++) {{");
            for (number, scalar) in self.arrays() {
                let stored = stored_type(scalar);
                let _ = writeln!(
                    text,
                    "            a{number}[k] = ((const WarpcellPack<{stored}>*)x{number})[pack + k * lanes];"
                );
            }
            let _ = writeln!(text, "        }}\n#pragma unroll\n        for (int k = 0; k < {turns}; k++) {{");
            text += &self.enter(each, |number| format!("a{number}[k].at[j]"), None);
            text += "        }\n    }\n";
        }
        let _ = writeln!(text, "#pragma unroll 1\n    for (; pack * {each} < size; pack += lanes) {{");
        let _ = writeln!(text, "        const long long first = pack * {each};");
        let _ = writeln!(text, "        const bool whole = first + {each} <= size;");
        text += &self.load(each, "x", "first", "        ");
        text += &self.enter(each, |number| format!("a{number}.at[j]"), Some("first"));
        text += "    }\n    warpcell_reduction::deliver_whole(state, of_blocks, finished, out);\n}\n";
        text
    }

    /// What lets the results of a pack enter the state. Where the pack may not be whole, `first` is the number of its first element.
    fn enter(&self, each: usize, element: impl Fn(usize) -> String, first: Option<&str>) -> String {
        let indent = if first.is_some() { "        " } else { "            " };
        let mut text = format!("{indent}warpcell_reduction::input b[{each}];\n#pragma unroll\n");
        let _ = writeln!(text, "{indent}for (int j = 0; j < {each}; j++) {{");
        let _ = writeln!(text, "{indent}    {}", self.call(element));
        let _ = writeln!(text, "{indent}    b[j] = y;\n{indent}}}");
        match first {
            Some(first) => {
                let _ = writeln!(text, "{indent}warpcell_enter(state, b, whole ? {each} : size - {first});");
            }
            None => {
                let _ = writeln!(text, "{indent}warpcell_enter(state, b, {each});");
            }
        }
        text
    }

    fn reduced_strided(&self, name: &str) -> String {
        let mut text = self.axes() + &self.reduction_head(name, ", const __grid_constant__ WarpcellAxes axes");
        text += "#pragma unroll 1\n    for (long long i = lane; i < size; i += lanes) {\n";
        let _ = writeln!(text, "        {} left = i;", self.index());
        text += &self.places("        ");
        let _ = writeln!(text, "        {}", self.call(|number| format!("x{number}[x{number}_at]")));
        text += "        state.add((warpcell_reduction::input)y, 0);\n    }\n";
        text + "    warpcell_reduction::deliver_whole(state, of_blocks, finished, out);\n}\n"
    }
}

/// Elements that are read or written together, 16 bytes at a time at most.
fn pack(each: usize) -> String {
    format!(
        "template <typename T> struct alignas(sizeof(T) * {each} > 16 ? 16 : sizeof(T) * {each}) WarpcellPack {{
    T at[{each}];
}};

"
    )
}

/// The reductions of `kernels/reduce.cu`, in a namespace of their own, and how some results enter one.
fn reduction_support(reduction: ReduceOperation, result: Scalar) -> String {
    let dtype = element(result).unwrap_or(DType::I64);
    let (input, output) = (type_name(dtype.computed()), type_name(reduction.output(dtype)));
    let name = reduce::name(reduction);
    format!(
        "
#define WARPCELL_MAP
#define WARPCELL_INPUT {input}
#define WARPCELL_OUTPUT {output}
#define WARPCELL_REDUCTION {name}
namespace warpcell_reduction {{
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
{REDUCTIONS}
}}
// The first `count` of some results. Four floats are added in pairs before they enter, as in the sum of an array.
template <int most> __device__ __forceinline__ void warpcell_enter(warpcell_reduction::State& state, const warpcell_reduction::input (&b)[most], long long count) {{
    if (most == warpcell_reduction::VECTOR && count == most) {{
        warpcell_reduction::Pack pack;
#pragma unroll
        for (int j = 0; j < most; j++) pack.at[j % warpcell_reduction::VECTOR] = b[j];
        state.add(pack, 0);
        return;
    }}
#pragma unroll
    for (int j = 0; j < most; j++) {{
        if (j < count) state.add(b[j], 0);
    }}
}}
"
    )
}

/// The lines of a text, without comments.
fn code(source: &str) -> impl Iterator<Item = &str> {
    source.lines().map(str::trim).filter(|line| !line.starts_with("//"))
}

fn has_loops(source: &str) -> bool {
    code(source).any(|line| ["for (", "while (", "do {"].iter().any(|word| line.contains(word)))
}

/// About how much a function is for the compiler, in characters; the most where there are loops.
fn weight(source: &str) -> usize {
    if has_loops(source) {
        return MOST_WEIGHT;
    }
    let mut weight = 0;
    for line in code(source) {
        weight += line.len();
        let heavy = ["sin", "cos", "tan", "pow", "gamma", "hypot"];
        weight += 300 * heavy.iter().map(|name| line.matches(name).count()).sum::<usize>();
        let light = ["exp", "log", "cbrt", " / ", " % "];
        weight += 60 * light.iter().map(|name| line.matches(name).count()).sum::<usize>();
    }
    weight.clamp(1, MOST_WEIGHT)
}

/// What all copies of a function in a kernel may weigh.
const MOST_WEIGHT: usize = 4800;
