//! Requests that submit and change jobs.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Sandbox, user_name, wait_for};
use howdah_sandbox::web_server::{Reply, Server};

const NOW: &str = "2015-06-22T15:06Z";
const XML: (&str, &str) = ("Content-Type", "application/xml;charset=UTF-8");

/// A folder with a workflow in `app`, and a server that writes.
struct Shop {
    server: Server,
    sandbox: Sandbox,
}

impl Shop {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "app", "a", &[shell("a", "echo ran", "end")]);
        let command = sandbox.howdah(["serve", "--listen", "127.0.0.1:0", "--allow-write"]).at(NOW);
        Self { server: Server::of(&sandbox, command), sandbox }
    }

    /// Writes a coordinator of five actions beside the workflow.
    fn with_coordinator(self) -> Self {
        let (start, end) = ("2015-06-22T14:06Z", "2015-06-22T19:06Z");
        Coordinator { start, end, ..Coordinator::default() }.write(&self.sandbox);
        self
    }

    fn configuration(&self, kind: &str) -> String {
        let property =
            |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
        let path = property(&format!("oozie.{kind}.application.path"), &self.sandbox.text("app"));
        let sandbox = property("sandbox", &self.sandbox.text(""));
        format!("<configuration>{path}{sandbox}{}</configuration>", property("user.name", &user_name()))
    }

    fn post(&self, query: &str, body: &str) -> Reply {
        self.server.send("POST", &format!("/oozie/v1/jobs{query}"), &[XML], body)
    }

    fn submit(&self, kind: &str, query: &str) -> String {
        let reply = self.post(query, &self.configuration(kind)).json(201);
        reply["id"].as_str().expect("an id").to_owned()
    }

    fn put(&self, path: &str) -> Reply {
        self.server.send("PUT", &format!("/oozie/v2/{path}"), &[], "")
    }

    /// Puts, and expects success without a body.
    fn put_silently(&self, path: &str) {
        let reply = self.put(path);
        assert_eq!((reply.status, reply.body.as_str()), (200, ""), "{path}: {reply:?}");
    }

    fn info(&self, id: &str) -> Value {
        self.server.get(&format!("/oozie/v1/job/{id}?show=info")).json(200)
    }

    fn status(&self, id: &str) -> String {
        let found = self.server.get(&format!("/oozie/v1/job/{id}?show=status")).json(200);
        found["status"].as_str().expect("a status").to_owned()
    }

    fn await_status(&self, id: &str, status: &str) {
        wait_for(status, || (self.status(id) == status).then_some(()));
    }
}

#[test]
fn a_workflow_is_submitted_started_and_rerun() {
    let shop = Shop::new();
    let id = shop.submit("wf", "");
    assert_eq!(shop.status(&id), "PREP");
    shop.put_silently(&format!("job/{id}?action=start"));
    shop.await_status(&id, "SUCCEEDED");
    let body = shop.configuration("wf");
    let rerun = body.replace(
        "</configuration>",
        "<property><name>oozie.wf.rerun.failnodes</name><value>false</value></property></configuration>",
    );
    let reply = shop.server.send("PUT", &format!("/oozie/v1/job/{id}?action=rerun"), &[XML], &rerun);
    assert_eq!((reply.status, reply.body.as_str()), (200, ""), "{reply:?}");
    shop.await_status(&id, "SUCCEEDED");
    assert_eq!(shop.info(&id)["run"], 1);
    let at_once = shop.submit("wf", "?action=start");
    shop.await_status(&at_once, "SUCCEEDED");
}

#[test]
fn a_coordinator_is_controlled() {
    let shop = Shop::new().with_coordinator();
    let id = shop.submit("coord", "?action=start");
    shop.put_silently(&format!("job/{id}?action=suspend"));
    assert_eq!(shop.status(&id), "PREPSUSPENDED");
    shop.put_silently(&format!("job/{id}?action=resume"));
    assert_eq!(shop.status(&id), "PREP");
    shop.put_silently(&format!("job/{id}?action=change&value=concurrency%3D2"));
    assert_eq!(shop.info(&id)["concurrency"], 2);
    shop.sandbox.tick(NOW);
    shop.await_status(&format!("{id}@1"), "SUCCEEDED");
    // The runner of the action would start it again before it is killed.
    wait_for("the end of the runner", || shop.sandbox.runner().is_none().then_some(()));
    let path = format!("/oozie/v1/job/{id}?action=coord-rerun&type=action&scope=1&refresh=false&nocleanup=true");
    let rerun = shop.server.send("PUT", &path, &[XML], "").json(200);
    assert_eq!(rerun["actions"][0]["id"], format!("{id}@1"));
    let ignored = shop.put(&format!("job/{id}?action=ignore&type=action"));
    assert_eq!(ignored.status, 400, "{ignored:?}");
    let killed = shop.put(&format!("job/{id}?action=kill&type=action&scope=1")).json(200);
    assert_eq!(
        (&killed["actions"][0]["id"], &killed["actions"][0]["status"]),
        (&json!(format!("{id}@1")), &json!("KILLED"))
    );
    shop.put_silently(&format!("job/{id}?action=kill"));
    assert_eq!(shop.status(&id), "KILLED");
    shop.put_silently(&format!("job/{id}?action=ignore&type=action"));
    assert_eq!(shop.status(&id), "IGNORED");
}

