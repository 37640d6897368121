//! `howdah serve`: Oozie's web services and a page for people, over HTTP.
//!
//! A front end like the command line: a request is read, one verb or query is called, and its answer is written. Must
//! not decide anything about jobs.

mod admin;
mod answered;
mod bulk;
mod control;
mod guard;
mod job;
mod jobs;
mod logs;
mod numbers;
mod order;
mod pages;
mod refusal;
mod rerun;
mod routes;
mod site;
mod sla;
mod style;
mod submission;
mod ticks;
mod token;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::serve::guard::{Guard, Writers};
use crate::cli::serve::site::Site;
use crate::cli::serve::token::Token;
use crate::cli::session;
use crate::error::{Error, ErrorCode};
use crate::host::{processes, web};
use crate::output::text;

/// Answer Oozie's clients over HTTP, and show a page for people
///
/// Answers the requests of Oozie's web services, versions 0 to 2, from this database: lists, jobs, definitions, logs.
/// Oozie's own command line, Hue and other clients work with http://HOST:PORT/oozie as their server. At / there is a
/// page for people: jobs, actions and why they wait, graphs, logs, calendars.
///
/// Listens on this machine alone unless --listen names another address. Nothing can be changed through it without
/// --allow-write. SIGTERM or Ctrl-C stops it; jobs are not affected.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah serve\n\
\x20 howdah serve --listen 127.0.0.1:11001\n\
\x20 howdah serve --allow-write --tick 60s\n\
\x20 howdah serve --listen 0.0.0.0:11000 --allow-write --token-file ~/.howdah-token\n\
\x20 OOZIE_URL=http://127.0.0.1:11000/oozie oozie jobs")]
pub(crate) struct ServeArgs {
    /// The address and the port to listen on; port 0 means any free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:11000")]
    listen: SocketAddr,
    /// Allow clients to submit and change jobs: those of root and of the user of this server on this machine, or, with
    /// --token-file, those that send the token
    #[arg(long)]
    allow_write: bool,
    /// A file with a token, which a client sends as Authorization: Bearer TOKEN to change something; needed when the
    /// server listens on an address that is not of this machine alone
    #[arg(long, value_name = "FILE", requires = "allow_write")]
    token_file: Option<PathBuf>,
    /// Also tick and advance workflows, at least as often as this, as `howdah daemon` does
    #[arg(long, value_name = "DURATION")]
    tick: Option<String>,
}

/// Answers requests until a signal arrives.
pub(crate) fn serve(global: &GlobalArgs, arguments: &ServeArgs) -> Result<Status, Failure> {
    let every = arguments.tick.as_deref().map(ticks::read_interval).transpose()?;
    let writers = writers(arguments)?;
    // The settings must be valid, and the database there, before a client asks. Writing creates it.
    let clock = session::clock(global)?;
    if arguments.allow_write || every.is_some() {
        drop(session::engine(global, clock.as_ref())?);
    } else {
        drop(session::query_engine(global)?);
    }
    let stop = processes::watch_for_interrupt();
    let listener = web::Listener::bind(arguments.listen)?;
    let address = listener.address()?;
    if !global.quiet {
        text::aside(&format!("serve: listens on http://{address}/oozie"));
    }
    let ticks = every.map(|every| ticks::start(global, every, &stop));
    // What a request does is reported to its client, not on standard error.
    let own = GlobalArgs { json: None, quiet: true, ..global.clone() };
    let site = Site { global: own, guard: Guard::new(address, writers) };
    let handler: web::Handler = Arc::new(move |request| routes::answer(&site, request));
    web::run(listener, &stop, &handler)?;
    ticks.map_or(Ok(()), ticks::Ticks::end)?;
    Ok(Status::Done)
}

/// Returns who may change something.
///
/// # Errors
/// H0002 for an address that other machines reach, without a token; H0196 for a token that cannot be used.
fn writers(arguments: &ServeArgs) -> Result<Writers, Failure> {
    match &arguments.token_file {
        Some(file) => Ok(Writers::WithToken(Token::read(file)?)),
        None if !arguments.allow_write => Ok(Writers::None),
        None if arguments.listen.ip().is_loopback() => Ok(Writers::OwnUser),
        None => {
            let why = format!("--allow-write on {}, which other machines reach, needs a token", arguments.listen);
            Err(Error::new(ErrorCode::H0002, why).help("add --token-file FILE, or listen on 127.0.0.1").into())
        }
    }
}
