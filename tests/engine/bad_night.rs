//! The outage of `docs/operations.md` and its repair, on a small site of `fixtures/site`.

use std::fs;
use std::path::Path;
use std::process::Command;

use howdah_sandbox::database::Database;
use howdah_sandbox::engines::run;
use howdah_sandbox::sandbox::{Ran, Sandbox, wait_for};
use howdah_tier as tier;

/// How many coordinators the site has; two of them are feeds.
const COORDINATORS: &str = "15";
/// The hours that it has run.
const HOURS: &str = "26";

fn howdah(sandbox: &Sandbox, now: &str, arguments: &[&str]) -> Ran {
    let database = sandbox.path("site/howdah.db");
    sandbox.howdah(arguments.iter().copied()).at(now).env("HOWDAH_DB", database).run()
}

/// Ticks until the actions that do not wait have these statuses.
fn tick_until(sandbox: &Sandbox, now: &str, expect: &[&str]) {
    wait_for(&expect.join(", "), || {
        howdah(sandbox, now, &["tick", "-q"]);
        let open = Database::open(&sandbox.path("site/howdah.db"));
        let statuses = open.rows(
            "SELECT status, sum(count) FROM coordinator_count WHERE status <> 'WAITING' AND count > 0 GROUP BY status",
        );
        (statuses == expect).then_some(())
    });
}

#[test]
fn a_bad_night_is_repaired_with_few_commands() {
    if !tier::full("it runs 390 actions first") {
        return;
    }
    let sandbox = Sandbox::new();
    let generate = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/site/generate.sh");
    let mut command = Command::new("sh");
    command.args([generate, &sandbox.text("site"), COORDINATORS, HOURS]);
    command.env("HOWDAH", env!("CARGO_BIN_EXE_howdah")).env_remove("HOWDAH_DB").env("HOWDAH_ZONE_DATA", "built-in");
    let now = run(command.env("HOME", sandbox.path("home")).env("SANDBOX", sandbox.text(""))).expect("a site");
    assert_eq!(now.lines().last(), Some("2026-03-02T01:59Z"));
    // No tick for three hours, in which the inputs come, one of them broken.
    for (hour, name) in [("02", "_SUCCESS"), ("03", "_SUCCESS"), ("03", "broken"), ("04", "_SUCCESS")] {
        sandbox.write(&format!("site/data/raw/2026-03-02-{hour}/{name}"), "");
    }
    let check = howdah(&sandbox, "2026-03-02T04:55Z", &["status", "--check"]);
    assert_eq!(check.status, Some(2), "{check:?}");
    assert!(check.stdout.contains("no tick for ") && check.stdout.contains("15 jobs late"), "{check:?}");
    tick_until(&sandbox, "2026-03-02T04:56Z", &["KILLED 2", "SUCCEEDED 433"]);
    let failed = howdah(&sandbox, "2026-03-02T04:57Z", &["explain", "feed-008@failed"]);
    assert!(failed.stdout.contains("raw/2026-03-02-03 is broken"), "{failed:?}");
    fs::remove_file(sandbox.path("site/data/raw/2026-03-02-03/broken")).expect("the broken input");
    let rerun = ["rerun", "--filter", "status=RUNNINGWITHERROR", "--status", "failed", "--since", "1h", "--yes"];
    let rerun = howdah(&sandbox, "2026-03-02T04:57Z", &rerun);
    assert!(rerun.status == Some(0) && rerun.stdout.contains("Waiting again: 2 actions."), "{rerun:?}");
    tick_until(&sandbox, "2026-03-02T04:58Z", &["SUCCEEDED 435"]);
    let status = howdah(&sandbox, "2026-03-02T04:58Z", &["status", "--check"]);
    assert_eq!(status.status, Some(0), "{status:?}");
    // Only the data tells that these outputs are gone.
    for hour in ["05", "06"] {
        fs::remove_dir_all(sandbox.path(&format!("site/data/clean/feed-015/2026-03-01-{hour}"))).expect("an output");
    }
    let backfill = ["backfill", "feed-015", "--from", "2026-03-01", "--to", "2026-03-01", "--yes"];
    let backfill = howdah(&sandbox, "2026-03-02T04:58Z", &backfill);
    assert!(backfill.stdout.contains("Waiting again: 2 actions."), "{backfill:?}");
    tick_until(&sandbox, "2026-03-02T04:59Z", &["SUCCEEDED 435"]);
    for hour in ["05", "06"] {
        assert!(Path::exists(&sandbox.path(&format!("site/data/clean/feed-015/2026-03-01-{hour}/_SUCCESS"))), "{hour}");
    }
}
