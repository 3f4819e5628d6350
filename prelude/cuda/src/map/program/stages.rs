//! The program of formulas along rows, of which each takes what those before it were reduced to. Text only: no device is needed.

use super::{reduction_states, size, stored_type, value_type};
use crate::codegen::Form;
use std::ffi::CStr;
use std::fmt::Write;
use warpcell_base::backend::ReduceOperation;
use warpcell_base::registry::element_of;
use warpcell_translate::{FunctionParameter, Scalar, Translation};

/// How formulas are put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stages {
    /// How the results of each formula are reduced. Those of the last one need not be.
    pub reductions: Vec<Option<ReduceOperation>>,
    /// The first parameters of each formula: a bit for each that is one value for all elements, and for each array that all rows share.
    pub inputs: usize,
    pub scalars: u32,
    pub vectors: u32,
    /// Whether all rows of all arrays begin at multiples of 16 bytes.
    pub aligned: bool,
    pub threads: usize,
    /// How many packs of each array a thread keeps in registers, if these have room for all of a row; or it is read once for each formula.
    pub kept: Option<usize>,
    pub contracts: bool,
}

/// A program with one kernel of this name.
pub struct StagesProgram {
    pub source: String,
    pub name: &'static CStr,
}

/// Threads merge their states: a warp's lanes, then the warps' first ones. All of them get the merged one.
const MERGE: &str = "
template <typename S> union warpcell_words {
    S state;
    unsigned int words[sizeof(S) / 4];
    __device__ warpcell_words() {}
};
template <typename S> __device__ __forceinline__ void warpcell_merge_lanes(S& state) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        warpcell_words<S> other;
        other.state = state;
#pragma unroll
        for (int word = 0; word < sizeof(S) / 4; word++) other.words[word] = __shfl_down_sync(0xffffffffu, other.words[word], distance);
        state.merge(other.state);
    }
}
template <int warps, typename S> __device__ __forceinline__ S warpcell_of_row(S state, void* room) {
    S* const of_warps = (S*)room;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    warpcell_merge_lanes(state);
    // The formula before may still be reading.
    __syncthreads();
    if (lane == 0) of_warps[warp] = state;
    __syncthreads();
    if (warp == 0 && warps > 1) {
        S merged;
        merged.start();
        if (lane < warps) merged = of_warps[lane];
        warpcell_merge_lanes(merged);
        if (lane == 0) of_warps[0] = merged;
    }
    __syncthreads();
    return of_warps[0];
}
";

/// The most words that a thread keeps of a row; and with so few, as many threads of a multiprocessor are asked for, so that rows of some blocks
/// are on the way while others compute.
const MOST_KEPT: usize = 40;
const FEW_KEPT: usize = 20;
const MANY_THREADS: usize = 1536;

impl Stages {
    /// How many elements a pack has, if the arrays' elements have so many bytes at most.
    pub fn of_pack(aligned: bool, widest: usize) -> usize {
        if aligned { 16 / widest } else { 1 }
    }

    /// How many packs of each array a thread keeps, for rows of a length of arrays whose elements have so many bytes together.
    pub fn kept(length: usize, threads: usize, of_pack: usize, bytes: usize) -> Option<usize> {
        let packs = length.div_ceil(threads * of_pack);
        (packs * of_pack * bytes <= 4 * MOST_KEPT).then_some(packs)
    }

    /// The same for rows of any length and at any address, with so many threads.
    pub fn general(&self, threads: usize) -> Stages {
        Stages { aligned: false, threads, kept: None, ..self.clone() }
    }

