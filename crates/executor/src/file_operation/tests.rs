//! A table of `fs` actions on real files.
#![expect(clippy::disallowed_methods, reason = "a test creates the files that it works on")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::super::testing::{Sandbox, element};
use super::super::work::Task;
use super::table::{TABLE, UNCHANGED};
use super::*;
use crate::blocked::Completion;
use crate::file_operations::execute;

/// Runs an `fs` action on `hdfs://nn`, which has the files `a/1`, `a/2`, `full` and the folder `empty`. Returns the
/// code of the failure or the sorted tree, folders with a slash.
fn run(body: &str) -> (Sandbox, Result<String, String>) {
    let sandbox = Sandbox::new();
    sandbox.write("store/a/1", "one");
    sandbox.write("store/a/2", "");
    sandbox.write("store/full", "x");
    fs::create_dir(sandbox.store.join("empty")).unwrap();
    let text = format!("<fs><name-node>hdfs://nn</name-node>{body}</fs>");
    let work = match super::super::fs::plan(&element(&text), &sandbox.context()) {
        Ok(Task::Files(work)) => work,
        Ok(_) => panic!("{body} is planned as files"),
        Err(failure) => return (sandbox, Err(failure.code)),
    };
    let result = match execute(&work.operations, &work.limits, &sandbox.attempt, &mut |_| {}) {
        (_, Err(failure)) => Err(failure.code),
        (done, Ok(Completion::ToTheEnd)) => {
            assert_eq!(done, work.operations.len());
            Ok(listing(&sandbox.store))
        }
        (_, Ok(Completion::Stopped)) => panic!("no stop was requested"),
    };
    (sandbox, result)
}

/// Returns everything below a folder; no link is followed.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let deeper = |entry: &std::fs::DirEntry| entry.file_type().unwrap().is_dir();
    entries
        .flat_map(|entry| {
            let inside = if deeper(&entry) { below(&entry.path()) } else { Vec::new() };
            std::iter::once(entry.path()).chain(inside)
        })
        .collect()
}

fn listing(folder: &Path) -> String {
    let mut paths = below(folder);
    paths.sort();
    let names = paths.iter().map(|path| {
        let name = path.strip_prefix(folder).unwrap().display();
        if path.is_dir() { format!("{name}/") } else { name.to_string() }
    });
    names.collect::<Vec<_>>().join(" ")
}

fn check(body: &str, expect: Result<&str, &str>) {
    let (sandbox, got) = run(body);
    assert_eq!(got.as_deref().map_err(String::as_str), expect, "{body}");
    assert_eq!(listing(&sandbox.store), expect.unwrap_or(UNCHANGED), "{body}");
}

#[test]
fn each_row_of_the_table() {
    for (body, expect) in TABLE {
        check(body, *expect);
    }
    // The second command is refused after the first one.
    let (sandbox, got) = run("<move source='/a/1' target='/empty'/><move source='/a/1' target='/empty'/>");
    assert_eq!((got, listing(&sandbox.store).as_str()), (Err("FS006".to_owned()), "a/ a/2 empty/ empty/1 full"));
    // A store of another machine has groups of its own.
    check("<chgrp path='/full' group='no such group'/>", Err("IOException"));
    check("<mkdir path='/x'/><chgrp path='/full' group='no such group'/>", Err("IOException"));
}

#[test]
fn modes_apply_to_the_selected_paths() {
    for (options, expect) in [("dir-files='false'", [0o700, 0o644]), ("", [0o700, 0o700])] {
        let (sandbox, _) = run("<chmod path='/a/*' permissions='644'/>");
        let text = format!("<fs><name-node>hdfs://nn</name-node><chmod path='/a' permissions='700' {options}/></fs>");
        let Ok(Task::Files(work)) = super::super::fs::plan(&element(&text), &sandbox.context()) else {
            panic!("files")
        };
        assert_eq!(
            execute(&work.operations, &work.limits, &sandbox.attempt, &mut |_| {}),
            (1, Ok(Completion::ToTheEnd))
        );
        let mode = |path: &str| fs::metadata(sandbox.store.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode("a"), mode("a/1")], expect, "{options}");
    }
}

#[test]
fn trash_keeps_both_files_of_one_name() {
    let sandbox = Sandbox::new();
    let context = sandbox.context();
    let text = "<fs><delete path='hdfs://nn/f' skip-trash='false'/></fs>";
    let Ok(Task::Files(work)) = super::super::fs::plan(&element(text), &context) else { panic!("files") };
    for _ in 0..2 {
        sandbox.write("store/f", "x");
        assert_eq!(
            execute(&work.operations, &work.limits, &sandbox.attempt, &mut |_| {}),
            (1, Ok(Completion::ToTheEnd))
        );
    }
    let kept = below(&context.home.join(".Trash/Current"));
    assert_eq!(kept.iter().filter(|path| path.is_file()).count(), 2);
}

#[test]
fn an_order_of_earlier_versions_is_still_read() {
    let text = r#"[{"SetReplication":{"place":"/mnt/a"}},{"MakeDirectory":{"place":"/mnt/a"}}]"#;
    let operations: Vec<FileOperation> = serde_json::from_str(text).unwrap();
    assert!(matches!(operations[0], FileOperation::SetReplication { copies: 0, .. }), "{operations:?}");
}

#[test]
fn stops_between_commands_and_bounds_patterns() {
    let sandbox = Sandbox::new();
    let text = "<fs><mkdir path='hdfs://nn/kill'/><mkdir path='hdfs://nn/y'/><delete path='hdfs://nn/m/*'/></fs>";
    let Ok(Task::Files(work)) = super::super::fs::plan(&element(text), &sandbox.context()) else { panic!("files") };
    // The first command creates the kill request of the attempt.
    assert_eq!(execute(&work.operations, &work.limits, &sandbox.store, &mut |_| {}), (1, Ok(Completion::Stopped)));
    for number in 0..11 {
        sandbox.write(&format!("store/m/{number}"), "");
    }
    let (done, failure) = execute(&work.operations, &work.limits, &sandbox.attempt, &mut |_| {});
    assert_eq!((done, failure.unwrap_err().code.as_str()), (0, "FS013"));
}
