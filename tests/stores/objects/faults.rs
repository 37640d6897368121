//! A bucket that cannot be asked: no status moves, although the action would time out at once, and all goes on by itself.

use rustix::process::Signal;

use super::{Objects, SECRET, STORE, check_secrecy};
use howdah_sandbox::application::{Coordinator, action, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};
use howdah_sandbox::store_application::{Application, LONG, SEED, SHORT, enough_faults};
use howdah_sandbox::store_proxy::{Fault, SHORT_LIMIT, StoreProxy};

const END: &str = "2010-01-01T01:00Z";

/// Submits a coordinator with one action, whose input is a folder of a store; it would end it if it were believed absent.
fn submit(sandbox: &Sandbox, store: &str) -> String {
    let dataset = format!(
        "<dataset name='in' frequency='60' initial-instance='2010-01-01T00:00Z' timezone='UTC'>\
         <uri-template>{store}/in/${{HOUR}}</uri-template></dataset>"
    );
    let event = "<data-in name='in' dataset='in'><instance>${coord:current(0)}</instance></data-in>";
    let data = format!("<datasets>{dataset}</datasets><input-events>{event}</input-events>");
    Coordinator { end: END, controls: "<timeout>0</timeout>", data, ..Coordinator::default() }.write(sandbox);
    let body = format!("<fs><name-node>{STORE}</name-node><touchz path='/done'/></fs>");
    workflow(sandbox, "app", "work", &[action("work", &body, "end", "")]);
    sandbox.submit("2010-01-01T00:00Z", &[])
}

#[test]
fn a_bucket_that_cannot_be_asked_moves_no_status() {
    let Some(mut objects) = Objects::start() else { return };
    let sandbox = Sandbox::new();
    objects.write("in/00/_SUCCESS", "");
    objects.allow_with(&sandbox, STORE, SECRET, &[SHORT_LIMIT]);
    let job = submit(&sandbox, STORE);
    let mut day = 1;
    let mut tick = |expect: &str| -> Ran {
        day += 1;
        let ran = sandbox.howdah(["tick"]).at(&format!("2010-01-{day:02}T00:00Z")).run();
        let states = sandbox.database().rows("SELECT DISTINCT status FROM coordinator_action");
        assert_eq!(states, ["WAITING"], "{expect}: {ran:?}");
        assert!(format!("{ran:?}").contains(expect), "{expect}: {ran:?}");
        ran
    };
    objects.send(Signal::STOP);
    tick("no answer in time");
    objects.send(Signal::CONT);
    objects.stop();
    tick("cannot be reached");
    objects.start_again();
    objects.allow(&sandbox, STORE, "another secret");
    tick("SignatureDoesNotMatch");
    objects.allow(&sandbox, &format!("{STORE}=s3a://missing"), SECRET);
    tick("there is no such bucket");
    objects.allow(&sandbox, STORE, SECRET);
    sandbox.howdah(["tick"]).at("2010-02-01T00:00Z").run();
    sandbox.await_quiet();
    sandbox.tick_through("2010-02-02T00:00Z");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{}", sandbox.database().actions());
    assert!(objects.objects("").contains_key("done"));
    check_secrecy(&sandbox);
}

#[test]
fn many_faults_move_no_status_and_delete_nothing_else() {
    let Some(mut objects) = Objects::start() else { return };
    let proxy = StoreProxy::start(&[objects.port]);
    objects.endpoint = proxy.port;
    let application = Application::write(&objects, STORE);
    let faults = [&Fault::all(SHORT)[..], &[Fault::Waits(LONG)]].concat();
    let job = application.submit(STORE);
    // What takes one request in HDFS takes ten in a bucket: with more faults hardly one would be done.
    proxy.break_some(SEED, 100, faults);
    let enough = enough_faults();
    let reruns = application.finish_and_rerun_while(&job, || proxy.faults() < enough);
    println!("{} faults in {} requests, {reruns} reruns", proxy.faults(), proxy.requests().len());
    application.check();
    check_secrecy(&application.sandbox);
}

/// The store loses the request that keeps the folder: what is deleted or moved away is not believed done before it.
#[test]
fn a_folder_stays_although_its_last_file_goes() {
    let Some(mut objects) = Objects::start() else { return };
    let proxy = StoreProxy::start(&[objects.port]);
    objects.endpoint = proxy.port;
    for (number, command) in
        ["<delete path='/keep/N/file'/>", "<move source='/keep/N/file' target='/kept/N'/>"].into_iter().enumerate()
    {
        let sandbox = Sandbox::new();
        objects.allow(&sandbox, STORE, SECRET);
        objects.write(&format!("keep/{number}/file"), "content");
        objects.write("kept/other", "");
        let body = format!("<fs><name-node>{STORE}</name-node>{}</fs>", command.replace("/N", &format!("/{number}")));
        workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
        let marker = format!("/bucket/keep/{number}/");
        let (lost, mut is_lost) = (marker.clone(), false);
        proxy.plan(move |_, request| {
            let is_marker = request.method == "PUT" && request.path == lost;
            (is_marker && !std::mem::replace(&mut is_lost, true)).then_some(Fault::Closes)
        });
        let job = sandbox.submit("2010-01-01T00:00Z", &[]);
        sandbox.await_quiet();
        assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{command}");
        assert!(!objects.path(&format!("keep/{number}/file")).exists(), "{command}");
        let is_kept = |request: &howdah_sandbox::store_proxy::Recorded| request.is_sent_on && request.path == marker;
        assert!(proxy.requests().iter().any(is_kept), "{command}: the folder above is not kept");
    }
    assert_eq!(proxy.faults(), 2, "each marker was lost once");
}
