//! Names of kernels in a form that a person can read: those of libraries come from C++, as its compilers encode them.

use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

type Demangle = unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;

/// The longest name that a table has room for.
const LONGEST: usize = 72;

/// A kernel's name as its source has it, without arguments; the beginning of it if it is long.
pub(super) fn readable(name: &CStr) -> String {
    let full = demangled(name).unwrap_or_else(|| name.to_string_lossy().into_owned());
    shortened(&full)
}

/// By the C++ library of the system, if there is one and the name is one of C++.
fn demangled(name: &CStr) -> Option<String> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    if !name.to_bytes().starts_with(b"_Z") {
        return None;
    }
    // SAFETY: loads the C++ library of the system, whose initialisers have no preconditions.
    let library = LIBRARY.get_or_init(|| unsafe { Library::new("libstdc++.so.6") }.ok()).as_ref()?;
    // SAFETY: the function has this type by cxxabi.h; given no buffer it allocates one, which is freed here.
    unsafe {
        let demangle = library.get::<Demangle>(b"__cxa_demangle\0").ok()?;
        let mut status = 0;
        let text = demangle(name.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), &raw mut status);
        if text.is_null() {
            return None;
        }
        let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
        libc::free(text.cast::<c_void>());
        Some(owned)
    }
}

/// `void a::f<int>(float*)` as `a::f<int>`.
fn shortened(full: &str) -> String {
    let name = full.strip_prefix("void ").unwrap_or(full);
    // The arguments are what the last parenthesis outside of angle brackets opens.
    let mut depth = 0usize;
    let mut end = name.len();
    for (at, character) in name.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && at > 0 && !name[at..].starts_with("(anonymous") => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let name = &name[..end];
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_nobody_reads() {
        assert_eq!(shortened("packed_add_float"), "packed_add_float");
        assert_eq!(shortened("void a::f<int, (b)2>(float*, int)"), "a::f<int, (b)2>");
        assert_eq!(shortened("(anonymous namespace)::g(int)"), "(anonymous namespace)::g");
        let long = shortened(&format!("void {}(int)", "x".repeat(100)));
        assert_eq!((long.chars().count(), long.ends_with('…')), (LONGEST, true));
        assert_eq!(readable(c"plain"), "plain");
        assert_eq!(readable(c"_Z"), "_Z", "no name of C++ after all");
    }

    #[test]
    fn names_of_cpp_are_decoded_where_there_is_its_library() {
        let name = readable(c"_ZN1a3addIfEEvPT_i");
        assert!(name == "a::add<float>" || name == "_ZN1a3addIfEEvPT_i", "{name}");
    }
}
