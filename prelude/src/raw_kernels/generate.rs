//! CUDA C programs around the user's expressions: the kernels of [`ElementwiseKernel`](super::ElementwiseKernel) and
//! [`ReductionKernel`](super::ReductionKernel).
//!
//! What is generated has names that begin with `warpcell`. The user's text stands behind `#line`, so that the compiler counts
//! its lines as the user does.

use super::parameter_list::{ListedParameter, ListedType};
use super::type_names::c_name;
use crate::dtype::DType;
use std::fmt::Write;

const WALK: &str = include_str!("../../cuda/kernels/raw_arrays.cuh");
const HALF: &str = include_str!("../../cuda/kernels/raw_half.cuh");
const COMPLEX: &str = include_str!("../../cuda/kernels/raw_complex.cuh");

/// Threads of a block.
pub(super) const THREADS: usize = 256;

/// A parameter with what a call has made of it.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    pub parameter: &'a ListedParameter,
    pub dtype: DType,
    pub is_scalar: bool,
    pub is_output: bool,
}

impl Slot<'_> {
    /// Whether it is an array of which each element is met once.
    pub fn is_walked(&self) -> bool {
        !self.is_scalar && !self.parameter.is_raw
    }

    fn c_type(&self) -> &'static str {
        c_name(self.dtype)
    }

    /// What the array's elements are to the kernel.
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

    /// As a kernel's parameters.
    fn outer(&self) -> String {
        let (name, element) = (&self.parameter.name, self.element());
        if self.is_scalar {
            format!("{element} warpcell_p_{name}")
        } else if self.is_walked() {
            format!("{element}* warpcell_p_{name}")
        } else {
            format!("{element}* warpcell_p_{name}, const long long warpcell_n_{name}")
        }
    }

    /// What a kernel hands to the function, of an array that is walked the element `at`.
    fn handed(&self, at: &str) -> String {
        let name = &self.parameter.name;
        if self.is_scalar {
            format!("warpcell_p_{name}")
        } else if self.is_walked() {
            format!("warpcell_p_{name}[{at}]")
        } else {
            format!("warpcell_raw<{}>{{warpcell_p_{name}, warpcell_n_{name}}}", self.element())
        }
    }
}

