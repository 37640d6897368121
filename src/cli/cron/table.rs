//! The lines of a crontab that tick a database, and what an installation changes in them.
//!
//! A line is read as cron reads it, and its command as a shell does. What is not changed stays byte for byte.

use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::line::{Line, in_crontab};
use super::ticks::{Tick, UNKNOWN, Variables, scripts};
use super::words::{self, Word};
use howdah_host::files;

/// What an installation makes of a crontab.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The new crontab.
    pub(super) table: Vec<u8>,
    /// Each line that changes: as it was, and as it becomes.
    pub(super) lines: Vec<(String, String)>,
    /// Whether no line ticked the database, so that one was added.
    pub(super) is_added: bool,
    /// The lines that may tick the database too, but cannot be changed here.
    pub(super) unsure: Vec<String>,
}

impl Line {
    /// Returns the crontab with a line that ticks the database as this one does. The lines that tick it already keep
    /// their schedule and whatever else they have; without one, a line is added.
    pub(super) fn install(&self, table: &[u8]) -> Change {
        let mut change = Change { table: Vec::new(), lines: Vec::new(), is_added: true, unsure: Vec::new() };
        let mut variables = Variables::new();
        for line in table.split_inclusive(|byte| *byte == b'\n') {
            if let Some((name, value)) = setting(line) {
                variables.insert(name, value);
            } else if let Some(edits) = self.edits(line, &variables) {
                let new = edited(line, edits);
                if new != line {
                    change.lines.push((shown(line), shown(&new)));
                }
                change.table.extend(new);
                change.is_added = false;
                continue;
            } else if self.may_tick(line, &variables) {
                change.unsure.push(shown(line));
            }
            change.table.extend(line);
        }
        if change.is_added {
            if change.table.last().is_some_and(|last| *last != b'\n') {
                change.table.push(b'\n');
            }
            change.table.extend(self.text().into_bytes());
            change.table.push(b'\n');
        }
        change
    }

    /// Returns what to change in a line that ticks the database; `None` for any other line.
    fn edits(&self, line: &[u8], variables: &Variables) -> Option<Vec<(Range<usize>, String)>> {
        let mut found: Option<Vec<_>> = None;
        for tick in self.ticks(&words::commands(line)?, variables) {
            if self.is_own(&tick) == Some(true) {
                found.get_or_insert_default().extend(self.edits_of(&tick));
            }
        }
        found
    }

    fn edits_of(&self, tick: &Tick<'_>) -> Vec<(Range<usize>, String)> {
        let mut edits = Vec::new();
        if tick.program.path() != Some(Path::new(&self.program)) {
            edits.push((tick.program.place.clone(), in_crontab(&self.program)));
        }
        let options = options(tick.rest);
        let end = options.iter().map(|option| option.place.end).max().unwrap_or(tick.program.place.end);
        let added = self.missing(&options, &tick.variables, &mut edits);
        if !added.is_empty() {
            edits.push((end..end, added));
        }
        edits
    }

    /// Checks whether a line may tick the database in a way that cannot be changed: below a script in quotes, or with
    /// variables that another command sets.
    fn may_tick(&self, line: &[u8], variables: &Variables) -> bool {
        let commands = words::commands(line).unwrap_or_default();
        let is_possible = |tick: &Tick<'_>| self.is_own(tick) != Some(false);
        let in_script = |script: &Word| {
            let inner = words::commands(&[b"@daily ", script.text.as_slice()].concat()).unwrap_or_default();
            self.ticks(&inner, variables).iter().any(is_possible)
        };
        self.ticks(&commands, variables).iter().any(is_possible) || commands.iter().flat_map(scripts).any(in_script)
    }

