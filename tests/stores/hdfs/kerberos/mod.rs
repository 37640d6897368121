//! HDFS by RPC with Kerberos, of a real KDC: jobs and reruns, tickets that are missing or expire in the middle, a KDC
//! that gives no answer, other users, and servers that are not the ones of the site files.

mod kdc;
mod secure;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use self::secure::{LONG_LIFE, Secure, write_client_site};
use howdah_sandbox::application::{Coordinator, action, hourly_input, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox, wait_for};
use howdah_sandbox::second_user::{SecondUser, set_mode};
use howdah_sandbox::store_application::{Application, NOW};
use howdah_sandbox::store_proxy::SHORT_LIMIT;

/// The answer "cannot tell".
const UNKNOWN: Option<i32> = Some(75);
/// The longest a command may take whose limit for an answer is two seconds: it asks a few times.
const SOON: Duration = Duration::from_secs(25);

fn cat(sandbox: &Sandbox, secure: &Secure, path: &str) -> Ran {
    sandbox.howdah(["fs", "cat", &format!("{}{path}", secure.name())]).at(NOW).run()
}

/// Whether a path is there: its status tells "absent" and "cannot tell" apart.
fn test(sandbox: &Sandbox, secure: &Secure, path: &str) -> Ran {
    sandbox.howdah(["fs", "test", &format!("{}{path}", secure.name())]).at(NOW).run()
}

/// Writes a file with Hadoop's own client, for all users.
fn write(secure: &Secure, path: &str, content: &str) {
    let file = tempfile::NamedTempFile::new().expect("the system has room for a file");
    std::fs::write(file.path(), content).expect("a file");
    let folder = Path::new(path).parent().expect("a path below the root").display().to_string();
    secure.shell(&["-mkdir", "-p", &folder]);
    secure.shell(&["-put", &file.path().display().to_string(), path]);
    secure.shell(&["-chmod", "-R", "777", &folder]);
}

fn remove(cache: &Path) {
    std::fs::remove_file(cache).expect("it was there");
}

/// Jobs and reruns with tickets; without any, in the middle, nothing moves.
#[test]
fn jobs_and_reruns_go_on_when_there_are_tickets_again() {
    let Some(secure) = Secure::shared() else { return };
    let store = secure.name();
    let application = Application::write(&*secure, &store);
    let cache = application.sandbox.path("tickets");
    let job = application.submit(&store);
    remove(&cache);
    for _ in 0..2 {
        application.run(&["tick"]);
    }
    let waiting = "1 WAITING, 2 WAITING, 3 WAITING, 4 WAITING, 5 WAITING, 6 WAITING";
    assert_eq!(application.sandbox.database().actions(), waiting, "nothing moves");
    let explained = application.sandbox.howdah(["explain", &format!("{job}@1")]).at(NOW).run();
    assert!(explained.stdout.contains("kinit gets new ones"), "{explained:?}");
    secure.kdc.kinit("ann", &cache, LONG_LIFE);
    application.finish(&job);
    remove(&cache);
    let before = application.sandbox.database().actions();
    let ran = application.run(&["rerun", &job, "--action", "1-6", "--yes"]);
    assert!(ran.status != Some(0) && application.sandbox.database().actions() == before, "{ran:?}");
    secure.kdc.kinit("ann", &cache, LONG_LIFE);
    application.rerun(&job);
    application.finish(&job);
    application.check();
    let owners = secure.listed("/faults/out");
    let made = owners.get("05/done/data").unwrap_or_else(|| panic!("{owners:?}"));
    assert!(made.contains(" ann "), "{made}");
}

/// A ticket that expires while an action of a daemon works: the next one is seen without a restart.
#[test]
fn a_ticket_that_expires_stops_nothing_for_good() {
    let Some(secure) = Secure::shared() else { return };
    let (sandbox, store) = (Sandbox::new(), secure.name());
    let cache = sandbox.path("tickets");
    secure.allow_with_cache(&sandbox, &cache, &[]);
    write(&secure, "/expires/in", "content");
    secure.kdc.kinit("ann", &cache, 5);
    assert_eq!(cat(&sandbox, &secure, "/expires/in").stdout, "content");
    std::thread::sleep(Duration::from_secs(6));
    let ran = test(&sandbox, &secure, "/expires/in");
    assert!(ran.status == UNKNOWN && ran.stderr.contains("expired"), "{ran:?}");
    assert!(ran.stderr.contains(&format!("looked for in [{}]", cache.display())), "{ran:?}");
    let body = format!("<fs><name-node>{store}</name-node><mkdir path='/expires/made'/></fs>");
    workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    let status = || sandbox.database().rows("SELECT status FROM workflow_node WHERE name = 'work'").concat();
    wait_for("the action's start", || (status() == "RUNNING").then_some(()));
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(status(), "RUNNING", "it waits");
    let problem = sandbox.howdah(["explain", &job]).at(NOW).run();
    assert!(problem.stdout.contains("expired"), "{problem:?}");
    // The process that waits has lived since before this.
    secure.kdc.kinit("ann", &cache, LONG_LIFE);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert!(secure.listed("/expires").contains_key("made/"));
}

