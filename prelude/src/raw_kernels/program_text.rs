//! CUDA C programs around the user's expressions: the kernels of [`ElementwiseKernel`](super::ElementwiseKernel) and
//! [`ReductionKernel`](super::ReductionKernel).
//!
//! The user's text becomes functions, behind `#line`, so that the compiler counts its lines as the user does. The generator of the
//! CUDA backend writes the kernels that call them. What is generated has names that begin with `warpcell`.

use super::parameter_list::{ListedParameter, ListedType, ParameterLists};
use super::program_cache::ArgumentTypes;
use crate::backend::cuda::codegen::{Access, AxesReduction, Elementwise, Form, THREADS, Tiles, WalkedArray};
use crate::dtype::{DType, Kind};
use std::fmt::Write;

const ARRAYS: &str = include_str!("../../cuda/kernels/raw_arrays.cuh");
const HALF: &str = include_str!("../../cuda/kernels/raw_half.cuh");
const COMPLEX: &str = include_str!("../../cuda/kernels/raw_complex.cuh");
const PREFIX: &str = "warpcell_";

/// A parameter with the argument's type.
#[derive(Clone, Copy)]
pub(super) struct TypedParameter<'a> {
    pub parameter: &'a ListedParameter,
    pub dtype: DType,
    pub is_scalar: bool,
    pub is_output: bool,
}

impl TypedParameter<'_> {
    /// Whether it is an array of which each element is met once.
    pub fn is_walked(&self) -> bool {
        !self.is_scalar && !self.parameter.is_raw
    }

    fn c_type(&self) -> &'static str {
        self.dtype.c_name()
    }

    /// The type of the array's elements in the kernel.
    fn element(&self) -> String {
        format!("{}{}", if self.is_output { "" } else { "const " }, self.c_type())
    }

    /// As a parameter of a function around the user's text.
    fn inner(&self) -> String {
        let (name, element) = (&self.parameter.name, self.element());
        match (self.is_walked(), self.is_scalar, self.is_output) {
            (true, _, true) => format!("{element}& {name}"),
            (true, ..) | (_, true, _) => format!("{element} {name}"),
            _ => format!("const warpcell_raw<{element}> {name}"),
        }
    }

    /// As parameters of a kernel: a value, an address, or an address and the number of elements.
    fn outer(&self) -> Vec<String> {
        let (name, element) = (&self.parameter.name, self.element());
        if self.is_scalar {
            return vec![format!("{element} warpcell_p_{name}")];
        }
        let mut parameters = vec![format!("{element}* warpcell_p_{name}")];
        parameters.extend(self.parameter.is_raw.then(|| format!("const long long warpcell_n_{name}")));
        parameters
    }
}

/// The parameters of a kernel with the types of its arguments.
pub(super) fn typed<'a>(lists: &'a ParameterLists, types: &ArgumentTypes) -> Vec<TypedParameter<'a>> {
    let outputs = std::iter::repeat_n(false, lists.inputs.len()).chain(std::iter::repeat(true));
    let typed = lists
        .all()
        .zip(types)
        .zip(outputs)
        .map(|((parameter, &(dtype, is_scalar)), is_output)| TypedParameter { parameter, dtype, is_scalar, is_output });
    typed.collect()
}

