//! The process table of other systems: the output of `ps`. Must not depend on which process is looked for.

use std::io;
use std::path::Path;
use std::process::Command;

use super::Entry;
use crate::found::{Found, Unknown};

/// One `-o` each: on other systems than Linux the text after the first `=` would be the heading. Locale and zone
/// are fixed because start times are compared as texts.
fn ps(selection: &[&str]) -> io::Result<String> {
    let mut command = Command::new("ps");
    command.env("LC_ALL", "C").env("TZ", "UTC").args(selection);
    for column in ["pid=", "stat=", "pgid=", "sess=", "lstart="] {
        command.args(["-o", column]);
    }
    Ok(String::from_utf8_lossy(&command.output()?.stdout).into_owned())
}

/// The running process `pid`.
pub(in crate::processes) fn read(pid: i32) -> Found<Entry> {
    match ps(&["-p", &pid.to_string()]) {
        Ok(line) => parse(&line).map_or(Found::Absent, Found::Present),
        Err(error) => Found::unknown(Path::new("ps"), &error),
    }
}

fn parse(line: &str) -> Option<Entry> {
    let mut fields = line.split_ascii_whitespace();
    let (pid, state) = (fields.next()?.parse().ok()?, fields.next()?);
    let (group, session) = (fields.next()?.parse().ok()?, fields.next()?.parse().unwrap_or(0));
    let start_time = fields.collect::<Vec<_>>().join(" ");
    (!state.starts_with('Z') && !start_time.is_empty()).then_some(Entry { pid, group, session, start_time })
}

/// Every process that this user may see.
pub(in crate::processes) fn all() -> Result<Vec<Entry>, Unknown> {
    let listed = Found::of(Path::new("ps"), ps(&["-ax"])).known()?.unwrap_or_default();
    Ok(listed.lines().filter_map(parse).collect())
}
