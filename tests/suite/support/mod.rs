//! What tests stand on: the built program and the lab.

pub mod program;
