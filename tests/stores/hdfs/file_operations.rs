//! `fs` actions on HDFS: the same results as on the folders of this machine, seen by Hadoop's own client.

use std::collections::BTreeMap;

use super::{Hdfs, Way, allow};
use crate::file_operation_table::{TABLE, UNCHANGED};
use howdah_sandbox::application::{action, workflow};
use howdah_sandbox::sandbox::Sandbox;

const NOW: &str = "2010-01-01T00:00Z";

/// Submits the workflow of an `fs` action with these commands, in which `hdfs://nn` is the folder `below` of the store.
/// Returns the job's id.
fn submit(sandbox: &Sandbox, store: &str, below: &str, commands: &str) -> String {
    let commands = commands.replace("='/", &format!("='{below}/")).replace(&format!("='{below}/'"), "='/'");
    let commands = commands.replace("hdfs://nn/", &format!("{store}{below}/"));
    let body = format!("<fs><name-node>{store}</name-node>{commands}</fs>");
    let folder = format!("app{}", below.replace('/', "-"));
    workflow(sandbox, &folder, "work", &[action("work", &body, "end", "")]);
    let submit = sandbox.howdah(["submit"]).at(NOW);
    submit.define("oozie.wf.application.path", &sandbox.text(&folder)).succeed().job()
}

/// The error code of a job's action, if it failed; it must have ended.
fn code(sandbox: &Sandbox, job: &str) -> Option<String> {
    let end = sandbox.database().value(&format!(
        "SELECT n.status, n.error_code FROM workflow_node n JOIN workflow_job w USING (job) \
         WHERE w.id = '{job}' AND n.name = 'work'"
    ));
    let (status, code) = end.split_once(' ').expect("two columns");
    assert!(matches!(status, "OK" | "ERROR"), "{job}: {end}");
    (status == "ERROR").then(|| code.to_owned())
}

/// What is listed below a folder, its paths from there: folders with a slash, as the table writes them.
fn below(listed: &BTreeMap<String, String>, folder: &str) -> String {
    let start = format!("{folder}/");
    let inside = listed.iter().filter_map(|(path, columns)| Some((path.strip_prefix(&start)?, columns)));
    let names = inside.map(|(name, columns)| if columns.starts_with('d') { format!("{name}/") } else { name.into() });
    names.collect::<Vec<String>>().join(" ")
}

/// Creates the tree of the table in a folder of the sandbox for each of these, and puts all into the store.
fn put_trees(sandbox: &Sandbox, hdfs: &Hdfs, top: &str, names: impl Iterator<Item = String>) {
    for name in names {
        for (file, content) in [("a/1", "one"), ("a/2", ""), ("full", "x")] {
            sandbox.write(&format!("{top}/{name}/{file}"), content);
        }
        std::fs::create_dir(sandbox.path(&format!("{top}/{name}/empty"))).expect("an empty folder");
    }
    hdfs.shell(&["-put", &sandbox.text(top), "/"]);
}

#[test]
fn each_row_of_the_table_does_the_same_on_hdfs() {
    let Some(hdfs) = Hdfs::shared() else { return };
    for way in Way::ALL {
        check_table(&hdfs, *way);
    }
}

fn check_table(hdfs: &Hdfs, way: Way) {
    let (sandbox, store, top) = (Sandbox::new(), way.store(hdfs), format!("table-{way:?}"));
    allow(&sandbox, &store);
    put_trees(&sandbox, hdfs, &top, (0..TABLE.len()).map(|row| row.to_string()));
    let submit =
        |(row, (commands, _)): (usize, &(&str, _))| submit(&sandbox, &store, &format!("/{top}/{row}"), commands);
    let jobs: Vec<String> = TABLE.iter().enumerate().map(submit).collect();
    sandbox.await_quiet();
    let listed = hdfs.listed(&format!("/{top}"));
    let mut different = Vec::new();
    for ((row, (commands, expect)), job) in TABLE.iter().enumerate().zip(&jobs) {
        let (code, tree) = (code(&sandbox, job), below(&listed, &row.to_string()));
        if (code.as_deref(), tree.as_str()) != (expect.err(), expect.unwrap_or(UNCHANGED)) {
            different.push(format!("{commands}: {code:?} {tree}, expected {expect:?}"));
        }
    }
    assert!(different.is_empty(), "{way:?}: {} of {} rows:\n{}", different.len(), TABLE.len(), different.join("\n"));
}

