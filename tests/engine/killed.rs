//! A workflow with every feature, its runner killed at many random moments: every command runs exactly as often as the
//! events say, and everything ends as it does without a kill.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use howdah_sandbox::dice::Dice;
use howdah_sandbox::sandbox::{Howdah, Sandbox, kill};
use howdah_tier::Trials;

/// How often a runner dies, unless `HOWDAH_DEATHS` says otherwise.
const DEATHS: Trials = Trials { quick: 100, full: 200, soak: 5_000 };
/// More runners than one job can need, however early each dies.
const MOST_RUNNERS: usize = 1_000;
/// The command of `flaky` ends with 4; here the user's retry allows its code, 1.
const SITE: &str = "oozie.service.LiteWorkflowStoreService.user.retry.error.code.ext=1\n";

/// The job of `fixtures/everything` in a sandbox of its own.
struct Everything {
    sandbox: Sandbox,
    job: String,
}

impl Everything {
    fn submit() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("site.properties", SITE);
        let application = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/everything");
        let submit = sandbox.howdah(["submit"]);
        // The runner that submission starts runs freely; the first kill ends this one.
        let job = submit
            .define("oozie.wf.application.path", &application.display().to_string())
            .define("ledger", &sandbox.text("ledger"))
            .define("made", &sandbox.text("made"))
            .env("HOWDAH_SITE", sandbox.path("site.properties"))
            .succeed()
            .job();
        Self { sandbox, job }
    }

    /// A runner that advances the job to its end when it is let.
    fn runner(&self) -> Howdah {
        self.sandbox.howdah(["runner"]).env("HOWDAH_SITE", self.sandbox.path("site.properties"))
    }

    fn is_over(&self) -> bool {
        !matches!(self.sandbox.database().job(&self.job).as_str(), "PREP" | "RUNNING")
    }

    /// Advances the job with a runner that lives at most this long, or without limit; returns whether it was killed.
    fn advance(&self, life: Option<Duration>) -> bool {
        let Some(life) = life else {
            self.sandbox.await_quiet();
            return false;
        };
        if let Some(first) = self.sandbox.runner() {
            std::thread::sleep(life);
            // A shim that dies after its claim loses its attempt, which is not the subject of this test.
            let is_runner = self.sandbox.runner() == Some(first);
            if is_runner {
                kill(first);
            }
            return is_runner;
        }
        let runner = self.runner().start();
        std::thread::sleep(life);
        kill(runner.pid());
        runner.finish().status.is_none()
    }

    /// Returns the end without ids and times: every node of every job with its status and transition.
    fn end(&self) -> Vec<String> {
        self.sandbox.database().rows(
            "SELECT w.name, w.status, n.name, n.status, n.transition, n.user_retry_count, n.error_code, n.data \
             FROM workflow_node n JOIN workflow_job w USING (job) ORDER BY w.name, n.name",
        )
    }

    /// Returns how often each command ran, from what it wrote.
    fn ran(&self) -> BTreeMap<String, usize> {
        let mut ran = BTreeMap::new();
        for line in self.sandbox.sorted_lines("ledger") {
            *ran.entry(line).or_default() += 1;
        }
        ran
    }

    /// Returns how often each command was started, from the events.
    fn started(&self) -> BTreeMap<String, usize> {
        let rows = self.sandbox.database().rows(
            "SELECT w.id || '@' || e.node, count(*) FROM event e JOIN workflow_job w ON w.job = e.workflow_job \
             JOIN workflow_node n ON n.job = w.job AND n.name = e.node \
             WHERE n.kind = 'shell' AND e.to_status = 'RUNNING' GROUP BY 1",
        );
        let pair = |row: String| {
            let (node, count) = row.rsplit_once(' ').expect("two columns");
            (node.to_owned(), count.parse().expect("a count"))
        };
        rows.into_iter().map(pair).collect()
    }

    fn check(&self, context: &str) {
        self.sandbox.await_quiet();
        let database = self.sandbox.database();
        database.check();
        let errors = database.rows("SELECT name, error_code, error_message FROM workflow_node WHERE error_code <> ''");
        assert_eq!(database.job(&self.job), "SUCCEEDED", "{context}: {} {errors:?}", database.nodes());
        assert_eq!(self.ran(), self.started(), "{context}");
        assert!(self.sandbox.path("made").join(&self.job).join("moved").exists(), "{context}");
    }
}

#[test]
fn a_runner_that_dies_at_any_moment_changes_nothing() {
    let calm = Everything::submit();
    calm.advance(None);
    calm.check("without a death");
    let expect = calm.end();
    let ran = calm.ran();
    assert_eq!(ran.len(), 10, "seven commands and three rounds: {ran:?}");
    assert_eq!(ran[&format!("{}@flaky", calm.job)], 2);

    let mut deaths = 0;
    let mut seed = 0;
    let enough = DEATHS.named("HOWDAH_DEATHS");
    while deaths < enough {
        let mut dice = Dice::new(seed);
        let everything = Everything::submit();
        let mut died = 0;
        for _ in 0..MOST_RUNNERS {
            if everything.is_over() {
                break;
            }
            // Most are killed while they work; a few get so far that commands end meanwhile.
            let longest = if dice.happens(900) { dice.one_of(&[10, 20, 40]) } else { 200 };
            let life = dice.between(1, longest);
            let life = Duration::from_millis(u64::try_from(life).expect("positive"));
            died += usize::from(everything.advance(Some(life)));
        }
        // On a busy machine a runner may need longer to start than each of these may live.
        everything.runner().run();
        let context = format!("seed {seed}, {died} deaths");
        everything.check(&context);
        assert_eq!(everything.end(), expect, "{context}");
        deaths += died;
        seed += 1;
    }
}
