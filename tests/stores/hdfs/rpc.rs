//! HDFS by the name node's own protocol: calls that break, answers that are lost, name nodes of which one is dead, and
//! the pipeline.

use std::collections::BTreeMap;

use super::rpc_proxy::{Call, RpcProxy};
use super::{Hdfs, allow, allow_with, site};
use howdah_sandbox::application::{action, workflow};
use howdah_sandbox::ports::free_port;
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::store_application::{Application, HOURS, LONG, NOW, SEED, SHORT, enough_faults};
use howdah_sandbox::store_proxy::Fault;

fn store_behind(proxy: &RpcProxy) -> String {
    format!("hdfs://127.0.0.1:{}", proxy.port)
}

#[test]
fn many_broken_calls_move_no_status_and_delete_nothing_twice() {
    let Some(hdfs) = Hdfs::start() else { return };
    let proxy = RpcProxy::start(hdfs.rpc);
    let store = store_behind(&proxy);
    let application = Application::write(&hdfs, &store);
    let faults = vec![Fault::Closes, Fault::HalfAnswer, Fault::LosesAnswer, Fault::Waits(SHORT), Fault::Waits(LONG)];
    let job = application.submit(&store);
    proxy.break_some(SEED, 250, faults);
    let enough = enough_faults();
    let reruns = application.finish_and_rerun_while(&job, || proxy.faults() < enough);
    println!("{} faults, {reruns} reruns", proxy.faults());
    application.check();
    // What the store has really deleted: each output once for each rerun, each scratch folder once.
    let mut deleted: BTreeMap<String, usize> = BTreeMap::new();
    for call in proxy.received("delete") {
        *deleted.entry(call.path.clone()).or_default() += usize::from(is_true(&call));
    }
    let path = |folder: &str, hour: &str| format!("/faults/{folder}/{hour}");
    let expect = HOURS.iter().flat_map(|hour| [(path("out", hour), reruns), (path("scratch", hour), 1)]);
    assert_eq!(deleted, expect.collect());
}

/// Whether the name node answered `true`: a message of one field.
fn is_true(call: &Call) -> bool {
    call.answer.as_deref() == Some(&[2, 8, 1])
}

/// The store does what it is asked for, and its answer is lost: the command is done, and not done again.
#[test]
fn a_call_whose_answer_is_lost_is_done_once() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let proxy = RpcProxy::start(hdfs.rpc);
    let store = store_behind(&proxy);
    for (number, (command, method, expect)) in [
        ("<mkdir path='/lost-call/N/made'/>", "mkdirs", &["from", "made"][..]),
        ("<touchz path='/lost-call/N/made'/>", "complete", &["from", "made"]),
        ("<delete path='/lost-call/N/from'/>", "delete", &[]),
        ("<chmod path='/lost-call/N/from' permissions='700'/>", "setPermission", &["from"]),
        ("<move source='/lost-call/N/from' target='/lost-call/N/to'/>", "rename2", &["to"]),
    ]
    .into_iter()
    .enumerate()
    {
        let sandbox = Sandbox::new();
        allow(&sandbox, &store);
        hdfs.write(&format!("/lost-call/{number}/from"), "content");
        let body = format!("<fs><name-node>{store}</name-node>{}</fs>", command.replace("/N/", &format!("/{number}/")));
        workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
        let mut is_lost = false;
        proxy.plan(move |call| {
            (call.method == method && !std::mem::replace(&mut is_lost, true)).then_some(Fault::LosesAnswer)
        });
        let job = sandbox.submit(NOW, &[]);
        sandbox.await_quiet();
        let node = sandbox.database().rows("SELECT status, error_message FROM workflow_node WHERE name = 'work'");
        assert_eq!((sandbox.database().job(&job).as_str(), node), ("SUCCEEDED", vec!["OK -".to_owned()]), "{command}");
        let tree = hdfs.tree(&format!("/lost-call/{number}"));
        assert_eq!(tree.into_keys().collect::<Vec<_>>(), expect, "{command}");
    }
    assert_eq!(proxy.faults(), 5, "each answer was lost once");
}

