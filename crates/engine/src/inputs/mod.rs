//! The inputs of an action: which are present, what is decided about them, and when they are checked again.

pub mod check;
pub mod decision;
pub mod logic;
pub mod recheck;
pub mod search;
