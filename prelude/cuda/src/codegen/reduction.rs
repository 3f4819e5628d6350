//! Kernels that reduce what code gives for each element. A state is a type in CUDA C with the functions `start`, `add` and `merge`.

use super::{Code, Form, THREADS, WalkedArray, elements, indented, kernel, rows};
use std::fmt::Write;

/// A kernel that reduces all elements to one value, with the states of `kernels/reductions.cuh` in the namespace `warpcell_reduction`.
pub struct WholeReduction<'a> {
    pub name: &'a str,
    pub form: Form,
    /// How many neighbouring elements a thread takes at once, and how often before it computes.
    pub each: usize,
    pub turns: usize,
    pub parameters: &'a [String],
    pub arrays: &'a [WalkedArray],
    /// Writes the value of an element.
    pub value: Code<'a>,
}

impl WholeReduction<'_> {
    /// The kernel. The program must have `Form::support` and the states above it.
    pub fn text(&self) -> String {
        let mut parameters = self.parameters.to_vec();
        parameters.push("long long size".into());
        if self.form.is_strided() {
            parameters.push(format!("const __grid_constant__ warpcell_axes<{}> layout", rows(self.arrays)));
        }
        parameters.extend(
            ["warpcell_reduction::State* of_blocks", "unsigned int* finished", "warpcell_reduction::output* out"]
                .map(String::from),
        );
        let body = format!(
            "    warpcell_reduction::State state;
    state.start();
    const long long lane = (long long)blockIdx.x * {THREADS} + threadIdx.x;
    const long long lanes = (long long)gridDim.x * {THREADS};
{}    warpcell_reduction::deliver_whole(state, of_blocks, finished, out);
",
            if self.form.is_strided() { self.strided() } else { self.contiguous() }
        );
        kernel(self.name, THREADS, &parameters, &body)
    }

    fn strided(&self) -> String {
        let add = |at: &str, elements: &[String]| {
            format!("state.add(warpcell_reduction::input({}), 0);", (self.value)(at, elements))
        };
        let text = strided_loop(self.arrays, self.form, ["lane", "size", "lanes"], "layout", None, &add);
        text.replace('$', "")
    }

    /// Reads packs of neighbours. The last pack is filled with copies of the last element, which are not added.
    fn contiguous(&self) -> String {
        let WholeReduction { each, turns, arrays, .. } = *self;
        let arrays: Vec<(usize, String, &WalkedArray)> = (arrays.iter().enumerate())
            .map(|(number, array)| (number, format!("warpcell_pack<{}, {each}>", array.element), array))
            .collect();
        let mut text = "    long long pack = lane;\n".to_owned();
        if turns > 1 {
            let _ = writeln!(
                text,
                "#pragma unroll 1\n    for (; (pack + {last} * lanes + 1) * {each} <= size; pack += {turns} * lanes) {{",
                last = turns - 1
            );
            for (number, pack, _) in &arrays {
                let _ = writeln!(text, "        {pack} a{number}[{turns}];");
            }
            let _ = writeln!(text, "#pragma unroll\n        for (int k = 0; k < {turns}; k++) {{");
            for (number, pack, WalkedArray { address, .. }) in &arrays {
                let _ = writeln!(text, "            a{number}[k] = ((const {pack}*){address})[pack + k * lanes];");
            }
            let _ = writeln!(text, "        }}\n#pragma unroll\n        for (int k = 0; k < {turns}; k++) {{");
            text += &indented(12, &self.enter("[k]", &format!("{each}")));
            text += "        }\n    }\n";
        }
        let _ = write!(
            text,
            "#pragma unroll 1
    for (; pack * {each} < size; pack += lanes) {{
        const long long first = pack * {each};
        const bool whole = first + {each} <= size;
"
        );
        for (number, pack, _) in &arrays {
            let _ = writeln!(text, "        {pack} a{number};");
        }
        if !arrays.is_empty() {
            text += "        if (whole) {\n";
            for (number, pack, WalkedArray { address, .. }) in &arrays {
                let _ = writeln!(text, "            a{number} = *(const {pack}*)({address} + first);");
            }
            let _ =
                writeln!(text, "        }} else {{\n#pragma unroll\n            for (int i = 0; i < {each}; i++) {{");
            let _ = writeln!(text, "                const long long at = first + i < size ? first + i : size - 1;");
            for (number, _, WalkedArray { address, .. }) in &arrays {
                let _ = writeln!(text, "                a{number}.at[i] = {address}[at];");
            }
            text += "            }\n        }\n";
        }
        text + &indented(8, &self.enter("", &format!("whole ? {each} : size - first"))) + "    }\n"
    }

    /// Adds the first `count` values of packs to the state.
    fn enter(&self, turn: &str, count: &str) -> String {
        let each = self.each;
        let neighbours: Vec<String> = (0..self.arrays.len()).map(|number| format!("a{number}{turn}.at[j]")).collect();
        let value = (self.value)("", &neighbours);
        format!(
            "warpcell_reduction::input b[{each}];
#pragma unroll
for (int j = 0; j < {each}; j++) b[j] = {value};
warpcell_enter(state, b, {count});
"
        )
    }
}

/// Two kernels that reduce along axes, to one value for each index of the axes that stay. `<name>_reduce` gives the results, or
/// states of shares of them, and `<name>_finish` merges those. The state is `warpcell_state`.
pub struct AxesReduction<'a> {
    pub name: &'a str,
    pub prefix: &'a str,
    /// Whether the numbers of elements need 64 bits.
    pub is_wide: bool,
    /// Whether there is more than one axis that stays, and more than one that is reduced.
    pub are_many: [bool; 2],
    pub parameters: &'a [String],
    pub arrays: &'a [WalkedArray],
    /// Writes the value of an element.
    pub value: Code<'a>,
    /// Code for a result, whose number and value are `$output` and `$partial.value`.
    pub finish: &'a str,
}

