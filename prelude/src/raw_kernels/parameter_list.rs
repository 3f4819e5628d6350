//! Lists of parameters as CuPy writes them, such as `float64 x, raw T y`, and the checks of arguments for them.

use super::arguments::{RawArgument, described};
use super::type_names;
use crate::array::shape;
use crate::device::{self, Handle};
use crate::dtype::DType;
use crate::error::{Error, Result};

/// One parameter of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedParameter {
    pub name: String,
    pub kind: ListedType,
    /// Whether the text indexes it itself.
    pub is_raw: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ListedType {
    Fixed(DType),
    /// A letter for the type of the argument.
    Letter(char),
}

impl ListedParameter {
    /// As users write it, such as `raw float64 x`.
    pub fn text(&self) -> String {
        let raw = if self.is_raw { "raw " } else { "" };
        match self.kind {
            ListedType::Fixed(dtype) => format!("{raw}{dtype} {}", self.name),
            ListedType::Letter(letter) => format!("{raw}{letter} {}", self.name),
        }
    }
}

/// A list of parameters, as users write it.
pub(super) fn texts(list: &[ListedParameter]) -> String {
    list.iter().map(ListedParameter::text).collect::<Vec<String>>().join(", ")
}

/// The parameters of a list, which may be empty; or a sentence about what is wrong.
pub(super) fn parse(list: &str) -> std::result::Result<Vec<ListedParameter>, String> {
    if list.trim().is_empty() {
        return Ok(Vec::new());
    }
    list.split(',').map(parameter).collect()
}

fn parameter(text: &str) -> std::result::Result<ListedParameter, String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let mut is_raw = false;
    while words.len() > 2 && matches!(words[0], "raw" | "const" | "_non_const") {
        is_raw |= words.remove(0) == "raw";
    }
    let [kind, name] = words[..] else {
        let given = if text.is_empty() {
            "a parameter is empty".to_owned()
        } else {
            format!("the parameter `{text}` is not valid")
        };
        return Err(format!(
            "{given}; write each parameter as a type and a name, such as `float64 x` or `raw T x`, with commas between \
             them"
        ));
    };
    let mut letters = kind.chars();
    let kind = match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => ListedType::Letter(letter),
        _ => ListedType::Fixed(
            type_names::named(kind)
                .map_err(|advice| format!("the type of the parameter `{text}`: `{kind}` {advice}"))?,
        ),
    };
    let starts = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    if !starts || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
        return Err(format!("the parameter `{text}`: `{name}` is not a name; use letters, digits and `_`"));
    }
    Ok(ListedParameter { name: name.to_owned(), kind, is_raw })
}

/// The inputs and outputs of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParameterLists {
    /// The function's name for messages, such as `ElementwiseKernel`.
    pub operation: &'static str,
    /// The kernel's.
    pub name: String,
    pub inputs: Vec<ListedParameter>,
    pub outputs: Vec<ListedParameter>,
}

/// The most parameters of a kernel.
pub(super) const MOST: usize = 32;

