use super::*;

fn shown(mounts: &Mounts, uri: &str) -> String {
    match mounts.find(uri) {
        Resolved::Local { path, .. } => path.display().to_string(),
        Resolved::Server { server, path } => format!("{} {}", server.server, path.display()),
        Resolved::Unmapped(store) => format!("unmapped {store}"),
        Resolved::Invalid(why) => format!("invalid: {why}"),
    }
}

fn check(uri: &str, expect: &str) {
    let mounts = Mounts::parse([
        "hdfs://foo:8020=/data/foo",
        "hdfs://foo:8020/logs/=/fast/logs",
        "hdfs://foo:8020/p/dt=2009=/part",
        "s3a://bucket=/s3",
        "hdfs://=/default/",
        "webhdfs://Nn:9870",
        "hdfs://far:8020=webhdfs://far:9870",
        "hdfs://far:8020/lake/dt=1=webhdfs://far:9870/mnt/",
    ])
    .unwrap();
    let got = shown(&mounts, uri);
    assert!(if expect == "invalid" { got.starts_with(expect) } else { got == expect }, "{uri}: {got}");
}

#[test]
fn mounts_of_earlier_versions_are_still_read() {
    let read = |text: &str| serde_json::from_str::<Mounts>(text).unwrap();
    let earlier = r#"[{"scheme":"hdfs","authority":"nn:8020","path":"/a","directory":"/data/nn"}]"#;
    assert_eq!(read(earlier), Mounts::parse(["hdfs://nn:8020/a=/data/nn"]).unwrap());
    let mounts = Mounts::parse(["hdfs://nn=/data", "hdfs://far=webhdfs://far:9870/x"]).unwrap();
    assert_eq!(read(&serde_json::to_string(&mounts).unwrap()), mounts);
    let list = r#"[{"scheme":"hdfs","authority":"nn","path":"","target":{"Folder":"/data"}}]"#;
    assert_eq!(read(list), Mounts::parse(["hdfs://nn=/data"]).unwrap());
    let mounts = mounts.with(&StoreSettings::default(), Some(default("hdfs", "nn")));
    assert_eq!(read(&serde_json::to_string(&mounts).unwrap()), mounts);
}

#[test]
fn longest_prefix_on_a_boundary_wins() {
    check("hdfs://foo:8020/a/b", "/data/foo/a/b");
    check("HDFS://FOO:8020/a/b/", "/data/foo/a/b");
    check("hdfs://foo:8020", "/data/foo");
    check("hdfs://foo:8020/logs/2009", "/fast/logs/2009");
    check("hdfs://foo:8020/logs", "/fast/logs");
    check("hdfs://foo:8020/logsmore/x", "/data/foo/logsmore/x");
    check("hdfs://foo:8020/p/dt=2009/x", "/part/x");
    check("s3a://bucket//a///b", "/s3/a/b");
    check("hdfs:///a%20b", "/default/a%20b");
    check("hdfs:/a", "/default/a");
}

#[test]
fn local_paths_need_no_mount() {
    check("file:///a/b", "/a/b");
    check("file:/a/b", "/a/b");
    check("file://localhost/a", "/a");
    check("/a//b/", "/a/b");
    check("/", "/");
    assert!(matches!(Mounts::default().find("/a/b/"), Resolved::Local { path: Cow::Borrowed(_), .. }));
}

#[test]
fn servers_have_the_files_of_their_mounts() {
    check("webhdfs://nn:9870/a//b/", "webhdfs://Nn:9870 /a/b");
    check("webhdfs://nn:9870", "webhdfs://Nn:9870 /");
    check("hdfs://far:8020/a%20b", "webhdfs://far:9870 /a%20b");
    check("hdfs://far:8020/lake/dt=1/x", "webhdfs://far:9870 /mnt/x");
    check("hdfs://far:8020/lake/dt=11/x", "webhdfs://far:9870 /lake/dt=11/x");
    check("hdfs://far:8020/a/../b", "invalid");
    let mounts = Mounts::parse(["hdfs://n=/a", "webhdfs://n:1", "hdfs://m=webhdfs://n:1/x"]).unwrap();
    assert_eq!(Mounts::parse(Mounts::split(&mounts.lines())).unwrap(), mounts);
    assert_eq!(mounts.roots().count(), 1);
}