/// The library waits for the KDC as long as it wants; howdah does not.
#[test]
fn a_kdc_that_gives_no_answer_is_waited_for_within_the_limit() {
    let Some(mut secure) = Secure::start() else { return };
    let sandbox = Sandbox::new();
    let cache = sandbox.path("tickets");
    secure.kdc.kinit("ann", &cache, LONG_LIFE);
    secure.allow_with_cache(&sandbox, &cache, &[SHORT_LIMIT]);
    write(&secure, "/kdc/in", "content");
    let check = |secure: &Secure, why: &str| {
        // A ticket for the name node in the cache would need no KDC.
        let watch = Instant::now();
        let ran = test(&sandbox, secure, "/kdc/in");
        println!("{why}: {:?}: {}", watch.elapsed(), ran.stderr);
        assert!(ran.status == UNKNOWN && ran.stderr.contains("KDC"), "{why}: {ran:?}");
        assert!(watch.elapsed() < SOON, "{why}: {:?}", watch.elapsed());
    };
    secure.kdc.pause();
    check(&secure, "paused");
    secure.kdc.resume();
    secure.kdc.stop();
    check(&secure, "stopped");
    secure.kdc.start_again();
    secure.allow_with_cache(&sandbox, &cache, &[]);
    assert_eq!(cat(&sandbox, &secure, "/kdc/in").stdout, "content");
    // Now the ticket for the name node is in the cache.
    secure.kdc.stop();
    assert_eq!(cat(&sandbox, &secure, "/kdc/in").stdout, "content");
}

#[test]
fn the_principals_and_the_realm_have_to_be_right() {
    let Some(secure) = Secure::shared() else { return };
    write(&secure, "/right/in", "content");
    let folder = tempfile::tempdir().expect("the system has room for a folder");
    let tickets = folder.path().join("tickets");
    secure.kdc.kinit("ann", &tickets, LONG_LIFE);
    for (principal, expect) in [
        ("nn/localhost@HOWDAH.TEST", None),
        ("hdfs/_HOST@HOWDAH.TEST", Some("the server is [nn/localhost], not the [hdfs/_HOST@HOWDAH.TEST]")),
        ("nn/other@HOWDAH.TEST", Some("the server is [nn/localhost], not the [nn/other@HOWDAH.TEST]")),
    ] {
        let sandbox = Sandbox::new();
        secure.allow_with_cache(&sandbox, &tickets, &[]);
        write_client_site(&sandbox, principal);
        let ran = test(&sandbox, &secure, "/right/in");
        assert_eq!(ran.status == Some(0), expect.is_none(), "{ran:?}");
        assert!(expect.is_none_or(|expect| ran.stderr.contains(expect) && ran.status != UNKNOWN), "{ran:?}");
    }
    // No cache, one that is no cache, and a variable with which the client would ask as another user.
    let not_one = folder.path().join("none");
    std::fs::write(&not_one, "no tickets").expect("a file");
    for (cache, variable, expect) in [
        (folder.path().join("missing"), None, "kinit gets new ones"),
        (not_one, None, "kinit gets new ones"),
        (tickets, Some("HADOOP_PROXY_USER"), "HADOOP_PROXY_USER is set: unset it"),
    ] {
        let sandbox = Sandbox::new();
        secure.allow_with_cache(&sandbox, &cache, &[]);
        if let Some(name) = variable {
            sandbox.set(name, "hdfs");
        }
        let ran = test(&sandbox, &secure, "/right/in");
        assert!(ran.status != Some(0) && ran.stderr.contains(expect), "{ran:?}");
        assert_eq!(ran.status == UNKNOWN, variable.is_none(), "{ran:?}");
    }
}

/// Settings that howdah does not read: it leaves a missing cache to the library, of which some versions crash then.
#[test]
fn a_library_that_finds_no_tickets_ends_no_process() {
    let Some(secure) = Secure::shared() else { return };
    let sandbox = Sandbox::new();
    secure.allow_with_cache(&sandbox, &sandbox.path("missing"), &[]);
    let settings = std::fs::read_to_string(secure.kdc.settings()).expect("they were written");
    let settings = sandbox.write("krb5.conf", &settings.replace("rdns =", "rdns* ="));
    sandbox.set("KRB5_CONFIG", &settings.display().to_string());
    for _ in 0..4 {
        let ran = test(&sandbox, &secure, "/none");
        println!("{}", ran.stderr);
        assert!(ran.status == UNKNOWN && ran.stderr.contains("kinit gets new ones"), "{ran:?}");
        assert!(!ran.stderr.contains("cannot be used"), "the library was asked: {ran:?}");
    }
}

