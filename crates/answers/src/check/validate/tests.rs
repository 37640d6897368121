//! As what files are checked, and which files a walk skips.

use super::*;
use howdah_calendar::ProcessingZone;

fn now() -> Timestamp {
    ProcessingZone::UTC.parse_datetime("2026-01-01T00:00Z").unwrap()
}

fn check_bytes(name: &str, bytes: Vec<u8>) -> Verdict {
    let (mounts, settings, followed) = (Mounts::default(), Settings::default(), RefCell::default());
    let programs = &Programs::of(&settings.command_variables);
    let (mounts, settings) = (&mounts, &settings);
    let checker = FileChecker { mounts, settings, now: now(), job: None, programs, followed: &followed };
    checker.bytes(name, bytes, None).remove(0)
}

fn check_text(name: &str, text: &str) -> String {
    let verdict = check_bytes(name, text.as_bytes().to_vec());
    let kind = verdict.kind.map_or("?", FileKind::as_str);
    let problems = verdict.problems.iter().map(|problem| {
        let (line, column) = problem.location().map(Location::line_column).unwrap_or_default();
        format!("{}@{line}:{column}", problem.code())
    });
    format!("{kind} {}", problems.collect::<Vec<_>>().join(" "))
}

fn check(name: &str, text: &str, expect: &str) {
    assert_eq!(check_text(name, text).trim_end(), expect, "{text}");
}

const WORKFLOW: &str = "<workflow-app xmlns='uri:oozie:workflow:0.5' name='w'><start to='a'/>\
    <action name='a' retry-max='${n}'><fs/><ok to='end'/><error to='TO'/></action><end name='end'/></workflow-app>";

#[test]
fn detects_kinds_by_root_element_or_name() {
    check("w.xml", &WORKFLOW.replace("TO", "end"), "workflow W0155@1:134");
    check("w.xml", &WORKFLOW.replace("TO", "nowhere"), "workflow E0708@1:134");
    check("w.xml", &WORKFLOW.replace("'w'", "'${wf:id()}'").replace("TO", "end"), "workflow E1004@1:54");
    check("w.xml", &WORKFLOW.replace("${n}", "${wf:run()}").replace("TO", "end"), "workflow E0703@1:100");
    check("d.xml", "<datasets><dataset/></datasets>", "datasets E0701@1:12 E0701@1:12");
    check("c.xml", "<configuration><x/></configuration>", "configuration E0700@1:17");
    check("x.xml", "<project/>", "? E0701@1:2");
    check("x.xml", "", "? E0700@1:1");
    check("b.xml", "<?x?><!-- y --><!DOCTYPE b [<!ENTITY a 'b'>]><bundle-app>", "bundle E0700@1:16");
    check("j.properties", "a=1\nDAYS=2\na=3\n", "properties W0103@3:1 E0808@2:1");
    check("j.properties", "a=${b}\nb=${a}\n", "properties E0303@1:1");
    check("j.properties", "oozie.wf.application.path=/a\noozie.coord.application.path=/b\n", "properties E0302@1:1");
}

#[test]
fn files_are_found_in_the_order_of_their_paths() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a/b/c/1.xml", "a/b/2.xml", "a/z.xml", "b.xml", "c/d/e/3.xml", "c/d/f/4.XML", "c/g/5.xml", "d.xml"];
    for file in files.iter().chain(&["a/a/none.txt", "c/d/e/none"]) {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let found: Vec<PathBuf> = below(folder.path()).into_iter().map(|found| found.path).collect();
    let mut expect: Vec<PathBuf> = files.iter().map(|file| folder.path().join(file)).collect();
    expect.sort();
    assert_eq!(found, expect);
}

