//! The program around a translated function: the kernel that runs it over arrays. Text only: no device is needed.

use super::super::typedefs;
use crate::codegen::{Access, Elementwise, Form, THREADS, Tiles, WalkedArray, WholeReduction};
use crate::reduce::REDUCTIONS;
use warpcell_base::backend::ReduceOperation;
use warpcell_base::dtype::DType;
use warpcell_base::registry::{element_of, values_of};
use warpcell_translate::{FunctionParameter, Scalar, Translation, is_struct, name_of};

mod stages;

pub use stages::{Stages, StagesProgram};

/// Threads of a block for functions with loops. A block ends with its slowest thread, so small blocks make room for others sooner.
/// With 256 threads the compiler also moves work into loops, in order to save registers.
const FEW_THREADS: usize = 128;

/// A kernel: what it runs, over what, and what it does with the results.
#[derive(Clone, Copy, Debug)]
pub struct MapKernel<'a> {
    pub translation: &'a Translation,
    pub form: Form,
    /// A bit for each parameter: whether it is one value for all elements. Structs are.
    pub scalars: u32,
    /// How all results are reduced to one value; without it they are written to arrays.
    pub reduction: Option<ReduceOperation>,
    /// Of [`Form::Tiles`].
    pub tiles: Tiles,
}

/// A program with one kernel.
#[derive(Clone, Debug)]
pub struct MapProgram {
    pub source: String,
    /// The name of the kernel.
    pub name: String,
    /// How many elements a thread takes at a time.
    pub each: usize,
    /// How many threads a block has.
    pub threads: usize,
}

fn size(scalar: Scalar) -> usize {
    values_of(scalar).size()
}

/// The name of a function without its namespace.
pub(super) fn own_name(translation: &Translation) -> &str {
    translation.name.rsplit("::").next().unwrap_or(&translation.name)
}

/// The type of a value in CUDA C. Floats of 16 bits and complex numbers are the structs of the function's support.
fn value_type(scalar: Scalar) -> &'static str {
    if is_struct(scalar) { name_of(scalar) } else { values_of(scalar).c_name() }
}

/// The type of an array's elements in CUDA C. Truth values are bytes; all but 0 are true.
fn stored_type(scalar: Scalar) -> &'static str {
    if matches!(scalar, Scalar::Bool) { "unsigned char" } else { value_type(scalar) }
}

