//! `howdah serve`: Oozie's web services and a page for people, over HTTP.
//!
//! A front end like the command line: a request is read, one verb or query is called, and its answer is written. Must
//! not decide anything about jobs.

mod admin;
mod answered;
mod bulk;
mod control;
mod front;
mod guard;
mod job;
mod jobs;
mod lane;
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
pub(crate) mod worker;
mod workers;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::serve::guard::{Access, Guard, Pass, Readers, Writers};
use crate::cli::serve::token::Token;
use crate::cli::serve::workers::Workers;
use crate::cli::session;
use crate::output::text;
use howdah_engine::run_as;
use howdah_host::user_set::UserSet;
use howdah_host::{account, processes, user_table, web};
use howdah_words::error::{Error, ErrorCode};

/// Answer Oozie's clients over HTTP, and show a page for people
///
/// Answers the requests of Oozie's web services, versions 0 to 2, from this database: lists, jobs, definitions, logs.
/// Clients of Oozie use http://HOST:PORT/oozie as their server. At / there is a page for people: jobs, actions and why
/// they wait, graphs, logs, calendars.
///
/// Listens on this machine alone unless --listen names another address. Nothing can be changed through it without
/// --allow-write. SIGTERM or Ctrl-C stops it; jobs are not affected.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah serve\n\
\x20 howdah serve --listen 127.0.0.1:11001\n\
\x20 howdah serve --allow-write --tick 60s\n\
\x20 howdah serve --listen 0.0.0.0:11000 --host edge01 --allow-write --token-file ~/.howdah-token\n\
\x20 howdah serve --read own\n\
\x20 howdah serve --allow-write --token-file ~/.howdah-token --read token --act-for etl\n\
\x20 OOZIE_URL=http://127.0.0.1:11000/oozie oozie jobs")]
pub(crate) struct ServeArgs {
    /// The address and the port to listen on; port 0 means any free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:11000")]
    listen: SocketAddr,
    /// Allow clients to submit and change jobs: those of root and of the user of this server on this machine, or, with
    /// --token-file, those that send the token
    #[arg(long)]
    allow_write: bool,
    /// A file with a token, which a client sends as Authorization: Bearer TOKEN to change something, and to read where
    /// --read says so; changes need it when the server listens on an address that is not of this machine alone
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A user for whose jobs the token may be used; can be given several times [default: every user but root]
    #[arg(long, value_name = "USER", requires = "token_file")]
    act_for: Vec<String>,
    /// Who may read: all that reach the address, own: each user of this machine only the own jobs, token: only clients
    /// with the token, the jobs of the users for whom it may be used
    #[arg(long, value_enum, value_name = "WHO", default_value = "all", hide_possible_values = true)]
    read: Readers,
    /// A name under which clients call this machine, besides localhost and its addresses; can be given several times
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Also tick and advance workflows, at least as often as this, as `howdah daemon` does
    #[arg(long, value_name = "DURATION")]
    tick: Option<String>,
}

/// Answers requests until a signal arrives.
pub(crate) fn serve(global: &GlobalArgs, arguments: &ServeArgs) -> Result<Status, Failure> {
    let every = arguments.tick.as_deref().map(ticks::read_interval).transpose()?;
    let guard = Guard::new(arguments.listen, arguments.host.clone(), access(arguments)?)?;
    // The settings must be valid, and the database there, before a client asks. Writing creates it.
    let clock = session::clock(global)?;
    let engine = if arguments.allow_write || every.is_some() {
        session::engine(global, clock.as_ref())?
    } else {
        session::query_engine(global)?
    };
    let stop = processes::watch_for_interrupt();
    let listener = web::Listener::bind(arguments.listen)?;
    let address = listener.address()?;
    if !global.quiet {
        text::aside(&format!("serve: listens on http://{address}/oozie"));
    }
    let ticks = every.map(|every| ticks::start(&engine, every, (global.quiet, &stop)));
    let (workers, is_quiet) = (Workers::new(&engine), global.quiet);
    // Only the workers use the database.
    drop(engine);
    let handler: web::Handler = Arc::new(move |request| {
        let answer = front::receive(&guard, &workers, request);
        report(&answer, is_quiet);
        answer
    });
    web::run(listener, &stop, &handler)?;
    ticks.map_or(Ok(()), ticks::Ticks::end)?;
    Ok(Status::Done)
}

