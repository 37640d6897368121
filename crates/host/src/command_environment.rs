//! The environment of the commands that howdah starts for jobs: what the site defines, not what the shell defined that
//! started this process.
//!
//! Its parts, later ones override earlier ones: fixed variables (`PATH`, `HOME`, `USER`, `LOGNAME`, `LANG`, `TZ`),
//! variables of this process that the site passes on, variables that the site sets. Must not depend on actions: they
//! add their own variables.

use std::collections::BTreeMap;

use super::account::Account;
use super::mounts::Mounts;
use super::{environment, variables};
use howdah_words::error::Error;

/// `PATH` when the site sets none.
pub const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// `LANG` when the site sets none: texts are UTF-8 for programs that ask.
const DEFAULT_LANG: &str = "C.UTF-8";
/// The mounts, in the form that howdah reads.
const MOUNTS: &str = "HOWDAH_MOUNTS";

/// The variables that are passed on when the site does not say which: those that say where the engines are that
/// actions use, and with which settings and tickets they reach their clusters.
pub const DEFAULT_PASS: [&str; 17] = [
    "HADOOP_CLASSPATH",
    "HADOOP_CONF_DIR",
    "HADOOP_HOME",
    "HADOOP_MAPRED_HOME",
    "HADOOP_YARN_HOME",
    "HIVE_CONF_DIR",
    "HIVE_HOME",
    "JAVA_HOME",
    "KRB5CCNAME",
    "KRB5_CONFIG",
    "PIG_HOME",
    "SLURM_CONF",
    "SPARK_CONF_DIR",
    "SPARK_HOME",
    "SQOOP_CONF_DIR",
    "SQOOP_HOME",
    "YARN_CONF_DIR",
];

/// What a site says of the environment of commands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommandVariables {
    /// Names of variables of this process that are passed on; with `*` at the end, all names with that beginning.
    pub pass: Vec<String>,
    /// Variables that the site sets.
    pub set: BTreeMap<String, String>,
}

impl Default for CommandVariables {
    fn default() -> Self {
        Self { pass: DEFAULT_PASS.map(str::to_owned).into(), set: BTreeMap::new() }
    }
}

impl CommandVariables {
    /// The environment of the commands of a user's jobs; without an account, of this process's user.
    ///
    /// # Errors
    /// H0110, H0113 when the user table cannot be read.
    pub fn of_user(&self, account: Option<&Account>) -> Result<BTreeMap<String, String>, Error> {
        let own = if account.is_none() { environment::own_account()? } else { None };
        Ok(self.compose(account.or(own.as_ref()), environment::machine_zone(), variables::to_pass_on()))
    }

    fn compose(
        &self,
        account: Option<&Account>,
        zone: Option<String>,
        inherited: BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let mut all: BTreeMap<String, String> = [("PATH", DEFAULT_PATH), ("LANG", DEFAULT_LANG)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        all.extend(zone.map(|zone| ("TZ".to_owned(), zone)));
        match account {
            Some(user) => {
                let fixed = [("HOME", user.home.display().to_string()), ("USER", user.name.clone())];
                all.extend(fixed.map(|(name, value)| (name.to_owned(), value)));
            }
            // A user without an entry in the user table: this process has the only information.
            None => all.extend(["HOME", "USER"].iter().filter_map(|name| inherited.get_key_value(*name)).map(owned)),
        }
        all.extend(all.get("USER").cloned().map(|user| ("LOGNAME".to_owned(), user)));
        all.extend(inherited.into_iter().filter(|(name, _)| self.passes(name)));
        all.extend(self.set.iter().map(owned));
        all
    }

    fn passes(&self, name: &str) -> bool {
        let matches = |pattern: &String| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        };
        self.pass.iter().any(matches) || variables::is_mark_of_tests(name)
    }

    /// Where commands find programs.
    pub fn path(&self) -> String {
        let passed = || variables::to_pass_on().remove("PATH").filter(|_| self.passes("PATH"));
        self.set.get("PATH").cloned().or_else(passed).unwrap_or_else(|| DEFAULT_PATH.to_owned())
    }
}

/// Adds the mounts to the environment of a command, so that it can resolve mounted URIs. A site without mounts adds
/// nothing.
pub fn add_mounts(variables: &mut BTreeMap<String, String>, mounts: &Mounts) {
    let text = mounts.lines();
    if !text.is_empty() {
        variables.insert(MOUNTS.to_owned(), text);
    }
}

fn owned((name, value): (&String, &String)) -> (String, String) {
    (name.clone(), value.clone())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn ada() -> Account {
        let (home, shell) = (PathBuf::from("/home/ada"), "/bin/zsh".to_owned());
        Account { name: "ada".to_owned(), uid: 1000, gid: 1000, home, shell }
    }

    fn shell() -> BTreeMap<String, String> {
        let pairs = [
            ("PATH", "/opt/mine:/bin"),
            ("HOME", "/root"),
            ("USER", "root"),
            ("LANG", "de_AT"),
            ("TZ", "Asia/Tokyo"),
            ("JAVA_HOME", "/opt/jdk"),
            ("SPARK_HOME", "/opt/spark"),
            ("SECRET_TOKEN", "f00ba4"),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    fn check(pass: &[&str], set: &[(&str, &str)], expect: &str) {
        let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut variables = CommandVariables { set, ..CommandVariables::default() };
        if !pass.is_empty() {
            variables.pass = pass.iter().map(|name| (*name).to_owned()).collect();
        }
        let composed = variables.compose(Some(&ada()), Some("Europe/Vienna".to_owned()), shell());
        let words: Vec<String> = composed.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(words.join(" "), expect);
    }

    #[test]
    fn the_shell_that_started_the_runner_decides_nothing_else() {
        let user = "LOGNAME=ada";
        let path = format!("PATH={DEFAULT_PATH}");
        check(
            &[],
            &[],
            &format!(
                "HOME=/home/ada JAVA_HOME=/opt/jdk LANG=C.UTF-8 {user} {path} SPARK_HOME=/opt/spark TZ=Europe/Vienna \
                 USER=ada"
            ),
        );
        check(
            &["SPARK_*", "TZ"],
            &[("LANG", "de_DE.UTF-8"), ("SPARK_HOME", "/srv/spark"), ("X", "")],
            &format!("HOME=/home/ada LANG=de_DE.UTF-8 {user} {path} SPARK_HOME=/srv/spark TZ=Asia/Tokyo USER=ada X="),
        );
        check(
            &["PATH"],
            &[],
            &format!("HOME=/home/ada LANG=C.UTF-8 {user} PATH=/opt/mine:/bin TZ=Europe/Vienna USER=ada"),
        );
    }

    #[test]
    fn programs_are_found_where_the_commands_find_them() {
        let mut variables = CommandVariables::default();
        assert_eq!(variables.path(), DEFAULT_PATH);
        variables.pass = vec!["PA*".to_owned()];
        assert_eq!(Some(variables.path()), variables.of_user(None).unwrap().remove("PATH"));
        variables.set.insert("PATH".to_owned(), "/bin".to_owned());
        assert_eq!(variables.path(), "/bin");
    }

    #[test]
    fn a_user_without_an_entry_keeps_the_name_of_the_process() {
        let variables = CommandVariables { pass: Vec::new(), ..CommandVariables::default() };
        let composed = variables.compose(None, None, shell());
        let value = |name: &str| composed.get(name).map(String::as_str);
        assert_eq!(
            [value("HOME"), value("USER"), value("LOGNAME"), value("TZ")],
            [Some("/root"), Some("root"), Some("root"), None]
        );
    }
}
