//! Users that are in no table of the machine: a directory service behind the C library knows them.
//!
//! The service is systemd's, which reads records from files. Only root can add one, so these tests belong to the full
//! tier.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::PathBuf;
use std::process::Command;

use howdah_sandbox::application::{shell, workflow};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::second_user::set_mode;
use howdah_tier as tier;

const NOW: &str = "2010-01-01T00:00Z";
const RECORDS: &str = "/run/userdb";

/// A user of a directory service, who is in one additional group; exists as long as this value.
struct DirectoryUser {
    name: String,
    uid: u32,
    files: Vec<PathBuf>,
}

impl DirectoryUser {
    /// Creates a user; `None`, with the reason printed, when the machine has no such service.
    fn new() -> Option<Self> {
        if !tier::root("it adds a user to a directory service") {
            return None;
        }
        let uid = 4_100_000 + std::process::id() % 10_000;
        let (name, group) = (format!("hwd-dir-{uid}"), format!("hwd-dir-group-{uid}"));
        let mut user = Self { name: name.clone(), uid, files: Vec::new() };
        fs::create_dir_all(RECORDS).expect("root may write to /run");
        let record = format!(r#"{{"userName":"{name}","uid":{uid},"gid":{uid},"homeDirectory":"/home/{name}"}}"#);
        user.add(&format!("{name}.user"), &record, &format!("{uid}.user"));
        let gid = uid + 10_000;
        let record = format!(r#"{{"groupName":"{group}","gid":{gid},"members":["{name}"]}}"#);
        user.add(&format!("{group}.group"), &record, &format!("{gid}.group"));
        user.add(&format!("{name}:{group}.membership"), "{}", &format!("{name}:{group}.copy"));
        let known = Command::new("getent").args(["passwd", &name]).output();
        if !known.is_ok_and(|known| known.status.success()) {
            tier::missing("libnss-systemd", "the C library does not ask systemd for users");
            return None;
        }
        Some(user)
    }

    /// A record, and a second name under which it is found.
    fn add(&mut self, name: &str, record: &str, link: &str) {
        let folder = PathBuf::from(RECORDS);
        self.files.extend([folder.join(link), folder.join(name)]);
        fs::write(folder.join(name), record).expect("root may write to /run");
        symlink(name, folder.join(link)).expect("a new link");
    }
}

impl Drop for DirectoryUser {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
        // Only when nothing else is in it.
        let _ = fs::remove_dir(RECORDS);
    }
}

#[test]
fn a_user_of_a_directory_service_has_jobs_like_any_other() {
    let Some(user) = DirectoryUser::new() else { return };
    let table = fs::read_to_string("/etc/passwd").expect("a user table");
    assert!(!table.contains(&user.name));
    let sandbox = Sandbox::new();
    set_mode(sandbox.path(""), 0o711);
    fs::create_dir(sandbox.path("open")).expect("a folder");
    set_mode(sandbox.path("open"), 0o777);
    let line = "(id -un; id -G; echo $HOME) > ${sandbox}/open/who";
    workflow(&sandbox, "app", "who", &[shell("who", line, "end")]);
    let job = sandbox.submit(NOW, &[("user.name", &user.name)]);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{}", sandbox.howdah(["log", &job]).run().stdout);
    let expect = format!("{0}\n{1} {2}\n/home/{0}\n", user.name, user.uid, user.uid + 10_000);
    assert_eq!(sandbox.read("open/who"), expect);
    assert_eq!(fs::metadata(sandbox.path("open/who")).expect("a file").uid(), user.uid);
    let name = user.name.clone();
    drop(user);
    let submit = sandbox.howdah(["submit"]).at(NOW).define("oozie.wf.application.path", &sandbox.text("app"));
    let ran = submit.define("user.name", &name).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("H0151"), "the service does not know the user now: {ran:?}");
    assert!(ran.stderr.contains("getent passwd"), "{ran:?}");
}
