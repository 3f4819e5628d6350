//! Conversations with the real binary over its sockets. The language behind them is an echo, so no compiler runs.

mod frontend;

mod command_line; // install, uninstall, doctor
mod control; // interrupt, shutdown, signals, the parent process
mod editing; // completion, inspection, completeness
mod execute; // counters, outputs, errors and what they abort
mod information; // kernel_info, history, comms, unknown messages
mod interactions; // controls, and the closures that they call
mod iopub; // several subscribers, slow ones, floods
mod start; // requests before the evaluator is ready, or when it never is
mod stdin; // input that a cell asks for
mod wire; // signatures, malformed frames, heartbeat, both transports