    /// The program, if there is one for formulas with these translations.
    pub fn program(&self, translations: &[&Translation]) -> Option<StagesProgram> {
        let parameter = |stage: usize, number: usize| match translations[stage].parameters.get(number)? {
            FunctionParameter::Scalar(scalar) => Some(*scalar),
            FunctionParameter::Struct { .. } => None,
        };
        // The states are of one type.
        let reduced: Vec<(usize, ReduceOperation)> =
            self.reductions.iter().enumerate().filter_map(|(stage, reduction)| Some((stage, (*reduction)?))).collect();
        let state = translations[reduced.first()?.0].results[0];
        let sums = [ReduceOperation::Sum, ReduceOperation::Product, ReduceOperation::Max, ReduceOperation::Min];
        if !matches!(state, Scalar::F32 | Scalar::F64)
            || !reduced
                .iter()
                .all(|&(stage, reduction)| sums.contains(&reduction) && translations[stage].results[0] == state)
        {
            return None;
        }
        let types: Vec<Scalar> = (0..self.inputs).map(|number| parameter(0, number)).collect::<Option<_>>()?;
        // Each takes the inputs, what those before it were reduced to, and what it has captured.
        for (stage, translation) in translations.iter().enumerate() {
            let fits = |number: usize, scalar: Scalar| parameter(stage, number) == Some(scalar);
            if translation.parameters.len() < self.inputs + stage
                || !types.iter().enumerate().all(|(number, &scalar)| fits(number, scalar))
                || !(0..stage).all(|before| fits(self.inputs + before, state))
            {
                return None;
            }
        }
        let is_scalar = |number: usize| self.scalars & 1 << number != 0;
        let last = translations.len() - 1;
        let is_reduced = self.reductions[last].is_some();
        let result = translations[last].results[0];
        let arrays: Vec<usize> = (0..self.inputs).filter(|&number| !is_scalar(number)).collect();
        let widest =
            arrays.iter().map(|&number| size(types[number])).chain((!is_reduced).then(|| size(result))).max()?;
        let each = Stages::of_pack(self.aligned, widest);
        let (threads, warps) = (self.threads, self.threads / 32);
        let bytes: usize = arrays.iter().map(|&number| size(types[number])).sum();
        let are_few = self.kept.is_some_and(|packs| packs * each * bytes <= 4 * FEW_KEPT);
        let blocks = if are_few { format!(", {}", (MANY_THREADS / threads).min(16)) } else { String::new() };

        let mut source = String::from("// Formulas along rows: CUDA C, made of the Rust lines in the comments.\n");
        for (stage, translation) in translations.iter().enumerate() {
            let Translation { support, source: own, .. } = translation;
            let _ = writeln!(source, "\nnamespace warpcell_{stage} {{\n{support}\n{own}\n}}");
        }
        source += &reduction_states(ReduceOperation::Sum, element_of(state)?);
        source += MERGE;
        source += Form::Packed.support();

        let mut parameters: Vec<String> = (0..self.inputs)
            .map(|number| {
                let scalar = types[number];
                if is_scalar(number) {
                    format!("{} x{number}", value_type(scalar))
                } else {
                    format!("const {}* __restrict__ x{number}", stored_type(scalar))
                }
            })
            .collect();
        for (stage, translation) in translations.iter().enumerate() {
            for number in self.inputs + stage..translation.parameters.len() {
                parameters.push(format!("{} c{stage}_{number}", value_type(parameter(stage, number)?)));
            }
        }
        parameters.push(format!("{}* __restrict__ y", stored_type(result)));
        parameters.push("int length".into());
        let mut body =
            format!("    alignas(16) __shared__ char room[{warps} * 32];\n    const long long row = blockIdx.x;\n");
        for &number in arrays.iter().filter(|&&number| self.vectors & 1 << number == 0) {
            let _ = writeln!(body, "    x{number} += row * length;");
        }
        if !is_reduced {
            body += "    y += row * length;\n";
        }
        let place = format!("(p * {threads} + (int)threadIdx.x) * {each}");
        let pack = |number: usize| format!("warpcell_pack<{}, {each}>", stored_type(types[number]));
        if let Some(packs) = self.kept {
            // What a row lacks is filled up with zeros: so all values are computed without a branch, and what two formulas have in common once.
            for &number in &arrays {
                let _ = writeln!(body, "    {} a{number}[{packs}] = {{}};", pack(number));
            }
            let _ = writeln!(
                body,
                "#pragma unroll\n    for (int p = 0; p < {packs}; p++) {{\n        const int at = {place};\n        if (at >= length) break;"
            );
            for &number in &arrays {
                let _ = writeln!(body, "        a{number}[p] = *(const {}*)(x{number} + at);", pack(number));
            }
            body += "    }\n";
        }
        let of_pack = if self.kept.is_some() { "[p]" } else { "" };
        for (stage, translation) in translations.iter().enumerate() {
            let arguments: Vec<String> = (0..translation.parameters.len())
                .map(|number| match number {
                    _ if number < self.inputs && is_scalar(number) => format!("x{number}"),
                    _ if number < self.inputs => format!("a{number}{of_pack}.at[k]"),
                    _ if number < self.inputs + stage => format!("r{}", number - self.inputs),
                    _ => format!("c{stage}_{number}"),
                })
                .collect();
            let call = format!("::warpcell_{stage}::{}({})", translation.name, arguments.join(", "));
            let name = self.reductions[stage].map(ReduceOperation::cuda_name);
            if let Some(name) = name {
                let _ = writeln!(
                    body,
                    "    warpcell_reduction::{name}<warpcell_reduction::input> s{stage};\n    s{stage}.start();"
                );
            }
            if let Some(packs) = self.kept {
                let _ = writeln!(
                    body,
                    "#pragma unroll\n    for (int p = 0; p < {packs}; p++) {{\n        const int at = {place};"
                );
            } else {
                let _ = writeln!(
                    body,
                    "#pragma unroll 4\n    for (int at = threadIdx.x * {each}; at < length; at += {threads} * {each}) {{"
                );
                for &number in &arrays {
                    let pack = pack(number);
                    let _ = writeln!(body, "        const {pack} a{number} = *(const {pack}*)(x{number} + at);");
                }
            }
            let target = if name.is_some() {
                format!("warpcell_reduction::input b[{each}]")
            } else {
                format!("warpcell_pack<{}, {each}> b", stored_type(result))
            };
            let at = if name.is_some() { "" } else { ".at" };
            let _ = writeln!(
                body,
                "        {target};\n#pragma unroll\n        for (int k = 0; k < {each}; k++) b{at}[k] = {call};"
            );
            let inside = if self.kept.is_some() { "if (at < length) " } else { "" };
            if name.is_some() {
                let _ = writeln!(body, "        {inside}warpcell_enter(s{stage}, b);\n    }}");
                let _ = writeln!(body, "    const auto r{stage} = warpcell_of_row<{warps}>(s{stage}, room).finish();");
            } else {
                let pack = format!("warpcell_pack<{}, {each}>", stored_type(result));
                let _ = writeln!(body, "        {inside}*({pack}*)(y + at) = b;\n    }}");
            }
        }
        if is_reduced {
            let _ = writeln!(body, "    if (threadIdx.x == 0) y[row] = r{last};");
        }
        let _ = write!(
            source,
            "
// Adds results to a state; four floats are added in pairs before they enter, as in the sum of an array.
template <typename S, int count> __device__ __forceinline__ void warpcell_enter(S& state, const warpcell_reduction::input (&b)[count]) {{
    if (count == warpcell_reduction::VECTOR) {{
        warpcell_reduction::Pack pack;
#pragma unroll
        for (int j = 0; j < count; j++) pack.at[j % warpcell_reduction::VECTOR] = b[j];
        state.add(pack, 0);
        return;
    }}
#pragma unroll
    for (int j = 0; j < count; j++) state.add(b[j], 0);
}}

extern \"C\" __global__ void __launch_bounds__({threads}{blocks})
along_rows({}) {{
{body}}}
",
            parameters.join(", ")
        );
        Some(StagesProgram { source, name: c"along_rows" })
    }
}
