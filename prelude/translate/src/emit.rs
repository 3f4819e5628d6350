//! The text of a whole program in CUDA C: types, constants and functions, in the order in which they need one another.

mod bounds;
mod branches;
mod function;
mod literals;
mod loops;
mod operators;
mod statements;
mod threads;
mod values;

use crate::names::{Names, c_name, member_name};
use crate::program::Value;
use crate::scalars::{Scalar, has_operators_of_floats, is_struct, name_of};
use crate::tree::{Comparison, Function};
use crate::types::{Access, Layout, Ty};
use std::collections::{BTreeSet, HashMap};

pub(crate) use function::Source;

/// The namespace of everything that is generated, so that a function called `hypot` is not taken for CUDA's.
pub(crate) const NAMESPACE: &str = "rust";

/// What has been written of a program so far.
pub(crate) struct Module {
    /// The support's functions that it calls.
    pub(crate) used: BTreeSet<String>,
    /// Names of functions, in the order of their numbers.
    pub(crate) functions: Vec<String>,
    /// The fields of all structs, by the names of their items.
    fields: HashMap<String, Vec<(String, Ty)>>,
    struct_sources: HashMap<String, String>,
    names: Names,
    types: String,
    named_types: Vec<(Ty, String)>,
    constants: String,
    named_constants: Vec<(Value, String, String)>,
    comparisons: Vec<(Ty, bool, String)>,
    bodies: String,
    written: HashMap<Instance, Written>,
    /// Whether it is a kernel's program.
    pub(crate) kernel: bool,
    /// Whether indices of views are checked.
    pub(crate) checked: bool,
    /// The values of those of the kernel's parameters that are not passed.
    pub(crate) fixed: Vec<Option<i64>>,
    /// The names of views and shared arrays, in the order of their numbers.
    pub(crate) arrays: Vec<String>,
    /// The lines on which shared arrays are declared; 0 for parameters.
    pub(crate) array_lines: Vec<usize>,
    views: Vec<(Access, Scalar, usize, String)>,
    pub(crate) static_shared_bytes: usize,
    pub(crate) uses_dynamic_shared: bool,
    pub(crate) uses_barriers: bool,
}

/// A function by the name of its item, and the layouts of those arguments that are views: it is written once for each.
pub(crate) type Instance = (String, Vec<Layout>);

/// A function that was written.
#[derive(Clone)]
pub(crate) struct Written {
    pub(crate) name: String,
    pub(crate) may_fail: bool,
    /// Whether it changes arrays, or lets threads meet.
    pub(crate) has_effects: bool,
}

impl Module {
    pub(crate) fn new() -> Module {
        let mut names = Names::default();
        names.open();
        Module {
            used: BTreeSet::new(),
            functions: Vec::new(),
            fields: HashMap::new(),
            struct_sources: HashMap::new(),
            names,
            types: String::new(),
            named_types: Vec::new(),
            constants: String::new(),
            named_constants: Vec::new(),
            comparisons: Vec::new(),
            bodies: String::new(),
            written: HashMap::new(),
            kernel: false,
            checked: true,
            fixed: Vec::new(),
            arrays: Vec::new(),
            array_lines: Vec::new(),
            views: Vec::new(),
            static_shared_bytes: 0,
            uses_dynamic_shared: false,
            uses_barriers: false,
        }
    }

    /// Makes a struct known; it is written when it is first needed, its Rust lines above it.
    pub(crate) fn define_struct(&mut self, item: &str, fields: Vec<(String, Ty)>, source: &str) {
        self.fields.insert(item.to_owned(), fields);
        self.struct_sources.insert(item.to_owned(), source.to_owned());
    }

    pub(crate) fn written(&self, instance: &Instance) -> Option<&Written> {
        self.written.get(instance)
    }

