//! The surroundings of a session: environment, directory, shell, variables, device. What the magics that show or change
//! them call.
//!
//! All of it happens in the process that runs the cells, so that cells and magics see the same, in the order of the
//! notebook's lines. Functions that cannot do what is asked panic at the line of their caller.

mod captured;
pub(crate) mod driver_settings;
mod environment;
mod gpuinfo;
mod profile;
mod remembered;
mod shell;
mod variables;

pub use crate::tracing::{trace_begin, trace_end, trace_value};
pub use captured::{Captured, captured};
pub use environment::{cd, env_get, env_list, env_set, env_unset};
pub use gpuinfo::gpuinfo;
pub use profile::{prun_begin, prun_end, prun_value};
pub(crate) use remembered::restore_in;
pub use shell::{script, shell};
#[doc(hidden)]
pub use variables::{DescribeAny, DescribeDebug, DescribeDevice, DescribeHost, Probe};
pub use variables::{Row, whos};
