//! Whether a crate that `:dep` names is the prelude's.

use crate::installation::{Carried, Installation};
use semver::{Version, VersionReq};

/// Where a crate comes from.
#[derive(Debug, PartialEq, Eq)]
pub enum CrateVerdict<'a> {
    /// From the prelude.
    Carried(&'a Carried),
    /// From cargo; with a note if the prelude carries a crate of this name that does not meet the requirement.
    Foreign(Option<String>),
    /// Not allowed: cells have this crate already, in another version.
    Refused(String),
}

/// Judges a requirement of Cargo.toml: a version, or a table.
pub fn judge<'a>(installation: &'a Installation, name: &str, requirement: &toml::Value) -> CrateVerdict<'a> {
    let package = requirement.get("package").and_then(toml::Value::as_str).unwrap_or(name);
    if package == "warpcell" {
        return CrateVerdict::Refused(
            "the crate `warpcell` is already imported as `gpu`; no `:dep` is needed".to_owned(),
        );
    }
    let Some(carried) = installation.carried(package).find(|carried| carried.offered) else {
        return CrateVerdict::Foreign(None);
    };
    let Some(obstacle) = obstacle(carried, requirement) else { return CrateVerdict::Carried(carried) };
    // A crate that is renamed does not take the name from the prelude's.
    let clashes = installation.record.prelude.externs.iter().any(|(library, _)| *library == name.replace('-', "_"));
    let as_carried = line(carried, name, package);
    if clashes {
        return CrateVerdict::Refused(format!(
            "the notebook's `{package}` is {}, whose types all cells share, and {obstacle}. \
             Leave the line out, or write `{as_carried}`",
            carried.version
        ));
    }
    CrateVerdict::Foreign(Some(format!(
        "`{name}` is not the prelude's `{package}` {}, since {obstacle}: the types of the two are different types. \
         For the prelude's: `{as_carried}`",
        carried.version
    )))
}

/// Why the carried crate does not meet a requirement.
fn obstacle(carried: &Carried, requirement: &toml::Value) -> Option<String> {
    for source in ["path", "git", "registry"] {
        if requirement.get(source).is_some() {
            return Some(format!("this line names another source (`{source}`)"));
        }
    }
    let wanted =
        requirement.as_str().or_else(|| requirement.get("version").and_then(toml::Value::as_str)).unwrap_or("*");
    match (VersionReq::parse(wanted), Version::parse(&carried.version)) {
        (Ok(wanted), Ok(version)) if wanted.matches(&version) => {}
        _ => return Some(format!("this line asks for version `{wanted}`")),
    }
    let default = requirement.get("default-features").and_then(toml::Value::as_bool).unwrap_or(true);
    let features = requirement.get("features").and_then(toml::Value::as_array);
    let features = features.into_iter().flatten().filter_map(toml::Value::as_str);
    let missing: Vec<String> = features
        .chain(default.then_some("default"))
        .filter(|feature| !carried.features.iter().any(|has| has == feature))
        .map(|feature| format!("`{feature}`"))
        .collect();
    match missing.as_slice() {
        [] => None,
        [one] => Some(format!("it is built without the feature {one}")),
        many => Some(format!("it is built without the features {}", many.join(", "))),
    }
}

/// The `:dep` line for the prelude's crate.
fn line(carried: &Carried, name: &str, package: &str) -> String {
    let mut fields = format!("version = \"{}\"", carried.version);
    if name != package {
        fields = format!("package = \"{package}\", {fields}");
    }
    if !carried.features.iter().any(|feature| feature == "default") {
        fields += ", default-features = false";
    } else if name == package {
        return format!(":dep {name} = \"{}\"", carried.version);
    }
    format!(":dep {name} = {{ {fields} }}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::installation::{BuiltPrelude, InstallationRecord};

    fn installation() -> Installation {
        let carried = |name: &str, version: &str, features: &[&str], offered| Carried {
            name: name.to_owned(),
            version: version.to_owned(),
            library: name.replace('-', "_"),
            features: features.iter().map(|&feature| feature.to_owned()).collect(),
            file: format!("lib{name}.rmeta"),
            offered,
        };
        Installation {
            home: "/".into(),
            record: InstallationRecord {
                prelude: BuiltPrelude {
                    version: String::new(),
                    compiler: String::new(),
                    target: String::new(),
                    externs: vec![("ndarray".to_owned(), "libndarray.rmeta".to_owned())],
                    carried: vec![
                        carried("ndarray", "0.17.2", &["default", "std", "serde"], true),
                        carried("rand", "0.9.2", &["default", "std"], true),
                        carried("image", "0.25.10", &["png"], true),
                        carried("libc", "0.2.1", &["default"], false),
                    ],
                    identity: String::new(),
                },
                toolchain: "/".into(),
                sources: None,
            },
        }
    }

    fn verdict(name: &str, requirement: &str) -> String {
        let table: toml::Table = toml::from_str(&format!("r = {requirement}")).unwrap();
        match judge(&installation(), name, &table["r"]) {
            CrateVerdict::Carried(carried) => format!("carried {}", carried.name),
            CrateVerdict::Foreign(note) => format!("foreign {}", note.unwrap_or_default()),
            CrateVerdict::Refused(reason) => format!("refused {reason}"),
        }
    }

    #[test]
    fn compatible_requirements_give_the_carried_crate() {
        for (name, requirement) in [
            ("ndarray", r#""0.17""#),
            ("ndarray", r#""*""#),
            ("ndarray", r#"">=0.15, <0.18""#),
            ("ndarray", r#"{ version = "0.17.1", features = ["serde"] }"#),
            ("nd", r#"{ package = "ndarray", version = "0.17" }"#),
            ("rand", r#""=0.9.2""#),
            ("image", r#"{ version = "0.25", default-features = false, features = ["png"] }"#),
        ] {
            assert!(verdict(name, requirement).starts_with("carried"), "{name} = {requirement}");
        }
    }

    #[test]
    fn what_cells_have_already_is_refused_with_the_reason() {
        let text = verdict("ndarray", r#""0.16""#);
        assert!(text.starts_with("refused") && text.contains("`0.16`") && text.contains("0.17.2"), "{text}");
        let text = verdict("ndarray", r#"{ version = "0.17", features = ["blas", "serde"] }"#);
        assert!(text.starts_with("refused") && text.contains("`blas`") && !text.contains("`serde`"), "{text}");
        assert!(verdict("ndarray", r#"{ path = "/x" }"#).starts_with("refused"));
        assert!(verdict("warpcell", r#""1""#).starts_with("refused"));
    }

    #[test]
    fn others_are_built_with_a_note() {
        let text = verdict("rand", r#""0.8""#);
        assert!(text.starts_with("foreign `rand` is not") && text.contains("`0.8`"), "{text}");
        let text = verdict("image", r#""0.25""#);
        assert!(text.contains("default-features = false"), "{text}");
        assert_eq!(verdict("old", r#"{ package = "ndarray", version = "0.16" }"#).split(' ').next(), Some("foreign"));
        assert_eq!(verdict("libc", r#""0.2""#), "foreign ", "a crate that the prelude keeps to itself");
        assert_eq!(verdict("itoa", r#""1""#), "foreign ");
    }
}
