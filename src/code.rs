//! A stable code: what a failure is called, how the process ends, what it means and what to do.
//!
//! Each module defines its codes beside its errors; `cli` gathers them into one table. A code is never
//! renamed and never reused.

use crate::exit::Exit;

/// One row of the table of codes.
#[derive(Debug, Eq, PartialEq)]
pub struct Code {
    /// The stable identifier, unique in the program, at most 128 characters of `[A-Z0-9_]`.
    pub code: &'static str,
    /// The reference's code for the whole kind of failure, where it has one: failure lines print it instead,
    /// for that is what the operators' tooling reads.
    pub reference: Option<&'static str>,
    /// The error name that stands beside it in a failure line (the reference's where it has one).
    pub name: &'static str,
    /// How the process ends.
    pub exit: Exit,
    /// One line: what it means.
    pub meaning: &'static str,
    /// One line: what the operator does next.
    pub remedy: &'static str,
}

impl Code {
    /// A failure that the reference has neither a code nor an error class for.
    pub const fn own(code: &'static str, exit: Exit, meaning: &'static str, remedy: &'static str) -> Self {
        Self { code, reference: None, name: "Error", exit, meaning, remedy }
    }

    /// A failure that the reference prints as a bare `TypeError`, without a code.
    pub const fn type_error(
        code: &'static str,
        exit: Exit,
        meaning: &'static str,
        remedy: &'static str,
    ) -> Self {
        Self { name: "TypeError", ..Self::own(code, exit, meaning, remedy) }
    }

    /// What a failure line prints.
    pub const fn printed(&self) -> &'static str {
        match self.reference {
            Some(code) => code,
            None => self.code,
        }
    }
}