    /// Writes a function, of that number in messages, behind those that it calls.
    pub(crate) fn function(
        &mut self,
        function: &Function,
        layouts: &[Layout],
        source: &Source<'_>,
        number: usize,
        is_kernel: bool,
    ) {
        // Its name is known outside of the namespace too, where CUDA has functions of its own.
        let kernel = if function.identifier.ends_with("kernel") { "" } else { "_kernel" };
        let own = &function.identifier;
        let name = self.names.declare(&if is_kernel { format!("{own}{kernel}") } else { own.clone() });
        let (text, mut written) = function::text(self, function, source, &name, number, is_kernel);
        written.name = name;
        if !self.bodies.is_empty() {
            self.bodies.push('\n');
        }
        self.bodies += &text;
        self.written.insert((function.name.clone(), layouts.to_vec()), written);
    }

    /// All of it.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("namespace {NAMESPACE} {{\n\n");
        for part in [&self.types, &self.constants, &self.bodies] {
            if !part.is_empty() {
                text += part;
                text.push('\n');
            }
        }
        text + &format!("}} // namespace {NAMESPACE}\n")
    }

    /// The name of a type. Tuples and arrays become structs when they are first needed.
    pub(crate) fn type_name(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(_) | Ty::Complex(_) => name_of(ty.scalar().unwrap_or(Scalar::C128)).to_owned(),
            Ty::Reference(_, of) => self.type_name(of),
            // Only of values that never come to be.
            Ty::Variable(_) => self.type_name(&Ty::UNIT),
            _ => {
                if let Some((_, name)) = self.named_types.iter().find(|(known, _)| known == ty) {
                    return name.clone();
                }
                let name = self.define_type(ty);
                self.named_types.push((ty.clone(), name.clone()));
                name
            }
        }
    }

    fn define_type(&mut self, ty: &Ty) -> String {
        let (wanted, members) = match ty {
            Ty::Tuple(parts) => {
                let names: Vec<String> = parts.iter().map(|part| self.type_name(part)).collect();
                let wanted =
                    format!("Tuple{}{}", parts.len(), names.iter().map(|name| format!("_{name}")).collect::<String>());
                let members = names.iter().enumerate().map(|(index, name)| format!("{name} _{index};")).collect();
                (wanted, members)
            }
            Ty::Array(element, length) => {
                let length = length.unwrap_or(0);
                let element = self.type_name(element);
                // C++ has no arrays of nothing.
                (format!("Array{length}_{element}"), vec![format!("{element} at[{}];", length.max(1))])
            }
            Ty::Struct(item) => {
                let fields = self.fields.get(item).cloned().unwrap_or_default();
                let members =
                    fields.iter().map(|(name, ty)| format!("{} {};", self.type_name(ty), member_name(name))).collect();
                (item.rsplit("::").next().unwrap_or(item).to_owned(), members)
            }
            _ => (String::new(), Vec::<String>::new()),
        };
        let name = self.names.declare(&wanted);
        if let Ty::Struct(item) = ty {
            for line in self.struct_sources.get(item).map_or("", String::as_str).lines() {
                if let Some(comment) = function::comment(line.trim_end()) {
                    self.types += &format!("{comment}\n");
                }
            }
        }
        self.types += &format!("struct {name} {{\n");
        for member in members {
            self.types += &format!("    {member}\n");
        }
        self.types += "};\n";
        name
    }

    /// The struct that passes a view, which is written when it is first needed.
    pub(crate) fn view_name(&mut self, access: Access, element: Scalar, rank: usize) -> String {
        let known = self.views.iter().find(|(of, scalar, axes, _)| (*of, *scalar, *axes) == (access, element, rank));
        if let Some((_, _, _, name)) = known {
            return name.clone();
        }
        let name = self.names.declare(&threads::view_struct(access, element, rank));
        let constant = if access.changes() { "" } else { "const " };
        self.types += &format!("struct {name} {{\n    {constant}{} *data;\n", name_of(element));
        if rank > 0 {
            self.types += &format!("    usize shape[{rank}];\n    i64 strides[{rank}];\n");
        }
        self.types += "};\n";
        self.views.push((access, element, rank, name.clone()));
        name
    }

    /// The fields of a struct in their order.
    pub(crate) fn fields_of(&self, item: &str) -> &[(String, Ty)] {
        self.fields.get(item).map_or(&[], Vec::as_slice)
    }

    /// The name of a constant, which is written when it is first needed. None for floats that have no literal.
    pub(crate) fn constant(&mut self, wanted: &str, value: &Value) -> Option<String> {
        if let Some((_, _, name)) = self.named_constants.iter().find(|(known, of, _)| known == value && of == wanted) {
            return Some(name.clone());
        }
        let text = literals::constant(self, value)?;
        let ty = self.type_name(&crate::check::type_of(value));
        let name = self.names.declare(&c_name(wanted));
        // Parts of others may be asked for by an index that is not known here: these have to lie in memory.
        // A copy of a struct is a use of the variable, which has to be on the device for it.
        let is_plain = matches!(value, Value::Scalar(of, _) if !is_struct(*of));
        let kind = if is_plain { "constexpr" } else { "__device__ const" };
        self.constants += &format!("{kind} {ty} {name} = {text};\n");
        self.named_constants.push((value.clone(), wanted.to_owned(), name.clone()));
        Some(name)
    }

    /// The comparison of two values, of which the texts may be repeated.
    pub(crate) fn comparison(&mut self, ty: &Ty, comparison: Comparison, left: &str, right: &str) -> String {
        match comparison {
            Comparison::Equal => format!("{}({left}, {right})", self.comparing(ty, false)),
            Comparison::NotEqual => format!("!{}({left}, {right})", self.comparing(ty, false)),
            Comparison::Less => format!("{}({left}, {right}, false)", self.comparing(ty, true)),
            Comparison::LessOrEqual => format!("{}({left}, {right}, true)", self.comparing(ty, true)),
            Comparison::Greater => format!("{}({right}, {left}, false)", self.comparing(ty, true)),
            Comparison::GreaterOrEqual => format!("{}({right}, {left}, true)", self.comparing(ty, true)),
        }
    }

    /// The function that compares two tuples or arrays: whether they are equal, or whether the left one comes first, by the
    /// first parts that differ.
    fn comparing(&mut self, ty: &Ty, ordered: bool) -> String {
        if let Some((_, _, name)) = self.comparisons.iter().find(|(known, of, _)| known == ty && *of == ordered) {
            return name.clone();
        }
        let of = self.type_name(ty);
        let name = self.names.declare(&format!("{}_{of}", if ordered { "less" } else { "equal" }));
        self.comparisons.push((ty.clone(), ordered, name.clone()));
        let mut body = String::new();
        match ty {
            Ty::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    let (a, b) = (format!("a._{index}"), format!("b._{index}"));
                    body += &format!("    {}\n", self.compared_part(part, ordered, &a, &b));
                }
            }
            Ty::Array(element, length) => {
                body += &format!("    for (u32 i = 0; i < {}; ++i) {{\n", length.unwrap_or(0));
                body += &format!("        {}\n    }}\n", self.compared_part(element, ordered, "a.at[i]", "b.at[i]"));
            }
            _ => {}
        }
        let nothing = matches!(ty, Ty::Tuple(parts) if parts.is_empty());
        let names = if nothing { ["", ""] } else { ["a", "b"] };
        let (last, result) = if ordered { (", bool if_equal", "if_equal") } else { ("", "true") };
        if !self.bodies.is_empty() {
            self.bodies.push('\n');
        }
        self.bodies += &format!(
            "__device__ inline bool {name}(const {of} &{}, const {of} &{}{last}) {{\n{body}    return {result};\n}}\n",
            names[0], names[1]
        );
        name
    }

    fn compared_part(&mut self, part: &Ty, ordered: bool, a: &str, b: &str) -> String {
        let part = part.referent().clone();
        match part.scalar() {
            Some(_) if ordered => format!("if ({a} != {b}) return {a} < {b};"),
            Some(scalar) if has_operators_of_floats(scalar) => format!("if (!({a} == {b})) return false;"),
            Some(_) => format!("if ({a} != {b}) return false;"),
            None => {
                let equal = self.comparison(&part, Comparison::Equal, a, b);
                if ordered {
                    let less = self.comparison(&part, Comparison::Less, a, b);
                    format!("if (!{equal}) return {less};")
                } else {
                    format!("if (!{equal}) return false;")
                }
            }
        }
    }
}