/// The arguments of a function around the user's text. `elements` are those of the arrays that are walked over.
fn handed(parameters: &[TypedParameter<'_>], elements: &[String]) -> String {
    let mut elements = elements.iter();
    let handed = parameters.iter().map(|parameter| {
        let name = &parameter.parameter.name;
        if parameter.is_scalar {
            format!("warpcell_p_{name}")
        } else if parameter.parameter.is_raw {
            format!("warpcell_raw<{}>{{warpcell_p_{name}, warpcell_n_{name}}}", parameter.element())
        } else {
            elements.next().cloned().unwrap_or_default()
        }
    });
    list(handed)
}

fn walked(parameters: &[TypedParameter<'_>]) -> Vec<WalkedArray> {
    let walked = parameters.iter().filter(|parameter| parameter.is_walked()).map(|parameter| WalkedArray {
        address: format!("warpcell_p_{}", parameter.parameter.name),
        element: parameter.c_type(),
        // The text may read an output before it writes it, or write it under a condition.
        access: if parameter.is_output { Access::ReadWrite } else { Access::Read },
    });
    walked.collect()
}

/// How many neighbours a thread of the kernel takes.
pub(super) fn neighbours(form: Form, parameters: &[TypedParameter<'_>]) -> usize {
    let widest =
        parameters.iter().filter(|parameter| parameter.is_walked()).map(|parameter| parameter.dtype.size()).max();
    if form == Form::Packed { widest.map_or(1, |widest| 16 / widest) } else { 1 }
}

/// The program with the kernel `<name>_<form>`. Each form is a program, as most texts need only one.
pub(super) fn elementwise(
    name: &str,
    parameters: &[TypedParameter<'_>],
    body: &str,
    preamble: &str,
    form: Form,
) -> String {
    let mut text = head(&format!("The elementwise kernel `{name}`."), name, parameters, preamble, form);
    // `return`, `continue` and `break` end the element.
    let _ = writeln!(
        text,
        "warpcell_inline void warpcell_element(const long long i, const warpcell_index _ind{}) {{\ndo {{\n\
         #line 1 \"{name}\"\n{body}\n;\n#line 1 \"{name}, generated\"\n}} while (0);\n}}\n",
        list(parameters.iter().map(TypedParameter::inner))
    );
    let kernel = Elementwise {
        name: &format!("{name}_{}", form.name()),
        prefix: PREFIX,
        form,
        threads: THREADS,
        each: neighbours(form, parameters),
        checks_alignment: true,
        parameters: &parameters.iter().flat_map(TypedParameter::outer).collect::<Vec<String>>(),
        arrays: &walked(parameters),
        tiles: Tiles::default(),
        code: &|number, elements| {
            format!("warpcell_element({number}, warpcell_index{{$size}}{});", handed(parameters, elements))
        },
    };
    text + &kernel.text()
}

/// The user's texts of a reduction.
pub(super) struct Expressions<'a> {
    pub map: &'a str,
    pub reduce: &'a str,
    pub post_map: &'a str,
    /// None if a reduction of no elements is an error.
    pub identity: Option<&'a str>,
    /// The type of the values; without it, the type of the first output.
    pub kind: Option<&'a str>,
}

/// The axes for which a reduction's program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReductionAxes {
    /// Whether there is more than one axis that stays, and more than one that is reduced.
    pub are_many: [bool; 2],
    /// Whether the numbers of elements need 64 bits.
    pub is_wide: bool,
}

/// The program with the kernels `<name>_reduce` and `<name>_finish`.
pub(super) fn reduction(
    name: &str,
    parameters: &[TypedParameter<'_>],
    expressions: &Expressions<'_>,
    preamble: &str,
    axes: ReductionAxes,
) -> String {
    let mut text = head(&format!("The reduction `{name}`."), name, parameters, preamble, Form::Strided);
    let first_output = parameters.iter().find(|parameter| parameter.is_output).map_or("", TypedParameter::c_type);
    let kind = expressions.kind.unwrap_or(first_output);
    let inputs: Vec<TypedParameter<'_>> = parameters.iter().copied().filter(|parameter| !parameter.is_output).collect();
    // After the reduction there are no elements of the inputs.
    let after: Vec<TypedParameter<'_>> =
        parameters.iter().copied().filter(|parameter| parameter.is_output || !parameter.is_walked()).collect();
    let back = format!("#line 1 \"{name}, generated\"");
    let (map, reduce, post_map) = (expressions.map, expressions.reduce, expressions.post_map);
    let _ = writeln!(
        text,
        "typedef {kind} warpcell_type;\n\
         warpcell_inline warpcell_type warpcell_map(const long long _J{inner}) {{\nreturn (\n\
         #line 1 \"{name}, map\"\n{map}\n{back}\n);\n}}\n\
         warpcell_inline warpcell_type warpcell_reduce(const warpcell_type a, const warpcell_type b) {{\nreturn (\n\
         #line 1 \"{name}, reduce\"\n{reduce}\n{back}\n);\n}}\n\
         warpcell_inline void warpcell_post(const warpcell_type a{after}) {{\n\
         #line 1 \"{name}, post map\"\n{post_map}\n;\n{back}\n}}",
        inner = list(inputs.iter().map(TypedParameter::inner)),
        after = list(after.iter().map(TypedParameter::inner)),
    );
    match expressions.identity {
        Some(identity) => {
            let _ = writeln!(
                text,
                "warpcell_inline warpcell_type warpcell_identity() {{\nreturn (\n\
                 #line 1 \"{name}, identity\"\n{identity}\n{back}\n);\n}}\n\
                 struct warpcell_state {{
    warpcell_type value;
    warpcell_inline void start() {{ value = warpcell_identity(); }}
    warpcell_inline void add(const warpcell_type other) {{ value = warpcell_reduce(value, other); }}
    warpcell_inline void merge(const warpcell_state& other) {{ add(other.value); }}
}};"
            );
        }
        None => {
            text += "struct warpcell_state {
    warpcell_type value;
    int is_some;
    warpcell_inline void start() { is_some = 0; }
    warpcell_inline void add(const warpcell_type other) {
        value = is_some ? warpcell_reduce(value, other) : other;
        is_some = 1;
    }
    warpcell_inline void merge(const warpcell_state& other) { if (other.is_some) add(other.value); }
};
";
        }
    }
    let outputs: Vec<String> = after
        .iter()
        .filter(|parameter| parameter.is_output)
        .map(|parameter| format!("warpcell_p_{}[$output]", parameter.parameter.name))
        .collect();
    let kernels = AxesReduction {
        name,
        prefix: PREFIX,
        are_many: axes.are_many,
        is_wide: axes.is_wide,
        parameters: &parameters.iter().flat_map(TypedParameter::outer).collect::<Vec<String>>(),
        arrays: &walked(&inputs),
        value: &|number, elements| format!("warpcell_map({number}{})", handed(&inputs, elements)),
        finish: &format!("warpcell_post($partial.value{});", handed(&after, &outputs)),
    };
    text + "\n" + &kernels.text()
}

