//! The `howdah` program.

fn main() {}