/// What HDFS has and a folder of this machine has not, or only in part.
#[test]
fn modes_groups_copies_times_and_the_trash_are_those_of_hdfs() {
    let Some(hdfs) = Hdfs::shared() else { return };
    for way in Way::ALL {
        check_what_only_hdfs_has(&hdfs, *way);
    }
}

fn check_what_only_hdfs_has(hdfs: &Hdfs, way: Way) {
    let (sandbox, store, top) = (Sandbox::new(), way.store(hdfs), format!("kept-{way:?}"));
    allow(&sandbox, &store);
    let cases = [
        ("group", "<chgrp path='/full' group='analysts'/>", "full", "-rw-r--r-- 1 root analysts 1"),
        (
            "group-below",
            "<chgrp path='/a' group='analysts'><recursive/></chgrp>",
            "a/1",
            "-rw-r--r-- 1 root analysts 3",
        ),
        ("copies", "<setrep path='/full' replication-factor='2'/>", "full", "-rw-r--r-- 2 root supergroup 1"),
        ("mode", "<chmod path='/a' permissions='-rwx------'/>", "a/1", "-rwx------ 1 root supergroup 3"),
        (
            "mode-alone",
            "<chmod path='/a' permissions='700' dir-files='false'/>",
            "a/1",
            "-rw-r--r-- 1 root supergroup 3",
        ),
        (
            "mode-folder",
            "<chmod path='/a' permissions='700' dir-files='false'/>",
            "a",
            "drwx------ - root supergroup 0",
        ),
        ("touch", "<touchz path='/full'/>", "full", "-rw-r--r-- 1 root supergroup 1"),
    ];
    let names = cases.iter().map(|(name, ..)| *name).chain(["trash"]);
    put_trees(&sandbox, hdfs, &top, names.map(str::to_owned));
    let old = hdfs.stat(&format!("/{top}/touch/full")).expect("it was put").modified;
    let trash = [("trash", "<delete path='/full' skip-trash='false'/>")];
    let all = cases.iter().map(|(name, commands, ..)| (*name, *commands)).chain(trash);
    let jobs: Vec<String> =
        all.map(|(name, commands)| submit(&sandbox, &store, &format!("/{top}/{name}"), commands)).collect();
    sandbox.await_quiet();
    for job in jobs {
        assert_eq!(code(&sandbox, &job), None, "{job}");
    }
    let listed = hdfs.listed(&format!("/{top}"));
    for (name, commands, path, expect) in cases {
        assert_eq!(listed.get(&format!("{name}/{path}")).map(String::as_str), Some(expect), "{commands}");
    }
    let touched = hdfs.stat(&format!("/{top}/touch/full")).expect("it is still there").modified;
    assert!(touched > old, "{touched} is not later than {old}");
    assert_eq!(hdfs.stat(&format!("/{top}/trash/full")), None);
    assert_eq!(hdfs.read(&format!("/user/root/.Trash/Current/{top}/trash/full")).as_deref(), Some("x"));
}

/// The name node sends 100 entries in an answer, and howdah takes 1,000 at once.
#[test]
fn a_listing_in_many_answers_is_whole() {
    let Some(hdfs) = Hdfs::shared() else { return };
    for way in Way::ALL {
        let (sandbox, store, top) = (Sandbox::new(), way.store(&hdfs), format!("many-{way:?}"));
        allow(&sandbox, &store);
        for number in 1..=1_100 {
            sandbox.write(&format!("{top}/f{number}"), "");
        }
        hdfs.shell(&["-put", &sandbox.text(&top), "/"]);
        let listed = sandbox.howdah(["fs", "ls", &format!("{store}/{top}/f109*")]).at(NOW).succeed().stdout;
        // With the heads of the columns.
        assert_eq!(listed.lines().count(), 1 + 11, "{way:?}: {listed}");
        let job = submit(&sandbox, &store, &format!("/{top}"), "<delete path='/f1*'/>");
        sandbox.await_quiet();
        assert_eq!(code(&sandbox, &job), None, "{way:?}");
        // 1, 10 to 19, 100 to 199, 1000 to 1100.
        let left = hdfs.tree(&format!("/{top}"));
        assert_eq!(left.len(), 1_100 - (1 + 10 + 100 + 101), "{way:?}");
        assert!(left.keys().all(|name| !name.starts_with("f1")), "{way:?}");
    }
}
