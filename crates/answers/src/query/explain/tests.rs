//! The reasons are true: each is asked for, taken away, and then a tick moves the action; before that, none does.
#![expect(clippy::disallowed_methods, reason = "a test makes and removes the files that are waited for")]

use crate::query::explain::explanation::Explanation;
use crate::query::explain::hold::Hold;
use crate::query::explain::why::{ActionWhy, InputsWanted};
use howdah_words::model::time::Timestamp;
use std::fmt::Write as _;
use std::fs;

use crate::query::context::run;
use crate::query::status::AnyStatus;
use crate::query::testing::{NOW, Sandbox, at};
use howdah_engine::apply::control::Verb;
use howdah_engine::inputs::decision::Decision;
use howdah_engine::transition::cause::Cause;
use howdah_engine::transition::coordinator::move_job;
use howdah_engine::verbs::change::{change_job, ignore_job};
use howdah_engine::verbs::control;
use howdah_engine::verbs::repair::select::named;
use howdah_engine::verbs::repair::{Manner, rerun_unasked};
use howdah_host::environment;
use howdah_host::mounts::Mounts;
use howdah_oozie::coordinator::job_state::JobEvent;
use howdah_oozie::coordinator::operation::change_value::{NewPause, NewValues};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::{JobHold, JobStatus};
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, CoordinatorJob, CoordinatorKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::{HOUR, MINUTE};

/// The inputs of a job.
const RAW: &str = r#"<input-events><data-in name="i" dataset="raw"><instance>${coord:current(0)}</instance></data-in></input-events>"#;
const LATEST: &str =
    r#"<input-events><data-in name="i" dataset="raw"><instance>${coord:latest(0)}</instance></data-in></input-events>"#;
const STORE: &str = r#"<input-events><data-in name="i" dataset="hdfs"><instance>${coord:current(0)}</instance></data-in></input-events>"#;
const LOGIC: &str = r#"<input-events><data-in name="i" dataset="raw"><start-instance>${coord:current(-1)}</start-instance><end-instance>${coord:current(0)}</end-instance></data-in></input-events><input-logic><data-in dataset="i" min="1" wait="90"/></input-logic>"#;

/// A job with its sandbox.
struct Case {
    sandbox: Sandbox,
    job: JobId,
}

impl Case {
    fn new(controls: &str, events: &str) -> Self {
        let mut sandbox = Sandbox::new();
        let store = "hdfs://nn:8020/raw/${HOUR}";
        let datasets: &[&str] = if events == STORE { &[store, "out"] } else { &["raw", "out"] };
        let job = sandbox.submit_with(controls, datasets, events);
        Self { sandbox, job }
    }

    /// Makes the raw instances of some hours.
    fn raw(self, hours: &[&str]) -> Self {
        for hour in hours {
            self.sandbox.input(&format!("raw/{hour}"));
        }
        self
    }

    fn tick(mut self, at: Timestamp) -> Self {
        self.sandbox.tick(at);
        self
    }

    fn verb(mut self, verb: Verb, at: Timestamp) -> Self {
        control::control(&mut self.sandbox.engine, &self.job, verb, (Effect::Stored, at)).unwrap();
        self
    }

    /// Changes the job's row, as `change` would.
    fn change(mut self, change: impl FnOnce(&mut CoordinatorJob)) -> Self {
        let id = self.job.clone();
        let changed = self.sandbox.engine.store.transact(|transaction| {
            let mut job = transaction.coordinator_job(&id)?.unwrap();
            let from = job.status;
            change(&mut job);
            transaction.update_coordinator_job(from, &job)
        });
        assert!(changed.unwrap());
        self
    }

    /// The clock comes to the pause time, or the pause time goes away.
    fn pause(mut self, at: Option<Timestamp>, event: JobEvent) -> Self {
        let id = self.job.clone();
        let moved = self.sandbox.engine.store.transact(|transaction| {
            let mut job = transaction.coordinator_job(&id)?.unwrap();
            job.pause_at = at;
            job.due_at = Some(NOW);
            move_job(transaction, &mut job, event, Cause::new(NOW, Origin::Pause))
        });
        assert!(moved.unwrap());
        self
    }

