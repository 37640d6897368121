//! What `explain` says of codes, and that every code that the program prints has an explanation.

use std::collections::BTreeSet;

use serde_json::Value;

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::source;

/// Codes that are read and never written: Oozie's table of how far a failure reaches has them.
const ONLY_READ: [&str; 4] = ["JA001", "JA004", "JA005", "JA006"];

#[test]
fn a_code_is_explained_without_a_database() {
    let sandbox = Sandbox::new();
    let ran = sandbox.howdah(["explain", "e0803", "W0116", "JA018"]).succeed();
    insta::assert_snapshot!("codes", ran.stdout);
    let one: Value = serde_json::from_str(&sandbox.howdah(["explain", "h0131", "--json"]).succeed().stdout).unwrap();
    assert_eq!((&one["code"], &one["severity"], &one["class"]), (&"H0131".into(), &"error".into(), &"refused".into()));
    assert!(
        ["message", "meaning", "advice"].iter().all(|name| one[*name].as_str().is_some_and(|text| !text.is_empty()))
    );
    assert_eq!(one["example"][0], "howdah tick --accept-clock");
    let two = sandbox.howdah(["explain", "W0103", "1", "--json"]).succeed().stdout;
    let two: Value = serde_json::from_str(&two).unwrap();
    assert_eq!((&two[0]["severity"], &two[1]["class"]), (&"warning".into(), &"node".into()));
    // Not even an unreadable database prevents it: a code may be what explains that.
    let damaged = sandbox.write("damaged.db", "this is no database");
    sandbox.howdah(["explain", "H0101", "--db"]).with(damaged).succeed();
    assert!(!sandbox.database_path().exists());
    let ran = sandbox.howdah(["explain", "E0083"]).run();
    assert_eq!(ran.status, Some(2), "{ran:?}");
    for told in ["[E0083] is not a code of howdah", "E0803"] {
        assert!(ran.stderr.contains(told), "{told}: {ran:?}");
    }
}

#[test]
fn a_job_with_the_name_of_a_code_comes_first() {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    let definition = sandbox.read("app/coordinator.xml").replace("name=\"test\"", "name=\"E0803\"");
    sandbox.write("app/coordinator.xml", &definition);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let job = sandbox.submit("2010-01-01T00:00Z", &[]);
    let explain = |texts: &[&str]| sandbox.howdah(["explain"]).with_all(texts).at("2010-01-01T00:00Z").succeed().stdout;
    assert!(explain(&["E0803"]).starts_with(&job));
    let mixed = explain(&["ja017", "E0803", "e0803", &job]);
    let heads: Vec<&str> = mixed.lines().filter(|line| line.contains("  ") && !line.starts_with(' ')).collect();
    let starts = ["JA017  ", &job, "E0803  error  IO error", &job];
    assert!(heads.len() == starts.len(), "{mixed}");
    assert!(heads.iter().zip(starts).all(|(head, start)| head.starts_with(start)), "{mixed}");
}

/// The codes in the string literals of a file, tests left out.
fn codes(text: &str) -> BTreeSet<String> {
    let text = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let code_lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let literals = code_lines.flat_map(|line| line.split('"').skip(1).step_by(2));
    let words = literals.flat_map(|literal| literal.split(|character: char| !character.is_ascii_alphanumeric()));
    let is_code = |word: &&str| {
        let letters = word.trim_end_matches(|character: char| character.is_ascii_digit());
        let digits = word.len() - letters.len();
        match letters {
            "E" | "H" | "W" => digits == 4,
            "JA" | "FS" | "EM" | "MR" | "GIT" | "SUBWF" | "SQOOP" => digits == 3,
            _ => false,
        }
    };
    words.filter(is_code).map(str::to_owned).collect()
}

#[test]
fn every_code_of_the_source_is_explained() {
    let program =
        source::files().into_iter().filter(|file| !file.path.contains("/tests") && !file.path.contains("testing"));
    let codes: BTreeSet<String> = program.flat_map(|file| codes(&file.text)).collect();
    let codes: Vec<&str> = codes.iter().map(String::as_str).filter(|code| !ONLY_READ.contains(code)).collect();
    assert!(["JA018", "FS008", "E0904", "EM007", "MR003"].iter().all(|code| codes.contains(code)), "{codes:?}");
    let sandbox = Sandbox::new();
    sandbox.howdah(["explain"]).with_all(&codes).succeed();
}