#[test]
fn a_rerun_whose_worker_dies_is_done_by_the_next_tick() {
    for point in ["after-plan-commit", "inside-cleanup", "after-cleanup", "after-cleaned-commit"] {
        let sandbox = Sandbox::new();
        let data = "<datasets><dataset name=\"out\" frequency=\"${coord:hours(1)}\" \
             initial-instance=\"2015-01-01T00:06Z\" timezone=\"UTC\"><uri-template>${sandbox}/out/${HOUR}</uri-template>\
             </dataset></datasets><output-events><data-out name=\"out\" dataset=\"out\">\
             <instance>${coord:current(0)}</instance></data-out></output-events>";
        let (start, end) = ("2015-06-22T14:06Z", "2015-06-22T16:06Z");
        Coordinator { start, end, data: data.to_owned(), ..Coordinator::default() }.write(&sandbox);
        workflow(&sandbox, "app", "a", &[shell("a", "echo ran >> ${sandbox}/effects", "end")]);
        let job = sandbox.submit(NOW, &[]);
        let after = "2015-06-22T20:06Z";
        sandbox.tick_through(after);
        assert_eq!(sandbox.read("effects").lines().count(), 2);
        sandbox.write("out/14/part", "old");
        sandbox.write("out/15/part", "old");
        let command = sandbox.howdah(["serve", "--listen", "127.0.0.1:0", "--allow-write"]).at(after);
        let server = Server::of(&sandbox, command.env("HOWDAH_FAULT", point));
        let path =
            format!("/oozie/v1/job/{job}?action=coord-rerun&type=action&scope=1-2&refresh=false&nocleanup=false");
        let reply = server.send("PUT", &path, &[XML], "");
        assert_eq!(reply.status, 500, "{point}: {reply:?}");
        assert_eq!(sandbox.read("effects").lines().count(), 2, "{point}");
        drop(server);
        sandbox.tick_through(after);
        assert_eq!(sandbox.read("effects").lines().count(), 4, "{point}: each action ran again once");
        assert!(!sandbox.path("out/14").exists() && !sandbox.path("out/15").exists(), "{point}");
        assert!(!sandbox.howdah(["status"]).at(after).run().stdout.contains("--continue"), "{point}");
    }
}

#[test]
fn a_coordinator_is_updated() {
    let shop = Shop::new().with_coordinator();
    let id = shop.submit("coord", "");
    let body = shop
        .configuration("coord")
        .replace("</configuration>", "<property><name>more</name><value>1</value></property></configuration>");
    let update =
        |query: &str| shop.server.send("PUT", &format!("/oozie/v2/job/{id}?action=update{query}"), &[XML], &body);
    let tried = update("&dryrun=true&diff=").json(200);
    assert!(tried["update"]["diff"].as_str().is_some_and(|diff| diff.contains("more")), "{tried}");
    assert!(!shop.info(&id)["conf"].as_str().expect("properties").contains("more"));
    update("&dryrun=&diff=").json(200);
    assert!(shop.info(&id)["conf"].as_str().expect("properties").contains("more"));
}

