//! Work that takes longer than a step: the loops, the processes that they start, and the purge.

pub(crate) mod loops;
pub(crate) mod purge;
pub(crate) mod spawn;
