//! Limits of the lints.

/// Actions at the start of a job whose outputs are compared.
pub(crate) const SAMPLED_ACTIONS: usize = 24;

/// Outputs that are compared.
pub(crate) const MOST_OUTPUTS: usize = 100;
