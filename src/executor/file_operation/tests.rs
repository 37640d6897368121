//! A table of `fs` actions on real files.
#![expect(clippy::disallowed_methods, reason = "a test creates the files that it works on")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::super::testing::{Sandbox, element};
use super::super::work::Task;
use super::*;
use crate::executor::file_operations::{Completion, execute};

/// Runs an `fs` action on `hdfs://nn`, which has the files `a/1`, `a/2`, `full` and the folder `empty`. Returns the
/// code of the failure or the sorted tree, folders with a slash.
fn run(body: &str) -> (Sandbox, Result<String, String>) {
    let sandbox = Sandbox::new();
    sandbox.write("store/a/1", "one");
    sandbox.write("store/a/2", "");
    sandbox.write("store/full", "x");
    fs::create_dir(sandbox.store.join("empty")).unwrap();
    let text = format!("<fs><name-node>hdfs://nn</name-node>{body}</fs>");
    let Ok(Task::Files(work)) = super::super::fs::plan(&element(&text), &sandbox.context()) else {
        panic!("{body} is planned as files")
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
    let (_sandbox, got) = run(body);
    assert_eq!(got.as_deref().map_err(String::as_str), expect, "{body}");
}

const UNCHANGED: Result<&str, &str> = Ok("a/ a/1 a/2 empty/ full");

#[test]
fn mkdir_and_delete() {
    check("<mkdir path='/x/y'/>", Ok("a/ a/1 a/2 empty/ full x/ x/y/"));
    check("<mkdir path='/a'/><mkdir path='/full'/>", UNCHANGED);
    check("<mkdir path='/full/x'/>", Err("FS004"));
    check("<delete path='/a'/>", Ok("empty/ full"));
    check("<delete path='/a/*'/>", Ok("a/ empty/ full"));
    check("<delete path='/none'/><delete path='/none/*'/>", UNCHANGED);
    check("<delete path='/'/>", Err("FS005"));
    check("<delete path='/*/1'/>", Ok("a/ a/2 empty/ full"));
}

#[test]
fn moving() {
    check("<move source='/full' target='/x'/>", Ok("a/ a/1 a/2 empty/ x"));
    check("<move source='/full' target='/empty'/>", Ok("a/ a/1 a/2 empty/ empty/full"));
    check("<move source='/a/*' target='/empty'/>", Ok("a/ empty/ empty/1 empty/2 full"));
    check("<move source='/none' target='/x'/>", Err("FS006"));
    check("<move source='/a/*' target='/x'/>", Err("FS012"));
    check("<move source='/full' target='/a/1'/>", Err("FS008"));
    check("<move source='/full' target='/x/y'/>", Err("FS008"));
    check("<move source='/a' target='/a/b'/>", Err("FS008"));
}

#[test]
fn touch_and_other_commands() {
    check("<touchz path='/new'/>", Ok("a/ a/1 a/2 empty/ full new"));
    check("<touchz path='/full'/>", UNCHANGED);
    check("<touchz path='/empty'/>", Err("Exception"));
    check("<touchz path='/x/y'/>", Ok("a/ a/1 a/2 empty/ full x/ x/y"));
    check("<touchz path='/full/x'/>", Err("IOException"));
    check("<setrep path='hdfs://nn/full' replication-factor='2'/>", UNCHANGED);
    check("<chgrp path='/none' group='0'/>", Err("FS009"));
    check("<chgrp path='/full' group='no such group'/>", Err("IOException"));
    check("<chmod path='/none' permissions='755'/>", Err("FS009"));
}

#[test]
fn every_path_is_checked_before_the_first_command() {
    for (second, code) in [
        ("<move source='/none' target='/y'/>", "FS006"),
        ("<move source='/full' target='/a/1'/>", "FS008"),
        ("<move source='/full' target='/none/y'/>", "FS008"),
        ("<chmod path='/none' permissions='755'/>", "FS009"),
        ("<move source='/a' target='/a/b'/>", "FS008"),
        ("<move source='/a/1' target='/a'/>", "FS008"),
        ("<move source='/full' target='/full'/>", "FS008"),
        ("<move source='/a/*' target='/y'/>", "FS012"),
        ("<mkdir path='/full/y/z'/>", "FS004"),
        ("<chgrp path='/full' group='no such group'/>", "IOException"),
        ("<touchz path='/empty'/>", "Exception"),
        ("<touchz path='/full/y'/>", "IOException"),
        ("<delete path='/../outside'/>", "FS001"),
        ("<delete path='/'/>", "FS005"),
    ] {
        let sandbox = Sandbox::new();
        let text = format!("<fs><name-node>hdfs://nn</name-node><mkdir path='/x'/>{second}</fs>");
        if code == "FS001" {
            let failure = super::super::fs::plan(&element(&text), &sandbox.context()).unwrap_err();
            assert_eq!(failure.code, code);
            continue;
        }
        let (sandbox, got) = run(&format!("<mkdir path='/x'/>{second}"));
        assert_eq!(got, Err(code.to_owned()), "{second}");
        assert!(!sandbox.store.join("x").exists(), "{second}");
    }
}

#[test]
fn effects_of_earlier_commands_are_expected() {
    check("<mkdir path='/x'/><move source='/full' target='/x/y'/>", Ok("a/ a/1 a/2 empty/ x/ x/y"));
    check("<touchz path='/x/n'/><move source='/full' target='/x/y'/>", Ok("a/ a/1 a/2 empty/ x/ x/n x/y"));
    check("<touchz path='/n'/><move source='/full' target='/n'/>", Err("FS008"));
    check("<delete path='/a'/><move source='/full' target='/a'/>", Ok("a empty/"));
    check("<touchz path='/n'/><chmod path='/n' permissions='600'/>", Ok("a/ a/1 a/2 empty/ full n"));
    check("<move source='/a' target='/b'/><chmod path='/b/1' permissions='600'/>", Ok("b/ b/1 b/2 empty/ full"));
    check("<move source='/a' target='/b'/><chmod path='/b/*' permissions='600'/>", Ok("b/ b/1 b/2 empty/ full"));
    check("<delete path='/full'/><move source='/a/1' target='/full'/>", Ok("a/ a/2 empty/ full"));
    check("<delete path='/full'/><mkdir path='/full/x'/>", Ok("a/ a/1 a/2 empty/ full/ full/x/"));
    check("<touchz path='/n'/><mkdir path='/n/x'/>", Err("FS004"));
    check("<move source='/a/1' target='/empty'/><move source='/a/1' target='/empty'/>", Err("FS006"));
    let (sandbox, got) = run("<delete path='/a'/><chmod path='/a/1' permissions='600'/>");
    assert_eq!(got, Err("FS009".to_owned()));
    assert!(sandbox.store.join("a").exists(), "refused before the deletion");
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
