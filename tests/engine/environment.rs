//! The environment of commands is the site's, `info` shows it, and commands can resolve mounted URIs.

use std::collections::BTreeMap;

use serde_json::Value;

use howdah_sandbox::application::{action, shell, shell_body, workflow};
use howdah_sandbox::sandbox::{Sandbox, user_name};

const NOW: &str = "2010-01-01T00:00Z";

/// Runs the workflow in `app/` in a noisy shell, with this site file.
fn run(sandbox: &Sandbox, site: &str, arguments: &[&str]) {
    let site = sandbox.write("site.properties", site).display().to_string();
    let ran = sandbox
        .howdah(["run", "--quiet", "--site", &site])
        .with_all(arguments)
        .at(NOW)
        .env("PATH", "/opt/mine:/usr/local/bin:/usr/bin:/bin")
        .env("LANG", "de_AT")
        .env("SECRET_OF_SHELL", "f00ba4")
        .env("JAVA_HOME", "/opt/jdk")
        .env("SITE_A", "1")
        .define("oozie.wf.application.path", &sandbox.text("app"))
        .define("sandbox", &sandbox.text(""))
        .run();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    sandbox.await_quiet();
}

/// The variables that a command wrote with `env`.
fn variables(sandbox: &Sandbox, file: &str) -> BTreeMap<String, String> {
    let lines = sandbox.read(file);
    let pairs = lines.lines().filter_map(|line| line.split_once('='));
    // Shells add these.
    let own = |name: &str| !matches!(name, "PWD" | "OLDPWD" | "SHLVL" | "_" | "SANDBOX");
    pairs.filter(|(name, _)| own(name)).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn the_environment_of_a_command_is_the_sites() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "look", &[shell("look", "env > ${sandbox}/env", "end")]);
    run(&sandbox, "", &[]);
    let seen = variables(&sandbox, "env");
    let names: Vec<&str> = seen.keys().map(String::as_str).filter(|name| *name != "TZ").collect();
    assert_eq!(
        names,
        ["HOME", "JAVA_HOME", "LANG", "LD_LIBRARY_PATH", "LOGNAME", "OOZIE_ACTION_CONF_XML", "PATH", "USER"]
    );
    assert_eq!((seen["PATH"].as_str(), seen["LANG"].as_str()), (".:/usr/local/bin:/usr/bin:/bin", "C.UTF-8"));
    assert_eq!((&seen["USER"], &seen["LOGNAME"]), (&user_name(), &user_name()));
    assert_ne!(seen["HOME"], sandbox.text("home"), "the home is not that of the shell");
}

#[test]
fn the_site_passes_on_and_sets_variables_and_the_action_wins() {
    let sandbox = Sandbox::new();
    let own = "<env-var>SITE_B=of action</env-var><env-var>DB_PASSWORD=hunter2</env-var>";
    let body = shell_body("env > ${sandbox}/env", own);
    workflow(&sandbox, "app", "look", &[action("look", &body, "end", "")]);
    let site =
        "howdah.env.pass=SITE_*\nhowdah.env.SITE_B=of site\nhowdah.env.PATH=/usr/bin:/bin\nhowdah.env.TZ=Asia/Tokyo\n";
    run(&sandbox, site, &["--mount", &format!("hdfs://nn={}", sandbox.text("a b"))]);
    let seen = variables(&sandbox, "env");
    let value = |name: &str| seen.get(name).map_or("-", String::as_str);
    assert_eq!([value("SITE_A"), value("SITE_B"), value("JAVA_HOME")], ["1", "of action", "-"]);
    assert_eq!([value("PATH"), value("TZ")], [".:/usr/bin:/bin", "Asia/Tokyo"]);
    assert_eq!(value("HOWDAH_MOUNTS"), format!("hdfs://nn={}", sandbox.text("a b")));

    let node = sandbox.database().value("SELECT id || '@look' FROM workflow_job");
    let shown = sandbox.howdah(["info", &node]).at(NOW).succeed().stdout;
    for line in ["Environment:\n", "  SITE_A=1\n", "  SITE_B=of action\n", "  DB_PASSWORD=*****\n", "  TZ=Asia/Tokyo\n"]
    {
        assert!(shown.contains(line), "{line} is not in {shown}");
    }
    let json = sandbox.howdah(["info", &node, "--json"]).at(NOW).succeed().stdout;
    assert!(!json.contains("hunter2") || json.contains("<env-var>DB_PASSWORD=hunter2"), "{json}");
    let view: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(view["attempts"][0]["environment"]["DB_PASSWORD"], "*****");
    assert_eq!(view["attempts"][0]["environment"]["PATH"], ".:/usr/bin:/bin");
}

#[test]
fn a_command_resolves_mounted_uris() {
    let sandbox = Sandbox::new();
    let howdah = env!("CARGO_BIN_EXE_howdah");
    let line =
        format!("{howdah} path hdfs://nn/in/a > ${{sandbox}}/path; {howdah} path s3://b/x 2>> ${{sandbox}}/path");
    workflow(&sandbox, "app", "look", &[shell("look", &format!("{line}; echo $? >> ${{sandbox}}/path"), "end")]);
    run(&sandbox, "", &["--mount", &format!("hdfs://nn={}", sandbox.text("a b, c"))]);
    let written = sandbox.read("path");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines.first().copied(), Some(sandbox.text("a b, c/in/a").as_str()), "{written}");
    assert!(written.contains("error[H0122]") && lines.last() == Some(&"1"), "{written}");
}

#[test]
fn path_prints_what_it_can_and_reports_the_rest() {
    let sandbox = Sandbox::new();
    let path = |arguments: &[&str]| {
        let mounts = "hdfs://nn=/data, s3a://b=/s3";
        sandbox.howdah(["path"]).with_all(arguments).env("HOWDAH_MOUNTS", mounts).run()
    };
    let ran = path(&["hdfs://nn/in//a/", "s3a://b/%20x", "file:///y", "/z"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "/data/in/a\n/s3/%20x\n/y\n/z\n"), "{ran:?}");
    let ran = path(&["hdfs://nn/a", "hdfs://other/a", "relative", "s3a://b/c"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(1), "/data/a\n/s3/c\n"), "{ran:?}");
    assert!(ran.stderr.contains("error[H0122]") && ran.stderr.contains("error[E0906]"), "{ran:?}");
    let ran = path(&["--json", "hdfs://nn/a", "hdfs://other/a"]);
    let view: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&view[0]["path"], &view[1]["path"]), (&Value::from("/data/a"), &Value::Null));
    assert!(view[1]["error"].as_str().is_some_and(|error| error.contains("No mount")), "{view}");
    assert_eq!(path(&[]).status, Some(2));
}