    /// The job's key.
    fn key(&mut self) -> CoordinatorKey {
        let id = self.job.clone();
        self.sandbox.engine.store.read(|snapshot| snapshot.coordinator_job(&id)).unwrap().unwrap().job
    }

    /// Ends the workflow job of an action.
    fn end(mut self, number: u32) -> Self {
        let action = ActionKey { job: self.key(), number };
        let workflow = self.sandbox.engine.store.read(|snapshot| snapshot.workflow_jobs_of_action(action)).unwrap();
        control::control(&mut self.sandbox.engine, &workflow[0].id, Verb::Kill, (Effect::Stored, NOW)).unwrap();
        self
    }

    fn explain(&mut self, number: u32, at: Timestamp) -> Explanation {
        self.sandbox.explain(&self.job, number, at).unwrap()
    }

    fn status(&mut self, number: u32, at: Timestamp) -> String {
        self.explain(number, at).status.map_or_else(|| "-".to_owned(), |status| status.to_string())
    }

    /// Action `number` is held by `hold` at `at`, in these words, and stays where it is through a tick; once `remove`
    /// has taken the reason away, a tick at `then` gives it the status `moved`.
    fn check(
        mut self,
        (number, at): (u32, Timestamp),
        (hold, words): (Hold, &str),
        remove: impl FnOnce(Self) -> Self,
        (then, moved): (Timestamp, &str),
    ) {
        let before = self.explain(number, at);
        let said = format!("{}. {}", before.why, before.reasons.join(". "));
        assert_eq!(before.held_by, Some(hold), "{said}");
        assert!(said.contains(words), "{said}");
        let status = before.status;
        if hold != Hold::NextTick {
            self = self.tick(at);
            let after = self.explain(number, at);
            assert_eq!((after.status, after.held_by), (status, Some(hold)), "a tick alone changes nothing: {said}");
        }
        let mut removed = remove(self).tick(then);
        assert_eq!(removed.status(number, then), moved, "{said}");
        assert_ne!(Some(moved), status.map(AnyStatus::as_str), "{said}");
    }
}

/// What is done when nothing has to be taken away.
fn nothing(case: Case) -> Case {
    case
}

#[test]
fn missing_inputs() {
    let raw = |case: Case| case.raw(&["05"]);
    let case = Case::new("", RAW).tick(NOW);
    case.check((1, NOW), (Hold::Inputs, "it waits for "), raw, (NOW, "RUNNING"));
    let mount = |mut case: Case| {
        let text = format!("hdfs://nn:8020={}", case.sandbox.path("").display());
        case.sandbox.engine.mounts = Mounts::parse([text.as_str()]).unwrap();
        case.raw(&["05"])
    };
    let case = Case::new("", STORE).tick(NOW);
    case.check((1, NOW), (Hold::Inputs, "for which there is no mount"), mount, (NOW, "RUNNING"));
    let case = Case::new("", LATEST).tick(NOW);
    case.check((1, NOW), (Hold::Inputs, "${coord:latest(0)}"), raw, (NOW, "RUNNING"));
}

#[test]
fn the_wait_of_an_input_logic() {
    let case = Case::new("<concurrency>-1</concurrency>", LOGIC).raw(&["05"]).tick(NOW);
    // The first action's other instance lies before the initial one; the second was created with it, an hour late.
    let until = "waits until 2026-03-01T07:30Z (in 1 h 30 min)";
    case.check((2, NOW), (Hold::InputLogicWait, until), nothing, (NOW + 90 * MINUTE, "RUNNING"));
    let case = Case::new("<concurrency>-1</concurrency>", LOGIC).raw(&["05"]).tick(NOW);
    case.check((2, NOW), (Hold::InputLogicWait, until), |case| case.raw(&["06"]), (NOW, "RUNNING"));
    let case = Case::new("", LOGIC).tick(NOW);
    case.check((1, NOW), (Hold::Inputs, "it waits for "), |case| case.raw(&["05"]), (NOW, "RUNNING"));
}

