#![expect(clippy::disallowed_methods, reason = "a test makes the files that it asks for")]

use std::fs;

use super::*;
use crate::run_as::Worker;
use howdah_host::located::DefaultStore;
use howdah_oozie::workflow::context::WorkflowContext;
use howdah_oozie::workflow::functions::evaluate;

/// What `expression` gives on a machine with some files; `FOLDER` stands for where they are.
fn check(site: &[(&str, &str)], expression: &str, expect: &str) {
    check_in("/app", site, expression, expect);
}

/// As [`check`], in a workflow of which the application is at `app_path`.
fn check_in(app_path: &str, site: &[(&str, &str)], expression: &str, expect: &str) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    for (path, content) in [
        ("home/own", "12345"),
        ("store/data/a", "1"),
        ("store/data/b", "22"),
        ("store/user/ann/hers", "4444"),
        ("store/data/below/c", "333"),
        (
            "cluster/core-site.xml",
            "<configuration><property><name>a</name><value>${b}/x</value></property></configuration>",
        ),
        (
            "cluster/yarn-site.xml",
            "<configuration><property><name>b</name><value>/tmp</value></property></configuration>",
        ),
        ("broken/core-site.xml", "<configuration>"),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let base = folder.path().display().to_string();
    let mounts = Mounts::parse([format!("hdfs://nn:8020={base}/store").as_str()]).unwrap();
    let site = site.iter().map(|(name, value)| ((*name).to_owned(), value.replace("FOLDER", &base))).collect();
    let settings = Settings { properties: site, ..Settings::default() };
    let environment = [("HADOOP_CONF_DIR".to_owned(), format!("{base}/cluster"))].into();
    let own = Base::with_home(DefaultStore::of(app_path), "ann", &home);
    let machine = ThisMachine {
        mounts: &mounts,
        settings: &settings,
        base: own,
        environment: &environment,
        reader: &Worker::Own,
    };
    let conf = Properties::new();
    let context = WorkflowContext { outside: Some(&machine), ..WorkflowContext::unknown(&conf) };
    let answer = evaluate(&expression.replace("FOLDER", &base), &context);
    let answer = answer.unwrap_or_else(|error| error.message).replace(&base, "FOLDER");
    assert_eq!(answer, expect, "{expression}");
}

#[test]
fn paths_are_looked_up_on_mounts_on_this_machine_and_in_the_home() {
    check(&[], "${fs:exists('hdfs://nn:8020/data/a')} ${fs:exists('hdfs://nn:8020/data/z')}", "true false");
    check(&[], "${fs:exists('FOLDER/store/data')} ${fs:exists('file://FOLDER/store')}", "true true");
    check(&[], "${fs:exists('own')} ${fs:fileSize('own')} ${fs:exists('none/x')}", "true 5 false");
    check(&[], "${fs:isDir('FOLDER/store')} ${fs:isDir('own')} ${fs:isDir('none')}", "true false false");
}

#[test]
fn paths_without_scheme_are_in_the_store_of_the_application() {
    let app = "hdfs://nn:8020/apps/wf";
    check_in(app, &[], "${fs:exists('/data/a')} ${fs:exists('FOLDER/store')} ${fs:fileSize('hers')}", "true false 4");
    check_in(app, &[], "${fs:exists('own')} ${fs:exists('file://FOLDER/home/own')}", "false true");
    let expect = "E0904: Scheme [s3a] not supported in uri [s3a://bucket/tmp]; say where its files are on this \
                  machine: --mount s3a://bucket=/some/folder, or that its bucket is asked: --mount s3a://bucket (feature \
                  object-store)";
    check_in("s3a://bucket/apps/wf", &[], "${fs:isDir('/tmp')}", expect);
}

#[test]
fn sizes_are_those_of_files_and_of_what_is_directly_in_a_directory() {
    let uri = "hdfs://nn:8020/data";
    check(&[], &format!("${{fs:fileSize('{uri}/b')}} ${{fs:fileSize('{uri}')}} ${{fs:fileSize('none')}}"), "2 0 -1");
    check(&[], &format!("${{fs:dirSize('{uri}')}} ${{fs:dirSize('{uri}/b')}} ${{fs:dirSize('none')}}"), "3 -1 -1");
    check(&[], &format!("${{fs:blockSize('{uri}/b') / MB}} ${{fs:blockSize('none')}}"), "128.0 -1");
    check(&[], &format!("${{fs:blockSize('{uri}')}}"), "-1");
}

#[test]
fn exists_takes_patterns_within_a_bound() {
    check(&[], "${fs:exists('hdfs://nn:8020/data/[ab]')} ${fs:exists('hdfs://nn:8020/data/x*')}", "true false");
    check(
        &[("oozie.action.fs.glob.max", "2")],
        "${fs:exists('hdfs://nn:8020/data/*')}",
        "FS013: too many globbed files/dirs to do FS operation: more than 2 match \
         [hdfs://nn:8020/data/*] (oozie.action.fs.glob.max)",
    );
}

#[test]
fn what_cannot_be_looked_at_is_no_file_that_is_missing() {
    check(
        &[],
        "${fs:exists('s3a://bucket/x')}",
        "E0904: Scheme [s3a] not supported in uri [s3a://bucket/x]; say where its files are on \
         this machine: --mount s3a://bucket=/some/folder, or that its bucket is asked: --mount s3a://bucket (feature \
                  object-store)",
    );
    check(&[], "${fs:isDir('')}", "[]: it is neither an absolute path nor a URI with an absolute path");
    check(
        &[],
        "${fs:exists('hdfs://nn:8020/../home')}",
        "[hdfs://nn:8020/../home]: it leaves its mount through \"..\"",
    );
}

#[test]
fn the_configuration_of_a_cluster_is_the_site_s_or_the_environment_s() {
    check(&[], "${hadoop:conf('nn:8020', 'a')} [${hadoop:conf('nn:8020', 'z')}]", "/tmp/x []");
    let site = [(CONFIGURATIONS, "other:1=FOLDER/nowhere, NN:8020=FOLDER/cluster, *=FOLDER/nowhere")];
    check(&site, "${hadoop:conf('nn:8020', 'b')} [${hadoop:conf('x:1', 'b')}]", "/tmp []");
    let site = [(CONFIGURATIONS, "*=FOLDER/broken")];
    check(
        &site,
        "${empty hadoop:conf('x', 'b') ? 1 : 2}",
        "FOLDER/broken/core-site.xml:1:2: E0700: XML error, `<configuration>` is never closed",
    );
}

#[test]
fn callbacks_go_where_the_site_says() {
    let (service, base) = ("oozie.service.CallbackService.base.url", "oozie.base.url");
    for (site, expect) in [
        (&[][..], "http://localhost:11000/oozie/callback"),
        (&[(base, "https://oozie/x")], "https://oozie/x/callback"),
        (&[(base, "https://oozie/x"), (service, " http://cb ")], "http://cb"),
    ] {
        let site = site.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(callback_address(&site), expect);
    }
}
