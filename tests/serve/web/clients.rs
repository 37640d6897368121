//! Public clients of Oozie's web services, unchanged.

use std::process::Command;

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Sandbox, user_name};
use howdah_sandbox::web_server::Server;
use howdah_tier as tier;

/// The clients, as the index of Python packages has them.
const PACKAGES: [&str; 2] = ["pyoozie==0.0.9", "oozie-api==1.2.0"];

#[test]
fn public_clients_work_unchanged() {
    if !tier::full("it installs Python packages") {
        return;
    }
    let sandbox = Sandbox::new();
    let packages = sandbox.text("packages");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--target", &packages]).args(PACKAGES);
    let installed = pip.output().expect("python3 is installed");
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    workflow(&sandbox, "wf", "a", &[shell("a", "echo ran", "end")]);
    workflow(&sandbox, "app", "a", &[shell("a", "echo ran", "end")]);
    let (start, end) = ("2026-01-01T00:00Z", "2096-01-01T00:00Z");
    let coordinator = Coordinator { start, end, frequency: "${coord:months(1)}", ..Coordinator::default() };
    Coordinator { controls: "<throttle>1</throttle>", ..coordinator }.write(&sandbox);
    let server = Server::start(&sandbox, &["--allow-write", "--tick", "1s"]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/serve/web/clients.py");
    let address = server.url().replace("/oozie", "");
    let mut python = Command::new("python3");
    python.arg(script).args([&address, &user_name(), &sandbox.text("wf"), &sandbox.text("app")]);
    let ran = python.env("PYTHONPATH", &packages).output().expect("python3 is installed");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success() && ran.stdout == b"done\n", "{said}");
}
