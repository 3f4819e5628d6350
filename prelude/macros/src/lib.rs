//! The attribute macros by which functions of a cell become device code. Empty so far: there are none yet.