impl MapKernel<'_> {
    /// The program with this kernel.
    pub fn program(&self) -> MapProgram {
        let (each, turns) = self.elements();
        let name = self.name(each * turns);
        let threads = self.threads();
        let (parameters, arrays) = (self.parameters(), self.arrays());
        let mut source = self.head();
        let kernel = match self.reduction {
            None => Elementwise {
                name: &name,
                prefix: "",
                form: self.form,
                threads,
                each,
                checks_alignment: false,
                parameters: &parameters,
                arrays: &arrays,
                tiles: self.tiles,
                code: &|_, elements| self.code(elements),
            }
            .text(),
            Some(reduction) => {
                source += &reduction_support(reduction, self.translation.results[0]);
                WholeReduction {
                    name: &name,
                    form: self.form,
                    each,
                    turns,
                    parameters: &parameters,
                    arrays: &arrays,
                    value: &|_, elements| self.call(elements),
                }
                .text()
            }
        };
        if self.form.is_strided() || each > 1 || self.reduction.is_some() {
            source = source + "\n" + self.form.support();
        } else {
            source.push('\n');
        }
        MapProgram { source: source + &kernel, name, each: each * turns, threads }
    }

    /// A comment and the function.
    fn head(&self) -> String {
        let Translation { support, source, functions, .. } = self.translation;
        let name = functions.first().map_or(own_name(self.translation), String::as_str);
        format!("// `{name}` over arrays: CUDA C, made of the Rust lines in the comments.\n\n{support}\n{source}")
    }

    /// A name that the rest of the program does not use.
    fn name(&self, each: usize) -> String {
        let form = if self.form == Form::Packed && each == 1 { Form::Single } else { self.form };
        let reduction = self.reduction.map_or(String::new(), |reduction| reduction.cuda_name().to_lowercase() + "_");
        let mut name = format!("{reduction}{}_{}", form.name(), own_name(self.translation));
        while self.translation.source.contains(&name) {
            name.push('_');
        }
        name
    }

    fn is_scalar(&self, parameter: usize) -> bool {
        self.scalars & 1 << parameter != 0
    }

    /// The parameters that are arrays: their numbers, and the types of their elements.
    fn elements_of_arrays(&self) -> impl Iterator<Item = (usize, Scalar)> {
        self.translation.parameters.iter().enumerate().filter_map(|(number, parameter)| match parameter {
            FunctionParameter::Scalar(scalar) if !self.is_scalar(number) => Some((number, *scalar)),
            FunctionParameter::Scalar(_) | FunctionParameter::Struct { .. } => None,
        })
    }

    /// The types of the parameters that are arrays.
    fn inputs(&self) -> impl Iterator<Item = Scalar> {
        self.elements_of_arrays().map(|(_, scalar)| scalar)
    }

    /// How many neighbouring elements a thread takes at once, and how often, before it computes. Many elements keep the memory busy.
    /// But the compiler copies the function for each, and should take no longer than for a small kernel. For functions with loops,
    /// whose lengths differ, one element is best.
    fn elements(&self) -> (usize, usize) {
        let is_reduced = self.reduction.is_some();
        let (packs, takes_turns) = match self.form {
            Form::Packed => (true, is_reduced),
            Form::Single => (false, is_reduced),
            Form::Rows | Form::Tiles if !is_reduced => (false, true),
            Form::Rows | Form::Tiles | Form::Strided | Form::StridedWide => return (1, 1),
        };
        let inputs: usize = self.inputs().map(size).sum::<usize>().max(1);
        let outputs = self.translation.results.iter().copied().map(size).filter(|_| !is_reduced);
        let widest = self.inputs().map(size).chain(outputs).max().unwrap_or(16);
        let most = MOST_WEIGHT / weight(&self.translation.source);
        // Powers of two.
        let at_most = |wanted: usize, limit: usize| 1 << wanted.min(limit).max(1).ilog2();
        let each: usize = if packs { at_most((32 / inputs).min(16 / widest), most) } else { 1 };
        match self.form {
            Form::Rows => return (at_most(4, most), 1),
            // The more rows, the more of what they share is read once; but registers are few.
            Form::Tiles => {
                return (
                    at_most((8 / self.tiles.columns).min(48 / self.inputs().count().max(1)), most / self.tiles.columns),
                    1,
                );
            }
            _ => {}
        }
        let turns = if takes_turns { at_most((64 / (each * inputs)).min(4), most / each) } else { 1 };
        (each, turns)
    }

    fn threads(&self) -> usize {
        if self.reduction.is_none() && has_loops(&self.translation.source) { FEW_THREADS } else { THREADS }
    }

    /// The kernel's parameters: `x0` … for the function's, and `y0` … for its results.
    fn parameters(&self) -> Vec<String> {
        let parameters = self.translation.parameters.iter().enumerate().map(|(number, parameter)| match parameter {
            FunctionParameter::Struct { c_name, .. } => format!("{c_name} x{number}"),
            FunctionParameter::Scalar(scalar) if self.is_scalar(number) => format!("{} x{number}", value_type(*scalar)),
            FunctionParameter::Scalar(scalar) => format!("const {}* x{number}", stored_type(*scalar)),
        });
        let results = self.translation.results.iter().enumerate().filter(|_| self.reduction.is_none());
        parameters.chain(results.map(|(number, &scalar)| format!("{}* y{number}", stored_type(scalar)))).collect()
    }

    /// The parameters that are arrays, in their order.
    fn arrays(&self) -> Vec<WalkedArray> {
        let array = |name: &str, number: usize, scalar: Scalar, access: Access| WalkedArray {
            address: format!("{name}{number}"),
            element: stored_type(scalar),
            access,
        };
        let results = self.translation.results.iter().enumerate().filter(|_| self.reduction.is_none());
        self.elements_of_arrays()
            .map(|(number, scalar)| array("x", number, scalar, Access::Read))
            .chain(results.map(|(number, &scalar)| array("y", number, scalar, Access::Write)))
            .collect()
    }

    /// The function's call with these elements of the arrays.
    fn call(&self, elements: &[String]) -> String {
        let mut elements = elements.iter();
        let arguments = self.translation.parameters.iter().enumerate().map(|(number, parameter)| {
            let is_value = self.is_scalar(number) || matches!(parameter, FunctionParameter::Struct { .. });
            let element = if is_value { None } else { elements.next() };
            match (element, parameter) {
                (None, _) => format!("x{number}"),
                (Some(element), FunctionParameter::Scalar(Scalar::Bool)) => format!("{element} != 0"),
                (Some(element), _) => element.clone(),
            }
        });
        // From the outermost scope: a local name may be the same.
        format!("::{}({})", self.translation.name, arguments.collect::<Vec<_>>().join(", "))
    }

    /// Writes the results for an element.
    fn code(&self, elements: &[String]) -> String {
        let results = self.translation.results.len();
        let targets = &elements[elements.len() - results..];
        if let [target] = targets {
            return format!("{target} = {};", self.call(elements));
        }
        let parts = targets.iter().enumerate().map(|(number, target)| format!("\n{target} = y._{number};"));
        format!("const auto y = {};{}", self.call(elements), parts.collect::<String>())
    }
}