/// How many neighbours a thread of the kernel for contiguous arrays takes.
pub(super) fn neighbours(slots: &[Slot<'_>]) -> usize {
    let widest = slots.iter().filter(|slot| slot.is_walked()).map(|slot| slot.dtype.size()).max();
    widest.map_or(1, |widest| 16 / widest)
}

/// The kernel `<name>_packed`, for contiguous arrays of one shape, or `<name>_strided`, for arrays of any strides. They are two
/// programs, as most texts need one of them only.
pub(super) fn elementwise(name: &str, slots: &[Slot<'_>], body: &str, preamble: &str, is_strided: bool) -> String {
    let mut text = head(&format!("The elementwise kernel `{name}`."), name, slots, preamble);
    let walked: Vec<&Slot<'_>> = slots.iter().filter(|slot| slot.is_walked()).collect();
    let each = neighbours(slots);
    let inner = list(slots.iter().map(Slot::inner));
    let outer = list(slots.iter().map(Slot::outer));
    // `return`, `continue` and `break` end the element.
    let _ = writeln!(
        text,
        "warpcell_inline void warpcell_element(const long long i, const warpcell_index _ind{inner}) {{\ndo {{\n\
         #line 1 \"{name}\"\n{body}\n;\n#line 1 \"{name}, generated\"\n}} while (0);\n}}\n"
    );
    if is_strided {
        let handed = list(offsets(slots, |number| format!("warpcell_o[{number}]")));
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void __launch_bounds__({THREADS})\n\
             {name}_strided(const long long warpcell_count{outer}, const warpcell_axes<{count}> warpcell_a) {{\n    \
             const long long warpcell_at = (long long)blockIdx.x * {THREADS} + threadIdx.x;\n    \
             if (warpcell_at >= warpcell_count) return;\n    \
             long long warpcell_o[{count}] = {{}};\n    \
             warpcell_offsets(warpcell_a, warpcell_at, warpcell_count, warpcell_o);\n    \
             warpcell_element(warpcell_at, warpcell_index{{warpcell_count}}{handed});\n}}",
            count = walked.len()
        );
        return text;
    }
    let _ = writeln!(
        text,
        "extern \"C\" __global__ void __launch_bounds__({THREADS})\n{name}_packed(const long long warpcell_count{outer}) {{\n    \
         const warpcell_index warpcell_all{{warpcell_count}};\n    \
         const long long warpcell_first = (long long)blockIdx.x * {};",
        THREADS * each
    );
    if each > 1 {
        let addresses: Vec<String> =
            walked.iter().map(|slot| format!("(size_t)warpcell_p_{}", slot.parameter.name)).collect();
        let _ = writeln!(
            text,
            "    if (warpcell_first + {} <= warpcell_count && ({}) % 16 == 0) {{\n        \
             const long long warpcell_start = warpcell_first + threadIdx.x * {each};",
            THREADS * each,
            addresses.join(" | ")
        );
        for slot in &walked {
            let (name, c_type) = (&slot.parameter.name, slot.c_type());
            let is_const = if slot.is_output { "" } else { "const " };
            let _ = writeln!(
                text,
                "        {is_const}warpcell_pack<{c_type}, {each}> warpcell_v_{name} = \
                 *(const warpcell_pack<{c_type}, {each}>*)(warpcell_p_{name} + warpcell_start);"
            );
        }
        let handed = list(slots.iter().map(|slot| {
            if slot.is_walked() {
                format!("warpcell_v_{}.at[warpcell_k]", slot.parameter.name)
            } else {
                slot.handed("")
            }
        }));
        let _ = writeln!(
            text,
            "#pragma unroll\n        for (int warpcell_k = 0; warpcell_k < {each}; warpcell_k++)\n            \
             warpcell_element(warpcell_start + warpcell_k, warpcell_all{handed});"
        );
        for slot in walked.iter().filter(|slot| slot.is_output) {
            let (name, c_type) = (&slot.parameter.name, slot.c_type());
            let _ = writeln!(
                text,
                "        *(warpcell_pack<{c_type}, {each}>*)(warpcell_p_{name} + warpcell_start) = warpcell_v_{name};"
            );
        }
        text += "        return;\n    }\n";
    }
    let handed = list(slots.iter().map(|slot| slot.handed("warpcell_at")));
    let _ = writeln!(
        text,
        "#pragma unroll\n    for (int warpcell_k = 0; warpcell_k < {each}; warpcell_k++) {{\n        \
         const long long warpcell_at = warpcell_first + warpcell_k * {THREADS} + threadIdx.x;\n        \
         if (warpcell_at < warpcell_count) warpcell_element(warpcell_at, warpcell_all{handed});\n    }}\n}}"
    );
    text
}

/// The user's texts of a reduction.
pub(super) struct Expressions<'a> {
    pub map: &'a str,
    pub reduce: &'a str,
    pub post_map: &'a str,
    /// None if the reduction of nothing is an error.
    pub identity: Option<&'a str>,
    /// The type in which is reduced; that of the first output if none is named.
    pub kind: Option<&'a str>,
}