/// Oozie's command line sends an empty document where no file is given, Hue one with the user.
#[test]
fn an_update_without_properties_keeps_those_of_the_job() {
    let shop = Shop::new().with_coordinator();
    let id = shop.submit("coord", "");
    let update = |body: &str| {
        shop.server.send("PUT", &format!("/oozie/v2/job/{id}?action=update&dryrun=&diff="), &[XML], body).json(200)
    };
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let added = format!("{}</configuration>", property("important", "1"));
    update(&shop.configuration("coord").replace("</configuration>", &added));
    let before = shop.info(&id)["conf"].clone();
    assert!(before.as_str().is_some_and(|conf| conf.contains("important")), "{before}");
    let user = property("user.name", &user_name());
    let hadoop = property("mapreduce.job.user.name", &user_name());
    for body in [
        String::new(),
        "\n".to_owned(),
        "<configuration/>".to_owned(),
        "<?xml version=\"1.0\"?><configuration>\n</configuration>\n".to_owned(),
        format!("<configuration>{user}</configuration>"),
        format!("<configuration>{user}{hadoop}</configuration>"),
    ] {
        let answer = update(&body);
        assert!(
            answer["update"]["diff"].as_str().is_some_and(|diff| diff.contains("No conf update")),
            "{body} {answer}"
        );
        assert_eq!(shop.info(&id)["conf"], before, "{body}");
    }
    update(&shop.configuration("coord"));
    assert!(!shop.info(&id)["conf"].as_str().is_some_and(|conf| conf.contains("important")), "a document replaces all");
}

#[test]
fn jobs_are_tried_and_checked_without_being_stored() {
    let shop = Shop::new().with_coordinator();
    assert_eq!(shop.post("?action=dryrun", &shop.configuration("wf")).json(201), json!({ "id": "OK" }));
    let tried = shop.post("?action=dryrun", &shop.configuration("coord")).json(201);
    // The client counts the actions: it splits the answer at these words, and adds the headings.
    let answer = tried["id"].as_str().expect("a text");
    assert!(answer.starts_with("<coordinator-app "), "{tried}");
    assert!(answer.contains("\n***actions for instance***action for new instance<coordinator-app "), "{tried}");
    assert!(!answer.contains("***coordJob") && !answer.contains("***total"), "{tried}");
    // A workflow whose nodes cannot be evaluated is refused, as its nodes would fail.
    let sound = shop.sandbox.read("app/workflow.xml");
    shop.sandbox.write("app/workflow.xml", &sound.replacen("<argument>", "<argument>${undefined}", 1));
    shop.post("?action=dryrun", &shop.configuration("wf")).assert_refused(400, "E0803");
    shop.sandbox.write("app/workflow.xml", &sound);
    assert_eq!(shop.server.get("/oozie/v1/jobs").json(200)["total"], 0);
    let validate = |body: &str| shop.server.send("POST", "/oozie/v2/validate?file=w.xml", &[XML], body);
    let definition = shop.sandbox.read("app/workflow.xml");
    assert_eq!(validate(&definition).json(200), json!({ "validate": "Valid workflow-app" }));
    validate("<workflow-app").assert_refused(400, "E0701");
    // The name of a file does not make its text a definition.
    let properties = shop.server.send("POST", "/oozie/v2/validate?file=/a/w.properties", &[XML], "a=b\n");
    properties.assert_refused(400, "E0701");
}

/// A definition names files that are opened with the rights of the server.
#[test]
fn only_a_client_that_may_write_lets_files_be_opened() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "true", "end")]);
    sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let server = Server::start(&sandbox, &[]);
    let include = "<coordinator-app name='c' frequency='60' start='2010-01-01T00:00Z' end='2010-01-01T02:00Z' \
                   timezone='UTC' xmlns='uri:oozie:coordinator:0.4'><datasets><include>/etc/passwd</include>\
                   </datasets><action><workflow><app-path>/app</app-path></workflow></action></coordinator-app>";
    let reply = server.send("POST", "/oozie/v2/validate", &[XML], include);
    reply.assert_refused(403, "H0197");
    assert!(!reply.body.contains("passwd"), "{reply:?}");
}

/// Returns the zombies among the children of a process and of its children.
fn zombies_below(pid: i32) -> Vec<i32> {
    let stats = std::fs::read_dir("/proc").expect("this test needs /proc").flatten().filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let (own, rest) = (stat.split(' ').next()?.parse::<i32>().ok()?, stat.rsplit_once(") ")?.1);
        Some((own, rest.starts_with('Z'), rest.split(' ').nth(1)?.parse::<i32>().ok()?))
    });
    let stats: Vec<(i32, bool, i32)> = stats.collect();
    let is_child = |parent: i32| stats.iter().any(|(own, _, of)| *own == parent && *of == pid);
    let zombies = stats.iter().filter(|(_, is_zombie, parent)| *is_zombie && (*parent == pid || is_child(*parent)));
    zombies.map(|(own, ..)| *own).collect()
}

