//! The README's examples are what the program prints: every `$` line of its console blocks is run, in one shell, and
//! the lines after it are compared. `UPDATE_README=1` writes the outputs into the README instead.
//!
//! Ids, times of today and durations differ at every run; both sides are compared with those replaced.

use std::fs;
use std::path::Path;
use std::process::Command;

use howdah_sandbox::sandbox::Sandbox;

/// Between the outputs of two commands.
const MARK: &str = "@@next@@";

/// The folder that the README's examples write to.
const PLACE: &str = "/tmp/hello";

#[test]
fn examples_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).expect("the README");
    let sandbox = Sandbox::new();
    let outputs = run_all(root, &sandbox, &commands(&readme));
    let current = with_outputs(&readme, &outputs);
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(root.join("README.md"), current).expect("the README can be written");
        return;
    }
    let (shown, is) = (steady(&readme), steady(&current));
    let difference = shown.lines().zip(is.lines()).find(|(shown, is)| shown != is);
    assert!(shown == is, "UPDATE_README=1 cargo test readme\nfirst difference: {difference:#?}");
}

/// The commands of all console blocks, in order.
fn commands(readme: &str) -> Vec<String> {
    let mut inside = false;
    let mut commands = Vec::new();
    for line in readme.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if inside => commands.extend(line.strip_prefix("$ ").map(str::to_owned)),
            _ => {}
        }
    }
    assert!(!commands.is_empty(), "the README has examples");
    commands
}

/// What each command prints, standard error included.
fn run_all(root: &Path, sandbox: &Sandbox, commands: &[String]) -> Vec<String> {
    let place = sandbox.text("hello");
    fs::create_dir_all(&place).expect("a folder");
    let mut script = String::new();
    for command in commands {
        script.push_str(&command.replace(PLACE, &place));
        script.push_str("\necho ");
        script.push_str(MARK);
        script.push('\n');
    }
    let program = Path::new(env!("CARGO_BIN_EXE_howdah")).parent().expect("it lies in a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .current_dir(root)
        .env_clear()
        .env("PATH", path)
        .env("HOME", sandbox.path("home"))
        .env("TZ", "UTC")
        .env("COLUMNS", "110")
        .env("HOWDAH_ZONE_DATA", "built-in")
        .env("SANDBOX", sandbox.text(""))
        .env("HOWDAH_TEST_MARK", "SANDBOX")
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).replace(&place, PLACE);
    let text = text.replace(&root.display().to_string(), "/home/you/howdah").replace(&user(), "you");
    let outputs: Vec<String> = text.split(&format!("{MARK}\n")).map(str::to_owned).collect();
    assert_eq!(outputs.len(), commands.len() + 1, "every command came to its end: {text}");
    outputs
}

/// The name of the user who runs the tests.
fn user() -> String {
    let output = Command::new("id").arg("-un").output().expect("every Unix has id");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Returns the README with the outputs after each command.
fn with_outputs(readme: &str, outputs: &[String]) -> String {
    let mut outputs = outputs.iter();
    let mut inside = false;
    let mut text = String::new();
    for line in readme.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ => {}
        }
        let command = line.starts_with("$ ");
        if !inside || command || line == "```console" {
            text.push_str(line);
            text.push('\n');
        }
        if inside && command {
            let output = outputs.next().expect("an output for every command");
            for line in output.lines() {
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
    }
    text
}

/// The text without what differs at every run.
fn steady(text: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, replacement) in [
        (r"\d{7}-\d{15}-oozie-oozi-([CW])", "ID-$1"),
        (r"20\d\d-\d\d-\d\d([T ])\d\d:\d\d(:\d\d)?Z?", "TIME"),
        (r"\b\d+(\.\d+)? ?(ms|s)\b", "DURATION"),
        (r" +", " "),
        (r"[-─]+", "-"),
    ] {
        text = fancy_regex::Regex::new(pattern).expect("a pattern").replace_all(&text, replacement).into_owned();
    }
    text
}

/// Returns the files that a page links to, without the part after `#`.
fn links(page: &str) -> Vec<&str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter_map(|target| target.split('#').next());
    files.filter(|file| !file.is_empty() && !file.contains("://")).collect()
}

#[test]
fn every_page_is_linked_and_every_link_has_a_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).expect("a folder").flatten();
        let pages = entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "md"));
        pages.map(|entry| format!("{folder}{}", entry.file_name().display())).collect::<Vec<_>>()
    };
    let pages = [names(""), names("docs/")].concat();
    assert!(pages.len() > 10, "{pages:?}");
    let readme = fs::read_to_string(root.join("README.md")).expect("the README");
    for name in &pages {
        assert!(name == "README.md" || links(&readme).contains(&name.as_str()), "the README does not link {name}");
        let page = fs::read_to_string(root.join(name)).expect("a page");
        let folder = root.join(name).parent().expect("a folder").to_owned();
        for link in links(&page) {
            assert!(folder.join(link).exists(), "{name} links {link}");
        }
    }
}
