//! Paths of definitions: each kind of scheme, with its store mounted or not.

use super::*;
use crate::file_store::StoreSettings;

/// `hdfs://nn:8020` and a part of `s3a://bucket` are mounted; `hdfs://other:8020` is not.
fn mounts() -> Mounts {
    Mounts::parse(["hdfs://nn:8020=/mnt/nn", "s3a://bucket/apps=/mnt/s3"]).unwrap()
}

/// `uri -> local path`, or why there is no local path.
fn found(path: &str, base: &Base) -> String {
    match mounts().locate(path, base) {
        Ok(found) => {
            assert_eq!(found.shown(), path);
            format!("{} -> {}", found.uri, found.path().display())
        }
        Err(Unlocated::Unmounted { uri, store }) => format!("no mount for {store} of {uri}"),
        Err(Unlocated::Invalid(why)) => why.to_owned(),
    }
}

const RELATIVE: &str = "it is neither an absolute path nor a URI with an absolute path";

/// The meaning of each path for each name-node: none, this machine, mounted, not mounted.
#[test]
fn a_path_is_in_the_store_that_it_names_or_in_that_of_the_name_node() {
    let here = "/data/x -> /data/x";
    let mounted = "hdfs://nn:8020/data/x -> /mnt/nn/data/x";
    let unmounted = "no mount for hdfs://other:8020 of hdfs://other:8020/data/x";
    for (path, expect) in [
        ("/data/x", [here, here, mounted, unmounted]),
        ("hdfs://nn:8020/data/x", [mounted; 4]),
        ("HDFS://NN:8020/data/x", ["HDFS://NN:8020/data/x -> /mnt/nn/data/x"; 4]),
        ("hdfs://other:8020/data/x", [unmounted; 4]),
        ("file:///data/x", [here; 4]),
        ("file:/data/x", [here; 4]),
        ("s3a://bucket/apps/x", ["s3a://bucket/apps/x -> /mnt/s3/x"; 4]),
        ("s3a://bucket/x", ["no mount for s3a://bucket of s3a://bucket/x"; 4]),
        ("data/x", [RELATIVE; 4]),
        ("", [RELATIVE; 4]),
    ] {
        for (name_nodes, expect) in [
            (&["", "local", " "][..], expect[0]),
            (&["file:///", "file:///tmp", "file:/", "file://localhost/"], expect[1]),
            (
                &["hdfs://nn:8020", "hdfs://nn:8020/", "hdfs://nn:8020/some/folder", "nn:8020", " hdfs://nn:8020 "],
                expect[2],
            ),
            (&["hdfs://other:8020", "other:8020"], expect[3]),
        ] {
            for name_node in name_nodes {
                let base = Base::store(DefaultStore::of_name_node(name_node));
                assert_eq!(found(path, &base), expect, "[{path}] of [{name_node}]");
            }
        }
    }
}

#[test]
fn an_invalid_name_node_is_never_this_machine() {
    for name_node in
        ["nn:8020/x y", "nn:", "/", "/data", "a/b", "hdfs:nn", "1a://nn", "file:x", "file://other", "nn:a:b"]
    {
        let base = Base::store(DefaultStore::of_name_node(name_node));
        let why = mounts().locate("/data/x", &base);
        assert!(why.is_err(), "[{name_node}]: {why:?}");
    }
}

#[test]
fn a_path_without_scheme_is_in_the_store_of_the_application() {
    let application = |path: &str| Base::of_application(path, mounts().locate(path, &Base::this_machine()).unwrap());
    let (here, hdfs) = (application("/apps/wf"), application("hdfs://nn:8020/apps/wf"));
    let s3 = application("s3a://bucket/apps/wf");
    for (path, expect) in [
        (
            "lib/a.jar",
            [
                "/apps/wf/lib/a.jar -> /apps/wf/lib/a.jar",
                "hdfs://nn:8020/apps/wf/lib/a.jar -> /mnt/nn/apps/wf/lib/a.jar",
                "s3a://bucket/apps/wf/lib/a.jar -> /mnt/s3/wf/lib/a.jar",
            ],
        ),
        (
            "../a",
            [
                "/apps/wf/../a -> /apps/wf/../a",
                "hdfs://nn:8020/apps/a -> /mnt/nn/apps/a",
                "s3a://bucket/apps/a -> /mnt/s3/a",
            ],
        ),
        (
            "../../../a",
            [
                "/apps/wf/../../../a -> /apps/wf/../../../a",
                "it leaves its mount through \"..\"",
                "it leaves its mount through \"..\"",
            ],
        ),
        (
            "/lib/a.jar",
            [
                "/lib/a.jar -> /lib/a.jar",
                "hdfs://nn:8020/lib/a.jar -> /mnt/nn/lib/a.jar",
                "no mount for s3a://bucket of s3a://bucket/lib/a.jar",
            ],
        ),
        (
            "/a/../../b",
            [
                "/a/../../b -> /a/../../b",
                "it leaves its mount through \"..\"",
                "no mount for s3a://bucket of s3a://bucket/a/../../b",
            ],
        ),
        ("file:///a", ["/a -> /a"; 3]),
        ("hdfs://other:8020/a", ["no mount for hdfs://other:8020 of hdfs://other:8020/a"; 3]),
        ("\0", [RELATIVE; 3]),
    ] {
        let expect = if path == "\0" { ["it holds a zero byte"; 3] } else { expect };
        assert_eq!([&here, &hdfs, &s3].map(|base| found(path, base)), expect, "{path}");
    }
}