#[test]
fn what_a_submission_starts_does_not_stay_as_a_zombie() {
    let shop = Shop::new();
    let server = shop.sandbox.process(&format!("{} serve", env!("CARGO_BIN_EXE_howdah"))).expect("the server");
    for _ in 0..2 {
        let id = shop.submit("wf", "?action=start");
        shop.await_status(&id, "SUCCEEDED");
    }
    wait_for("no zombie", || zombies_below(server).is_empty().then_some(()));
}

#[test]
fn many_jobs_are_changed_at_once() {
    let shop = Shop::new().with_coordinator();
    let ids = [shop.submit("coord", ""), shop.submit("coord", "")];
    let killed = shop.put("jobs?action=kill&filter=status%3DPREP&jobtype=coord&offset=0&len=0").json(200);
    assert_eq!((&killed["total"], killed["coordinatorjobs"].as_array().map(Vec::len)), (&json!(2), Some(2)));
    for id in &ids {
        assert_eq!(shop.status(id), "KILLED");
    }
    let none = shop.put("jobs?action=kill&filter=status%3DPREP&jobtype=coord").json(200);
    assert_eq!(none, json!({ "coordinatorjobs": [], "total": 0, "offset": 1, "len": 50 }));
    shop.put("jobs?action=kill&jobtype=coord").assert_refused(400, "E0420");
    shop.put("jobs?action=start&filter=status%3DPREP").assert_refused(400, "E0303");
}

#[test]
fn the_mode_of_the_system_is_set() {
    let shop = Shop::new().with_coordinator();
    shop.submit("coord", "");
    let mode = || shop.server.get("/oozie/v1/admin/status").json(200)["systemMode"].clone();
    shop.put_silently("admin/status?systemmode=SAFEMODE");
    assert_eq!(mode(), "SAFEMODE");
    shop.put_silently("admin/status?systemmode=NORMAL");
    assert_eq!(mode(), "NORMAL");
    shop.put("admin/status?systemmode=x").assert_refused(400, "E0303");
}

#[test]
fn bad_submissions_are_refused_and_store_nothing() {
    let shop = Shop::new();
    let good = shop.configuration("wf");
    let user = format!("<property><name>user.name</name><value>{}</value></property>", user_name());
    for (query, body, status, code) in [
        ("", "", 400, "E0401"),
        ("", "<configuration", 400, "E0701"),
        ("", "no xml", 400, "E0701"),
        ("", "<configuration/>", 400, "E0401"),
        ("?action=colour", good.as_str(), 400, "E0303"),
        ("?jobtype=pig", good.as_str(), 400, "E0303"),
        ("", &good.replace(&user, ""), 400, "E0401"),
        ("", &good.replace("/app<", "/nothing<"), 400, "E0504"),
        ("?user.name=no-such-user-here", good.as_str(), 400, if is_root() { "H0151" } else { "H0150" }),
    ] {
        shop.post(query, body).assert_refused(status, code);
    }
    assert_eq!(shop.server.get("/oozie/v1/jobs").json(200)["total"], 0);
    let id = shop.submit("wf", "");
    for (path, code) in [
        (format!("job/{id}?action=colour"), "E0303"),
        (format!("job/{id}"), "E0303"),
        (format!("job/{id}?action=change"), "E1603"),
        (format!("job/{id}?action=change&value="), "E1603"),
        (format!("job/{id}?action=change&value=%20"), "E1015"),
        (format!("job/{id}@a?action=kill"), "E0302"),
        (format!("job/{id}?action=kill&type=colour&scope=1"), "E0303"),
    ] {
        shop.put(&path).assert_refused(400, code);
    }
    assert_eq!(shop.status(&id), "PREP");
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_page_of_another_site_changes_nothing() {
    let shop = Shop::new();
    let body = shop.configuration("wf");
    let post = |headers: &[(&str, &str)]| shop.server.send("POST", "/oozie/v1/jobs", headers, &body);
    post(&[XML, ("Origin", "http://evil.example")]).assert_refused(403, "H0197");
    post(&[XML, ("Origin", "null")]).assert_refused(403, "H0197");
    post(&[XML, ("Sec-Fetch-Site", "cross-site")]).assert_refused(403, "H0197");
    post(&[XML, ("Host", "evil.example")]).assert_refused(403, "H0197");
    post(&[("Content-Type", "text/plain")]).assert_refused(415, "H0197");
    post(&[]).assert_refused(415, "H0197");
    assert_eq!(shop.server.get("/oozie/v1/jobs").json(200)["total"], 0);
    let own = format!("http://127.0.0.1:{}", shop.server.port);
    assert_eq!(post(&[XML, ("Origin", &own)]).status, 201);
}

#[test]
fn only_a_server_that_is_allowed_to_writes() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "true", "end")]);
    let id = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let server = Server::start(&sandbox, &[]);
    for (method, path) in [
        ("POST", "/oozie/v1/jobs".to_owned()),
        ("PUT", format!("/oozie/v1/job/{id}?action=kill")),
        ("PUT", "/oozie/v1/jobs?action=kill&filter=status%3DRUNNING".to_owned()),
        ("PUT", "/oozie/v1/admin/status?systemmode=SAFEMODE".to_owned()),
    ] {
        server.send(method, &path, &[XML], "").assert_refused(403, "H0197");
    }
}

