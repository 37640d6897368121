//! Which rules of time zones are used: those that are compiled in, or a folder of compiled zones that is newer.

use std::fs;

use serde_json::Value;

use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox};

/// A release that is newer than any that is compiled in.
const NEWER: &str = "2999a";

/// Returns the file of a zone whose clocks show UTC until an instant (2026-09-20T02:00Z) and are an hour ahead of it from
/// then on: the opposite of what Morocco does.
fn casablanca() -> Vec<u8> {
    let header = |changes: u32, kinds: u32, names: u32| {
        let mut bytes = b"TZif2".to_vec();
        bytes.extend([0; 15]);
        bytes.extend([0, 0, 0, changes, kinds, names].into_iter().flat_map(u32::to_be_bytes));
        bytes
    };
    // The block for older readers.
    let mut bytes = header(0, 1, 1);
    bytes.extend([0; 7]);
    bytes.extend(header(1, 2, 8));
    bytes.extend(1_789_869_600_i64.to_be_bytes());
    bytes.push(1);
    // Offset, no summer time, where the name starts.
    for (offset, name) in [(0_i32, 4), (3600, 0)] {
        bytes.extend(offset.to_be_bytes());
        bytes.extend([0, name]);
    }
    bytes.extend(b"+01\0+00\0\n<+01>-1\n");
    bytes
}

/// A sandbox with a folder `zones` of this release, in which Casablanca is as above and only known by its other name.
fn sandbox(release: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "zones/tzdata.zi",
        &format!("# version {release}\n# from nowhere\nL Africa/Casablanca Africa/El_Aaiun\n"),
    );
    sandbox.write("zones/Africa/Casablanca", "");
    fs::write(sandbox.path("zones/Africa/Casablanca"), casablanca()).expect("a file");
    sandbox
}

fn howdah<'a>(sandbox: &Sandbox, choice: &str, arguments: impl IntoIterator<Item = &'a str>) -> Howdah {
    sandbox.howdah(arguments).env("TZDIR", sandbox.path("zones")).env("HOWDAH_ZONE_DATA", choice)
}

/// Returns the offset of a zone in the winter of 2026, in minutes, and the other output.
fn winter(sandbox: &Sandbox, choice: &str, zone: &str) -> (String, String) {
    let ran = howdah(sandbox, choice, ["time", "offset", zone, "2026-12-01T00:00Z", "--json"]).succeed();
    let answer: Value = serde_json::from_str(&ran.stdout).expect("a document");
    (answer["offsetMinutes"].to_string(), ran.stderr)
}

fn version(sandbox: &Sandbox, choice: &str) -> String {
    howdah(sandbox, choice, ["--version"]).succeed().stdout
}

#[test]
fn newer_data_of_the_machine_count() {
    let sandbox = sandbox(NEWER);
    assert_eq!(winter(&sandbox, "", "Africa/Casablanca"), ("60".to_owned(), String::new()));
    assert_eq!(winter(&sandbox, "auto", "Africa/El_Aaiun"), ("60".to_owned(), String::new()), "another name of it");
    assert_eq!(winter(&sandbox, "built-in", "Africa/Casablanca"), ("0".to_owned(), String::new()));

    let place = sandbox.text("zones");
    assert!(version(&sandbox, "").ends_with(&format!(" (time zones: tz database {NEWER}, {place})\n")));
    assert!(version(&sandbox, "built-in").ends_with(", built in)\n"), "{}", version(&sandbox, "built-in"));
    let zones = |choice| howdah(&sandbox, choice, ["time", "zones", "casablanca"]).succeed().stdout;
    assert!(zones("auto").ends_with(&format!("(tz database {NEWER}, {place})\n")), "{}", zones("auto"));
    let answer: Value =
        serde_json::from_str(&howdah(&sandbox, "auto", ["time", "zones", "casablanca", "--json"]).succeed().stdout)
            .expect("a document");
    assert_eq!((answer["tzDatabase"].as_str(), answer["tzDatabasePlace"].as_str()), (Some(NEWER), Some(&*place)));
}

#[test]
fn a_job_follows_the_rules_that_count() {
    let sandbox = sandbox(NEWER);
    let nominal = |choice| {
        let words =
            ["next", "coord:days(1)", "--start", "2026-09-18T23:00Z", "-z", "Africa/Casablanca", "-n", "3", "-q"];
        howdah(&sandbox, choice, words).succeed().stdout
    };
    // The same time of day there is an hour earlier, or an hour later, once the clocks have changed.
    assert_eq!(nominal("auto"), "2026-09-18T23:00Z\n2026-09-19T23:00Z\n2026-09-20T22:00Z\n");
    assert_eq!(nominal("built-in"), "2026-09-18T23:00Z\n2026-09-19T23:00Z\n2026-09-21T00:00Z\n");
}

#[test]
fn older_data_of_the_machine_count_only_when_they_are_asked_for() {
    let sandbox = sandbox("1999a");
    assert_eq!(winter(&sandbox, "auto", "Africa/Casablanca").0, "0");
    assert!(version(&sandbox, "auto").ends_with(", built in)\n"));
    assert_eq!(winter(&sandbox, "system", "Africa/Casablanca").0, "60");
    assert!(version(&sandbox, "system").contains("tz database 1999a, /"), "{}", version(&sandbox, "system"));

    // Without a release they count as older ones.
    fs::remove_file(sandbox.path("zones/tzdata.zi")).expect("a file");
    assert_eq!(winter(&sandbox, "auto", "Africa/Casablanca"), ("0".to_owned(), String::new()));
    assert_eq!(winter(&sandbox, "system", "Africa/Casablanca"), ("60".to_owned(), String::new()));
    assert!(version(&sandbox, "system").contains("tz database unknown, /"));
}

