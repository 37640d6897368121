//! Mount tables (viewfs) over two real name nodes: howdah sees what Hadoop's own client sees, changes what that would
//! change, and the links of one name node do not wait for the other one.

use std::process::Command;

use super::{Hdfs, Way, allow_with, site};
use howdah_sandbox::application::{Coordinator, action, hourly_input, workflow};
use howdah_sandbox::engines::run;
use howdah_sandbox::sandbox::Sandbox;

const NOW: &str = "2010-01-01T00:00Z";
const PREFIX: &str = "fs.viewfs.mounttable.c";

/// A mount table over two name nodes.
struct View {
    sandbox: Sandbox,
    /// The names and values of its site file.
    properties: Vec<(String, String)>,
}

impl View {
    /// `/one` and `/deep/er/same` lead to folders of the first name node, `/two` to one of the second, and what is in
    /// no link is in another folder of the first.
    fn of(hdfs: [&Hdfs; 2], way: Way, top: &str) -> Self {
        let [one, two] = hdfs.map(|hdfs| way.store(hdfs));
        let links = [
            ("link./one", format!("{one}{top}/one")),
            ("link./deep/er/same", format!("{one}{top}/same")),
            ("link./two", format!("{two}{top}/two")),
            ("linkFallback", format!("{one}{top}/rest")),
        ];
        let mut properties: Vec<(String, String)> =
            links.into_iter().map(|(link, uri)| (format!("{PREFIX}.{link}"), uri)).collect();
        properties.push(("fs.defaultFS".to_owned(), "viewfs://c".to_owned()));
        let sandbox = Sandbox::new();
        sandbox.write(
            "hadoop/core-site.xml",
            &site(properties.iter().map(|(name, value)| (name.as_str(), value.as_str()))),
        );
        allow_with(&sandbox, "viewfs://c", &[]);
        for (hdfs, path) in [(hdfs[0], "one/in/00/_SUCCESS"), (hdfs[0], "same/file"), (hdfs[1], "two/in/00/_SUCCESS")] {
            hdfs.write(&format!("{top}/{path}"), "content");
        }
        for path in ["rest/loose", "rest/deep/other"] {
            hdfs[0].write(&format!("{top}/{path}"), "content");
        }
        Self { sandbox, properties }
    }

    /// The environment names the folder of the site files.
    fn howdah<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> howdah_sandbox::sandbox::Howdah {
        self.sandbox.howdah(arguments).env("HADOOP_CONF_DIR", self.sandbox.path("hadoop")).at(NOW)
    }

    /// Hadoop's own client with the same mount table.
    fn shell(&self, hdfs: &Hdfs, arguments: &[&str]) -> Result<String, String> {
        let mut hadoop = Command::new(hdfs.vendors.program("hadoop"));
        hadoop.args(["fs", "-D", "dfs.replication=1"]);
        for (name, value) in &self.properties {
            hadoop.arg("-D").arg(format!("{name}={value}"));
        }
        run(hadoop.args(arguments))
    }

    /// The paths in a folder, as howdah lists them.
    fn listed(&self, folder: &str) -> Vec<String> {
        let listed = self.howdah(["fs", "ls", folder, "--json"]).succeed();
        let entries: serde_json::Value = serde_json::from_str(&listed.stdout).expect("JSON");
        let place = |entry: &serde_json::Value| entry["place"].as_str().expect("a place").to_owned();
        entries.as_array().expect("a list").iter().map(place).collect()
    }

    /// Runs a workflow with these commands of an `fs` action, and returns its status and the action's error code.
    fn operate(&self, name: &str, commands: &str) -> String {
        let body = format!("<fs><name-node>viewfs://c</name-node>{commands}</fs>");
        workflow(&self.sandbox, name, "work", &[action("work", &body, "end", "")]);
        let submit = self.howdah(["submit"]).define("oozie.wf.application.path", &self.sandbox.text(name));
        let job = submit.succeed().job();
        self.sandbox.await_quiet();
        self.sandbox.database().value(&format!(
            "SELECT w.status, coalesce(n.error_code, '-') FROM workflow_job w JOIN workflow_node n USING (job) \
             WHERE w.id = '{job}' AND n.name = 'work'"
        ))
    }
}

