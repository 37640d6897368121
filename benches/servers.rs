//! What inputs on a server cost: a tick with 100,000 WAITING actions, whose inputs are missing in 5,000 folders of HDFS,
//! beside a bare client that lists the same folders with as many requests at once. Prints the ratio beside its bound;
//! run with `HOWDAH_BENCH_WEBHDFS=http://127.0.0.1:9870 cargo bench --bench servers`, where a name node answers WebHDFS
//! at that address and this account may create folders in its root.
#![allow(clippy::disallowed_methods, reason = "a benchmark meets the machine itself")]

#[allow(dead_code, reason = "other benchmarks use more of it")]
mod measure;
#[path = "measure/waiting.rs"]
mod waiting;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, thread};

use measure::{Pairs, head, run, timed};
use nix::unistd::{Uid, User};
use ureq::Agent;
use waiting::{NOW, database, insert_waiting};

const ACTIONS: usize = 100_000;
const FOLDERS: usize = 5_000;
/// Requests at once: what `howdah.store.requests` is when a site does not set it.
const AT_ONCE: usize = 16;
const PAIRS: usize = 7;
/// The name of the variable with the address of the server.
const ADDRESS: &str = "HOWDAH_BENCH_WEBHDFS";

fn main() {
    let Some(address) = env::var(ADDRESS).ok().filter(|address| address.starts_with("http://")) else {
        println!("inputs on a server: not measured, {ADDRESS} names no server such as http://127.0.0.1:9870");
        return;
    };
    let server = Server::new(address.trim_end_matches('/'));
    let names: Vec<String> = (0..FOLDERS).map(|number| format!("{}/{number:04}", server.folder)).collect();
    server.ask_for_all(&names, "PUT", "MKDIRS", r#"{"boolean":true}"#);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = database(folder.path(), "servers");
    let paths: Vec<String> = (0..ACTIONS).map(|n| format!("hdfs://bench{}/{n}", names[n % FOLDERS])).collect();
    insert_waiting(&database, &paths);
    head();
    let listings = || timed(|| server.ask_for_all(&names, "GET", "LISTSTATUS", r#"{"FileStatuses":{"FileStatus":["#));
    let pairs = Pairs::measure(PAIRS, || server.tick(&database), listings);
    pairs.report("tick, 100,000 actions blocked below 5,000 folders of HDFS / 5,000 listings", 2.0);
}

/// A server that answers WebHDFS, and a folder in it, which is deleted at the end.
struct Server {
    address: String,
    user: String,
    folder: String,
    agent: Agent,
}

impl Server {
    fn new(address: &str) -> Self {
        let user =
            User::from_uid(Uid::effective()).expect("the accounts can be read").expect("this account has a name");
        let config = Agent::config_builder()
            .max_idle_connections(AT_ONCE)
            .max_idle_connections_per_host(AT_ONCE)
            .proxy(None)
            .build();
        let folder = format!("/howdah-bench-{}", std::process::id());
        Self { address: address.to_owned(), user: user.name, folder, agent: config.into() }
    }

    /// Sends a request and returns the answer.
    fn ask(&self, method: &str, path: &str, operation: &str) -> Result<String, ureq::Error> {
        let url = format!("{}/webhdfs/v1{path}?op={operation}&user.name={}", self.address, self.user);
        let mut answer = match method {
            "GET" => self.agent.get(&url).call(),
            "PUT" => self.agent.put(&url).send_empty(),
            _ => self.agent.delete(&url).call(),
        }?;
        answer.body_mut().read_to_string()
    }

    /// Sends a request for each path, several at once; each answer must have this start.
    fn ask_for_all(&self, paths: &[String], method: &str, operation: &str, start: &str) {
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                let answer = self.ask(method, path, operation).expect("the server answers");
                assert!(answer.starts_with(start), "{operation} of {path}: {answer}");
            }
        };
        thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(work);
            }
        });
    }

    /// A tick, which must get an answer for each path.
    fn tick(&self, database: &Path) -> Duration {
        let mount = format!("hdfs://bench=webhdfs://{}", self.address.trim_start_matches("http://"));
        let mut tick = measure::howdah();
        run(tick.args(["--now", NOW, "--db"]).arg(database).args(["tick", "--mount", &mount]), &[0])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.ask("DELETE", &self.folder, "DELETE&recursive=true") {
            println!("{} is left on the server: {error}", self.folder);
        }
    }
}