/// The states of `kernels/reductions.cuh` in their own namespace, and a function that adds some results to one.
fn reduction_support(reduction: ReduceOperation, result: Scalar) -> String {
    let dtype = element_of(result).unwrap_or(DType::I64);
    reduction_states(reduction, dtype) + ENTER
}

/// The states alone, for results of a type.
fn reduction_states(reduction: ReduceOperation, dtype: DType) -> String {
    let (input, output) = (dtype.compute_type().cu_name(), reduction.output(dtype).cu_name());
    let (name, typedefs) = (reduction.cuda_name(), typedefs());
    format!(
        "
#define WARPCELL_MAP
#define WARPCELL_INPUT {input}
#define WARPCELL_OUTPUT {output}
#define WARPCELL_REDUCTION {name}
namespace warpcell_reduction {{
{typedefs}{REDUCTIONS}
}}
"
    )
}

const ENTER: &str = "// The first `count` of some results. Four floats are added in pairs before they enter, as in the sum of an array.
template <int most> __device__ __forceinline__ void warpcell_enter(warpcell_reduction::State& state, const warpcell_reduction::input (&b)[most], long long count) {
    if (most == warpcell_reduction::VECTOR && count == most) {
        warpcell_reduction::Pack pack;
#pragma unroll
        for (int j = 0; j < most; j++) pack.at[j % warpcell_reduction::VECTOR] = b[j];
        state.add(pack, 0);
        return;
    }
#pragma unroll
    for (int j = 0; j < most; j++) {
        if (j < count) state.add(b[j], 0);
    }
}
";

/// The lines of a text, without comments.
fn code(source: &str) -> impl Iterator<Item = &str> {
    source.lines().map(str::trim).filter(|line| !line.starts_with("//"))
}

pub(super) fn has_loops(source: &str) -> bool {
    code(source).any(|line| ["for (", "while (", "do {"].iter().any(|word| line.contains(word)))
}

/// About how much work a function is for the compiler, in characters; the maximum if it has loops.
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

/// The maximum for all copies of a function in a kernel.
const MOST_WEIGHT: usize = 4800;