#[test]
fn a_token_is_needed_where_one_is_named() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "true", "end")]);
    let id = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let file = sandbox.write("token", "0123456789abcdef-secret\n");
    let refused = |options: &[&str]| sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).with_all(options).run();
    let path = sandbox.text("token");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("own file");
    let open = refused(&["--allow-write", "--token-file", &path]);
    assert!(open.status == Some(1) && open.stderr.contains("error[H0196]"), "{open:?}");
    assert!(!open.stderr.contains("0123456789abcdef"), "{open:?}");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("own file");
    let elsewhere = sandbox.howdah(["serve", "--listen", "0.0.0.0:0", "--allow-write"]).run();
    assert!(elsewhere.status == Some(2) && elsewhere.stderr.contains("needs a token"), "{elsewhere:?}");
    let server = Server::start(&sandbox, &["--allow-write", "--token-file", &path, "--act-for", &user_name()]);
    let kill = |headers: &[(&str, &str)]| server.send("PUT", &format!("/oozie/v1/job/{id}?action=kill"), headers, "");
    kill(&[]).assert_refused(401, "H0197");
    kill(&[("Authorization", "Bearer 0123456789abcdef")]).assert_refused(401, "H0197");
    // A job that is over stays as it is: the verb itself answers.
    let done = kill(&[("Authorization", "Bearer 0123456789abcdef-secret")]);
    assert_ne!(done.header("oozie-error-code"), Some("H0197"), "{done:?}");
    assert!(!format!("{:?}", server.get(&format!("/oozie/v1/job/{id}"))).contains("0123456789abcdef"));
}

/// Searches for a word in all files below a folder but one, and returns those that have it.
fn files_with(folder: &std::path::Path, but: &std::path::Path, word: &[u8]) -> Vec<std::path::PathBuf> {
    let has = |path: &std::path::Path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes.windows(word.len()).any(|part| part == word)
    };
    let mut found = Vec::new();
    for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(files_with(&path, but, word));
        } else if path != but && has(&path) {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_token_leaks_nowhere() {
    const SECRET: &str = "kD83hfkq0-this-is-the-token";
    let sandbox = Sandbox::new();
    let seen = "env; cat /proc/$PPID/environ; cat /proc/$PPID/cmdline";
    workflow(&sandbox, "app", "a", &[shell("a", seen, "end")]);
    let file = sandbox.write("token", &format!("{SECRET}\n"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("own file");
    let (token, user) = (sandbox.text("token"), user_name());
    let options = ["--allow-write", "--token-file", &token, "--act-for", &user, "--tick", "1s"];
    let command = sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).with_all(&options).at(NOW);
    let shop = Shop { server: Server::of(&sandbox, command), sandbox };
    let (good, wrong) = (format!("Bearer {SECRET}"), format!("Bearer {SECRET}x"));
    let send = |method: &str, path: &str, token: &str, body: &str| {
        let reply = shop.server.send(method, path, &[XML, ("Authorization", token)], body);
        assert!(!format!("{reply:?}").contains(SECRET), "{reply:?}");
        reply
    };
    let submitted = send("POST", "/oozie/v1/jobs?action=start", &good, &shop.configuration("wf")).json(201);
    let id = submitted["id"].as_str().expect("an id").to_owned();
    shop.await_status(&id, "SUCCEEDED");
    for (method, path, token) in [
        ("PUT", format!("/oozie/v1/job/{id}?action=kill"), &good),
        ("PUT", format!("/oozie/v1/job/{id}?action=colour"), &good),
        ("PUT", format!("/oozie/v1/job/{id}?action=kill"), &wrong),
        ("GET", format!("/oozie/v1/job/{id}?show=log"), &good),
        ("GET", format!("/oozie/v1/job/{id}?show=auditlog"), &good),
        ("GET", "/oozie/v1/admin/configuration".to_owned(), &good),
        ("GET", format!("/job/{id}"), &good),
        ("GET", "/nothing".to_owned(), &good),
    ] {
        send(method, &path, token, "");
    }
    send("POST", "/oozie/v1/jobs", &good, "<broken");
    // Server, workers and the process that ticks.
    let processes = shop.sandbox.processes();
    assert!(processes.len() > 2, "{processes:?}");
    for pid in processes {
        for place in ["cmdline", "environ"] {
            let bytes = std::fs::read(format!("/proc/{pid}/{place}")).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{pid} {place}");
        }
    }
    let found = files_with(&shop.sandbox.path(""), &file, SECRET.as_bytes());
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_server_ticks() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "true", "end")]);
    let (start, end) = ("2015-06-22T14:06Z", "2015-06-22T16:06Z");
    Coordinator { start, end, ..Coordinator::default() }.write(&sandbox);
    let id = sandbox.submit(NOW, &[]);
    let command = sandbox.howdah(["serve", "--listen", "127.0.0.1:0", "--tick", "1s"]).at(NOW);
    let server = Server::of(&sandbox, command);
    wait_for("the first action", || {
        let found = server.get(&format!("/oozie/v1/job/{id}@1?show=status"));
        (found.status == 200 && found.json(200)["status"] == "SUCCEEDED").then_some(())
    });
    let bad = sandbox.howdah(["serve", "--tick", "0s"]).run();
    assert_eq!(bad.status, Some(2), "{bad:?}");
}