#[test]
fn a_relative_path_of_a_user_is_in_the_home_of_the_store() {
    let home = |store: &str| Base::with_home(DefaultStore::of(store), "ann", Path::new("/home/ann"));
    assert_eq!(found("a/b", &home("/apps")), "/home/ann/a/b -> /home/ann/a/b");
    assert_eq!(found("a", &home("hdfs://nn:8020/apps")), "hdfs://nn:8020/user/ann/a -> /mnt/nn/user/ann/a");
    let unmounted = "no mount for hdfs://other:8020 of hdfs://other:8020/user/ann/a";
    assert_eq!(found("a", &home("hdfs://other:8020/apps")), unmounted);
}

#[test]
fn what_is_found_beside_and_below_keeps_its_store() {
    let place = mounts().locate("hdfs://nn:8020/a/b*", &Base::this_machine()).unwrap();
    let shown = |place: &Located| format!("{} {}", place.uri, place.path().display());
    assert!(place.is_pattern() && place.fixed_part().path() == Path::new("/mnt/nn/a"));
    assert_eq!(shown(&place.found("/mnt/nn/a/b1".into())), "hdfs://nn:8020/a/b1 /mnt/nn/a/b1");
    assert_eq!(shown(&place.beside("c").unwrap()), "hdfs://nn:8020/a/c /mnt/nn/a/c");
    assert_eq!(shown(&place.folder().folder()), "hdfs://nn:8020 /mnt/nn");
    assert_eq!(shown(&place.folder().entry("d".as_ref())), "hdfs://nn:8020/a/d /mnt/nn/a/d");
    let root = mounts().locate("/", &Base::this_machine()).unwrap();
    assert_eq!((shown(&root.folder()), root.beside("x")), ("/ /".to_owned(), None));
    assert_eq!(shown(&root.join("x")), "/x /x");
}

#[test]
fn a_server_is_one_store_for_all_its_mounts() {
    let texts =
        ["hdfs://nn=webhdfs://nn:1", "hdfs://nn/lake=webhdfs://nn:1/mnt", "webhdfs://nn:1", "hdfs://b=webhdfs://b:1"];
    let mounts = Mounts::parse(texts).unwrap();
    let at = |uri: &str| mounts.locate(uri, &Base::this_machine()).unwrap();
    let above = at("hdfs://nn/mnt/a");
    for (path, expect) in [
        ("hdfs://nn/lake/a", true),
        ("hdfs://nn/lake/a/b", true),
        ("webhdfs://nn:1/mnt/a/b", true),
        ("hdfs://nn/lake/ab", false),
        ("hdfs://b/mnt/a", false),
        ("/mnt/a", false),
    ] {
        assert_eq!(at(path).is_at_or_below(&above), expect, "{path}");
    }
    assert!(!above.is_at_or_below(&at("/mnt/a")));
}

#[test]
fn a_copy_to_a_server_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("link")).unwrap();
    // Nothing listens there: a write would fail in another way.
    let mounts = Mounts::parse(["hdfs://nn=webhdfs://127.0.0.1:1"]).unwrap();
    let target = mounts.locate("hdfs://nn/out", &Base::this_machine()).unwrap();
    let error = target.take_copy_of(folder.path(), &|| false).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
}

#[test]
fn orders_of_earlier_versions_are_still_read() {
    let place = mounts().locate("hdfs://nn:8020/a", &Base::this_machine()).unwrap();
    let read = |text: &str| serde_json::from_str::<Located>(text).unwrap();
    assert_eq!(read(&serde_json::to_string(&place).unwrap()), place);
    for text in [r#""/mnt/a""#, r#"{"shown":"/mnt/a","local":"/mnt/a"}"#] {
        assert_eq!(read(text), Located::on_this_machine("/mnt/a".into()), "{text}");
    }
}

#[test]
fn a_refusal_names_path_store_and_help() {
    let why = mounts().locate("/a", &Base::store(DefaultStore::of_name_node("hdfs://other:8020"))).unwrap_err();
    let expect = "no mount for [hdfs://other:8020], the store of [hdfs://other:8020/a]; say where its files are on \
                  this machine: --mount hdfs://other:8020=/some/folder, or which server has them: --mount \
                  hdfs://other:8020=webhdfs://namenode:9870";
    assert_eq!(why.to_string(), expect);
}

