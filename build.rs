//! Links the program without position independence on Linux: the tables of time zones hold forty thousand pointers, and
//! relocating them at every start costs more than `howdah --version` itself (measured: 0.6 times the wall time without).
#![allow(clippy::disallowed_methods, reason = "cargo speaks through the environment")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