#[test]
fn a_bundle_is_started_and_controlled() {
    let shop = Shop::new().with_coordinator();
    shop.sandbox.write(
        "bundle/bundle.xml",
        "<bundle-app xmlns='uri:oozie:bundle:0.2' name='both'><controls><kick-off-time>2015-06-23T00:00Z\
         </kick-off-time></controls><coordinator name='one'><app-path>${sandbox}/app</app-path></coordinator>\
         </bundle-app>",
    );
    let body = shop.configuration("bundle").replace(
        &format!("<value>{}</value>", shop.sandbox.text("app")),
        &format!("<value>{}</value>", shop.sandbox.text("bundle")),
    );
    let id = shop.post("", &body).json(201)["id"].as_str().expect("an id").to_owned();
    assert_eq!(shop.status(&id), "PREP");
    shop.put_silently(&format!("job/{id}?action=start"));
    let bundle = shop.info(&id);
    let mut names: Vec<&str> = bundle.as_object().expect("an object").keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names.join(" "),
        "acl bundleCoordJobs bundleExternalId bundleJobId bundleJobName bundleJobPath conf \
        consoleUrl createdTime endTime group kickoffTime pauseTime startTime status timeOut timeUnit toString user"
    );
    assert_eq!(
        (&bundle["bundleJobName"], &bundle["kickoffTime"]),
        (&json!("both"), &json!("Tue, 23 Jun 2015 00:00:00 GMT"))
    );
    let member = bundle["bundleCoordJobs"][0]["coordJobId"].as_str().expect("a coordinator").to_owned();
    assert_eq!(shop.info(&member)["bundleId"], id);
    shop.put_silently(&format!("job/{id}?action=suspend"));
    assert_eq!(shop.status(&member), "PREPSUSPENDED");
    shop.put_silently(&format!("job/{id}?action=resume"));
    // A rerun that chooses nothing reruns nothing.
    shop.put_silently(&format!("job/{id}?action=bundle-rerun&refresh=false&nocleanup=false"));
    let unknown = shop.put(&format!("job/{id}?action=bundle-rerun&coord-scope=nothing"));
    assert_eq!(unknown.status, 400, "{unknown:?}");
    let listed = shop.server.get("/oozie/v1/jobs?jobtype=bundle").json(200);
    assert_eq!(listed["bundlejobs"][0]["bundleJobId"], id);
    let bulk = shop.server.get("/oozie/v1/jobs?bulk=bundle%3Dboth%3BactionStatus%3DRUNNING").json(200);
    assert_eq!((&bulk["bulkresponses"], &bulk["total"]), (&json!([]), &json!(0)));
    shop.put_silently(&format!("job/{id}?action=kill"));
    assert_eq!([shop.status(&id), shop.status(&member)], ["KILLED", "KILLED"]);
}