#[test]
fn time() {
    let case = Case::new("<concurrency>-1</concurrency>", RAW).raw(&["05", "06", "07"]).tick(NOW);
    case.check((3, NOW), (Hold::NominalTime, "due at 2026-03-01T07:00Z (in 1 h)"), nothing, (NOW + HOUR, "RUNNING"));
    let early = NOW - 3 * HOUR;
    let case = Case::new("", RAW).raw(&["05"]);
    case.check((1, early), (Hold::NominalTime, "due at 2026-03-01T05:00Z"), nothing, (NOW, "RUNNING"));
    let case = Case::new("", RAW);
    case.check((1, NOW), (Hold::NextTick, "the next tick creates actions"), nothing, (NOW, "WAITING"));
    let case = Case::new("<timeout>10</timeout>", RAW).tick(NOW);
    let late = NOW + 11 * MINUTE;
    case.check((1, late), (Hold::NextTick, "the next tick makes it TIMEDOUT"), nothing, (late, "TIMEDOUT"));
    let case = Case::new("<timeout>10</timeout>", RAW).tick(NOW).raw(&["05"]);
    case.check((1, late), (Hold::NextTick, "the next tick makes it READY"), nothing, (late, "RUNNING"));
}

#[test]
fn limits() {
    let case = Case::new("<throttle>1</throttle>", RAW).tick(NOW);
    let throttle = (Hold::Throttle, "no further action is created while 1 action waits (throttle 1)");
    case.check((2, NOW), throttle, |case| case.raw(&["05"]), (NOW, "WAITING"));
    let case = Case::new("<concurrency>1</concurrency>", RAW).raw(&["05", "06"]).tick(NOW);
    let raise = |case: Case| case.change(|job| job.concurrency = 2);
    case.check((2, NOW), (Hold::Concurrency, "concurrency is 1 and 1 action runs"), raise, (NOW, "RUNNING"));
    let case = Case::new("<concurrency>1</concurrency>", RAW).raw(&["05", "06"]).tick(NOW);
    case.check((2, NOW), (Hold::Concurrency, "1 action runs already"), |case| case.end(1), (NOW, "RUNNING"));
    let case = Case::new("<concurrency>1</concurrency>", RAW).raw(&["05", "06"]).tick(NOW).end(1);
    let none = case.change(|job| job.concurrency = 0);
    let raise = |case: Case| case.change(|job| job.concurrency = 1);
    none.check((2, NOW), (Hold::Concurrency, "the job's concurrency is 0: nothing may start"), raise, (NOW, "RUNNING"));
    let none = Case::new("", RAW).change(|job| job.throttle = 0);
    let raise = |case: Case| case.change(|job| job.throttle = 1);
    none.check((1, NOW), (Hold::Throttle, "the job's throttle is 0"), raise, (NOW, "WAITING"));
    let case = Case::new("<execution>LAST_ONLY</execution>", RAW).tick(NOW - 30 * MINUTE);
    let passes = (Hold::NextTick, "the next tick passes it over, because execution is LAST_ONLY");
    case.check((1, NOW + 1), passes, nothing, (NOW + 1, "SKIPPED"));
}

