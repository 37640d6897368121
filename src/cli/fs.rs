//! `howdah fs`: what howdah sees at a URI, on this machine or on a server; needs no database.

use std::io::Read as _;

use clap::{Args, Subcommand};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::files;
use crate::output::json;
use crate::output::screen::Screen;
use howdah_answers::query::file::FileView;
use howdah_engine::definition_file::locate;
use howdah_host::found::cannot_read;
use howdah_host::located::{Base, GlobError, Located};
use howdah_host::mounts::Mounts;
use howdah_words::error::Result;

/// The most files that a pattern may name.
const MOST: usize = 50_000;
/// Bytes that are read and written at a time.
const PIECE: usize = 64 * 1024;

/// Show what howdah sees at a URI
///
/// A path is on this machine, in a mounted folder, or on a server; the mounts decide (--mount). Shows where that is,
/// and what is there. Changes nothing.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah fs ls hdfs://namenode:8020/data/in --mount hdfs://namenode:8020=webhdfs://namenode:9870\n\
\x20 howdah fs test hdfs://namenode:8020/data/in/2026-03-01/_SUCCESS && echo present")]
pub(crate) struct FsArgs {
    #[command(subcommand)]
    verb: FsVerb,
}

#[derive(Debug, Subcommand)]
enum FsVerb {
    /// List a folder, a file, or what a pattern names; exit status 1 when nothing is there
    Ls(UriArgs),
    /// Print what is at a path: its store, real path, kind, size, rights and times; 1 when nothing is there
    Stat(UriArgs),
    /// Print the content of a file
    Cat(UriArgs),
    /// Print whether something is at a path: exit status 0 when it is there, 1 when it is absent, 75 when the store
    /// cannot tell
    Test(UriArgs),
}

#[derive(Args, Debug)]
struct UriArgs {
    /// A URI, or an absolute path
    #[arg(value_name = "URI")]
    uri: String,
}

/// Runs the verb.
pub(crate) fn fs(global: &GlobalArgs, arguments: &FsArgs) -> Result<Status, Failure> {
    let mounts = session::mounts(global, &session::settings(global)?)?;
    let at = |arguments: &UriArgs| located(&mounts, &arguments.uri);
    match &arguments.verb {
        FsVerb::Ls(arguments) => list(global, &at(arguments)?),
        FsVerb::Stat(arguments) => stat(global, &at(arguments)?),
        FsVerb::Cat(arguments) => cat(&at(arguments)?),
        FsVerb::Test(arguments) => test(global, &at(arguments)?),
    }
}

fn located(mounts: &Mounts, uri: &str) -> Result<Located> {
    locate(mounts, uri, &Base::this_machine())
}

fn list(global: &GlobalArgs, place: &Located) -> Result<Status, Failure> {
    let named = if place.is_pattern() { expand(place)? } else { vec![place.clone()] };
    let mut views = Vec::new();
    for place in &named {
        match place.inspect_entries()? {
            Some(entries) => views.extend(entries.iter().map(|(place, entry)| FileView::of(place, entry))),
            None => views.extend(place.inspect()?.map(|entry| FileView::of(place, &entry))),
        }
        // A folder without entries is there.
        if named.len() == 1 && views.is_empty() && place.inspect()?.is_none() {
            return absent(global, place);
        }
    }
    let mut screen = Screen::open();
    if global.is_json() {
        json::print(&mut screen, &views)?;
    } else {
        let text = files::list(&views, screen.layout());
        screen.write(text)?;
    }
    Ok(if named.is_empty() { Status::Unsuccessful } else { Status::Done })
}

fn expand(place: &Located) -> Result<Vec<Located>> {
    place.expand(MOST).map_err(|error| match error {
        GlobError::Io(error) => cannot_read(std::path::Path::new(place.place().as_ref()), &error),
        other => howdah_words::error::Error::with(howdah_words::error::ErrorCode::H0110, &[&place.place(), &other]),
    })
}

fn stat(global: &GlobalArgs, place: &Located) -> Result<Status, Failure> {
    let Some(entry) = place.inspect()? else { return absent(global, place) };
    let mut view = FileView::of(place, &entry);
    view.below = place.summary()?;
    let mut screen = Screen::open();
    if global.is_json() {
        json::print(&mut screen, &view)?;
    } else {
        screen.write(files::facts(&view))?;
    }
    Ok(Status::Done)
}

fn cat(place: &Located) -> Result<Status, Failure> {
    let unread = |error: std::io::Error| cannot_read(std::path::Path::new(place.place().as_ref()), &error);
    let mut content = place.open(0).map_err(unread)?;
    let mut screen = Screen::open();
    let mut piece = vec![0; PIECE];
    loop {
        let read = content.read(&mut piece).map_err(unread)?;
        if read == 0 || screen.is_closed() {
            return Ok(Status::Done);
        }
        screen.write_bytes(&piece[..read])?;
    }
}

fn test(global: &GlobalArgs, place: &Located) -> Result<Status, Failure> {
    match place.inspect() {
        Ok(Some(_)) => {
            answer(global, place, "present")?;
            Ok(Status::Done)
        }
        Ok(None) => absent(global, place),
        Err(error) if error.may_pass() => {
            crate::output::diagnostic::explain(&[error]);
            Ok(Status::Busy)
        }
        Err(error) => Err(error.into()),
    }
}

fn absent(global: &GlobalArgs, place: &Located) -> Result<Status, Failure> {
    answer(global, place, "absent")?;
    Ok(Status::Unsuccessful)
}

fn answer(global: &GlobalArgs, place: &Located, word: &str) -> Result<()> {
    let mut screen = Screen::open();
    if global.is_json() {
        return json::print(&mut screen, &serde_json::json!({"place": place.place(), "state": word}));
    }
    screen.write(format!("{word}: {}\n", place.place()))
}