#[test]
fn howdah_and_hadoop_s_client_see_the_same_tree() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let Some(second) = Hdfs::start() else { return };
    let view = View::of([&*hdfs, &second], Way::Http, "/view-seen");
    for folder in ["/", "/deep", "/deep/er", "/deep/er/same", "/one", "/two/in/00"] {
        let listed = view.shell(&hdfs, &["-ls", "-C", &format!("viewfs://c{folder}")]).expect("it lists");
        let mut theirs: Vec<&str> = listed.lines().collect();
        theirs.sort_unstable();
        assert_eq!(view.listed(&format!("viewfs://c{folder}")), theirs, "{folder}");
    }
    // Their default file system is the mount table.
    assert_eq!(view.listed("viewfs:///one"), ["viewfs://c/one/in"]);
    for (path, expect) in [("/one/in/00/_SUCCESS", 0), ("/deep/er", 0), ("/loose", 0), ("/deep/none", 1), ("/two/x", 1)]
    {
        let uri = format!("viewfs://c{path}");
        assert_eq!(view.howdah(["fs", "test", &uri]).run().status, Some(expect), "{path}");
        assert_eq!(view.shell(&hdfs, &["-test", "-e", &uri]).is_ok(), expect == 0, "{path}");
    }
    let stat = view.howdah(["fs", "stat", "viewfs://c/two/in/00/_SUCCESS"]).succeed().stdout;
    assert!(stat.contains(" 7\n") && stat.contains(&Way::Http.store(&second)), "{stat}");
    let theirs = view.shell(&hdfs, &["-stat", "%F %b %a", "viewfs://c/two/in/00/_SUCCESS"]).expect("it is there");
    assert_eq!(theirs.trim(), "regular file 7 755");
}

#[test]
fn a_coordinator_reads_one_link_and_writes_another() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let Some(second) = Hdfs::start() else { return };
    for way in Way::ALL {
        let top = format!("/view-{way:?}").to_lowercase();
        let view = View::of([&*hdfs, &second], *way, &top);
        let output = "<datasets><dataset name='out' frequency='60' initial-instance='2010-01-01T00:00Z' timezone='UTC'>\
            <uri-template>viewfs://c/two/out/${HOUR}</uri-template></dataset>";
        let data = hourly_input("viewfs:///one/in/${HOUR}", "").replace("<datasets>", output)
            + "<output-events><data-out name='out' dataset='out'><instance>${coord:current(0)}</instance></data-out>\
               </output-events>";
        let properties = &[("out", "${coord:dataOut('out')}")];
        Coordinator { end: "2010-01-01T01:00Z", data, properties, ..Coordinator::default() }.write(&view.sandbox);
        let body =
            "<fs><mkdir path='${out}'/><touchz path='${out}/made'/><chmod path='${out}' permissions='700'/></fs>";
        workflow(&view.sandbox, "app", "work", &[action("work", body, "end", "")]);
        let submit = view.howdah(["submit"]).define("sandbox", &view.sandbox.text(""));
        let job = submit.define("oozie.coord.application.path", &view.sandbox.text("app")).succeed().job();
        for _ in 0..2 {
            view.howdah(["tick"]).succeed();
            view.sandbox.await_quiet();
        }
        view.howdah(["tick"]).succeed();
        assert_eq!(view.sandbox.database().job(&job), "SUCCEEDED", "{way:?}: {}", view.sandbox.database().actions());
        let made = second.tree(&format!("{top}/two/out"));
        assert_eq!(made.keys().collect::<Vec<_>>(), ["00", "00/made"], "{way:?}");
        assert_eq!(made["00"].mode, 0o700, "{way:?}");
        // The output of a rerun is deleted behind its link.
        view.howdah(["rerun", &job, "--action", "1", "--yes"]).succeed();
        assert!(second.tree(&format!("{top}/two/out")).is_empty(), "{way:?}");
    }
}