    /// Whether a tick is one of the database; `None` when its variables are not known.
    fn is_own(&self, tick: &Tick<'_>) -> Option<bool> {
        let value = |name: &str| tick.variables.get(name.as_bytes()).map(|text| OsString::from_vec(text.clone()));
        let named = value("HOWDAH_DB").map(PathBuf::from);
        let path = match (tick.global.db.clone().or(named), tick.is_default_known) {
            (Some(path), _) if path == Path::new(UNKNOWN) => return None,
            (Some(path), _) => path,
            (None, false) => return None,
            (None, true) => {
                // What the installer's own variables say is nothing to cron.
                let state = value("XDG_STATE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
                let home = value("HOME").map(PathBuf::from).or_else(|| self.home.clone());
                state.or_else(|| Some(home?.join(".local/state")))?.join("howdah/howdah.db")
            }
        };
        let is_same = || path == self.database || files::resolved(&path) == files::resolved(&self.database);
        Some(path.is_absolute() && is_same())
    }

    /// Returns the options that a line lacks; replaces those that have another value.
    fn missing(&self, options: &[Given], variables: &Variables, edits: &mut Vec<(Range<usize>, String)>) -> String {
        let mut added = String::new();
        let wanted = self.site.iter().map(|site| ("--site", "HOWDAH_SITE", site));
        let wanted = wanted.chain(self.mounts.iter().map(|mount| ("--mount", "HOWDAH_MOUNTS", mount)));
        for (name, variable, value) in wanted {
            let is_given = options.iter().any(|option| option.name == name && option.value == value.as_bytes());
            let replaced = options.iter().find(|option| option.name == name && option.is_for_same_as(value));
            let inherited = variables.get(variable.as_bytes()).is_some_and(|all| {
                all == value.as_bytes() || all.split(|byte| b", \t".contains(byte)).any(|one| one == value.as_bytes())
            });
            match replaced {
                _ if is_given => {}
                Some(option) => edits.push((option.value_place.clone(), in_crontab(value))),
                None if inherited => {}
                None => added.extend([" ", name, " ", &in_crontab(value)]),
            }
        }
        added
    }
}

/// An option of a command, with its value.
struct Given {
    name: &'static str,
    value: Vec<u8>,
    /// Where the option with its value stands, and where its value does.
    place: Range<usize>,
    value_place: Range<usize>,
}

impl Given {
    /// Whether one command cannot have this option with another value too. There is one site file, and one mount of a
    /// URI prefix.
    fn is_for_same_as(&self, value: &str) -> bool {
        let prefix = |text: &[u8]| text.split(|byte| *byte == b'=').next().map(<[u8]>::to_vec);
        self.name == "--site" || prefix(&self.value) == prefix(value.as_bytes())
    }
}

/// Returns the options of a command that say which database, site file and mounts it has.
fn options(words: &[Word]) -> Vec<Given> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for name in ["--db", "--site", "--mount"] {
            let Some(rest) = word.text.strip_prefix(name.as_bytes()) else { continue };
            if let Some(value) = rest.strip_prefix(b"=") {
                // The name has no letter that a shell replaces, and is as long as it is written.
                let value_place = word.place.start + name.len() + 1..word.place.end;
                found.push(Given { name, value: value.to_vec(), place: word.place.clone(), value_place });
            } else if let (true, Some(next)) = (rest.is_empty(), words.get(at + 1)) {
                let value = next.text.clone();
                let place = word.place.start..next.place.end;
                found.push(Given { name, value, place, value_place: next.place.clone() });
            }
        }
    }
    found
}

/// Returns the name and the value of a line that sets a variable.
fn setting(line: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let at = line.iter().position(|byte| *byte == b'=')?;
    let (name, value) = (unquoted(line[..at].trim_ascii()), unquoted(line[at + 1..].trim_ascii()));
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_name.then(|| (name.to_vec(), value.to_vec()))
}

/// Returns a text without the quotes around it.
fn unquoted(text: &[u8]) -> &[u8] {
    match text {
        [first @ (b'"' | b'\''), inner @ .., last] if first == last => inner,
        _ => text,
    }
}

/// Returns a line with its changes made.
fn edited(line: &[u8], mut edits: Vec<(Range<usize>, String)>) -> Vec<u8> {
    edits.sort_by_key(|(place, _)| (place.start, place.end));
    let mut new = line.to_vec();
    for (place, text) in edits.into_iter().rev() {
        new.splice(place, text.into_bytes());
    }
    new
}

fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(line.trim_ascii_end()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Line {
        Line {
            program: "/opt/howdah".to_owned(),
            database: PathBuf::from("/srv/h.db"),
            site: Some("/etc/site.xml".to_owned()),
            mounts: vec!["hdfs://nn=/100%".to_owned()],
            home: Some(PathBuf::from("/home/ann")),
        }
    }

    /// Each line of a crontab is followed by what becomes of it; nothing where it stays.
    fn check(lines: &[(&str, &str)]) {
        let before: String = lines.iter().map(|(line, _)| *line).collect();
        let expect: String = lines.iter().map(|(line, new)| if new.is_empty() { *line } else { *new }).collect();
        let change = line().install(before.as_bytes());
        assert_eq!(String::from_utf8_lossy(&change.table), expect);
        let again = line().install(&change.table);
        assert!(!change.is_added && !again.is_added && again.lines.is_empty() && again.table == change.table);
    }

    const OPTIONS: &str = "--site /etc/site.xml --mount hdfs://nn=/100\\%";

    #[test]
    fn a_line_that_ticks_keeps_what_is_its_own() {
        let new = |text: &str| text.replace("OPTIONS", OPTIONS);
        check(&[(
            "*/10 * * * * howdah --db /srv/h.db tick -q --ping https://hc/a >> /var/log/h 2>&1\r\n",
            &new("*/10 * * * * /opt/howdah --db /srv/h.db OPTIONS tick -q --ping https://hc/a >> /var/log/h 2>&1\r\n"),
        )]);
        check(&[(
            "@hourly  A='b c'  '/usr/bin/howdah'  tick\t--db='/srv/h.db' # ours",
            &new("@hourly  A='b c'  /opt/howdah  tick\t--db='/srv/h.db' OPTIONS # ours"),
        )]);
        check(&[(
            "5-9 1 * jan mon HOWDAH_DB=/srv/h.db howdah tick -q || mail -s tick ops <<< a\n",
            &new("5-9 1 * jan mon HOWDAH_DB=/srv/h.db /opt/howdah OPTIONS tick -q || mail -s tick ops <<< a\n"),
        )]);
        check(&[
            ("HOWDAH_DB = \"/srv/h.db\"\n", ""),
            ("HOWDAH_SITE=/etc/site.xml\n", ""),
            ("HOWDAH_MOUNTS=hdfs://b=/b,hdfs://nn=/100%\n", ""),
            ("* * * * * /opt/howdah tick --ping \"$URL\"\n", ""),
            ("* * * * * /opt/howdah tick --ping=$URL -q\n", ""),
        ]);
        check(&[(
            "@daily cd / && howdah --mount=hdfs://nn=/old --mount s3://b=/b --site /old.xml --db /srv/h.db tick\n",
            "@daily cd / && /opt/howdah --mount=hdfs://nn=/100\\% --mount s3://b=/b --site /etc/site.xml --db /srv/h.db \
             tick\n",
        )]);
    }

    #[test]
    fn a_line_below_other_programs_ticks_too() {
        for wrapped in [
            "flock -n /run/howdah PROGRAM tick",
            "timeout 50 nice -n 5 PROGRAM tick -q",
            "env HOWDAH_DB=/srv/h.db PROGRAM tick",
            "{ PROGRAM tick; } | logger",
            "if [ -e /srv ]; then PROGRAM tick; fi",
            "cd / && exec PROGRAM tick",
        ] {
            let with = |program: &str| format!("* * * * * {}\n", wrapped.replace("PROGRAM", program));
            let (old, new) = (with("howdah --db /srv/h.db"), with(&format!("/opt/howdah --db /srv/h.db {OPTIONS}")));
            check(&[(&old, &new)]);
        }
    }

    #[test]
    fn the_default_database_is_that_of_cron() {
        let line = Line { database: PathBuf::from("/home/ann/.local/state/howdah/howdah.db"), ..line() };
        // Whether each crontab ticks the database, and whether it may.
        for (table, ticks, may) in [
            ("* * * * * howdah tick -q\n", true, false),
            ("* * * * * cd / && /usr/bin/true; howdah tick -q\n", true, false),
            ("* * * * * [ -e /srv ] && howdah tick -q\n", true, false),
            ("* * * * * sudo howdah tick\n", false, true),
            ("HOME=/other\n* * * * * howdah tick -q\n", false, false),
            ("XDG_STATE_HOME=/other\n* * * * * howdah tick -q\n", false, false),
            ("XDG_STATE_HOME=/home/ann/.local/state\n* * * * * HOME=/x howdah tick -q\n", true, false),
            ("* * * * * export HOWDAH_DB=/other/h.db; howdah tick\n", false, true),
            ("* * * * * HOWDAH_DB=/other/h.db; howdah tick\n", false, true),
            ("* * * * * . /etc/howdah.env; howdah tick\n", false, true),
            ("* * * * * env -i howdah tick\n", false, true),
            ("* * * * * howdah --db $HOME/h.db tick\n", false, true),
            ("* * * * * sh -c 'howdah tick -q'\n", false, true),
            ("* * * * * flock /run/h -c \"howdah --db $DB tick\"\n", false, true),
            ("* * * * * sh -c 'howdah --db /other/h.db tick -q'\n", false, false),
            ("* * * * * mail -s 'howdah tick' ops\n", false, false),
        ] {
            let change = line.install(table.as_bytes());
            assert_eq!((!change.is_added, !change.unsure.is_empty()), (ticks, may), "{table}");
        }
        let own = Line { database: PathBuf::from("/x/howdah/howdah.db"), ..line };
        assert!(own.install(b"* * * * * /opt/howdah tick -q\n").is_added);
    }

    #[test]
    fn every_other_line_stays() {
        let others: &[u8] = b"MAILTO=ann\n\
            */10 * * * * howdah --db /srv/h.db status --check || mail -s \"howdah: no tick\" ops\n\
            15 2 * * * howdah --db /srv/h.db db backup /b.db && logger -t tick ok\r\n\
            * * * * * howdah --db /srv/h.db jobs --filter name=tick\n\
            * * * * * howdah --db /srv/h.db.old tick -q\n\
            * * * * * howdah --db $HOME/h.db tick\n\
            * * * * * echo howdah --db /srv/h.db tick\n\
            * * * * * cat 'howdah --db /srv/h.db tick' > howdah; echo --db /srv/h.db tick\n\
            # * * * * * howdah --db /srv/h.db tick\n\
            * * * * * true # howdah --db /srv/h.db tick\n\
            * * * * * cat %howdah --db /srv/h.db tick\n\
            7 7 * * * echo gr\xfcn > \xff\n\
            \n  \r\n* * * *\n* * * * * echo no line end";
        let change = line().install(others);
        let mut expect = [others, b"\n* * * * * /opt/howdah --db /srv/h.db "].concat();
        expect.extend(format!("{OPTIONS} tick --quiet\n").into_bytes());
        assert_eq!(String::from_utf8_lossy(&change.table), String::from_utf8_lossy(&expect));
        assert!(change.table == expect && change.is_added && change.lines.is_empty());
    }
}