#[test]
fn the_order_of_ready_actions() {
    let late = NOW + HOUR;
    for (execution, first, last) in [("FIFO", 1, 3), ("LIFO", 3, 1)] {
        let controls = format!("<concurrency>1</concurrency><execution>{execution}</execution>");
        let mut case = Case::new(&controls, RAW).raw(&["05", "06", "07"]).tick(late).end(first);
        let explanation = case.explain(last, late);
        assert_eq!(
            (explanation.held_by, explanation.why.to_string().contains("comes before it")),
            (Some(Hold::Order), true)
        );
        // The one that comes before takes the place; when it has ended the next tick starts this one.
        let mut case = case.tick(late);
        assert_eq!((case.status(2, late), case.status(last, late)), ("RUNNING".to_owned(), "READY".to_owned()));
        let mut case = case.end(2).tick(late);
        assert_eq!(case.status(last, late), "RUNNING", "{execution}");
    }
}

#[test]
fn suspension_and_pause() {
    let resume = |case: Case| case.verb(Verb::Resume, NOW + MINUTE);
    let user = environment::user_name().unwrap();
    let words = format!("the job is SUSPENDED since 2026-03-01T06:00Z (1 min ago) by {user} with `howdah suspend`");
    let words = words.as_str();
    let (at, running) = (NOW + MINUTE, "RUNNING");
    let case = Case::new("", RAW).tick(NOW).verb(Verb::Suspend, NOW).raw(&["05"]);
    case.check((1, at), (Hold::Suspension, words), resume, (at, running));
    let case = Case::new("<concurrency>1</concurrency>", RAW).raw(&["05", "06"]).tick(NOW).verb(Verb::Suspend, NOW);
    let resume_and_end = |case: Case| resume(case).end(1);
    case.check((2, at), (Hold::Suspension, words), resume_and_end, (at, running));
    let case = Case::new("", RAW).verb(Verb::Suspend, NOW);
    case.check((1, at), (Hold::Suspension, "the job is PREPSUSPENDED"), resume, (at, "WAITING"));
    let pause = |case: Case| case.pause(Some(NOW - 30 * MINUTE), JobEvent::PauseTimeReached);
    let unpause = |case: Case| case.pause(None, JobEvent::PauseTimeGone);
    let case = pause(Case::new("<throttle>1</throttle>", RAW).tick(NOW)).raw(&["05"]);
    let words = "the job is PAUSED since 2026-03-01T06:00Z (now); its pause time is 2026-03-01T05:30Z (30 min ago): no \
                 action is created";
    case.check((2, NOW), (Hold::Pause, words), unpause, (NOW, "WAITING"));
    // A pause stops no action that exists.
    let case = pause(Case::new("", RAW).tick(NOW));
    case.check((1, NOW), (Hold::Inputs, "it waits for "), |case| case.raw(&["05"]), (NOW, running));
    let ahead = Some(NOW - 30 * MINUTE);
    let case = Case::new("<throttle>1</throttle>", RAW).tick(NOW).change(|job| job.pause_at = ahead).raw(&["05"]);
    case.check((2, NOW), (Hold::Pause, "the job's pause time is 2026-03-01T05:30Z"), unpause, (NOW, "WAITING"));
    // It has come since the last tick, and the next one pauses before it creates.
    let (soon, at) = (Some(NOW + 30 * MINUTE), NOW + 60 * MINUTE);
    let case = Case::new("<throttle>1</throttle>", RAW).tick(NOW).change(|job| job.pause_at = soon).raw(&["05"]);
    case.check((2, at), (Hold::Pause, "the job's pause time was 2026-03-01T06:30Z"), unpause, (at, "WAITING"));
}

#[test]
fn a_workflow_that_cannot_be_used() {
    let mut case = Case::new("<concurrency>1</concurrency>", RAW).raw(&["05", "06"]).tick(NOW).end(1);
    let (file, aside) = (case.sandbox.path("wf/workflow.xml"), case.sandbox.path("wf/aside"));
    fs::rename(&file, &aside).unwrap();
    let explanation = case.explain(2, NOW);
    assert_eq!(explanation.held_by, Some(Hold::Definition), "{explanation:?}");
    fs::rename(&aside, &file).unwrap();
    let mut case = case.tick(NOW);
    assert_eq!(case.status(2, NOW), "RUNNING");
}