#[test]
fn the_table_is_never_changed_and_its_links_are_stores_of_their_own() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let Some(second) = Hdfs::start() else { return };
    let view = View::of([&*hdfs, &second], Way::Http, "/view-kept");
    let before = (hdfs.tree("/view-kept"), second.tree("/view-kept"));
    for (name, commands, expect) in [
        ("link", "<delete path='/one'/>", "KILLED FS005"),
        ("above", "<delete path='/deep'/>", "KILLED FS005"),
        ("moved", "<move source='/deep/er/same' target='/one/x'/>", "KILLED FS008"),
        ("across", "<move source='/one/in' target='/two/moved'/>", "KILLED FS008"),
        // Also where both links lead to one name node.
        ("same", "<move source='/one/in' target='/deep/er/same/moved'/>", "KILLED FS008"),
        ("mode", "<chmod path='/deep' permissions='700'/>", "KILLED FS014"),
    ] {
        assert_eq!(view.operate(name, commands), expect, "{commands}");
    }
    assert_eq!((hdfs.tree("/view-kept"), second.tree("/view-kept")), before);
    let commands = "<move source='/one/in/00' target='/one/in/01'/><delete path='/two/in' skip-trash='false'/>\
                    <mkdir path='/loose-too'/><move source='/loose' target='/moved'/>";
    assert_eq!(view.operate("done", commands), "SUCCEEDED -");
    let names = |hdfs: &Hdfs, folder: &str| hdfs.tree(folder).into_keys().collect::<Vec<_>>().join(" ");
    assert_eq!(names(&hdfs, "/view-kept/one"), "in in/01 in/01/_SUCCESS");
    assert_eq!(names(&hdfs, "/view-kept/rest"), "deep deep/other loose-too moved");
    assert_eq!(names(&second, "/view-kept/two"), "");
    // As with Hadoop's own client, the trash is that of the name node.
    assert!(second.stat("/user/root/.Trash/Current/view-kept/two/in/00/_SUCCESS").is_some());
}

#[test]
fn a_name_node_that_is_stopped_holds_up_its_own_links_alone() {
    let Some(hdfs) = Hdfs::shared() else { return };
    for way in Way::ALL {
        let Some(mut second) = Hdfs::start() else { return };
        let top = format!("/view-stop-{way:?}").to_lowercase();
        let view = View::of([&*hdfs, &second], *way, &top);
        second.stop();
        let mut jobs = Vec::new();
        for link in ["two", "one"] {
            let data = hourly_input(&format!("viewfs://c/{link}/in/${{HOUR}}"), "");
            let folder = format!("app-{link}");
            Coordinator { end: "2010-01-01T01:00Z", data, ..Coordinator::default() }.write(&view.sandbox);
            let body = format!("<fs><name-node>viewfs://c</name-node><mkdir path='/{link}/made'/></fs>");
            workflow(&view.sandbox, "app", "work", &[action("work", &body, "end", "")]);
            std::fs::rename(view.sandbox.path("app"), view.sandbox.path(&folder)).expect("a folder of the sandbox");
            let text = view.sandbox.read(&format!("{folder}/coordinator.xml"));
            view.sandbox.write(&format!("{folder}/coordinator.xml"), &text.replace("/app<", &format!("/{folder}<")));
            let submit = view.howdah(["submit"]).define("sandbox", &view.sandbox.text(""));
            let path = view.sandbox.text(&folder);
            jobs.push(submit.define("oozie.coord.application.path", &path).succeed().job());
        }
        for _ in 0..3 {
            view.howdah(["tick"]).run();
            view.sandbox.await_quiet();
        }
        let status = |job: &String| {
            let query = "SELECT a.status FROM coordinator_action a JOIN coordinator_job j USING (job) WHERE j.id = ";
            view.sandbox.database().value(&format!("{query}'{job}'"))
        };
        assert_eq!((status(&jobs[0]).as_str(), status(&jobs[1]).as_str()), ("WAITING", "SUCCEEDED"), "{way:?}");
        assert!(hdfs.stat(&format!("{top}/one/made")).is_some(), "{way:?}");
        let failing = view.sandbox.database().rows("SELECT server FROM store_failure");
        assert_eq!(failing, [way.store(&second)], "{way:?}: the name node is left alone, not the mount table");
        assert_eq!(view.listed("viewfs://c/deep"), ["viewfs://c/deep/er", "viewfs://c/deep/other"], "{way:?}");
    }
}
