//! The `howdah` program: arguments in, exit status out.

use std::process::ExitCode;

fn main() -> ExitCode {
    howdah::run(std::env::args_os())
}