#[test]
fn configurations_are_checked_by_their_use() {
    let property = |name: &str, value: &str| {
        format!("<configuration><property><name>{name}</name><value>{value}</value></property></configuration>")
    };
    // An action's configuration may have any name.
    check("job.xml", &property("DAYS", "1"), "configuration");
    check("app/config-default.xml", &property("DAYS", "1"), "configuration E0808@1:32");
    check("app/config-default.xml", &property("YEAR", "1"), "configuration");
    check("app/coord-config-default.xml", &property("YEAR", "1"), "configuration E0808@1:32");
    check("bundle-config-default.xml", &property("user.name", "ann"), "configuration E0808@1:32");
    // The properties of a job may resolve the circle.
    check("config-default.xml", &property("a", "x${a}"), "configuration");
    let job = property("oozie.wf.application.path", "/a")
        .replace("<configuration>", "<configuration><property><name>GROUPS</name><value>1</value></property>");
    check("job.xml", &job, "configuration E0808@1:32");
}

#[test]
fn bundles_are_checked_without_properties() {
    let bundle = |name: &str| {
        let one = |name: &str| format!("<coordinator name='{name}'><app-path>${{any}}</app-path></coordinator>");
        format!("<bundle-app xmlns='uri:oozie:bundle:0.2' name='b'>{}{}</bundle-app>", one("a"), one(name))
    };
    check("b.xml", &bundle("b"), "bundle");
    check("b.xml", &bundle("a"), "bundle E1304@1:133");
    check("b.xml", &bundle("${wf:id()}"), "bundle E1004@1:135");
}

#[test]
fn the_schemas_verdict_is_separate() {
    for (text, expect) in [
        (WORKFLOW.replace("TO", "end"), Some(true)),
        (WORKFLOW.replace("TO", "nowhere"), Some(true)),
        (WORKFLOW.replace("<fs/>", "<fss/>"), Some(false)),
        ("<workflow-app".to_owned(), Some(false)),
        ("<project/>".to_owned(), Some(false)),
        ("<configuration/>".to_owned(), None),
        ("<configuration><x/></configuration>".to_owned(), None),
        ("<datasets/>".to_owned(), None),
    ] {
        assert_eq!(check_bytes("f.xml", text.clone().into_bytes()).is_valid_by_schema(), expect, "{text}");
    }
    assert_eq!(check_bytes("f.xml", b"<workflow-app>\xff".to_vec()).is_valid_by_schema(), None);
}

#[test]
fn says_where_the_encoding_is_wrong() {
    let latin = b"<workflow-app>\n\xe9</workflow-app>".to_vec();
    let verdict = check_bytes("w.xml", latin);
    assert_eq!(verdict.kind, Some(FileKind::Document(DocumentKind::Workflow)));
    assert_eq!(verdict.problems[0].code(), ErrorCode::H0112);
    assert_eq!(verdict.problems[0].location().map(Location::line_column), Some((2, 1)));
}

#[test]
fn a_walk_skips_what_is_not_oozies() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.xml", b"<configuration/>");
    write("b.xml", b"<project/>");
    write("c.xml", b"<data:sets xmlns:data='x'/>");
    write("d.xml", b"<workflow-app \xff>");
    write("e.txt", b"<workflow-app/>");
    // Oozie reads these, whatever their contents are.
    write("coordinator.xml", b"");
    write("workflow.xml", b"<\0w\0");
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    let mut seen = Vec::new();
    let targets = vec![Target::Path(folder.path().to_owned()), Target::Path(folder.path().join("none"))];
    let mut emit = |verdict: Verdict| {
        let name = verdict.path.rsplit('/').next().unwrap_or_default().to_owned();
        seen.push((name, verdict.named, verdict.is_valid()));
        Ok(ControlFlow::Continue(()))
    };
    let (mounts, settings, policy) = (Mounts::default(), Settings::default(), Policy::default());
    let quotable = Quotable::default();
    let request =
        Request { mounts: &mounts, settings: &settings, now: now(), job: None, policy: &policy, quotable: &quotable };
    validate(request, targets, &mut emit).unwrap();
    let expect = [
        ("a.xml", false, true),
        ("coordinator.xml", false, false),
        ("d.xml", false, false),
        ("workflow.xml", false, false),
        ("none", true, false),
    ];
    assert_eq!(seen, expect.map(|(name, named, valid)| (name.to_owned(), named, valid)));
}
