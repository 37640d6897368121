//! A real pair of name nodes, one active and one standby: howdah finds the active one, believes no other, and does what
//! it has to do while the roles change.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use super::{DATA_NODE, Hdfs, NAME_NODE, Way, allow_with, below, class_path, java, libraries, local, write_settings};
use crate::vendors::Vendors;
use howdah_sandbox::engines::{Server, run};
use howdah_sandbox::ports::free_ports;
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::store_application::{Application, NOW};

/// The nameservice, and its name nodes.
const SERVICE: &str = "pair";
const FIRST: &str = "nn1";
const SECOND: &str = "nn2";
/// How Hadoop's own clients find the active one.
const PROVIDER: &str = "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider";
/// How long no name node is active at a change of the roles, and how long one is active then.
const NONE_ACTIVE: Duration = Duration::from_millis(500);
const ONE_ACTIVE: Duration = Duration::from_millis(1500);
/// How many commands must have met a change of the roles.
const MET: u32 = 3;

struct Pair {
    /// With the first name node, which is active when a test looks into the store.
    hdfs: Hdfs,
    second: Option<Server>,
}

impl Pair {
    /// Two name nodes with one log of changes, of which the first is active, and a data node of both.
    fn start() -> Option<Self> {
        let vendors = Vendors::installed()?;
        let libraries = libraries().unwrap_or_else(|why| panic!("HDFS: {why}"));
        let folder = tempfile::tempdir().expect("the system has room for a folder");
        let [rpc, web, second_rpc, second_web, data_web, data, ipc] = free_ports();
        let mut properties = vec![
            ("dfs.nameservices".to_owned(), SERVICE.to_owned()),
            (format!("dfs.ha.namenodes.{SERVICE}"), format!("{FIRST},{SECOND}")),
            ("dfs.namenode.shared.edits.dir".to_owned(), below(folder.path(), "shared")),
            (format!("dfs.client.failover.proxy.provider.{SERVICE}"), PROVIDER.to_owned()),
        ];
        for (id, rpc, web) in [(FIRST, rpc, web), (SECOND, second_rpc, second_web)] {
            properties.extend([
                (format!("dfs.namenode.rpc-address.{SERVICE}.{id}"), local(rpc)),
                (format!("dfs.namenode.http-address.{SERVICE}.{id}"), local(web)),
                (format!("dfs.namenode.name.dir.{SERVICE}.{id}"), below(folder.path(), id)),
            ]);
        }
        write_settings(folder.path(), SERVICE, [data_web, data], &properties);
        let class_path = class_path(folder.path(), libraries);
        let name_node = |id: &str| {
            let mut command = java(folder.path(), &class_path, NAME_NODE);
            command.arg(format!("-Ddfs.ha.namenode.id={id}"));
            command
        };
        let log = |name: &str| folder.path().join(format!("{name}.log"));
        run(name_node(FIRST).args(["-format", "-nonInteractive"])).expect("an empty folder is formatted");
        let first = Server::start_on(rpc, &log(FIRST), name_node(FIRST));
        run(name_node(SECOND).args(["-bootstrapStandby", "-nonInteractive"])).expect("the first one is copied");
        let second = Server::start_on(second_rpc, &log(SECOND), name_node(SECOND));
        let mut command = java(folder.path(), &class_path, DATA_NODE);
        command.arg(format!("-Ddfs.datanode.ipc.address={}", local(ipc)));
        let data_node = Server::start_on(ipc, &log("data-node"), command);
        let hdfs =
            Hdfs { folder, class_path, vendors, rpc, web, data_web, name_node: Some(first), _data_node: data_node };
        let pair = Self { hdfs, second: Some(second) };
        pair.make_active(FIRST);
        pair.hdfs.await_servers();
        Some(pair)
    }

    fn make_active(&self, id: &str) {
        // The other one may be dead: Hadoop's tool asks it first otherwise.
        self.administer(&["-transitionToActive", "--forceactive", id]);
    }

    fn make_standby(&self, id: &str) {
        self.administer(&["-transitionToStandby", id]);
    }

    fn administer(&self, arguments: &[&str]) {
        let mut tool = java(self.hdfs.folder.path(), &self.hdfs.class_path, "tools.DFSHAAdmin");
        run(tool.args(["-ns", SERVICE]).args(arguments)).unwrap_or_else(|why| panic!("{arguments:?}: {why}"));
    }

    /// Changes the roles until the other end of the channel is dropped; the first name node is active at the end. In
    /// between no name node is active. Returns how often the roles changed.
    fn change_roles(&self, enough: &Receiver<()>) -> usize {
        let mut changes = 0;
        while enough.recv_timeout(ONE_ACTIVE) == Err(RecvTimeoutError::Timeout) {
            for (from, to) in [(FIRST, SECOND), (SECOND, FIRST)] {
                self.make_standby(from);
                std::thread::sleep(NONE_ACTIVE);
                self.make_active(to);
                std::thread::sleep(ONE_ACTIVE);
                changes += 1;
            }
        }
        changes
    }

    /// The folder of the site files.
    fn site_files(&self) -> String {
        self.hdfs.folder.path().join("conf").display().to_string()
    }
}

/// The name of the nameservice's store.
fn store(way: Way) -> String {
    match way {
        Way::Http => format!("webhdfs://{SERVICE}"),
        #[cfg(feature = "hdfs")]
        Way::Rpc => format!("hdfs://{SERVICE}"),
    }
}

#[test]
fn jobs_and_reruns_go_on_while_the_roles_change() {
    for way in Way::ALL {
        let Some(pair) = &Pair::start() else { return };
        let store = store(*way);
        let settings = [("howdah.store.hadoop-folder", pair.site_files())];
        let settings = settings.each_ref().map(|(name, value)| (*name, value.as_str()));
        let application = Application::write_with(&pair.hdfs, &store, &settings);
        let job = application.submit(&store);
        let (enough, told) = mpsc::channel();
        std::thread::scope(|scope| {
            let changes = scope.spawn(move || pair.change_roles(&told));
            application.finish(&job);
            let mut reruns = 0;
            while reruns == 0 || application.unknown() < MET {
                application.rerun(&job);
                application.finish(&job);
                reruns += 1;
            }
            drop(enough);
            let changes = changes.join().expect("the roles can be changed");
            println!("{way:?}: {changes} changes of the roles, {reruns} reruns, {} unknown", application.unknown());
        });
        application.check();
    }
}

#[test]
fn only_an_active_name_node_is_believed() {
    let Some(mut pair) = Pair::start() else { return };
    pair.hdfs.write("/kept/file", "content");
    let check = |pair: &Pair, expect: [i32; 2]| {
        for way in Way::ALL {
            let (sandbox, store) = (Sandbox::new(), store(*way));
            allow_with(&sandbox, &store, &[("howdah.store.hadoop-folder", &pair.site_files())]);
            for (path, expect) in ["/kept/file", "/kept/none"].into_iter().zip(expect) {
                let ran = sandbox.howdah(["fs", "test", &format!("{store}{path}")]).at(NOW).run();
                assert_eq!(ran.status, Some(expect), "{way:?} {path}: {ran:?}");
                assert!(expect != 75 || ran.stderr.contains("StandbyException"), "{ran:?}");
            }
        }
    };
    let (known, unknown) = ([0, 1], [75, 75]);
    check(&pair, known);
    pair.make_standby(FIRST);
    check(&pair, unknown);
    pair.make_active(SECOND);
    check(&pair, known);
    // A kill, without a last word.
    pair.second = None;
    check(&pair, unknown);
    pair.make_active(FIRST);
    check(&pair, known);
}
