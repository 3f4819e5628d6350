//! The compiler's log for a text that does not compile.

use crate::error::Error;

/// The names of requested functions that the program does not have, if the log has no other errors.
///
/// The compiler looks names up in a file of its own, and reports errors in that file together with those in the text.
pub(super) fn missing(error: &Error) -> Option<Vec<String>> {
    let Error::KernelCompilation { log, .. } = error else { return None };
    let mut names = Vec::new();
    for line in log.lines().filter(|line| line.contains("): error") || line.contains("): catastrophic error")) {
        if !line.starts_with("__nv_name_map(") {
            return None;
        }
        if let Some((_, name)) = line.split_once("Input name expression was: \"") {
            names.push(name.trim_end_matches('"').trim().to_owned());
        }
    }
    (!names.is_empty()).then_some(names)
}

/// The error with advice for common mistakes.
pub(super) fn advised(error: Error) -> Error {
    match error {
        Error::KernelCompilation { kernel, log } => {
            let advice = if log.contains("open source file") {
                "\n\nHeaders are searched for in the folders `include` of the CUDA toolkit (CUDA_HOME) and of Python's \
                 nvidia-* packages; `pip install nvidia-cuda-runtime` installs CUDA's own headers. Add other folders \
                 with `.options([\"-I/path\"])`. The functions of `math.h` need no header."
            } else if log.contains("_t\" is undefined") {
                "\n\nTypes such as `uint32_t` are defined in the header <cstdint>, which is not available; write \
                 `unsigned int`, `long long` and so on."
            } else {
                ""
            };
            Error::KernelCompilation { kernel, log: format!("{log}{advice}") }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(log: &str) -> Error {
        Error::KernelCompilation { kernel: "k".into(), log: log.into() }
    }

    #[test]
    fn names_that_are_not_there() {
        let log = "__nv_name_map(3): error: identifier \"zz\" is undefined\n  #pragma nv_mangled_name zz\n\n\
                   __nv_name_map(3): error: Error in parsing name expression for lowered name lookup. Input name \
                   expression was: \" zz\"\n  #pragma nv_mangled_name zz\n\n2 errors detected in the compilation of \"mul\".";
        assert_eq!(missing(&error(log)), Some(vec!["zz".to_owned()]));
        assert_eq!(missing(&error(&format!("mul(3): error: something else\n{log}"))), None);
        assert_eq!(missing(&error("mul(3): error: something")), None);
        assert_eq!(missing(&Error::Interrupted), None);
    }

    #[test]
    fn advice_for_headers() {
        let shown = |log: &str| advised(error(log)).to_string();
        assert!(shown("k(1): catastrophic error: could not open source file \"x.h\"").contains("-I/path"));
        assert!(shown("k(1): error: identifier \"uint32_t\" is undefined").contains("`unsigned int`"));
        assert!(shown("k(1): error: expected a \";\"").ends_with("expected a \";\""));
    }
}