/// Reports on standard error that a request got no answer in time: somebody must look at the file system.
fn report(answer: &web::Answer, is_quiet: bool) {
    if let Some(message) = answer.header("oozie-error-message").filter(|_| answer.status == 504 && !is_quiet) {
        text::aside(&format!("serve: {message}"));
    }
}

/// A server on this machine and its worker in one process, for tests of requests.
pub struct Alone {
    /// The database.
    pub db: PathBuf,
    /// The settings of the site.
    pub site: PathBuf,
    /// The time that is used as now.
    pub now: String,
}

impl Alone {
    /// Answers a request: one that only reads, or one that may change everything.
    #[must_use]
    pub fn answer(&self, request: &web::Request, allows_changes: bool) -> web::Answer {
        use crate::cli::serve::lane::{Lane, subject};

        let guard = Guard::of_a_reader();
        // A definition that is checked changes nothing.
        let allows_changes = allows_changes || (request.path.len() == 3 && request.path[2] == "validate");
        let is_change = Lane::of(request) == Lane::Changes && !allows_changes;
        let _ = subject(request);
        let checked = guard.check(request).and_then(|()| if is_change { guard.check_change(request) } else { Ok(()) });
        let (db, site, now) = (Some(self.db.clone()), Some(self.site.clone()), Some(self.now.clone()));
        let global = GlobalArgs { db, site, now, quiet: true, ..GlobalArgs::default() };
        let site = site::Site::new(&global, allows_changes, &web::Client::of_all());
        checked.map_or_else(|refusal| refusal.answer(), |()| routes::answer(&site, request))
    }
}

/// Returns who may read and who may change something.
///
/// # Errors
/// H0002 for changes on an address that other machines reach, without a token, and for options that do not fit; H0196
/// for a token that cannot be used.
fn access(arguments: &ServeArgs) -> Result<Access, Failure> {
    let readers = arguments.read;
    let refuse = |why: &str, help: &str| Err(Error::new(ErrorCode::H0002, why).help(help).into());
    let pass = match &arguments.token_file {
        Some(_) if readers == Readers::All && !arguments.allow_write => {
            return refuse("nothing needs the token of --token-file", "add --allow-write, or --read token");
        }
        Some(file) => Some(Pass { token: Token::read(file)?, users: users_of_token(&arguments.act_for)? }),
        None if readers == Readers::Token => return refuse("--read token needs a token", "add --token-file FILE"),
        None => None,
    };
    Ok(Access { readers, writers: writers(arguments)?, pass })
}

/// Returns for whose jobs the token may be used: these, else those of every user but root. A server that is not root's
/// works for its own user only.
///
/// # Errors
/// H0002 for a user whom the machine does not know, or for whom this process may not work.
fn users_of_token(names: &[String]) -> Result<UserSet, Failure> {
    for name in names {
        if user_table::named(name)?.is_none() || !run_as::may_work_for(name) {
            let why = format!("--act-for [{name}] is no user of this machine for whom this process may work");
            return Err(Error::new(ErrorCode::H0002, why)
                .help("`getent passwd` lists the users; root works for all")
                .into());
        }
    }
    Ok(match names {
        [] if account::is_root() => UserSet::AllButRoot,
        [] => UserSet::All,
        _ => UserSet::These(names.iter().cloned().collect()),
    })
}

fn writers(arguments: &ServeArgs) -> Result<Writers, Failure> {
    match arguments.token_file {
        _ if !arguments.allow_write => Ok(Writers::None),
        Some(_) => Ok(Writers::WithToken),
        None if arguments.listen.ip().is_loopback() => Ok(Writers::OwnUser),
        None => {
            let why = format!("--allow-write on {}, which other machines reach, needs a token", arguments.listen);
            Err(Error::new(ErrorCode::H0002, why).help("add --token-file FILE, or listen on 127.0.0.1").into())
        }
    }
}