impl ParameterLists {
    /// Reads both lists. `reserved` are names with another meaning in the kernel's texts.
    pub fn new(
        operation: &'static str,
        inputs: &str,
        outputs: &str,
        name: &str,
        reserved: &[&str],
    ) -> Result<ParameterLists> {
        let wrong = |reason: String| Error::argument(operation, format!("`{name}`: {reason}"));
        let is_name = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
        if !is_name || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
            let reason = format!(
                "the kernel's name, {name:?}, is not a C name; use letters, digits and `_`, such as \
                 \"squared_difference\""
            );
            return Err(Error::argument(operation, reason));
        }
        let found = ParameterLists {
            operation,
            name: name.to_owned(),
            inputs: parse(inputs).map_err(|reason| wrong(format!("in the inputs, {reason}")))?,
            outputs: parse(outputs).map_err(|reason| wrong(format!("in the outputs, {reason}")))?,
        };
        if found.outputs.is_empty() {
            return Err(wrong("there is no output; name at least one, such as `float64 z`".into()));
        }
        let all: Vec<&str> = found.all().map(|parameter| parameter.name.as_str()).collect();
        if all.len() > MOST {
            return Err(wrong(format!("{} parameters are more than the {MOST} that a kernel can have", all.len())));
        }
        for (at, &one) in all.iter().enumerate() {
            if all[..at].contains(&one) {
                return Err(wrong(format!("two parameters are called `{one}`; give each its own name")));
            }
            if reserved.contains(&one) || one.starts_with("warpcell") || is_reserved(one) {
                return Err(wrong(format!(
                    "`{one}` has another meaning in the kernel's code; give the parameter another name"
                )));
            }
        }
        Ok(found)
    }

    pub fn all(&self) -> impl Iterator<Item = &ListedParameter> {
        self.inputs.iter().chain(&self.outputs)
    }

    /// An error of a call, with the kernel's name.
    pub fn wrong(&self, reason: impl AsRef<str>) -> Error {
        Error::argument(self.operation, format!("`{}`: {}", self.name, reason.as_ref()))
    }

    /// Fails if the number of arguments or of outputs is wrong.
    fn counted(&self, arguments: usize, outputs: usize) -> Result<()> {
        let numbered = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        if arguments != self.inputs.len() {
            let takes = numbered(self.inputs.len(), "input");
            return Err(self.wrong(format!("it takes {takes} ({}), but was given {arguments}", texts(&self.inputs))));
        }
        if outputs != self.outputs.len() {
            let has = numbered(self.outputs.len(), "output");
            let were = if outputs == 1 { "was" } else { "were" };
            return Err(self.wrong(format!(
                "it has {has} ({}), but {outputs} {were} asked for; use `call` for one, `call_tuple` for several, or `call_into` \
                 with as many arrays",
                texts(&self.outputs)
            )));
        }
        Ok(())
    }

    /// The device of a call. Fails if the numbers or the types of arguments and outputs are wrong, or if devices differ. `arrays`
    /// are those for the outputs, if the user gave them.
    pub fn device(
        &self,
        arguments: &[RawArgument<'_>],
        outputs: &[DType],
        arrays: &[RawArgument<'_>],
    ) -> Result<Handle> {
        self.counted(arguments.len(), outputs.len())?;
        self.check_types(arguments, outputs)?;
        common_device(self.operation, arguments.iter().chain(arrays))
    }

    /// The number of blocks for some results, of which a block computes `each`.
    pub fn blocks(&self, results: usize, each: usize) -> Result<u32> {
        let blocks = u32::try_from(results.div_ceil(each)).ok().filter(|&blocks| blocks <= i32::MAX as u32);
        blocks.ok_or_else(|| {
            self.wrong(format!("{results} elements are more than one kernel can compute; split the arrays"))
        })
    }

    /// Fails if an argument, or an output that was asked for, has another type than its parameter.
    fn check_types(&self, arguments: &[RawArgument<'_>], outputs: &[DType]) -> Result<()> {
        let given = arguments.iter().map(|argument| argument.dtype()).chain(outputs.iter().copied());
        let mut letters: Vec<(char, DType, &str)> = Vec::new();
        for (number, (parameter, dtype)) in self.all().zip(given).enumerate() {
            let (wanted, why) = match parameter.kind {
                ListedType::Fixed(wanted) => (wanted, None),
                ListedType::Letter(letter) => match letters.iter().find(|(known, ..)| *known == letter) {
                    Some(&(_, wanted, by)) => (wanted, Some(by)),
                    None => {
                        letters.push((letter, dtype, &parameter.name));
                        (dtype, None)
                    }
                },
            };
            if wanted != dtype {
                return Err(self.mismatch(parameter, wanted, why, arguments.get(number), dtype));
            }
        }
        Ok(())
    }

    /// The shape to which `shape` and the inputs that are not raw broadcast; none if there is no shape.
    pub fn broadcast(
        &self,
        arguments: &[RawArgument<'_>],
        mut shape: Option<Vec<usize>>,
    ) -> Result<Option<Vec<usize>>> {
        for (parameter, argument) in self.inputs.iter().zip(arguments) {
            if let (false, Some(array)) = (parameter.is_raw, argument.array()) {
                shape = Some(match shape {
                    Some(shape) => shape::broadcast_shapes(self.operation, &shape, array.shape())?,
                    None => array.shape().to_vec(),
                });
            }
        }
        Ok(shape)
    }

    #[cold]
    fn mismatch(
        &self,
        parameter: &ListedParameter,
        wanted: DType,
        by: Option<&str>,
        argument: Option<&RawArgument<'_>>,
        dtype: DType,
    ) -> Error {
        let needs = match by {
            Some(by) => format!("`{}` has the type of `{by}`, {wanted}", parameter.text()),
            None => format!("`{}` is of {wanted}", parameter.text()),
        };
        self.wrong(match argument {
            Some(argument) => format!("{needs}, but the argument is {}", described(argument, wanted)),
            None => format!("{needs}, but {dtype} was asked for; use `call::<{wanted}>(…)`, or an output of {wanted}"),
        })
    }
}

/// The device of the arrays among some arguments, which must be the same; without arrays, the current device.
pub(super) fn common_device<'a, 'b: 'a>(
    operation: &'static str,
    arguments: impl Iterator<Item = &'a RawArgument<'b>>,
) -> Result<Handle> {
    let mut arrays = arguments.filter_map(|argument| argument.array());
    let Some(first) = arrays.next() else { return device::current() };
    for array in arrays {
        first.same_device(operation, array)?;
    }
    Ok(first.handle.clone())
}

/// Whether a word cannot be the name of a variable in CUDA C.
fn is_reserved(word: &str) -> bool {
    const WORDS: &str = "alignas alignof and asm auto bitand bitor bool break case catch char class compl const constexpr \
                         const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern \
                         false float for friend goto if inline int long mutable namespace new noexcept not nullptr operator \
                         or private protected public register reinterpret_cast return short signed sizeof static \
                         static_assert static_cast struct switch template this thread_local throw true try typedef typeid \
                         typename union unsigned using virtual void volatile while xor complex threadIdx blockIdx \
                         blockDim gridDim warpSize";
    WORDS.split_whitespace().any(|reserved| reserved == word) || DType::ALL.iter().any(|dtype| dtype.c_name() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(inputs: &str, outputs: &str, name: &str) -> String {
        let reserved = ["i", "_ind"];
        ParameterLists::new("ElementwiseKernel", inputs, outputs, name, &reserved).unwrap_err().to_string()
    }

    #[test]
    fn lists_are_read() {
        let texts = |list: &str| parse(list).unwrap().iter().map(ListedParameter::text).collect::<Vec<String>>();
        assert_eq!(
            texts("float64 x,  raw  T y , const i32 z,_non_const f16 w"),
            ["f64 x", "raw T y", "i32 z", "f16 w"]
        );
        assert!(texts(" ").is_empty());
        // A letter may also be the name.
        assert_eq!(texts("T T"), ["T T"]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        use expect_test::expect;
        let all = [
            message("float64", "float64 z", "add"),
            message("float64 x,", "float64 z", "add"),
            message("float x", "float64 z", "add"),
            message("f64 x, vec3 y", "float64 z", "add"),
            message("f64 x-y", "float64 z", "add"),
            message("f64 x", "", "add"),
            message("f64 x", "f64 x", "add"),
            message("f64 i", "f64 z", "add"),
            message("f64 for", "f64 z", "add"),
            message("f64 x", "f64 z", "add two"),
        ];
        expect![[r#"
            ElementwiseKernel: `add`: in the inputs, the parameter `float64` is not valid; write each parameter as a type and a name, such as `float64 x` or `raw T x`, with commas between them
            ElementwiseKernel: `add`: in the inputs, a parameter is empty; write each parameter as a type and a name, such as `float64 x` or `raw T x`, with commas between them
            ElementwiseKernel: `add`: in the inputs, the type of the parameter `float x`: `float` is a type of 32 bits in C and of 64 in NumPy; write float32 or float64
            ElementwiseKernel: `add`: in the inputs, the type of the parameter `vec3 y`: `vec3` is not an element type; write NumPy's name of one, such as int32 or float64, Rust's name (f64), or one letter for the type of the argument
            ElementwiseKernel: `add`: in the inputs, the parameter `f64 x-y`: `x-y` is not a name; use letters, digits and `_`
            ElementwiseKernel: `add`: there is no output; name at least one, such as `float64 z`
            ElementwiseKernel: `add`: two parameters are called `x`; give each its own name
            ElementwiseKernel: `add`: `i` has another meaning in the kernel's code; give the parameter another name
            ElementwiseKernel: `add`: `for` has another meaning in the kernel's code; give the parameter another name
            ElementwiseKernel: the kernel's name, "add two", is not a C name; use letters, digits and `_`, such as "squared_difference""#]]
        .assert_eq(&all.join("\n"));
    }
}
