//! A test that cannot run says why, and fails in the full tier.

use std::process::{Command, Stdio};

/// Runs one test of this program, with this tier and no program on the `PATH`; returns whether it passed, and its
/// output.
fn run_alone(test: &str, tier: &str) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.args(["--exact", test]).env("HOWDAH_TESTS", tier).env("PATH", "/nonexistent").stdin(Stdio::null());
    // With only one thread, tests have no thread of their own with their name.
    command.env("RUST_TEST_THREADS", "2");
    let output = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said.into_owned())
}

#[test]
fn a_test_that_cannot_run_says_why_and_fails_in_the_full_tier() {
    for (test, quick, full) in [
        (
            "streaming::streaming_equals_an_independent_computation",
            "it needs python3: python3: No such file",
            "python3 is missing, and HOWDAH_TESTS=all leaves nothing out",
        ),
        (
            "java::a_class_reads_its_configuration",
            "it compiles a class and starts JVMs; HOWDAH_TESTS=all runs it",
            "a JDK: ",
        ),
    ] {
        let (passed, said) = run_alone(test, "");
        assert!(passed && said.contains(&format!("not run: {test}: {quick}")), "{said}");
        let (passed, said) = run_alone(test, "all");
        assert!(!passed && said.contains(full), "{said}");
    }
    let (passed, said) = run_alone("java::a_class_reads_its_configuration", "al");
    assert!(!passed && said.contains("only HOWDAH_TESTS=all and HOWDAH_TESTS=soak have a meaning"), "{said}");
}