#[test]
fn latest_is_looked_for_again_after_a_suspension() {
    let late = NOW + 2 * MINUTE;
    let suspended = || {
        let case = Case::new("<concurrency>1</concurrency>", LATEST).raw(&["05"]).tick(NOW);
        case.verb(Verb::Suspend, NOW + MINUTE).verb(Verb::Resume, late)
    };
    let found = |case: &mut Case, at| {
        let decision = case.explain(2, at).decision.unwrap();
        decision.searches[0].found.iter().map(|found| found.nominal_time.clone()).collect::<Vec<_>>()
    };
    // It keeps what was decided while it waits for a place, and looks again once its job was suspended.
    let mut kept = Case::new("<concurrency>1</concurrency>", LATEST).raw(&["05"]).tick(NOW).raw(&["06"]).tick(late);
    assert_eq!(found(&mut kept, late), ["2026-03-01T05:00Z"]);
    let mut again = suspended().raw(&["06"]).tick(late);
    assert_eq!(found(&mut again, late), ["2026-03-01T06:00Z"]);
    let case = suspended();
    fs::remove_dir(case.sandbox.path("raw/05")).unwrap();
    let arrives = |case: Case| case.raw(&["06"]).end(1);
    case.check((2, late), (Hold::Latest, "looked for again, and they are not there"), arrives, (late, "RUNNING"));
    // What is passed over is not looked for first: it would be READY for ever.
    let controls = "<concurrency>0</concurrency><execution>LAST_ONLY</execution>";
    let case = Case::new(controls, LATEST).raw(&["05"]).tick(NOW);
    let case = case.verb(Verb::Suspend, NOW + MINUTE).verb(Verb::Resume, late);
    fs::remove_dir(case.sandbox.path("raw/05")).unwrap();
    case.check((1, late), (Hold::NextTick, "passes it over"), nothing, (late, "SKIPPED"));
    // With Java's default nothing is looked for again.
    let mut java = suspended().raw(&["06"]);
    java.sandbox.engine.settings.latest_from_creation = true;
    assert_eq!(found(&mut java.tick(late), late), ["2026-03-01T05:00Z"]);
}

/// A job that came to a status by what a person or a step does, as far as that needs no commands that run.
fn arrived(case: Case, status: JobStatus) -> Case {
    use JobStatus as S;
    let held = |case: Case, hold: JobHold| match hold {
        JobHold::Free => case,
        JobHold::Suspended => case.verb(Verb::Suspend, NOW),
        JobHold::Paused => case.pause(Some(NOW), JobEvent::PauseTimeReached),
    };
    match status {
        S::Prep { hold } => held(case, hold),
        S::Running { hold, with_error: false } => held(case.tick(NOW), hold),
        S::Running { hold, with_error: true } => held(case.tick(NOW).end(1), hold),
        S::Killed => case.tick(NOW).verb(Verb::Kill, NOW),
        S::Ignored => {
            let mut case = case.tick(NOW).verb(Verb::Kill, NOW);
            ignore_job(&mut case.sandbox.engine, &case.job, (Effect::Stored, NOW)).unwrap();
            case
        }
        S::Done { .. } | S::Failed => case.tick(NOW).change(|job| {
            job.status = status;
            job.ended_at = Some(NOW);
        }),
    }
}

