//! Comms, and interactions as ipywidgets shows them: the models of the widget messaging protocol, version 2.
//!
//! The kernel process is the counterpart of the client's widgets, not the cell process: so it answers while a cell runs, and
//! keeps what is shown when a page is loaded again. What arrives is data, and what leaves is data; there are no sockets
//! here. The protocol: <https://github.com/jupyter-widgets/ipywidgets/blob/main/packages/schema/messages.md>.

mod area;
mod comms;
mod models;
mod view;

pub use area::replaced_in;
pub use comms::{CommMessage, Comms, Reaction};
