//! `POST jobs` and `POST validate`: submits a job, tries one, checks a definition.

use serde_json::json;

use crate::cli::oozie::dry_run;
use crate::cli::serve::answered::Answered;
use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::site::Site;
use crate::cli::serve::style;
use crate::cli::{runner, session, submit as own};
use howdah_answers::check::validate::{self as check, Policy, Quotable, Target};
use howdah_engine::run_as;
use howdah_engine::submit::submission::{self, Begin, Prepared};
use howdah_engine::tick::kick_off::Start;
use howdah_host::web::Request;
use howdah_oozie::configuration::{ParsedProperties, read_configuration};
use howdah_words::error::{Error, ErrorCode, SourceText};
use howdah_words::model::id::JobKind;
use howdah_xml as xml;

/// The property with the user of a job.
const USER: &str = "user.name";

/// Answers `POST jobs`: with `action=start` the job begins, with `action=dryrun` it is only tried, without an action a
/// workflow job waits until it is started.
pub(super) fn submit(site: &Site, request: &Request) -> Answered {
    let begin = match request.parameter("action") {
        Some("start") => Begin::AtOnce,
        Some("dryrun") => return dryrun(site, request),
        None | Some("") => Begin::WhenStarted,
        Some(other) => return Err(Refusal::parameter("action", other)),
    };
    if let Some(kind) = request.parameter("jobtype") {
        return Err(Refusal::parameter("jobtype", kind));
    }
    let properties = job_properties(site, request)?;
    let (clock, settings) = (session::clock(&site.global)?, session::settings(&site.global)?);
    let mounts = session::mounts(&site.global, &settings)?;
    let prepared = match submission::prepare(&mounts, &settings, &properties) {
        (Some(prepared), _) => prepared,
        (None, problems) => return Err(crate::cli::exit::Failure::from(problems).into()),
    };
    site.check_user(&run_as::user(prepared.configuration()))?;
    let mut engine = session::engine(&site.global, clock.as_ref())?;
    let id = match (begin, &prepared) {
        (Begin::WhenStarted, Prepared::Workflow(_)) => {
            submission::submit_to(&mut engine, &prepared, begin, clock.now())?
        }
        _ => own::store(&mut engine, &prepared, Start::WhenDue, clock.now())?.0,
    };
    if id.kind() == JobKind::Workflow {
        runner::ensure(&engine, &site.global)?;
    }
    Ok(style::json(201, &json!({ "id": id.as_str() })))
}

fn dryrun(site: &Site, request: &Request) -> Answered {
    let properties = job_properties(site, request)?;
    let (_, answer) = dry_run(&site.global, &properties, (&[], session::clock(&site.global)?.now()))?;
    Ok(style::json(201, &json!({ "id": answer })))
}

/// Returns the properties of a job: the configuration in the body, and the user that the request names.
///
/// # Errors
/// E0701 for a body that is no configuration, E0401 without a user, H0197 for one for whom the client may not ask.
fn job_properties(site: &Site, request: &Request) -> Result<ParsedProperties, Refusal> {
    let mut properties = properties(request)?;
    if let Some(user) = user(request) {
        properties.values.insert(USER.to_owned(), user.to_owned());
    }
    if !properties.values.contains_key(USER) {
        return Err(Error::new(ErrorCode::E0401, USER).into());
    }
    site.check_user(&run_as::user_of(&properties).filter(|user| !user.is_empty()).unwrap_or_else(|| "?".to_owned()))?;
    Ok(properties)
}

/// Returns the user that the parameters of a request name.
fn user(request: &Request) -> Option<&str> {
    let named = request.parameter("doAs").or_else(|| request.parameter(USER));
    named.map(str::trim).filter(|user| !user.is_empty())
}

/// Returns the configuration in the body of a request; nothing when the body is empty.
///
/// # Errors
/// E0701 for a body that is no configuration.
pub(super) fn properties(request: &Request) -> Result<ParsedProperties, Refusal> {
    if request.body.iter().all(u8::is_ascii_whitespace) {
        return Ok(ParsedProperties::default());
    }
    let text = text(request)?;
    let source = SourceText::new("the body of the request", text);
    let document = xml::read(&source).map_err(crate::cli::exit::Failure::from)?;
    Ok(read_configuration(&document.root, &source).map_err(crate::cli::exit::Failure::from)?)
}

fn text(request: &Request) -> Result<String, Refusal> {
    String::from_utf8(request.body.clone())
        .map_err(|_| Error::with(ErrorCode::H0112, &[&"the body of the request", &"UTF-8"]).into())
}

/// Answers `POST validate`: checks the definition in the body.
pub(super) fn validate(site: &Site, request: &Request) -> Answered {
    site.check_all()?;
    if request.body.is_empty() {
        return Err(Error::new(ErrorCode::E0302, "the body of the request has no definition").into());
    }
    let settings = session::settings(&site.global)?;
    let mounts = session::mounts(&site.global, &settings)?;
    let (policy, quotable) = (Policy::parse(std::iter::empty(), std::iter::empty())?, Quotable::default());
    let now = session::clock(&site.global)?.now();
    let check =
        check::Request { mounts: &mounts, settings: &settings, now, job: None, policy: &policy, quotable: &quotable };
    let name = request.parameter("file").unwrap_or("the body of the request").to_owned();
    match check::first_error(check, Target::Bytes(name, request.body.clone()))? {
        Some(problem) => Err(problem.into()),
        None => Ok(style::json(200, &json!({ "validate": "Valid workflow-app" }))),
    }
}
