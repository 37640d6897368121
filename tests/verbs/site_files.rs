//! Hadoop's site files: which folder counts, the default file system, and a mount table that asks no server.

use howdah_sandbox::sandbox::{Howdah, Sandbox};

const NOW: &str = "2010-01-01T00:00Z";

/// A sandbox with site files in `hadoop/`: a mount table over a server that does not exist, and a default file system.
fn sandbox(default: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let site = [
        property("fs.defaultFS", default),
        property("fs.viewfs.mounttable.c.link./data/in", "webhdfs://127.0.0.1:1/lake"),
        property("fs.viewfs.mounttable.c.link./apps", "webhdfs://127.0.0.1:1/apps"),
    ];
    sandbox.write("hadoop/core-site.xml", &format!("<configuration>{}</configuration>", site.concat()));
    sandbox.write("store/file", "content");
    sandbox
}

fn with_folder<'a>(sandbox: &Sandbox, arguments: impl IntoIterator<Item = &'a str>) -> Howdah {
    sandbox.howdah(arguments).env("HADOOP_CONF_DIR", sandbox.path("hadoop")).at(NOW)
}

#[test]
fn the_environment_names_the_folder_unless_the_site_does() {
    let sandbox = sandbox("hdfs://nn:8020");
    let show = |howdah: Howdah| howdah.succeed().stdout.replace(&sandbox.text(""), "");
    let shown = show(with_folder(&sandbox, ["config", "hadoop-folder"]));
    assert!(shown.contains("environment (HADOOP_CONF_DIR)") && shown.contains("hadoop"), "{shown}");
    let other = sandbox.howdah(["config", "hadoop-folder"]).env("HADOOP_CONF_DIR", sandbox.path("store"));
    assert!(show(other).contains("default"), "a folder without site files counts as none");
    sandbox.write(
        "home/.config/howdah/site.xml",
        "<configuration><property><name>howdah.store.hadoop-folder</name>\
         <value>/etc/named</value></property></configuration>",
    );
    let shown = show(with_folder(&sandbox, ["config", "hadoop-folder"]));
    assert!(shown.contains("site file") && shown.contains("/etc/named"), "{shown}");
}

#[test]
fn a_uri_without_an_authority_is_in_the_default_file_system() {
    let sandbox = sandbox("hdfs://nn:8020");
    let mount = format!("hdfs://nn:8020={}", sandbox.text("store"));
    let cat = |uri: &str| with_folder(&sandbox, ["fs", "cat", uri, "--mount", &mount]).run();
    for uri in ["hdfs:///file", "hdfs:/file", "hdfs://nn:8020/file"] {
        assert_eq!(cat(uri).stdout, "content", "{uri}");
    }
    let ran = cat("viewfs:///file");
    assert!(ran.status != Some(0) && ran.stderr.contains("--mount viewfs://=/some/folder"), "{ran:?}");
    let without = sandbox.howdah(["fs", "cat", "hdfs:///file", "--mount", &mount]).at(NOW).run();
    assert!(without.status != Some(0) && without.stderr.contains("H0122"), "{without:?}");
    // A path without a scheme is one of this machine.
    let ran = with_folder(&sandbox, ["fs", "cat", &sandbox.text("store/file")]).succeed();
    assert_eq!(ran.stdout, "content");
}

#[test]
fn the_folders_of_a_mount_table_are_listed_while_no_server_answers() {
    let sandbox = sandbox("viewfs://c");
    let run = |verb: &str, uri: &str| with_folder(&sandbox, ["fs", verb, uri, "--mount", "viewfs://c"]).run();
    for (verb, uri, expect) in [
        ("test", "viewfs://c/", 0),
        ("test", "viewfs:///data", 0),
        ("test", "viewfs://c/none", 1),
        ("test", "viewfs://c/data/in/x", 75),
        ("test", "viewfs://c/apps", 75),
    ] {
        assert_eq!(run(verb, uri).status, Some(expect), "{uri}");
    }
    let listed = run("ls", "viewfs:///").stdout;
    assert!(listed.contains("viewfs://c/apps") && listed.contains("viewfs://c/data"), "{listed}");
    assert_eq!(listed.lines().filter(|line| line.contains(" 555 ")).count(), 2, "{listed}");
    let listed = run("ls", "viewfs://c/data").stdout;
    assert!(listed.contains("viewfs://c/data/in"), "{listed}");
    let other = with_folder(&sandbox, ["fs", "ls", "viewfs://d/", "--mount", "viewfs://d"]).run();
    assert!(other.status != Some(0) && other.stderr.contains("the mount table [d] of the site files"), "{other:?}");
    let without = sandbox.howdah(["fs", "ls", "viewfs://c/", "--mount", "viewfs://c"]).at(NOW).run();
    assert!(without.stderr.contains("set howdah.store.hadoop-folder or HADOOP_CONF_DIR"), "{without:?}");
}
