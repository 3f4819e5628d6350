//! The compiler's codes of errors that follow from one another.

/// Errors of names, and of types that do not exist.
pub const OF_NAMES: [&str; 9] = ["E0405", "E0412", "E0423", "E0424", "E0425", "E0432", "E0433", "E0531", "E0658"];

/// Errors of types. The compiler looks at types also where it does not know a name.
pub const OF_TYPES: [&str; 12] =
    ["E0061", "E0107", "E0277", "E0282", "E0283", "E0308", "E0369", "E0599", "E0608", "E0609", "E0614", "E0618"];
