//! The inputs of an action: which are present, what is decided about them, and when they are checked again.

pub(crate) mod check;
pub(crate) mod decision;
pub(crate) mod logic;
pub(crate) mod readiness;
pub(crate) mod recheck;
pub(crate) mod search;
