//! The settings of the running runner, and commands with other settings.

use howdah_sandbox::application::{shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Howdah, Sandbox};

const NOW: &str = "2010-01-01T01:00Z";

/// The warnings of a command, without the number of the runner.
fn warnings(sandbox: &Sandbox, command: Howdah) -> Vec<String> {
    let errors = sandbox.redact(&command.succeed().stderr);
    let runner = sandbox.process("howdah runner").expect("a runner is running").to_string();
    let said = errors.lines().filter_map(|line| line.strip_prefix("warning: "));
    said.map(|line| line.replace(&runner, "[runner]")).collect()
}

#[test]
fn a_command_warns_of_a_runner_with_other_settings() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid"), "end")]);
    sandbox.write("site.properties", "oozie.action.max.output.data=10\n");
    let submit = || {
        let submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
        submit.define("oozie.wf.application.path", &sandbox.text("app"))
    };
    // The order of mounts does not matter.
    let with_site =
        |mounts: &str| submit().env("HOWDAH_SITE", sandbox.path("site.properties")).env("HOWDAH_MOUNTS", mounts);
    with_site("hdfs://a=/tmp,hdfs://b=/").succeed();
    sandbox.await_file("pid");
    let said = |differences: &str| {
        let rule = "To use other settings, run `kill [runner]`, which harms no job, and then tick with those settings.";
        let what = "the workflow jobs of this database are advanced by process [runner] under its own settings";
        vec![format!("{what}: {differences}. {rule}")]
    };
    assert!(warnings(&sandbox, with_site("hdfs://b=/,hdfs://a=/tmp")).is_empty());
    assert_eq!(
        warnings(&sandbox, submit().with("--mount").with("hdfs://a=/tmp")),
        said(
            "it has the mounts [hdfs://a=/tmp, hdfs://b=/], this command the mounts [hdfs://a=/tmp]; \
             it has the site file [[sandbox]/site.properties], this command no site file"
        )
    );
    assert!(warnings(&sandbox, submit().with("--quiet")).is_empty());
    sandbox.write("site.properties", "oozie.action.max.output.data=20\n");
    let changed = "the site file [[sandbox]/site.properties] has changed since it started";
    assert_eq!(warnings(&sandbox, with_site("hdfs://a=/tmp,hdfs://b=/")), said(changed));
    let jobs = sandbox.howdah(["jobs", "--jobtype", "wf", "--quiet"]).succeed().stdout;
    let job = jobs.lines().next().expect("a job");
    let verb = |verb: &str| warnings(&sandbox, sandbox.howdah([verb, job]).at(NOW)).len();
    assert_eq!([verb("suspend"), verb("resume"), verb("kill")], [0, 1, 0], "only a resumed job is work");
    sandbox.write("gate", "");
    sandbox.await_quiet();
    // No runner is running: the next one gets the settings of the command that starts it.
    assert!(!submit().succeed().stderr.contains("settings"));
    sandbox.await_quiet();
}