#[test]
fn who_held_or_ended_something_is_named() {
    let by = |verb: &str| format!("by {} with `howdah {verb}`", environment::user_name().unwrap());
    let why = |case: &mut Case, id: &JobId| {
        run(&mut case.sandbox.engine, NOW, |query| query.explain_job(id)).unwrap().why.to_string()
    };
    let mut killed = Case::new("", RAW).tick(NOW).verb(Verb::Kill, NOW);
    let id = killed.job.clone();
    assert_eq!(why(&mut killed, &id), format!("it is over: KILLED at 2026-03-01T06:00Z (now) {}", by("kill")));
    let mut paused = Case::new("<throttle>1</throttle>", RAW).tick(NOW);
    let values = NewValues { pause: Some(NewPause::At(NOW)), ..NewValues::default() };
    change_job(&mut paused.sandbox.engine, &paused.job, &values, (Effect::Stored, NOW)).unwrap();
    let mut paused = paused.tick(NOW);
    let said = paused.explain(3, NOW).why.to_string();
    assert!(said.contains(&format!("its pause time is 2026-03-01T06:00Z (now), set {}", by("change"))), "{said}");
    // An action's workflow job, killed on its own.
    let mut held = Case::new("", RAW).raw(&["05"]).tick(NOW);
    let action = ActionKey { job: held.key(), number: 1 };
    let workflow = held.sandbox.engine.store.read(|snapshot| snapshot.workflow_jobs_of_action(action)).unwrap();
    control::control(&mut held.sandbox.engine, &workflow[0].id, Verb::Kill, (Effect::Stored, NOW)).unwrap();
    let said = held.explain(1, NOW).why.to_string();
    assert!(said.contains(&by("kill")), "{said}");
}

