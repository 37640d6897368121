//! The `howdah` program: arguments in, exit status out.

use std::process::ExitCode;

/// Definitions are read into many small values, and the system's allocator takes a fifth of the time of a validation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    howdah::run(&howdah::Session::of_process()).into()
}
