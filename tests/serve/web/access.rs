//! Who may read, and for whom a token acts. What needs a second user belongs to the full tier.

use howdah_sandbox::application::{shell, workflow};
use howdah_sandbox::sandbox::{Sandbox, user_name, wait_for};
use howdah_sandbox::second_user::{SecondUser, set_mode};
use howdah_sandbox::web_server::{Reply, Server};

const NOW: &str = "2015-06-22T15:06Z";
const TOKEN: &str = "0123456789abcdef-secret";
const XML: (&str, &str) = ("Content-Type", "application/xml");
const BEARER: (&str, &str) = ("Authorization", "Bearer 0123456789abcdef-secret");

/// A folder that others may enter, with a workflow, a token, and a job of each of these users.
struct Site {
    sandbox: Sandbox,
    jobs: Vec<String>,
}

impl Site {
    fn of(users: &[&str]) -> Self {
        let sandbox = Sandbox::new();
        set_mode(sandbox.path(""), 0o711);
        workflow(&sandbox, "app", "a", &[shell("a", "sleep 600", "end")]);
        set_mode(sandbox.write("token", TOKEN), 0o600);
        let submit = |user: &&str| sandbox.submit(NOW, &[("user.name", user), ("my.password", "OF-CONFIG-1")]);
        let jobs: Vec<String> = users.iter().map(submit).collect();
        let is_running = |job: &String| sandbox.database().job(job) == "RUNNING";
        wait_for("the jobs to run", || jobs.iter().all(is_running).then_some(()));
        Self { sandbox, jobs }
    }

    fn serve(&self, options: &[&str]) -> Server {
        let command = self.sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).with_all(options).at(NOW);
        Server::of(&self.sandbox, command)
    }

    fn configuration(&self, user: &str) -> String {
        let property =
            |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
        let path = property("oozie.wf.application.path", &self.sandbox.text("app"));
        format!("<configuration>{path}{}</configuration>", property("user.name", user))
    }

    fn refuses(&self, options: &[&str], word: &str) {
        let ran = self.sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).with_all(options).run();
        assert!(ran.status == Some(2) && ran.stderr.contains(word), "{options:?}: {ran:?}");
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        for job in &self.jobs {
            self.sandbox.howdah(["kill", job]).at(NOW).run();
        }
    }
}

fn listed(reply: &Reply) -> Vec<String> {
    let document = reply.json(200);
    let jobs = document["workflows"].as_array().expect("a list").iter();
    let mut users: Vec<String> = jobs.map(|job| job["user"].as_str().expect("a name").to_owned()).collect();
    users.sort();
    users
}

#[test]
fn reading_can_need_the_token() {
    let site = Site::of(&[&user_name()]);
    let token = site.sandbox.text("token");
    site.refuses(&["--read", "token"], "--token-file");
    site.refuses(&["--token-file", &token], "--read token");
    site.refuses(&["--read", "token", "--token-file", &token, "--act-for", "nobody-has-this-name"], "--act-for");
    site.refuses(&["--act-for", "x"], "--token-file");
    let server = site.serve(&["--read", "token", "--token-file", &token]);
    let job = &site.jobs[0];
    for path in [
        "/".to_owned(),
        format!("/job/{job}"),
        format!("/job/{job}/log"),
        "/oozie/v1/jobs".to_owned(),
        "/oozie/v1/sla".to_owned(),
        format!("/oozie/v1/job/{job}?show=status"),
        format!("/oozie/v2/job/{job}?show=log"),
        "/oozie/v1/admin/status".to_owned(),
        "/oozie/v1/admin/configuration".to_owned(),
    ] {
        server.get(&path).assert_refused(401, "H0197");
        server.send("GET", &path, &[("Authorization", "Bearer 0123456789abcdef")], "").assert_refused(401, "H0197");
        assert_eq!(server.send("GET", &path, &[BEARER], "").status, 200, "{path}");
    }
    // What is always the same is open, and nothing can be changed.
    assert_eq!(server.get("/oozie/versions").status, 200);
    let kill = server.send("PUT", &format!("/oozie/v1/job/{job}?action=kill"), &[BEARER], "");
    kill.assert_refused(403, "H0197");
}