#[test]
fn every_status_of_a_job_says_what_goes_on_and_what_to_do() {
    let mut text = String::new();
    for status in JobStatus::ALL {
        let mut case = arrived(Case::new("<concurrency>1</concurrency>", RAW).raw(&["05"]), *status);
        let id = case.job.clone();
        let explanation = run(&mut case.sandbox.engine, NOW, |query| query.explain_job(&id)).unwrap();
        let hold = explanation.held_by.map(|hold| format!("{hold:?}")).unwrap_or_default();
        let advice = explanation
            .next
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n    > ")
            .replace(id.as_str(), "JOB");
        let root = case.sandbox.path("").display().to_string();
        let reasons = explanation.reasons.join("\n    ");
        assert_eq!(explanation.status, Some((*status).into()));
        let told = format!("{status} ({hold})\n    {}\n    {reasons}\n    > {advice}\n", explanation.why);
        let by = format!("by {} with", environment::user_name().unwrap());
        writeln!(text, "{}", told.replace(&root, "/").replace(&by, "by USER with")).unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_chain_of_producers_is_followed_and_a_cycle_named() {
    let mut sandbox = Sandbox::new();
    let first = sandbox.submit("", ("raw", "one"));
    let second = sandbox.submit("", ("one", "two"));
    let third = sandbox.submit("", ("two", "three"));
    sandbox.tick(NOW);
    let producer = sandbox.explain(&third, 1, NOW).unwrap().inputs[0].instances[0].producer.clone().unwrap();
    assert_eq!(producer.action_id, Some(format!("{second}@1")));
    let chain: Vec<_> = producer.chain.iter().map(|link| link.action_id.clone()).collect();
    assert_eq!(chain, [Some(format!("{first}@1")), None]);
    assert!(producer.chain[1].text.to_string().ends_with("which no known job writes"), "{:?}", producer.chain);
    let mut sandbox = Sandbox::new();
    let hen = sandbox.submit("", ("egg", "hen"));
    let egg = sandbox.submit("", ("hen", "egg"));
    sandbox.tick(NOW);
    let producer = sandbox.explain(&hen, 1, NOW).unwrap().inputs[0].instances[0].producer.clone().unwrap();
    assert_eq!(producer.action_id, Some(format!("{egg}@1")));
    assert_eq!(producer.chain.len(), 1, "{producer:?}");
    assert!(producer.chain[0].text.closes_cycle, "{producer:?}");
    // An action that reads what it writes itself waits for ever.
    let own = sandbox.submit("", ("own", "own"));
    sandbox.tick(NOW);
    let producer = sandbox.explain(&own, 1, NOW).unwrap().inputs[0].instances[0].producer.clone().unwrap();
    assert!(producer.chain.is_empty() && producer.text.closes_cycle, "{producer:?}");
}

#[test]
fn every_writer_of_a_dataset_is_asked_for_an_instance() {
    let mut sandbox = Sandbox::new();
    sandbox.schedule = ("2026-03-01T05:00Z", 2);
    let odd = sandbox.submit("", ("raw", "mid"));
    sandbox.schedule = ("2026-03-01T06:00Z", 2);
    let even = sandbox.submit("", ("raw", "mid"));
    sandbox.schedule = ("2026-03-01T05:00Z", 1);
    let hourly = r#"<input-events><data-in name="i" dataset="mid"><instance>${coord:current(0)}</instance></data-in></input-events>"#;
    let reader = sandbox.submit_with("", &["mid", "out"], hourly);
    sandbox.tick(NOW);
    for (number, expect) in [(1, format!("{odd}@1")), (2, format!("{even}@1"))] {
        let explanation = sandbox.explain(&reader, number, NOW).unwrap();
        let producer = explanation.inputs[0].instances[0].producer.clone().unwrap();
        assert_eq!(producer.action_id, Some(expect), "{}", producer.text);
    }
}

#[test]
fn an_action_rerun_without_refresh_shows_what_it_starts_with() {
    let mut case = Case::new("<concurrency>1</concurrency>", LATEST).raw(&["05"]).tick(NOW).end(1);
    let actions = Scope::Numbers(ActionNumbers::one(1));
    let engine = &mut case.sandbox.engine;
    let draft = named(engine, (&case.job, Some(&actions)), Vec::new(), &Manner::default(), NOW).unwrap();
    rerun_unasked(engine, &case.job, draft, NOW).unwrap();
    fs::remove_dir(case.sandbox.path("raw/05")).unwrap();
    let explanation = case.explain(1, NOW);
    assert_eq!(explanation.status, Some(ActionStatus::Waiting.into()));
    assert_eq!(explanation.why, ActionWhy::BecomesReady(InputsWanted::DecidedBefore).into());
    assert!(explanation.inputs.is_empty(), "{:?}", explanation.inputs);
    let found = |decision: Option<Decision>| decision.unwrap().searches[0].found[0].nominal_time.clone();
    assert_eq!(found(explanation.decision), "2026-03-01T05:00Z");
    let id = case.job.clone();
    let info = run(&mut case.sandbox.engine, NOW, |query| query.coordinator_action_info(&id, 1)).unwrap();
    assert_eq!(info.missing_dependencies, [""; 0]);
    assert_eq!(found(info.decision), "2026-03-01T05:00Z");
    assert_eq!(case.tick(NOW).status(1, NOW), "RUNNING");
}

#[test]
fn the_earliest_start() {
    for (events, raw, number, expect) in [
        (RAW, &["05"][..], 2, None),
        (RAW, &[], 3, Some("2026-03-01T07:00Z")),
        (LOGIC, &["05"], 2, Some("2026-03-01T07:30Z")),
        (LOGIC, &[], 2, None),
    ] {
        let mut case = Case::new("", events).raw(raw).tick(NOW);
        assert_eq!(case.explain(number, NOW).earliest_start_time, expect.map(at), "{events} {number}");
    }
    let mut sandbox = Sandbox::new();
    sandbox.submit("", ("raw", "mid"));
    let next = r#"<input-events><data-in name="i" dataset="mid"><instance>${coord:current(1)}</instance></data-in></input-events>"#;
    let reader = sandbox.submit_with("", &["mid", "out"], next);
    sandbox.tick(NOW);
    let explanation = sandbox.explain(&reader, 2, NOW).unwrap();
    assert_eq!(explanation.earliest_start_time, Some(at("2026-03-01T07:00Z")), "{explanation:?}");
    let said = explanation.reasons.join(" ");
    assert!(said.contains("the action that writes an input is due then"), "{said}");
    assert_eq!(explanation.inputs[0].instances[0].state.as_str(), "not yet due");
}
