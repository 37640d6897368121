use super::super::webhdfs::testing::{self, LIMIT, Reply, Server};
use super::*;

/// A table with these entries, each `KIND=URI`.
fn view(entries: &[String]) -> (ViewFs, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let property = |entry: &String| {
        let (kind, uri) = entry.split_once('=').unwrap();
        format!("<property><name>fs.viewfs.mounttable.c.{kind}</name><value>{uri}</value></property>")
    };
    let site: String = entries.iter().map(property).collect();
    std::fs::write(folder.path().join("core-site.xml"), format!("<configuration>{site}</configuration>")).unwrap();
    let hadoop_folder = Some(folder.path().display().to_string());
    let address =
        StoreAddress { hadoop_folder, name: "viewfs://c".to_owned(), ..testing::address("viewfs://c", LIMIT) };
    (ViewFs::new(&address, "ann").unwrap(), folder)
}

/// A server with the folder `/lake` and its file `x`, that does what it is asked for.
fn server() -> Server {
    Server::start(|head| match head {
        _ if head.contains("op=DELETE") || head.contains("op=MKDIRS") => testing::boolean(true),
        _ if head.contains("op=RENAME") => testing::answer("200 OK", "application/octet-stream", ""),
        _ if head.contains("op=LISTSTATUS_BATCH") => testing::exception("400 Bad Request", "IllegalArgumentException"),
        _ if head.contains("op=LISTSTATUS") => {
            let entries = ["x", "link"].map(|name| testing::status_of(name, "FILE")).join(",");
            testing::json("200 OK", &format!(r#"{{"FileStatuses":{{"FileStatus":[{entries}]}}}}"#))
        }
        _ if head.contains("/lake?") => testing::there("DIRECTORY"),
        _ if head.contains("/lake/x?") => testing::there("FILE"),
        _ => testing::absent(),
    })
}

fn names(store: &ViewFs, folder: &str) -> Vec<String> {
    store.list(folder).unwrap().unwrap().into_iter().map(|entry| entry.name).collect()
}

fn kind<T>(result: io::Result<T>) -> (Verdict, ErrorKind) {
    let Err(error) = result else { panic!("it is refused") };
    (verdict(&error), error.kind())
}

const REFUSED: (Verdict, ErrorKind) = (Verdict::Refused, ErrorKind::PermissionDenied);

#[test]
fn the_folders_above_links_are_there_without_a_question() {
    let (server, uri) = (server(), |server: &Server| format!("{}/lake", server.url()));
    let (store, _folder) = view(&[format!("link./a/data={}", uri(&server)), format!("link./b={}", uri(&server))]);
    let entry = store.stat("/a").unwrap().unwrap();
    assert_eq!((entry.name.as_str(), entry.is_folder, entry.mode), ("a", true, Some(0o555)));
    assert_eq!(
        (names(&store, "/"), names(&store, "/a")),
        (vec!["a".to_owned(), "b".to_owned()], vec!["data".to_owned()])
    );
    assert_eq!((store.stat("/none").unwrap(), store.list("/a/none").unwrap()), (None, None));
    assert_eq!(kind(store.open("/a")).1, ErrorKind::IsADirectory);
    assert_eq!(kind(store.open("/none")), (Verdict::Absent, ErrorKind::NotFound));
    store.create_folders("/a").unwrap();
    assert!(server.requests().is_empty(), "{:?}", server.requests());
    let entry = store.stat("/a/data").unwrap().unwrap();
    assert_eq!((entry.name.as_str(), entry.is_folder), ("data", true));
    assert_eq!((store.stat("/b/x").unwrap().unwrap().is_folder, names(&store, "/b").len()), (false, 2));
    assert_eq!(store.home().unwrap(), "/user/ann");
}

#[test]
fn the_table_itself_is_never_changed() {
    let server = server();
    let (store, _folder) = view(&[format!("link./a/data={}/lake", server.url())]);
    for path in ["/a", "/a/data"] {
        assert_eq!(kind(store.delete(path)), REFUSED, "{path}");
        assert_eq!(kind(store.rename(path, "/other")), REFUSED, "{path}");
        assert_eq!(kind(store.rename("/a/data/x", path)), REFUSED, "{path}");
        assert_eq!(kind(store.write(path, &mut io::empty(), Existing::Replace)), REFUSED, "{path}");
    }
    assert_eq!(kind(store.delete("/")), (Verdict::Refused, ErrorKind::InvalidInput));
    for path in ["/a/new", "/new/x"] {
        assert_eq!(kind(store.create_folders(path)), REFUSED, "{path}");
        assert_eq!(kind(store.write(path, &mut io::empty(), Existing::Keep)), REFUSED, "{path}");
        assert_eq!(kind(store.rename("/a/data/x", path)), REFUSED, "{path}");
        assert!(!store.delete(path).unwrap(), "{path}");
    }
    assert_eq!(kind(store.set_mode("/a", 0o777)), REFUSED);
    assert!(server.requests().is_empty(), "{:?}", server.requests());
    assert!(store.delete("/a/data/x").unwrap());
    store.create_folders("/a/data").unwrap();
    assert_eq!(server.requests().iter().filter(|head| head.contains("op=DELETE")).count(), 1);
    assert!(server.requests().iter().all(|head| !head.contains("op=MKDIRS")));
}

#[test]
fn nothing_is_renamed_from_one_link_to_another() {
    let server = server();
    let link = |name: &str| format!("link./{name}={}/lake", server.url());
    let (store, _folder) = view(&[link("a"), link("b")]);
    assert_eq!(kind(store.rename("/a/x", "/b/y")), (Verdict::Refused, ErrorKind::CrossesDevices));
    assert!(server.requests().is_empty(), "{:?}", server.requests());
    store.rename("/a/x", "/a/y").unwrap();
    let renamed = server.requests().into_iter().filter(|head| head.contains("op=RENAME"));
    assert!(renamed.clone().count() == 1 && renamed.into_iter().all(|head| head.contains("destination=%2Flake%2Fy")));
}

#[test]
fn a_server_that_cannot_tell_says_nothing_about_other_links() {
    let (server, dead) = (server(), Server::always(Reply::Closes));
    let entries = [format!("link./a={}/lake", server.url()), format!("link./b={}", dead.url())];
    let (store, _folder) = view(&entries);
    assert_eq!(kind(store.stat("/b/x")).0, Verdict::Unknown);
    assert_eq!(kind(store.delete("/b/x")).0, Verdict::Unknown);
    assert!(store.stat("/a/x").unwrap().is_some());
    assert_eq!(names(&store, "/"), ["a", "b"]);
    assert_eq!(kind(store.summary("/")).0, Verdict::Unknown);
}

#[test]
fn a_link_that_cannot_be_asked_is_refused_alone() {
    let server = server();
    let (store, _folder) = view(&[format!("link./a={}/lake", server.url()), "link./b=o3fs://bucket/".to_owned()]);
    assert_eq!(kind(store.stat("/b")), (Verdict::Refused, ErrorKind::Unsupported));
    assert!(store.stat("/a/x").unwrap().is_some());
}

#[test]
fn the_fallback_has_what_is_in_no_link() {
    let (server, rest) = (server(), server());
    let entries = [format!("link./link/in={}/lake", server.url()), format!("linkFallback={}/lake", rest.url())];
    let (store, _folder) = view(&entries);
    // The file `link` of the fallback is hidden by the folder of the table.
    assert_eq!(names(&store, "/"), ["link", "x"]);
    assert!(store.list("/").unwrap().unwrap()[0].is_folder);
    assert!(!store.stat("/x").unwrap().unwrap().is_folder);
    assert!(store.delete("/x").unwrap());
    assert_eq!(kind(store.rename("/x", "/link/in/x")).1, ErrorKind::CrossesDevices);
    assert!(rest.requests().iter().any(|head| head.contains("DELETE /webhdfs/v1/lake/x?")), "{:?}", rest.requests());
    assert!(server.requests().is_empty(), "{:?}", server.requests());
}

#[test]
fn the_holder_of_a_path_is_the_server_of_its_link() {
    let server = server();
    let (store, _folder) = view(&[format!("link./a/data={}/lake", server.url())]);
    let Holder::Link { address, path, is_link } = store.holder("/a/data/x").unwrap() else { panic!("it is in a link") };
    assert_eq!((address.server.clone(), path.as_str(), is_link), (server.url(), "/lake/x", false));
    assert!(matches!(store.holder("/a/data"), Ok(Holder::Link { path, is_link: true, .. }) if path == "/lake"));
    assert_eq!((store.holder("/a").unwrap(), store.holder("/none").unwrap()), (Holder::Table, Holder::Store));
    assert_eq!(store.targets().len(), 1);
}