/// The kernels `<name>_reduce`, which gives the outputs, or states of shares of them, and `<name>_finish`, which merges those.
/// Without `has_axes` they are for what stays and what is reduced along one axis each, at most.
pub(super) fn reduction(
    name: &str,
    slots: &[Slot<'_>],
    expressions: &Expressions<'_>,
    preamble: &str,
    has_axes: bool,
) -> String {
    let mut text = head(&format!("The reduction `{name}`."), name, slots, preamble);
    let first_output = slots.iter().find(|slot| slot.is_output).map_or("", Slot::c_type);
    let kind = expressions.kind.unwrap_or(first_output);
    let inputs: Vec<Slot<'_>> = slots.iter().copied().filter(|slot| !slot.is_output).collect();
    // Behind the reduction there are no elements of the inputs any more.
    let after: Vec<Slot<'_>> = slots.iter().copied().filter(|slot| slot.is_output || !slot.is_walked()).collect();
    let walked = inputs.iter().filter(|slot| slot.is_walked()).count();
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
        inner = list(inputs.iter().map(Slot::inner)),
        after = list(after.iter().map(Slot::inner)),
    );
    match expressions.identity {
        Some(identity) => {
            let _ = writeln!(
                text,
                "struct warpcell_state {{ warpcell_type value; }};\n\
                 warpcell_inline void warpcell_begin(warpcell_state& state) {{\nstate.value = (\n\
                 #line 1 \"{name}, identity\"\n{identity}\n{back}\n);\n}}\n\
                 warpcell_inline void warpcell_add(warpcell_state& state, const warpcell_type value) {{\n    \
                 state.value = warpcell_reduce(state.value, value);\n}}\n\
                 warpcell_inline void warpcell_merge(warpcell_state& state, const warpcell_state& other) {{\n    \
                 state.value = warpcell_reduce(state.value, other.value);\n}}"
            );
        }
        None => {
            text += "struct warpcell_state { warpcell_type value; int is_some; };\n\
                     warpcell_inline void warpcell_begin(warpcell_state& state) { state.is_some = 0; }\n\
                     warpcell_inline void warpcell_add(warpcell_state& state, const warpcell_type value) {\n    \
                     state.value = state.is_some ? warpcell_reduce(state.value, value) : value;\n    \
                     state.is_some = 1;\n}\n\
                     warpcell_inline void warpcell_merge(warpcell_state& state, const warpcell_state& other) {\n    \
                     if (other.is_some) warpcell_add(state, other.value);\n}\n";
        }
    }
    let outer = list(slots.iter().map(Slot::outer));
    let post = list(after.iter().map(|slot| slot.handed("warpcell_output")));
    let in_line = |number| format!("warpcell_first[{number}] + warpcell_j * warpcell_reduced.stride[{number}][0]");
    let handed = list(offsets(&inputs, in_line));
    let line = format!(
        "#pragma unroll 4
        for (long long warpcell_j = warpcell_start; warpcell_j < warpcell_length; warpcell_j += warpcell_step)
            warpcell_add(warpcell_s, warpcell_map(warpcell_j{handed}));"
    );
    let handed = list(offsets(&inputs, |number| format!("warpcell_o[{number}]")));
    let (first, walk) = if has_axes {
        let general = format!(
            "if (warpcell_reduced.rank <= 1) {{
{line}
        }} else {{
#pragma unroll 1
            for (long long warpcell_j = warpcell_start; warpcell_j < warpcell_length; warpcell_j += warpcell_step) {{
                long long warpcell_o[{walked}];
#pragma unroll
                for (int warpcell_k = 0; warpcell_k < {walked}; warpcell_k++) warpcell_o[warpcell_k] = warpcell_first[warpcell_k];
                warpcell_offsets(warpcell_reduced, warpcell_j, warpcell_length, warpcell_o);
                warpcell_add(warpcell_s, warpcell_map(warpcell_j{handed}));
            }}
        }}"
        );
        ("warpcell_offsets(warpcell_kept, warpcell_output, warpcell_outputs, warpcell_first);".to_owned(), general)
    } else {
        let stride = "warpcell_first[warpcell_k] = warpcell_output * warpcell_kept.stride[warpcell_k][0];";
        (format!("for (int warpcell_k = 0; warpcell_k < {walked}; warpcell_k++) {stride}"), line)
    };
    let _ = write!(
        text,
        r#"
// Merges the states of `lanes` threads, which are `apart` threads apart, into that of the first.
warpcell_inline warpcell_state warpcell_merged(const warpcell_state state, int lane, int lanes, int apart) {{
    alignas(16) __shared__ char warpcell_room[{THREADS} * sizeof(warpcell_state)];
    warpcell_state* const all = (warpcell_state*)warpcell_room;
    all[threadIdx.x] = state;
    __syncthreads();
    for (int half = lanes / 2; half > 0; half /= 2) {{
        if (lane < half) warpcell_merge(all[threadIdx.x], all[threadIdx.x + half * apart]);
        __syncthreads();
    }}
    return all[threadIdx.x];
}}

// `lanes` threads an output, side by side, or, with `by_columns`, one behind the other.
extern "C" __global__ void __launch_bounds__({THREADS})
{name}_reduce(const long long warpcell_outputs, const long long warpcell_length, const int warpcell_lanes,
        const int warpcell_by_columns{outer}, warpcell_state* warpcell_shares,
        const warpcell_axes<{walked}> warpcell_kept, const warpcell_axes<{walked}> warpcell_reduced) {{
    const int warpcell_each = {THREADS} / warpcell_lanes;
    const int warpcell_lane = warpcell_by_columns ? threadIdx.x / warpcell_each : threadIdx.x % warpcell_lanes;
    const int warpcell_mine = warpcell_by_columns ? threadIdx.x % warpcell_each : threadIdx.x / warpcell_lanes;
    const long long warpcell_output = (long long)blockIdx.x * warpcell_each + warpcell_mine;
    warpcell_state warpcell_s;
    warpcell_begin(warpcell_s);
    if (warpcell_output < warpcell_outputs) {{
        long long warpcell_first[{walked}] = {{}};
        {first}
        const long long warpcell_start = (long long)blockIdx.y * warpcell_lanes + warpcell_lane;
        const long long warpcell_step = (long long)warpcell_lanes * gridDim.y;
        {walk}
    }}
    warpcell_s = warpcell_merged(warpcell_s, warpcell_lane, warpcell_lanes, warpcell_by_columns ? warpcell_each : 1);
    if (warpcell_lane != 0 || warpcell_output >= warpcell_outputs) return;
    if (gridDim.y > 1) warpcell_shares[warpcell_output * gridDim.y + blockIdx.y] = warpcell_s;
    else warpcell_post(warpcell_s.value{post});
}}

// A block an output.
extern "C" __global__ void __launch_bounds__({THREADS})
{name}_finish(const int warpcell_count{outer}, const warpcell_state* warpcell_shares) {{
    const long long warpcell_output = blockIdx.x;
    warpcell_state warpcell_s;
    warpcell_begin(warpcell_s);
    for (int warpcell_k = threadIdx.x; warpcell_k < warpcell_count; warpcell_k += {THREADS})
        warpcell_merge(warpcell_s, warpcell_shares[warpcell_output * warpcell_count + warpcell_k]);
    warpcell_s = warpcell_merged(warpcell_s, threadIdx.x, {THREADS}, 1);
    if (threadIdx.x == 0) warpcell_post(warpcell_s.value{post});
}}
"#
    );
    text
}