impl AxesReduction<'_> {
    /// The kernels. The program must have `Form::support` and the state above them.
    pub fn text(&self) -> String {
        let AxesReduction { name, parameters, arrays, finish, .. } = *self;
        let count = rows(arrays);
        let form = if self.is_wide { Form::StridedWide } else { Form::Strided };
        let add = |at: &str, elements: &[String]| format!("$partial.add({});", (self.value)(at, elements));
        let [many_kept, many_reduced] = self.are_many;
        let first = if many_kept {
            format!("warpcell_move($kept, ({})$output, $first);", form.index())
        } else {
            format!("for (int $k = 0; $k < {count}; $k++) $first[$k] = $output * $kept.stride[$k][0];")
        };
        let range = ["$start", "$length", "$step"];
        let reduce = if many_reduced {
            strided_loop(arrays, form, range, "$reduced", Some("$first"), &add)
        } else {
            let elements = elements(arrays, |number| format!("$first[{number}] + $i * $reduced.stride[{number}][0]"));
            format!(
                "#pragma unroll 4\n    for (long long $i = $start; $i < $length; $i += $step) {{\n{}    }}\n",
                indented(8, &add("$i", &elements))
            )
        };
        let finish = indented(8, finish);
        let axes = format!("const __grid_constant__ warpcell_axes<{count}>");
        let of_reduce = [
            &["const long long $outputs", "const long long $length", "const int $lanes", "const int $by_columns"]
                .map(String::from)[..],
            parameters,
            &["warpcell_state* $shares".into(), format!("{axes} $kept"), format!("{axes} $reduced")],
        ]
        .concat();
        let of_finish =
            [&["const int $count".into()][..], parameters, &["const warpcell_state* $shares".into()]].concat();
        let reduce = format!(
            "    const int $each = {THREADS} / $lanes;
    const int $lane = $by_columns ? threadIdx.x / $each : threadIdx.x % $lanes;
    const int $mine = $by_columns ? threadIdx.x % $each : threadIdx.x / $lanes;
    const long long $output = (long long)blockIdx.x * $each + $mine;
    warpcell_state $partial;
    $partial.start();
    if ($output < $outputs) {{
        long long $first[{count}] = {{}};
        {first}
        const long long $start = (long long)blockIdx.y * $lanes + $lane;
        const long long $step = (long long)$lanes * gridDim.y;
{}    }}
    $partial = warpcell_merged($partial, $lane, $lanes, $by_columns ? $each : 1);
    if ($lane != 0 || $output >= $outputs) return;
    if (gridDim.y > 1) {{
        $shares[$output * gridDim.y + blockIdx.y] = $partial;
    }} else {{
{finish}    }}
",
            indented(4, &reduce)
        );
        let merge = format!(
            "    const long long $output = blockIdx.x;
    warpcell_state $partial;
    $partial.start();
    for (int $k = threadIdx.x; $k < $count; $k += {THREADS}) $partial.merge($shares[$output * $count + $k]);
    $partial = warpcell_merged($partial, threadIdx.x, {THREADS}, 1);
    if (threadIdx.x == 0) {{
{finish}    }}
"
        );
        let text = format!(
            "// Merges the states of `lanes` threads, which are `apart` threads apart, into that of the first.
__device__ __forceinline__ warpcell_state warpcell_merged(const warpcell_state $partial, int $lane, int $lanes, int $apart) {{
    alignas(16) __shared__ char $room[{THREADS} * sizeof(warpcell_state)];
    warpcell_state* const $all = (warpcell_state*)$room;
    $all[threadIdx.x] = $partial;
    __syncthreads();
    for (int $half = $lanes / 2; $half > 0; $half /= 2) {{
        if ($lane < $half) $all[threadIdx.x].merge($all[threadIdx.x + $half * $apart]);
        __syncthreads();
    }}
    return $all[threadIdx.x];
}}

// `lanes` threads for each output, side by side or, with `by_columns`, in steps of as many threads as there are outputs in a block.
{}
// A block for each output.
{}",
            kernel(&format!("{name}_reduce"), THREADS, &of_reduce, &reduce),
            kernel(&format!("{name}_finish"), THREADS, &of_finish, &merge)
        );
        text.replace('$', self.prefix)
    }
}

/// A loop over elements along axes, from a number to a number in steps. Offsets begin with `first`.
fn strided_loop(
    arrays: &[WalkedArray],
    form: Form,
    [from, to, step]: [&str; 3],
    axes: &str,
    first: Option<&str>,
    code: Code<'_>,
) -> String {
    let begin = |first| (0..rows(arrays)).map(|number| format!("{first}[{number}]")).collect::<Vec<_>>().join(", ");
    format!(
        "#pragma unroll 1
    for (long long $i = {from}; $i < {to}; $i += {step}) {{
        long long $offset[{count}] = {{{begin}}};
        warpcell_move({axes}, ({index})$i, $offset);
{code}    }}
",
        count = rows(arrays),
        begin = first.map_or(String::new(), begin),
        index = form.index(),
        code = indented(8, &code("$i", &elements(arrays, |number| format!("$offset[{number}]")))),
    )
}