#[test]
fn the_rest_is_unmapped_or_invalid() {
    check("hdfs://bar:8020/a", "unmapped hdfs://bar:8020");
    check("hcat://m:1/db/t/dt=1", "unmapped hcat://m:1");
    for uri in ["", "a/b", "hdfs:a", "file://other/a", "/a\0b", "hdfs://foo:8020/../x", "1a://x/y"] {
        check(uri, "invalid");
    }
}

#[test]
fn the_text_of_mounts_is_read_again() {
    for folders in [&[][..], &["/data"], &["/a b, c"], &["/data", "/a b"], &["/data", "/b"]] {
        let texts: Vec<String> = (0..).zip(folders).map(|(n, folder)| format!("hdfs://n{n}={folder}")).collect();
        let mounts = Mounts::parse(texts.iter().map(String::as_str)).unwrap();
        assert_eq!(Mounts::parse(Mounts::split(&mounts.lines())).unwrap(), mounts, "{folders:?}");
    }
    for text in ["hdfs://a=/x, hdfs://b=/y", "hdfs://a=/x,hdfs://b=/y\n", "\nhdfs://a=/x\n hdfs://b=/y,\n"] {
        let mounts = Mounts::parse(Mounts::split(text));
        assert_eq!(mounts.map(|mounts| mounts.texts().count()).ok(), Some(2), "{text}");
    }
}

#[test]
fn wrong_mounts_are_refused() {
    for text in [
        "hdfs://foo=data",
        "=/data",
        "/a=/b",
        "/a",
        "hdfs://foo=/a/../b",
        "hdfs://foo=webhdfs://n/../b",
        "hdfs://foo=file:///a",
    ] {
        assert_eq!(Mounts::parse([text]).unwrap_err().code(), ErrorCode::H0120, "{text}");
    }
    assert!(Mounts::parse(["hdfs://a=/x", "hdfs://A/=/y"]).is_err());
    assert_eq!(Mounts::parse([""]).unwrap(), Mounts::default());
}

fn default(scheme: &str, authority: &str) -> DefaultSystem {
    DefaultSystem { scheme: scheme.to_owned(), authority: authority.to_owned() }
}

#[test]
fn a_uri_without_an_authority_is_in_the_default_file_system() {
    for (mounts, system, uri, expect) in [
        (&["hdfs://cluster"][..], ("hdfs", "cluster"), "hdfs:///a", "hdfs://cluster /a"),
        (&["hdfs://cluster"], ("hdfs", "cluster"), "HDFS:/a", "hdfs://cluster /a"),
        (&["hdfs://cluster"], ("hdfs", "Cluster"), "hdfs:///a", "hdfs://cluster /a"),
        (&["hdfs://nn:8020=/data"], ("hdfs", "nn:8020"), "hdfs:///a", "/data/a"),
        (&["viewfs://c"], ("viewfs", "c"), "viewfs:///a", "viewfs://c /a"),
        // One that is for such URIs goes before.
        (&["hdfs://cluster", "hdfs://=/own"], ("hdfs", "cluster"), "hdfs:///a", "/own/a"),
        (&["hdfs://cluster"], ("viewfs", "cluster"), "hdfs:///a", "unmapped hdfs://"),
        (&["hdfs://cluster"], ("hdfs", "other"), "hdfs:///a", "unmapped hdfs://other"),
        (&["hdfs://"], ("hdfs", "cluster"), "hdfs:///a", "hdfs://cluster /a"),
        (&["hdfs://"], ("viewfs", "cluster"), "hdfs:///a", "hdfs:// /a"),
        (&["hdfs://cluster"], ("file", ""), "file:///a", "/a"),
    ] {
        let mounts = Mounts::parse(mounts.iter().copied()).unwrap();
        let mounts = mounts.with(&StoreSettings::default(), Some(default(system.0, system.1)));
        assert_eq!(shown(&mounts, uri), expect, "{system:?} {uri}");
        // Another process gets the same mounts.
        let again = Mounts::parse(Mounts::split(&mounts.lines())).unwrap();
        let again = again.with(&StoreSettings::default(), Some(default(system.0, system.1)));
        assert_eq!(shown(&again, uri), expect, "{system:?} {uri}");
    }
}