/// What stands above the kernels: types, what arrays are walked by, and the user's preamble.
fn head(title: &str, name: &str, slots: &[Slot<'_>], preamble: &str) -> String {
    let mut text = format!("// {title}\n#line 1 \"{name}, generated\"\n");
    let has = |wanted: fn(DType) -> bool| slots.iter().any(|slot| wanted(slot.dtype));
    if has(|dtype| matches!(dtype, DType::F16 | DType::BF16)) {
        text += HALF;
    }
    if has(DType::is_complex) {
        text += COMPLEX;
    }
    text += WALK;
    let mut letters = Vec::new();
    for slot in slots {
        if let ListedType::Letter(letter) = slot.parameter.kind
            && !letters.contains(&letter)
        {
            letters.push(letter);
            let _ = writeln!(text, "typedef {} {letter};", slot.c_type());
        }
    }
    if !preamble.is_empty() {
        let _ = writeln!(text, "#line 1 \"{name}, preamble\"\n{preamble}\n#line 1 \"{name}, generated\"");
    }
    text
}

/// What is handed to a function of the elements of walked arrays that are at `offset(number)`.
fn offsets<'a>(slots: &'a [Slot<'a>], offset: impl Fn(usize) -> String + 'a) -> impl Iterator<Item = String> + 'a {
    let mut walked = 0;
    slots.iter().map(move |slot| {
        let at = offset(walked);
        walked += usize::from(slot.is_walked());
        slot.handed(&at)
    })
}