#[test]
fn who_cannot_be_known_reads_no_jobs_where_each_reads_the_own() {
    let site = Site::of(&[&user_name()]);
    let server = site.serve(&["--read", "own"]);
    let job = &site.jobs[0];
    for path in ["/oozie/v1/jobs".to_owned(), format!("/job/{job}"), format!("/oozie/v1/job/{job}?show=log")] {
        assert_eq!(server.get(&path).status, 200, "{path}");
        server.get_as_stranger(&path).assert_refused(403, "H0197");
    }
    assert_eq!(server.get_as_stranger("/oozie/versions").status, 200);
}

#[test]
fn a_token_acts_for_its_users() {
    let Some(user) = SecondUser::new("act") else { return };
    let site = Site::of(&["root", &user.name]);
    let token = site.sandbox.text("token");
    let (of_root, of_user) = (&site.jobs[0], &site.jobs[1]);
    let suspend =
        |server: &Server, job: &str| server.send("PUT", &format!("/oozie/v1/job/{job}?action=suspend"), &[BEARER], "");
    let submit = |server: &Server, query: &str, name: &str| {
        server.send("POST", &format!("/oozie/v1/jobs{query}"), &[XML, BEARER], &site.configuration(name))
    };
    let mode = |server: &Server| server.send("PUT", "/oozie/v1/admin/status?systemmode=NORMAL", &[BEARER], "");
    {
        // Root's jobs only when it is asked for.
        let server = site.serve(&["--allow-write", "--token-file", &token]);
        for (query, name) in [
            ("", "root"),
            ("?action=dryrun", "root"),
            ("?doAs=root", &user.name),
            ("?user.name=root", &user.name),
            ("", "${x}"),
        ] {
            submit(&server, query, name).assert_refused(403, "H0197");
        }
        suspend(&server, of_root).assert_refused(403, "H0197");
        suspend(&server, &format!("{of_root}@a")).assert_refused(403, "H0197");
        mode(&server).assert_refused(403, "H0197");
        server.send("POST", "/oozie/v1/validate", &[XML, BEARER], "<a/>").assert_refused(403, "H0197");
        let bulk = server.send("PUT", "/oozie/v1/jobs?action=suspend&filter=status%3DRUNNING", &[BEARER], "");
        assert_eq!(listed(&bulk), std::slice::from_ref(&user.name), "{bulk:?}");
        assert_eq!(site.sandbox.database().job(of_root), "RUNNING");
        assert_eq!(submit(&server, "?action=dryrun", &user.name).status, 201);
        assert_eq!(submit(&server, "", &user.name).status, 201);
        // Whose jobs it may change, of these it may read the secrets.
        let conf = |job: &str| server.send("GET", &format!("/oozie/v1/job/{job}?show=info"), &[BEARER], "").body;
        assert!(conf(of_user).contains("OF-CONFIG-1") && !conf(of_root).contains("OF-CONFIG-1"));
        assert_eq!(server.send("PUT", &format!("/oozie/v1/job/{of_user}?action=resume"), &[BEARER], "").status, 200);
    }
    {
        let server = site.serve(&["--allow-write", "--token-file", &token, "--act-for", "root", "--read", "own"]);
        suspend(&server, of_user).assert_refused(403, "H0197");
        submit(&server, "", &user.name).assert_refused(403, "H0197");
        assert_eq!(suspend(&server, of_root).status, 200);
        assert_eq!(mode(&server).status, 200);
        assert_eq!(listed(&server.send("GET", "/oozie/v1/jobs", &[BEARER], "")), ["root"]);
        let other =
            server.send("GET", "/oozie/v1/jobs?filter=user%3DNAME".replace("NAME", &user.name).as_str(), &[BEARER], "");
        assert_eq!(listed(&other), [""; 0]);
        server.send("GET", &format!("/oozie/v1/job/{of_user}"), &[BEARER], "").assert_refused(403, "H0197");
    }
}