/// The part of a program above the kernels: types, functions that the kernels need, and the user's preamble.
fn head(title: &str, name: &str, parameters: &[TypedParameter<'_>], preamble: &str, form: Form) -> String {
    let mut text = format!("// {title}\n#line 1 \"{name}, generated\"\n");
    let has = |wanted: fn(DType) -> bool| parameters.iter().any(|parameter| wanted(parameter.dtype));
    if has(|dtype| dtype.kind() == Kind::Narrow) {
        text += HALF;
    }
    if has(DType::is_complex) {
        text += COMPLEX;
    }
    text += form.support();
    text += ARRAYS;
    let mut letters = Vec::new();
    for parameter in parameters {
        if let ListedType::Letter(letter) = parameter.parameter.kind
            && !letters.contains(&letter)
        {
            letters.push(letter);
            let _ = writeln!(text, "typedef {} {letter};", parameter.c_type());
        }
    }
    if !preamble.is_empty() {
        let _ = writeln!(text, "#line 1 \"{name}, preamble\"\n{preamble}\n#line 1 \"{name}, generated\"");
    }
    text
}

/// More parameters or arguments, with a comma before each.
fn list(items: impl Iterator<Item = String>) -> String {
    items.flat_map(|item| [", ".to_owned(), item]).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn every_narrow_float_is_a_struct() {
        for dtype in DType::ALL.into_iter().filter(|dtype| dtype.kind() == Kind::Narrow) {
            assert!(HALF.contains(&format!("struct {} {{", dtype.c_name())), "{dtype} is missing in `raw_half.cuh`");
        }
    }

    /// The types of arguments, of which those with these numbers are scalars.
    pub fn types(dtypes: &[DType], scalars: &[usize]) -> ArgumentTypes {
        dtypes.iter().enumerate().map(|(number, &dtype)| (dtype, scalars.contains(&number))).collect()
    }

    pub fn lists(inputs: &str, outputs: &str) -> ParameterLists {
        ParameterLists::new("ElementwiseKernel", inputs, outputs, "norm", &[]).unwrap()
    }

    #[test]
    fn an_elementwise_program() {
        let lists = lists("T x, raw T y, float32 scale", "T z");
        let parameters = typed(&lists, &types(&[DType::F32; 4], &[2]));
        let text = elementwise("blend", &parameters, "z = x +\n  scale * y[i]", "#define ONE 1", Form::Packed);
        let (_, generated) = text.split_once("typedef float T;").unwrap();
        expect![[r#"

            #line 1 "blend, preamble"
            #define ONE 1
            #line 1 "blend, generated"
            warpcell_inline void warpcell_element(const long long i, const warpcell_index _ind, const float x, const warpcell_raw<const float> y, const float scale, float& z) {
            do {
            #line 1 "blend"
            z = x +
              scale * y[i]
            ;
            #line 1 "blend, generated"
            } while (0);
            }

            extern "C" __global__ void __launch_bounds__(256)
            blend_packed(const float* warpcell_p_x, const float* warpcell_p_y, const long long warpcell_n_y, const float warpcell_p_scale, float* warpcell_p_z, long long warpcell_size) {
                const long long warpcell_first = ((long long)blockIdx.x * 256 + threadIdx.x) * 4;
                if (warpcell_first + 4 <= warpcell_size && ((size_t)warpcell_p_x | (size_t)warpcell_p_z) % 16 == 0) {
                    const warpcell_pack<float, 4> warpcell_pack0 = *(const warpcell_pack<float, 4>*)(warpcell_p_x + warpcell_first);
                    warpcell_pack<float, 4> warpcell_pack1 = *(const warpcell_pack<float, 4>*)(warpcell_p_z + warpcell_first);
            #pragma unroll
                    for (int warpcell_k = 0; warpcell_k < 4; warpcell_k++) {
                        warpcell_element(warpcell_first + warpcell_k, warpcell_index{warpcell_size}, warpcell_pack0.at[warpcell_k], warpcell_raw<const float>{warpcell_p_y, warpcell_n_y}, warpcell_p_scale, warpcell_pack1.at[warpcell_k]);
                    }
                    *(warpcell_pack<float, 4>*)(warpcell_p_z + warpcell_first) = warpcell_pack1;
                    return;
                }
            #pragma unroll 1
                for (long long warpcell_at = warpcell_first; warpcell_at < warpcell_size && warpcell_at < warpcell_first + 4; warpcell_at++) {
                    warpcell_element(warpcell_at, warpcell_index{warpcell_size}, warpcell_p_x[warpcell_at], warpcell_raw<const float>{warpcell_p_y, warpcell_n_y}, warpcell_p_scale, warpcell_p_z[warpcell_at]);
                }
            }
        "#]]
        .assert_eq(generated);
        let text = elementwise("blend", &parameters, "z = x", "", Form::Strided);
        let (_, generated) = text.split_once("} while (0);\n}\n\n").unwrap();
        expect![[r#"
            extern "C" __global__ void __launch_bounds__(256)
            blend_strided(const float* warpcell_p_x, const float* warpcell_p_y, const long long warpcell_n_y, const float warpcell_p_scale, float* warpcell_p_z, long long warpcell_size, const __grid_constant__ warpcell_axes<2> warpcell_layout) {
                const unsigned int warpcell_at = (unsigned int)blockIdx.x * 256 + threadIdx.x;
                if (warpcell_at >= (unsigned int)warpcell_size) return;
                long long warpcell_offset[2] = {};
                warpcell_move(warpcell_layout, warpcell_at, warpcell_offset);
                warpcell_element(warpcell_at, warpcell_index{warpcell_size}, warpcell_p_x[warpcell_offset[0]], warpcell_raw<const float>{warpcell_p_y, warpcell_n_y}, warpcell_p_scale, warpcell_p_z[warpcell_offset[1]]);
            }
        "#]]
        .assert_eq(generated);
    }
}
