//! The expression language of Oozie's definitions: texts with `${...}` parts, parsed once, evaluated many times.
//!
//! Decides what an expression means: literals, operators, coercions, and Java's arithmetic and spelling of numbers. It
//! follows JSP EL where its versions 2.0 and 3.0 agree and Oozie 5's evaluator where they do not (workflow
//! specification, section 4; coordinator specification, sections 4.1 and 6.6). Two deliberate differences: `#{` is
//! plain text, and assignments, lambdas, collections and methods of EL 3.0 do not exist.
//!
//! Must not depend on the name of a function or a variable, nor on the phase in which a text is evaluated: both come
//! through a [`Scope`]. Never panics on any text; nesting and the number of operators are bounded.

mod ast;
mod error;
mod evaluate;
mod faults;
mod lexer;
mod number;
mod operation;
mod parser;
mod partial;
mod scope;
mod seen;
mod template;
mod value;

#[cfg(test)]
mod tests;

pub use ast::{Call, Expr, ExprKind};
pub use error::ElError;
pub use partial::{Knowledge, PartlyKnown, Withheld, Withhold};
pub use scope::{CallError, FunctionName, MOST_NAMES, NoNames, Scope};
pub use seen::Seen;
pub use template::{Part, Template, is_literal};
pub use value::Value;
