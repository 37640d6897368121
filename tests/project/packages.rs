//! The packages: made from this build's program, installed into empty roots, and used there as the README does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use howdah_sandbox::engines::{apt, run};
use howdah_sandbox::sandbox::Sandbox;
use howdah_tier as tier;

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");

/// The program without what a debugger reads, as packages have it.
fn stripped(sandbox: &Sandbox) -> PathBuf {
    let program = sandbox.path("howdah");
    let strip = run(Command::new("strip").arg("-o").arg(&program).arg(env!("CARGO_BIN_EXE_howdah")));
    strip.expect("binutils belong to a C compiler");
    program
}

/// Makes a package of a kind; returns its file.
fn made(kind: &str, program: &Path) -> PathBuf {
    let mut make = Command::new(format!("{PROJECT}/packaging/{kind}"));
    make.env("PROGRAM", program).env("SOURCE_DATE_EPOCH", "1700000000").env("HOWDAH_COMMIT", "a commit");
    make.env("PACKAGE_LEVEL", "1");
    let said = run(&mut make).unwrap_or_else(|why| panic!("{kind}: {why}"));
    PathBuf::from(said.lines().last().expect("the script prints the file"))
}

#[test]
fn packages_are_the_same_each_time_and_work_in_an_empty_root() {
    if !tier::full("it makes packages of a Debian and a Red Hat system") {
        return;
    }
    if let Err(why) = apt(&["rpm", "xz-utils", "python3"]) {
        return tier::missing("rpmbuild", why);
    }
    let sandbox = Sandbox::new();
    let program = stripped(&sandbox);
    for kind in ["tarball", "deb", "rpm"] {
        let package = made(kind, &program);
        let first = fs::read(&package).expect("the package");
        assert!(first == fs::read(made(kind, &program)).expect("the package"), "{kind} is another one each time");
        let tried = run(Command::new(format!("{PROJECT}/packaging/try")).arg(&package));
        let tried = tried.unwrap_or_else(|why| panic!("{kind}: {why}"));
        assert!(tried.contains("the first five minutes work"), "{kind}: {tried}");
        fs::remove_file(package).expect("the package");
    }
}

#[test]
fn the_version_says_what_the_program_was_built_from() {
    let version = Sandbox::new().howdah(["--version", "--verbose"]).succeed().stdout;
    let features = [
        ("hcat", cfg!(feature = "hcat")),
        ("hdfs", cfg!(feature = "hdfs")),
        ("mail", cfg!(feature = "mail")),
        ("move", cfg!(feature = "move")),
        ("object-store", cfg!(feature = "object-store")),
        ("serve", cfg!(feature = "serve")),
        ("top", cfg!(feature = "top")),
    ];
    let features: Vec<&str> = features.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect();
    let features = format!("\nfeatures: {}\n", features.join(", "));
    for line in ["howdah 0.1.0 (time zones: ", "\ncommit:   ", &features, "\nbuild:    ", "\nSQLite:   3."] {
        assert!(version.contains(line), "{line}: {version}");
    }
}