#[test]
fn the_site_pins_the_data_and_the_environment_has_the_last_word() {
    let sandbox = sandbox(NEWER);
    let site = sandbox.write("site.properties", "howdah.zone.data = built-in\n").display().to_string();
    let offset = |choice, before: &[&str]| {
        let words = ["time", "offset", "Africa/Casablanca", "2026-12-01T00:00Z", "-q"];
        howdah(&sandbox, choice, before.iter().copied().chain(words)).succeed().stdout
    };
    assert_eq!(offset("", &["--site", &site]), "0\n");
    assert_eq!(offset("auto", &["--site", &site]), "60\n");
    let told = howdah(&sandbox, "", ["--site", &site, "--version"]).succeed().stdout;
    assert!(told.ends_with(", built in)\n"), "{told}");
    let joined = howdah(&sandbox, "", [&format!("--site={site}"), "--version"]).succeed().stdout;
    assert_eq!(joined, told);
    let jobs = howdah(&sandbox, "newest", ["time", "zones"]).run();
    let refused = "error[H0121]: Invalid setting [HOWDAH_ZONE_DATA] = [newest]: it must be auto, system or built-in\n";
    assert_eq!((jobs.status, jobs.stderr.as_str()), (Some(1), refused));
}

/// Whatever is wrong with a zone's file, its built-in rules are used, with one message.
fn check_fallback(sandbox: &Sandbox, why: &str) {
    let words = ["time", "offset", "Africa/Casablanca", "Africa/Casablanca", "2026-12-01T00:00Z"];
    let Ran { stdout, stderr, status } = howdah(sandbox, "auto", words).run();
    assert!(status == Some(0) && stdout.contains("+00:00"), "{stdout}{stderr}");
    let start = "warning: the machine's zone data are not used for Africa/Casablanca, the built-in ones (";
    assert!(stderr.starts_with(start) && stderr.contains(why), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert_eq!(howdah(sandbox, "auto", words.into_iter().chain(["--quiet"])).succeed().stderr, "");
    assert_eq!(winter(sandbox, "built-in", "Africa/Casablanca"), ("0".to_owned(), String::new()));
}

#[test]
fn a_zone_that_cannot_be_used_falls_back_and_says_so_once() {
    let sandbox = sandbox(NEWER);
    let file = sandbox.path("zones/Africa/Casablanca");
    let good = casablanca();
    fs::write(&file, &good[..good.len() / 2]).expect("a file");
    check_fallback(&sandbox, "it is not a zone of the time zone database: it ends too early");
    fs::remove_file(&file).expect("a file");
    check_fallback(&sandbox, "has no file for it");
    fs::create_dir(&file).expect("a folder");
    check_fallback(&sandbox, "Cannot read [");
    fs::remove_dir_all(sandbox.path("zones")).expect("a folder");
    let ran = howdah(&sandbox, "system", ["time", "zones", "africa", "-q"]).succeed();
    assert_eq!(ran.stderr, "");
    let ran = howdah(&sandbox, "system", ["time", "zones", "africa"]).succeed();
    assert!(ran.stderr.lines().count() == 1 && ran.stderr.contains("there is no folder"), "{}", ran.stderr);
    assert_eq!(winter(&sandbox, "auto", "Africa/Casablanca"), ("0".to_owned(), String::new()));
}

#[test]
fn a_failure_of_the_machine_is_said_and_asked_again() {
    let difference = |fault: &str| {
        let sandbox = sandbox(NEWER);
        let words = ["time", "offset", "Africa/Casablanca", "Africa/Casablanca", "2026-12-01T00:00Z", "--json"];
        let command = howdah(&sandbox, "auto", words).env("HOWDAH_FAIL", fault);
        let ran = command.env("HOWDAH_FAIL_LEDGER", sandbox.path("ledger")).succeed();
        let answer: Value = serde_json::from_str(&ran.stdout).expect("a document");
        (answer["offsetMinutes"].to_string(), answer["other"]["offsetMinutes"].to_string(), ran.stderr)
    };
    // The release, then the zone, then the zone for the second time.
    let (zone, other, said) = difference("zone-file:1-99:EIO");
    assert_eq!((zone.as_str(), other.as_str(), said.lines().count()), ("0", "0", 1), "{said}");
    assert!(said.contains("not used for any zone") && said.contains("tzdata.zi"), "{said}");
    let (zone, other, said) = difference("zone-file:2:EIO");
    assert_eq!((zone.as_str(), other.as_str(), said.lines().count()), ("0", "60", 1), "{said}");
    assert!(said.contains("not used for Africa/Casablanca"), "{said}");
}

#[test]
fn ids_are_judged_as_before() {
    let sandbox = sandbox(NEWER);
    fs::write(sandbox.path("zones/Nowhere"), casablanca()).expect("a file");
    let ran = howdah(&sandbox, "auto", ["time", "offset", "Nowhere"]).run();
    assert!(ran.status == Some(2) && ran.stderr.starts_with("error[H0002]: Invalid TimeZone: Nowhere"), "{ran:?}");
}