#[test]
fn a_text_that_comes_byte_by_byte_is_given_up() {
    use crate::file_store::testing::{Reply, SHORT_LIMIT, Server, address};
    use crate::found::{Verdict, verdict};
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\n";
    let server = Server::always(Reply::Drips(head.to_owned()));
    let address = Arc::new(address(&server.url(), SHORT_LIMIT));
    let file = Located { server: Some(address), ..Located::on_this_machine(PathBuf::from("/f")) };
    // On a busy machine the first byte may come too late already; without a limit for the whole text all bytes come.
    let error = file.read_start(100_000).unwrap_err();
    let expected = ["did not send the file", "no answer in time"];
    let is_expected = expected.iter().any(|text| error.to_string().contains(text));
    assert!(verdict(&error) == Verdict::Unknown && is_expected, "{error}");
}

#[test]
fn the_help_names_a_server_where_howdah_can_ask_one() {
    assert!(
        help("hdfs://nn:8020").ends_with("or which server has them: --mount hdfs://nn:8020=webhdfs://namenode:9870")
    );
    assert!(help("webhdfs://nn:9870").ends_with("or that its server is asked: --mount webhdfs://nn:9870"));
    assert!(help("s3a://bucket").ends_with("or that its bucket is asked: --mount s3a://bucket (feature object-store)"));
    assert!(help("maprfs://c").ends_with("--mount maprfs://c=/some/folder"));
}

/// Mounts of a table with these links, and the folder of its site files.
fn with_table(links: &[(&str, &str)], more: &[&str]) -> (Mounts, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let property = |(link, uri): &(&str, &str)| {
        format!("<property><name>fs.viewfs.mounttable.c.link.{link}</name><value>{uri}</value></property>")
    };
    let site: String = links.iter().map(property).collect();
    std::fs::write(folder.path().join("core-site.xml"), format!("<configuration>{site}</configuration>")).unwrap();
    let settings =
        StoreSettings { hadoop_folder: Some(folder.path().display().to_string()), ..StoreSettings::default() };
    (Mounts::parse([&["viewfs://c"], more].concat()).unwrap().with(&settings, None), folder)
}

#[test]
fn nothing_to_which_a_link_leads_may_be_deleted() {
    let (one, two) = ("webhdfs://127.0.0.1:1", "webhdfs://127.0.0.1:2");
    let at = |server: &str, path: &str| format!("{server}{path}");
    let (lake, hot, users, other) = (at(one, "/lake"), at(one, "/lake/hot/in"), at(one, "/user"), at(two, "/lake"));
    let links = [("/a/lake", lake.as_str()), ("/a/hot", &hot), ("/homes", &users), ("/other", &other)];
    let part = format!("hdfs://part={two}/lake/part/x");
    let (mounts, _folder) = with_table(&links, &[one, &part]);
    for (uri, expect) in [
        ("viewfs://c/", "it is the root of the store"),
        ("viewfs://c/a", "it is a folder of the mount table"),
        ("viewfs://c/a/lake", "it is a link of the mount table"),
        ("viewfs://c/a/lake/hot", "it holds what the link [viewfs://c/a/hot] leads to"),
        ("viewfs://c/a/lake/hot/in", "it holds what the link [viewfs://c/a/hot] leads to"),
        ("viewfs://c/a/lake/hot/in/x", ""),
        ("viewfs://c/a/lake/x", ""),
        ("viewfs://c/a/hot/x", ""),
        ("viewfs://c/homes/ann", "it holds a home directory"),
        ("viewfs://c/homes/ann/x", ""),
        ("viewfs://c/other/hot", ""),
        // A mount of its own is in the same server.
        ("viewfs://c/other/part", "it holds the root of the mount"),
        ("viewfs://c/other/part/x/y", ""),
        ("viewfs://c/none", ""),
        ("webhdfs://127.0.0.1:1/lake", "it holds what the link [viewfs://c/a/hot] leads to"),
        ("webhdfs://127.0.0.1:1/lake/hot", "it holds what the link [viewfs://c/a/hot] leads to"),
        ("webhdfs://127.0.0.1:1/lake/x", ""),
    ] {
        let place = mounts.locate(uri, &Base::this_machine()).unwrap();
        let refused = place.check_removable(&mounts).err().map(|error| error.message().to_owned()).unwrap_or_default();
        assert!(refused.contains(expect) && refused.is_empty() == expect.is_empty(), "{uri}: {refused}");
    }
}

#[test]
fn a_path_of_a_mount_table_is_answered_by_the_server_of_its_link() {
    let (mounts, _folder) = with_table(&[("/a", "hdfs://nn:8020/lake")], &[]);
    let server = |uri: &str| mounts.locate(uri, &Base::this_machine()).unwrap().answering_server();
    assert_eq!(server("viewfs://c/a/x").as_deref(), Some("hdfs://nn:8020"));
    assert_eq!(server("viewfs://c/").as_deref(), Some("viewfs://c"));
    assert_eq!(server("/a"), None);
}