/// A sandbox with the site files of a nameservice.
fn with_nameservice(name_nodes: &[String], more: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    let ids: Vec<String> = (1..=name_nodes.len()).map(|number| format!("nn{number}")).collect();
    let mut properties = vec![
        ("dfs.nameservices".to_owned(), "cluster".to_owned()),
        ("dfs.ha.namenodes.cluster".to_owned(), ids.join(",")),
    ];
    for (id, place) in ids.iter().zip(name_nodes) {
        properties.push((format!("dfs.namenode.rpc-address.cluster.{id}"), place.clone()));
    }
    properties.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    sandbox
        .write("hadoop/hdfs-site.xml", &site(properties.iter().map(|(name, value)| (name.as_str(), value.as_str()))));
    let folder = sandbox.text("hadoop");
    allow_with(&sandbox, "hdfs://cluster", &[("howdah.store.hadoop-folder", folder.as_str())]);
    sandbox
}

#[test]
fn a_nameservice_works_while_one_of_its_name_nodes_does_not() {
    let Some(hdfs) = Hdfs::start() else { return };
    let Some(silent) = Hdfs::start() else { return };
    silent.pause();
    let place = |port: u16| format!("127.0.0.1:{port}");
    // One on which no process listens, and one that accepts connections and answers nothing.
    for dead in [free_port(), silent.rpc] {
        let sandbox = with_nameservice(&[place(dead), place(hdfs.rpc)], &[]);
        let path = format!("/cluster/{dead}");
        hdfs.write(&format!("{path}/in"), "content");
        let body = format!(
            "<fs><name-node>hdfs://cluster</name-node><mkdir path='{path}/made'/><delete path='{path}/in'/></fs>"
        );
        workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
        let cat = sandbox.howdah(["fs", "cat", &format!("hdfs://cluster{path}/in")]).at(NOW).succeed();
        assert_eq!(cat.stdout, "content");
        let job = sandbox.submit(NOW, &[]);
        sandbox.await_quiet();
        assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{dead}");
        assert_eq!(hdfs.tree(&path).into_keys().collect::<Vec<_>>(), ["made"], "{dead}");
    }
    silent.resume();
}

/// A name node that asks for no login, while the site files say that it does: its name would be believed by the client.
#[test]
fn a_server_without_kerberos_is_refused_and_asked_nothing() {
    let Some(hdfs) = Hdfs::shared() else { return };
    hdfs.write("/kerberos/in", "content");
    let proxy = RpcProxy::start(hdfs.rpc);
    let place = [format!("127.0.0.1:{}", proxy.port)];
    let sandbox = with_nameservice(&place, &[("hadoop.security.authentication", "kerberos")]);
    for arguments in [["fs", "cat", "hdfs://cluster/kerberos/in"], ["fs", "ls", "hdfs://cluster/kerberos"]] {
        let ran = sandbox.howdah(arguments).at(NOW).run();
        assert!(!matches!(ran.status, Some(0 | 75)) && ran.stdout.is_empty(), "{ran:?}");
        assert!(ran.stderr.contains("is kerberos, and the server takes clients without it"), "{ran:?}");
    }
    let received: Vec<Call> = proxy.calls();
    assert!(received.is_empty(), "{received:?}");
}

/// A content of several parts, read and written.
#[test]
fn large_contents_are_whole() {
    let Some(hdfs) = Hdfs::shared() else { return };
    let (sandbox, store) = (Sandbox::new(), hdfs.name());
    allow(&sandbox, &store);
    let lines: Vec<String> = (0..400_000).map(|number| format!("{number:07}\n")).collect();
    let lines = lines.concat();
    hdfs.write("/large/in/file", &lines);
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let body = format!(
        "<map-reduce><job-tracker>local</job-tracker><name-node>{store}</name-node>\
         <streaming><mapper>cat</mapper><reducer>NONE</reducer></streaming><configuration>{}{}</configuration>\
         </map-reduce>",
        property("mapred.input.dir", "/large/in"),
        property("mapred.output.dir", "/large/out"),
    );
    workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    let parts = hdfs.tree("/large/out").into_keys().filter(|name| name.starts_with("part-"));
    let written: String = parts.filter_map(|name| hdfs.read(&format!("/large/out/{name}"))).collect();
    assert!(written.replace('\t', "") == lines, "{} of {} bytes", written.len(), lines.len());
}
