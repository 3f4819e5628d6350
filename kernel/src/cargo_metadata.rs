//! Cargo's metadata as JSON: packages, and the graph, which has a node for each package.

use serde_json::{Value, json};

/// The items of a list.
pub fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The texts of a list.
pub fn strings(value: &Value) -> Vec<&str> {
    items(value).filter_map(Value::as_str).collect()
}

/// The package of an id.
pub fn package<'a>(metadata: &'a Value, id: &Value) -> Option<&'a Value> {
    items(&metadata["packages"]).find(|package| package["id"] == *id)
}

/// The node of a package. Also in metadata that have nothing but `nodes`.
pub fn node<'a>(metadata: &'a Value, id: &Value) -> Option<&'a Value> {
    let nodes = metadata["resolve"].get("nodes").unwrap_or(&metadata["nodes"]);
    items(nodes).find(|node| node["id"] == *id)
}

/// The node of the package that the metadata are about.
pub fn root(metadata: &Value) -> Option<&Value> {
    node(metadata, &metadata["resolve"]["root"])
}

/// Whether a package has a target of one of these kinds, such as `lib`.
pub fn has_kind(package: &Value, kinds: &[&str]) -> bool {
    items(&package["targets"]).any(|target| strings(&target["kind"]).iter().any(|kind| kinds.contains(kind)))
}

/// Whether a package has procedural macros.
pub fn is_macro(package: &Value) -> bool {
    has_kind(package, &["proc-macro"])
}

/// How the manifest of a package names a package that it depends on.
pub fn dependency(package: &Value, rename: Option<&str>) -> Value {
    json!({
        "name": package["name"], "source": package["source"], "req": "*", "kind": null, "rename": rename,
        "optional": false, "uses_default_features": true, "features": [], "target": null, "registry": null,
    })
}

/// The entry for a dependency in the node of another package. `library` is the name in code.
pub fn dep(library: &str, package: &Value) -> Value {
    json!({ "name": library, "pkg": package["id"], "dep_kinds": [{ "kind": null, "target": null }] })
}

/// These ids, and all ids below them. `below` returns the ids directly below an id.
pub fn with_all_below<'a>(mut ids: Vec<Value>, below: impl Fn(&Value) -> Vec<&'a Value>) -> Vec<Value> {
    let mut next = 0;
    while let Some(id) = ids.get(next).cloned() {
        next += 1;
        for found in below(&id) {
            if !ids.contains(found) {
                ids.push(found.clone());
            }
        }
    }
    ids
}
