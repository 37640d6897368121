//! What every request needs: the options of the process, and for whom the client may ask.

use crate::cli::args::GlobalArgs;
use crate::cli::serve::refusal::Refusal;
use crate::cli::session;
use crate::cli::targets::Targets;
use howdah_answers::query::{self, veil::Veil};
use howdah_engine::Engine;
use howdah_engine::lookup::Job;
use howdah_host::user_set::UserSet;
use howdah_host::web::{Answer, Client};
use howdah_store::JobFilter;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::id::{JobId, Target};

/// The options of the process, and what the current request may do.
pub(super) struct Site {
    pub(super) global: GlobalArgs,
    /// Whether requests may change something.
    pub(super) allows_changes: bool,
    pub(super) client: Client,
}

impl Site {
    /// Returns the site for a client.
    pub(super) fn new(global: &GlobalArgs, allows_changes: bool, client: &Client) -> Self {
        let global = GlobalArgs { reads_for: Some(client.acts_for.clone()), ..global.clone() };
        Self { global, allows_changes, client: client.clone() }
    }

    /// Returns the job, action or node that a text names, of a job that the client may see.
    ///
    /// # Errors
    /// As [`Targets::target`]; H0197 for a job that the client may not see.
    pub(super) fn target(&self, text: &str) -> Result<Target, Refusal> {
        let target = Targets::new(&self.global).target(text)?;
        self.check_seen(target.job())?;
        Ok(target)
    }

    /// Refuses a job that the client may not see.
    ///
    /// # Errors
    /// H0197; E0604 for no job.
    pub(super) fn check_seen(&self, job: &JobId) -> Result<(), Refusal> {
        self.check(job, &self.client.sees)
    }

    /// Refuses a job that the client may not change.
    ///
    /// # Errors
    /// H0197; E0604 for no job.
    pub(super) fn check_acting(&self, job: &JobId) -> Result<(), Refusal> {
        self.check(job, &self.client.acts_for)
    }

    fn check(&self, job: &JobId, users: &UserSet) -> Result<(), Refusal> {
        if *users == UserSet::All {
            return Ok(());
        }
        let engine = session::query_engine(&self.global)?;
        check_user(users, &user_of(&engine, job)?)
    }

    /// Leaves in a list the jobs that the client may change.
    ///
    /// # Errors
    /// A failure of the database.
    pub(super) fn narrow_to_acting(&self, engine: &Engine, jobs: &mut Vec<JobId>) -> Result<(), Refusal> {
        let users = &self.client.acts_for;
        if *users != UserSet::All {
            for job in std::mem::take(jobs) {
                jobs.extend(users.has(&user_of(engine, &job)?).then_some(job));
            }
        }
        Ok(())
    }

    /// Refuses to work for a user for whom the client may not ask.
    ///
    /// # Errors
    /// H0197.
    pub(super) fn check_user(&self, user: &str) -> Result<(), Refusal> {
        check_user(&self.client.acts_for, user)
    }

    /// Refuses what concerns the jobs of all users: a client must be allowed to ask for the user of this process.
    ///
    /// # Errors
    /// H0197.
    pub(super) fn check_all(&self) -> Result<(), Refusal> {
        check_user(&self.client.acts_for, "")
    }

    /// Refuses to show what has something of every job.
    ///
    /// # Errors
    /// H0197.
    pub(super) fn check_sees_all(&self) -> Result<(), Refusal> {
        if self.client.sees == UserSet::All {
            Ok(())
        } else {
            Err(refused("the client sees the jobs of some users only"))
        }
    }

    /// Leaves in a list the jobs that the client may see.
    pub(super) fn narrow(&self, filter: &mut JobFilter) {
        if !self.narrow_users(&mut filter.users) {
            // No job has an empty id.
            filter.ids = vec![String::new()];
        }
    }

    /// Leaves in a list of users those whose jobs the client may see; returns whether there is one.
    pub(super) fn narrow_users(&self, users: &mut Vec<String>) -> bool {
        let seen = match &self.client.sees {
            UserSet::All => return true,
            UserSet::These(seen) if users.is_empty() => seen.iter().cloned().collect(),
            seen => std::mem::take(users).into_iter().filter(|user| seen.has(user)).collect(),
        };
        *users = seen;
        !users.is_empty()
    }

    /// Hides the secret values of a job in an answer to a client that may not see them.
    pub(super) fn veiled(&self, name: &str, answer: Answer) -> Answer {
        let Ok(target) = Targets::new(&self.global).target(name) else { return answer };
        let hidden = session::query_engine(&self.global).map_err(Refusal::from).and_then(|mut engine| {
            let now = session::clock(&self.global)?.now();
            Ok(query::run(&mut engine, now, |query| query.veil(target.job()))?)
        });
        match hidden {
            Ok(veil) if veil.is_closed() => behind(&veil, answer),
            Ok(_) => answer,
            Err(_) if answer.status >= 400 => answer,
            Err(refusal) => refusal.answer(),
        }
    }
}

fn user_of(engine: &Engine, job: &JobId) -> Result<String, Refusal> {
    Ok(engine.store.read(|snapshot| Ok(Job::of(snapshot, job)?.user().to_owned()))?)
}

fn check_user(users: &UserSet, user: &str) -> Result<(), Refusal> {
    if users.has(user) {
        return Ok(());
    }
    let whose = if user.is_empty() { "all users".to_owned() } else { format!("the user {user}") };
    Err(refused(&format!("the client may not ask for {whose} (--act-for, --read)")))
}

fn refused(why: &str) -> Refusal {
    Refusal::with_status(&Error::new(ErrorCode::H0197, why), 403)
}

/// Hides values in an answer of any type.
fn behind(veil: &Veil, answer: Answer) -> Answer {
    let kind = answer.header("content-type").unwrap_or_default().to_owned();
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    let body = match serde_json::from_str(&text) {
        Ok(mut document) if kind.starts_with("application/json") => {
            veil.document(&mut document);
            document.to_string()
        }
        _ if ["text/html", "image/svg", "application/xml"].iter().any(|markup| kind.starts_with(markup)) => {
            veil.page(&text)
        }
        _ => veil.lines(&text),
    };
    let headers = answer.headers.into_iter().map(|(name, value)| (name, veil.text(value))).collect();
    Answer { status: answer.status, headers, body: body.into_bytes() }
}