/// The cache of a user in `/tmp`, removed at the end.
struct OwnCache(PathBuf);

impl OwnCache {
    fn of(user: &SecondUser) -> Self {
        Self(PathBuf::from(format!("/tmp/krb5cc_{}", user.uid)))
    }
}

impl Drop for OwnCache {
    fn drop(&mut self) {
        // A test that failed may not have created it.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Root has tickets, and works for a user who has none: nothing is asked. With the user's own tickets the action
/// continues as their principal.
#[test]
fn a_user_is_asked_for_with_own_tickets() {
    let Some(secure) = Secure::shared() else { return };
    let Some(user) = SecondUser::new("krb") else { return };
    let (own, sandbox) = (OwnCache::of(&user), Sandbox::new());
    set_mode(sandbox.path(""), 0o755);
    secure.kdc.kinit("howdah", &sandbox.path("tickets"), LONG_LIFE);
    secure.allow_with_cache(&sandbox, &sandbox.path("tickets"), &[]);
    write(&secure, "/users/in", "content");
    let body = format!("<fs><name-node>{}</name-node><mkdir path='/users/made'/></fs>", secure.name());
    workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    check_without_tickets(&sandbox, &job, &user, &own);
    secure.kdc.kinit("ann", &own.0, LONG_LIFE);
    std::os::unix::fs::chown(&own.0, Some(user.uid), Some(user.uid)).expect("root may give files away");
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    let listed = secure.listed("/users");
    assert!(listed["made/"].contains(" ann "), "{listed:?}");
}

/// Root's tick asks for the inputs of a user, with the user's tickets: those of root could not see them. A library that
/// kills the process which tries the login ends no tick.
#[test]
fn inputs_of_a_user_are_asked_for_with_own_tickets() {
    let Some(secure) = Secure::shared() else { return };
    let Some(user) = SecondUser::new("krbinput") else { return };
    let (own, sandbox, store) = (OwnCache::of(&user), Sandbox::new(), secure.name());
    set_mode(sandbox.path(""), 0o755);
    secure.kdc.kinit("howdah", &sandbox.path("tickets"), LONG_LIFE);
    secure.allow_with_cache(&sandbox, &sandbox.path("tickets"), &[]);
    write(&secure, "/inputs/00/_SUCCESS", "");
    secure.shell(&["-chown", "-R", "ann", "/inputs"]);
    secure.shell(&["-chmod", "-R", "700", "/inputs"]);
    let body = format!("<fs><name-node>{store}</name-node><mkdir path='/inputs/made'/></fs>");
    workflow(&sandbox, "app", "work", &[action("work", &body, "end", "")]);
    let data = hourly_input(&format!("{store}/inputs/${{HOUR}}"), "");
    Coordinator { data, ..Coordinator::default() }.write(&sandbox);
    sandbox.submit(NOW, &[("user.name", &user.name)]);
    // A store that has no answer is left alone for minutes.
    let tick = |now: &str, fault: &str, expect: &str, actions: &str| {
        let ran = sandbox.howdah(["tick"]).at(now).env("HOWDAH_FAULT", fault).run();
        sandbox.await_quiet();
        assert!(ran.stderr.contains(expect) && sandbox.database().actions() == actions, "{ran:?}");
    };
    tick(NOW, "", "cannot be used: No such file", "1 WAITING, 2 WAITING");
    secure.kdc.kinit("ann", &own.0, LONG_LIFE);
    std::os::unix::fs::chown(&own.0, Some(user.uid), Some(user.uid)).expect("root may give files away");
    tick("2010-01-01T06:30Z", "login", "ended with signal: 9", "1 WAITING, 2 WAITING");
    tick("2010-01-01T07:00Z", "", "", "1 SUCCEEDED, 2 WAITING");
    assert!(secure.listed("/inputs")["made/"].contains(" ann "));
}

/// The action of a user without tickets waits, also when another user has put a cache there.
fn check_without_tickets(sandbox: &Sandbox, job: &str, user: &SecondUser, own: &OwnCache) {
    let explained = |expect: &str| {
        wait_for(expect, || {
            let explained = sandbox.howdah(["explain", job]).at(NOW).run();
            explained.stdout.contains(expect).then_some(explained.stdout)
        })
    };
    let text = explained("cannot be used: No such file");
    assert!(text.contains(&format!("The tickets of {} are looked for in [{}]", user.name, own.0.display())), "{text}");
    std::fs::copy(sandbox.path("tickets"), &own.0).expect("a file of root");
    set_mode(&own.0, 0o644);
    explained("cannot be used: it is another user's");
    assert_eq!(sandbox.database().job(job), "RUNNING");
}
