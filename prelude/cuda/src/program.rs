//! Programs of CUDA C that the backend's operations are made of, and their kernels, which are compiled when first used.

use super::naming;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_driver::compile::{self, Target};
use warpcell_driver::context::Device;
use warpcell_driver::module::Module;
use warpcell_driver::nvrtc;
use warpcell_driver::recorded::Request;

/// A program: CUDA C and the macros that choose what it does. Plain data, so that tests can compile all of them.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: &'static str,
    pub source: &'static str,
    pub options: Vec<String>,
}

impl Program {
    pub fn new(name: &'static str, source: &'static str, macros: &[(&str, &str)]) -> Program {
        let options = macros.iter().map(|(name, value)| format!("-DWARPCELL_{name}={value}")).collect();
        Program { name, source, options }
    }

    /// The same text with a further macro, which chooses other kernels.
    pub fn with(mut self, name: &str) -> Program {
        self.options.push(format!("-DWARPCELL_{name}=1"));
        self
    }

    /// The same kernels, compiled in less time for a macro that says so: for what is used until another program is there.
    pub fn quickly(self) -> Program {
        let mut program = self.with("QUICK");
        program.options.push(nvrtc::QUICK.to_owned());
        program
    }

    /// The whole text, with the suffix behind the names of the kernels.
    pub fn text(&self, suffix: &str) -> String {
        format!("{}#line 1\n{}", typedefs(), naming::renamed(self.source, suffix))
    }

    /// Passes the program on as the compiler takes it, with the suffix of its kernels.
    fn asked<R>(&self, ask: impl FnOnce(&Request<'_>, String) -> R) -> R {
        let suffix = naming::suffix(&self.options);
        let source = self.text(&suffix);
        ask(&Request { name: self.name, source: &source, options: &self.options, functions: None }, suffix)
    }

    pub fn load(&self, device: &Arc<Device>) -> Result<Module> {
        self.asked(|request, suffix| Module::compile(device, request, suffix))
    }

    pub fn load_cached(&self, device: &Arc<Device>) -> Result<Option<Module>> {
        self.asked(|request, suffix| Module::cached(device, request, suffix))
    }
}

/// Whether the program that is best for some sizes can be had; if not, `general` is to be taken. See [`compile::takes`].
#[inline]
pub fn takes(device: &Device, special: impl FnOnce() -> Program, general: impl FnOnce() -> Program) -> Result<bool> {
    if !compile::has_choices() {
        return Ok(true);
    }
    takes_one(device.target(), special(), general)
}

#[cold]
fn takes_one(target: Target, special: Program, general: impl FnOnce() -> Program) -> Result<bool> {
    // Texts are written and hashed once.
    type Known = HashMap<(Target, &'static str, Vec<String>), bool>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (target, special.name, special.options.clone());
    if let Some(&takes) = known().get(&key) {
        return Ok(takes);
    }
    let general = general();
    let takes = special.asked(|special, _| general.asked(|general, _| compile::takes(target, special, general)))?;
    known().insert(key, takes);
    Ok(takes)
}

/// The integers among the element types, as text in front of each source: `typedef unsigned char u8;` and so on.
pub fn typedefs() -> String {
    let integers = DType::ALL.into_iter().filter(|dtype| dtype.is_integer() && dtype.cu_name() != dtype.c_name());
    integers.map(|dtype| format!("typedef {} {};\n", dtype.c_name(), dtype.cu_name())).collect()
}

/// The kernels of a program, as [`kernels`] writes them.
pub trait OfModule: Sized {
    fn of_module(module: Module) -> Result<Self>;
}

/// Kernels that are compiled when first used.
pub struct Compiled<K>(OnceLock<K>);

impl<K> Default for Compiled<K> {
    fn default() -> Compiled<K> {
        Compiled(OnceLock::new())
    }
}

impl<K: OfModule> Compiled<K> {
    /// Whether they are compiled.
    #[inline]
    pub fn is_there(&self) -> bool {
        self.0.get().is_some()
    }

    /// The kernels; those of this program, if they are not compiled yet.
    #[inline]
    pub fn get(&self, device: &Arc<Device>, program: impl FnOnce() -> Program) -> Result<&K> {
        match self.0.get() {
            Some(kernels) => Ok(kernels),
            None => self.load(device, &program()),
        }
    }

    #[cold]
    fn load(&self, device: &Arc<Device>, program: &Program) -> Result<&K> {
        let kernels = K::of_module(program.load(device)?)?;
        Ok(self.0.get_or_init(|| kernels))
    }
}

/// The structs of a file's kernels: each field with the name of the kernel in the source. They own the module, so that it is alive
/// beside its functions.
macro_rules! kernels {
    ($($(#[$note:meta])* $visibility:vis struct $name:ident { $($field:ident = $kernel:literal,)+ })+) => {$(
        $(#[$note])*
        $visibility struct $name {
            $(pub $field: warpcell_driver::module::Function,)+
            _module: warpcell_driver::module::Module,
        }

        impl $crate::program::OfModule for $name {
            fn of_module(module: warpcell_driver::module::Module) -> warpcell_base::error::Result<$name> {
                Ok($name { $($field: module.function($kernel)?,)+ _module: module })
            }
        }
    )+};
}
pub(crate) use kernels;

/// A family of operations on a device: a struct with what the family keeps, such as its programs, which begins empty.
macro_rules! family {
    ($(#[$note:meta])* struct $name:ident { $($(#[$of_field:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$note])*
        pub(super) struct $name {
            device: std::sync::Arc<warpcell_driver::context::Device>,
            $($(#[$of_field])* $field: $type,)+
        }

        impl $name {
            pub fn new(device: &std::sync::Arc<warpcell_driver::context::Device>) -> $name {
                $name { device: device.clone(), $($field: Default::default(),)+ }
            }
        }
    };
}
pub(crate) use family;