/// Further parameters or arguments: each behind a comma.
fn list(items: impl Iterator<Item = String>) -> String {
    items.flat_map(|item| [", ".to_owned(), item]).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::raw_kernels::parameter_list::parse;
    use expect_test::expect;

    /// The slots of parameters that arguments of these types have met; scalars where `is_scalar` says so.
    pub fn slots<'a>(
        inputs: &'a [ListedParameter],
        outputs: &'a [ListedParameter],
        dtypes: &[DType],
        is_scalar: &[bool],
    ) -> Vec<Slot<'a>> {
        let all =
            inputs.iter().map(|parameter| (parameter, false)).chain(outputs.iter().map(|parameter| (parameter, true)));
        all.enumerate()
            .map(|(number, (parameter, is_output))| Slot {
                parameter,
                dtype: dtypes[number],
                is_scalar: is_scalar.get(number).copied().unwrap_or(false),
                is_output,
            })
            .collect()
    }

    #[test]
    fn an_elementwise_program() {
        let (inputs, outputs) = (parse("T x, raw T y, float32 scale").unwrap(), parse("T z").unwrap());
        let slots = slots(&inputs, &outputs, &[DType::F32; 4], &[false, false, true]);
        let text = elementwise("blend", &slots, "z = x +\n  scale * y[i]", "#define ONE 1", false);
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
            blend_packed(const long long warpcell_count, const float* warpcell_p_x, const float* warpcell_p_y, const long long warpcell_n_y, const float warpcell_p_scale, float* warpcell_p_z) {
                const warpcell_index warpcell_all{warpcell_count};
                const long long warpcell_first = (long long)blockIdx.x * 1024;
                if (warpcell_first + 1024 <= warpcell_count && ((size_t)warpcell_p_x | (size_t)warpcell_p_z) % 16 == 0) {
                    const long long warpcell_start = warpcell_first + threadIdx.x * 4;
                    const warpcell_pack<float, 4> warpcell_v_x = *(const warpcell_pack<float, 4>*)(warpcell_p_x + warpcell_start);
                    warpcell_pack<float, 4> warpcell_v_z = *(const warpcell_pack<float, 4>*)(warpcell_p_z + warpcell_start);
            #pragma unroll
                    for (int warpcell_k = 0; warpcell_k < 4; warpcell_k++)
                        warpcell_element(warpcell_start + warpcell_k, warpcell_all, warpcell_v_x.at[warpcell_k], warpcell_raw<const float>{warpcell_p_y, warpcell_n_y}, warpcell_p_scale, warpcell_v_z.at[warpcell_k]);
                    *(warpcell_pack<float, 4>*)(warpcell_p_z + warpcell_start) = warpcell_v_z;
                    return;
                }
            #pragma unroll
                for (int warpcell_k = 0; warpcell_k < 4; warpcell_k++) {
                    const long long warpcell_at = warpcell_first + warpcell_k * 256 + threadIdx.x;
                    if (warpcell_at < warpcell_count) warpcell_element(warpcell_at, warpcell_all, warpcell_p_x[warpcell_at], warpcell_raw<const float>{warpcell_p_y, warpcell_n_y}, warpcell_p_scale, warpcell_p_z[warpcell_at]);
                }
            }
        "#]]
        .assert_eq(generated);
        let text = elementwise("blend", &slots, "z = x", "", true);
        let (_, generated) = text.split_once("} while (0);\n}\n\n").unwrap();
        expect![[r#"
            extern "C" __global__ void __launch_bounds__(256)
            blend_strided(const long long warpcell_count, const float* warpcell_p_x, const float* warpcell_p_y, const long long warpcell_n_y, const float warpcell_p_scale, float* warpcell_p_z, const warpcell_axes<2> warpcell_a) {
                const long long warpcell_at = (long long)blockIdx.x * 256 + threadIdx.x;
                if (warpcell_at >= warpcell_count) return;
                long long warpcell_o[2] = {};
                warpcell_offsets(warpcell_a, warpcell_at, warpcell_count, warpcell_o);
                warpcell_element(warpcell_at, warpcell_index{warpcell_count}, warpcell_p_x[warpcell_o[0]], warpcell_raw<const float>{warpcell_p_y, warpcell_n_y}, warpcell_p_scale, warpcell_p_z[warpcell_o[1]]);
            }
        "#]]
        .assert_eq(generated);
    }
}
