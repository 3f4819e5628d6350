//! Environment variables and the current directory: what `%env` and `%cd` call.

use super::remembered;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Parts of names whose values are not shown in a list.
const SECRET: [&str; 4] = ["key", "token", "secret", "passw"];

/// Prints all environment variables, sorted; values of names that contain `key`, `token`, `secret` or `passw` are hidden.
pub fn env_list() {
    println!("{}", list(std::env::vars_os()));
}

fn list(variables: impl Iterator<Item = (OsString, OsString)>) -> String {
    let mut lines: Vec<String> = variables
        .map(|(name, value)| {
            let name = name.to_string_lossy().into_owned();
            let lower = name.to_lowercase();
            let hidden = SECRET.iter().any(|part| lower.contains(part));
            let value = if hidden { "<hidden>".into() } else { value.to_string_lossy() };
            format!("{name}={value}")
        })
        .collect();
    lines.sort();
    lines.join("\n")
}

/// Prints the value of an environment variable.
///
/// **Panics** if it is not set.
#[track_caller]
pub fn env_get(name: &str) {
    match std::env::var_os(name) {
        Some(value) => println!("{}", value.to_string_lossy()),
        None => panic!("the environment variable `{name}` is not set; `%env {name}=value` sets it"),
    }
}

/// Sets an environment variable of this process and of what it starts.
///
/// **Panics** if the name is empty or has `=` or NUL in it, or the value NUL.
#[track_caller]
pub fn env_set(name: &str, value: &str) {
    assert!(!name.is_empty() && !name.contains(['=', '\0']), "`{name}` cannot be the name of an environment variable");
    assert!(
        !value.contains('\0'),
        "the value for `{name}` contains a NUL character; environment variables cannot hold it"
    );
    // SAFETY: Rust code reads the environment under the lock that this takes. C code that reads it from another thread at
    // this moment might see a half-changed one; nothing in the prelude does, and the user asks for the change.
    unsafe { std::env::set_var(name, value) };
    remembered::variable(name, Some(value));
    println!("env: {name}={value}");
}

/// Removes an environment variable.
///
/// **Panics** as [`env_set`] does.
#[track_caller]
pub fn env_unset(name: &str) {
    assert!(!name.is_empty() && !name.contains(['=', '\0']), "`{name}` cannot be the name of an environment variable");
    // SAFETY: as in `env_set`.
    unsafe { std::env::remove_var(name) };
    remembered::variable(name, None);
    println!("env: {name} removed");
}

/// Changes the current directory of this process and prints it, unless `quiet`: an empty path is the home directory, `-` the
/// one before the last change, `~` at the start the home directory.
///
/// **Panics** if there is no such directory, or it may not be entered.
#[track_caller]
pub fn cd(path: &str, quiet: bool) {
    let here = std::env::current_dir().ok();
    let target = match (path, remembered::directory_before()) {
        ("-", Some(last)) => last,
        ("-", None) => panic!("`%cd -`: the directory has not been changed yet"),
        _ => expand(path, std::env::home_dir()),
    };
    if let Err(error) = std::env::set_current_dir(&target) {
        let from =
            here.map_or_else(|| "a directory that no longer exists".to_owned(), |here| here.display().to_string());
        panic!("the directory `{}` cannot be entered (from {from}): {error}", target.display());
    }
    remembered::directory(here);
    if !quiet {
        let now = std::env::current_dir().unwrap_or(target);
        println!("{}", now.display());
    }
}

/// The path that a user means: an empty one and a leading `~` are the home directory.
fn expand(path: &str, home: Option<PathBuf>) -> PathBuf {
    let within = match path {
        "" | "~" => Some(""),
        _ => path.strip_prefix("~/"),
    };
    match (within, home) {
        (Some(within), Some(home)) => home.join(within),
        _ => Path::new(path).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secrets_are_hidden() {
        let variables =
            [("PATH", "/bin"), ("MY_API_KEY", "1"), ("hf_Token", "2"), ("A_SECRET", "3"), ("PASSWORD", "4")];
        let text = list(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        let expected = "A_SECRET=<hidden>\nMY_API_KEY=<hidden>\nPASSWORD=<hidden>\nPATH=/bin\nhf_Token=<hidden>";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_home_directory_is_written_in_three_ways() {
        let home = || Some(PathBuf::from("/h"));
        for (path, expected) in [("", "/h"), ("~", "/h"), ("~/a b", "/h/a b"), ("~x", "~x"), ("a", "a"), ("/", "/")] {
            assert_eq!(expand(path, home()), Path::new(expected), "{path}");
        }
        assert_eq!(expand("~/a", None), Path::new("~/a"));
    }
}
