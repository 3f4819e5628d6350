//! Magics that do not exist: what is said of them, and what is written in place of IPython's.

use super::expand::Form;
use super::table;

/// What is said of a magic that does not exist.
pub(super) fn message(form: Form, name: &str) -> String {
    if let Some((_, instead)) = INSTEAD.iter().find(|(names, _)| names.split(' ').any(|known| known == name)) {
        return format!("there is no magic `{}{name}`; {instead}. `%lsmagic` lists all", form.percent());
    }
    let limit = if name.len() < 4 { 1 } else { 2 };
    let mut near: Vec<(usize, String)> = table::forms()
        .map(|(percent, magic)| (strsim::osa_distance(name, magic.name), format!("`{percent}{}`", magic.name)))
        .filter(|(distance, _)| *distance <= limit)
        .filter(|(_, word)| word.starts_with("`%%") == (form == Form::Cell))
        .collect();
    near.sort();
    let near: Vec<String> = near.into_iter().map(|(_, word)| word).collect();
    let hint = if near.is_empty() { String::new() } else { format!(" did you mean {}?", near.join(" or ")) };
    format!("there is no magic `{}{name}`;{hint} `%lsmagic` lists all", form.percent())
}

/// Magics of IPython that this kernel does not have, and what to write instead.
const INSTEAD: [(&str, &str); 41] = [
    ("matplotlib pylab gui", "leave the line out: plots are shown below the cell"),
    ("load_ext reload_ext unload_ext autoreload aimport", "leave the line out; `%run FILE` runs a changed file again"),
    ("config colors xmode doctest_mode automagic autocall autoawait code_wrap pprint", "leave the line out"),
    ("pip conda mamba micromamba uv", "add a crate with `:dep NAME`, or run the program with `!pip …`"),
    ("pwd", "write `!pwd`"),
    ("ls ll lf lk lx ldir", "write `!ls`"),
    ("cat more less man mkdir rmdir rm cp mv ln", "write it as a shell line, such as `!cat FILE`"),
    ("pushd popd dirs dhist bookmark", "write `%cd DIRECTORY`, and `%cd -` to go back"),
    ("set_env", "write `%env NAME=VALUE`"),
    ("hist", "write `%history`"),
    ("recall rep", "`%history -n` shows the cells with their numbers"),
    ("rerun", "`%history -f again.rs 3` and then `%run again.rs` run cell 3 again"),
    ("macro", "write a function, or keep the cells with `%history -f FILE 1-3` and `%run FILE`"),
    ("save", "write `%history -f FILE.rs 1-3`"),
    ("notebook", "write `%history -f FILE.rs`"),
    ("edit ed", "write `%load FILE`, edit the cell, and write `%%writefile FILE` above it"),
    ("loadpy", "write `%load FILE`"),
    ("logstart logon logoff logstate logstop", "`%history -f FILE.rs` writes the cells to a file"),
    ("page", "`println!(\"{x}\");` shows a value below the cell"),
    ("pastebin", "write the cells to a file with `%history -f FILE.rs 1-3`"),
    ("killbgscripts", "end the processes with `!kill`"),
    ("pycat pfile", "write `%load FILE`, or `!cat FILE`"),
    ("store", "write values to a file, such as `gpu::save`, or the text with `%%writefile`"),
    ("alias unalias rehashx alias_magic", "write the command as a shell line, `!command`"),
    ("sx sc system", "write `!command`; `%%capture out` above it keeps what it prints in `out.stdout`"),
    ("script sh", "write `%%bash`"),
    ("file", "write `%%writefile FILE`"),
    ("js", "write `%%javascript`"),
    ("SVG", "write `%%svg`"),
    ("HTML", "write `%%html`"),
    ("who_ls", "write `%who`"),
    ("reset", "write `:clear`, which deletes all variables and functions, or `:restart`"),
    ("xdel del reset_selective", "write `drop(NAME);`"),
    ("pinfo pinfo2 psource pdoc pdef", "write `NAME?`, or `NAME??` for the source"),
    ("psearch", "`gpu::lookup(\"scipy.signal\")` lists a module; Tab completes a name"),
    ("magic quickref", "`NAME?` shows one magic, such as `%timeit?`"),
    ("precision", "write the digits where you print: `println!(\"{x:.3}\")`"),
    ("pdb debug tb", "errors show the line of the cell; `dbg!(x)` prints a value with its line"),
    ("lprun mprun memit", "`%prun` shows where the time goes, `%whos` the sizes of arrays"),
    (
        "python python2 python3 ruby perl pypy cython",
        "write the program to a file with `%%writefile`, and run it with `!`",
    ),
    ("quit exit", "end the kernel in the menu *Kernel*"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::magics::order::COMMANDS;
    use crate::magics::tests::expand;
    use std::collections::BTreeSet;

    /// What stands between backticks.
    fn quoted(text: &str) -> impl Iterator<Item = &str> {
        text.split('`').skip(1).step_by(2)
    }

    #[test]
    fn magics_that_exist_have_no_other_advice() {
        let mut seen = BTreeSet::new();
        for name in INSTEAD.iter().flat_map(|(names, _)| names.split(' ')) {
            assert!(seen.insert(name), "`{name}` has two rows");
            assert!(table::find(name).is_none(), "there is a magic `{name}`");
        }
    }

    #[test]
    fn what_is_advised_exists() {
        let is_command = |name: &str| COMMANDS.split_whitespace().any(|known| known == name);
        for (names, advice) in INSTEAD {
            for code in quoted(advice) {
                if let Some(command) = code.strip_prefix(':') {
                    let name = command.split(' ').next().unwrap();
                    assert!(is_command(name), "{names}: there is no command `:{name}`");
                    continue;
                }
                let Some(form) = code.starts_with('%').then(|| code.split(' ').next().unwrap().trim_end_matches('?'))
                else {
                    continue;
                };
                let exists = table::forms().any(|(percent, magic)| format!("{percent}{}", magic.name) == form);
                assert!(exists, "{names}: there is no `{form}`");
                // With arguments it is what a user writes.
                if code != form {
                    let cell = if code.starts_with("%%") { format!("{code}\ntext") } else { code.to_owned() };
                    let expanded = expand(&cell);
                    assert!(expanded.is_ok(), "{names}: {}", expanded.unwrap_err());
                }
            }
        }
    }
}
