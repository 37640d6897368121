//! Every published coordinator that has its properties beside it (`../shared/corpus`) goes through a dry run of its
//! first hundred actions without data, or is refused; the refusals are one snapshot, and each was compared with the
//! file by hand. The accepted ones are compared with separate arithmetic in this test.
//!
//! Values of a coordinator come from the properties file beside it, and from each bundle that names it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use howdah_sandbox::corpus::{corpus, on_all_processors};
use howdah_sandbox::sandbox::user_name;

/// The stores of the published properties, and the place of their files in the corpus.
const MOUNTS: [(&str, &str); 2] = [
    ("hdfs://analytics-hadoop/wmf/refinery/current", "wikimedia__analytics-refinery"),
    ("hdfs://analytics1010.eqiad.wmnet:8020/wmf/kraken/current", "wikimedia__analytics-refinery"),
];

/// Two projects publish the same examples for the same place.
const EXAMPLES: (&str, &str) = ("hdfs://localhost:8020/user/joe/examples/apps", "examples/src/main/apps");

/// One way to submit a coordinator.
#[derive(Debug)]
struct DryRun {
    /// The definition, relative to the corpus.
    coordinator: String,
    /// Its name in the bundle that defines the values; empty without one.
    bundled: String,
    properties: PathBuf,
    values: Vec<(String, String)>,
}

impl DryRun {
    fn title(&self) -> String {
        let bundled = if self.bundled.is_empty() { String::new() } else { format!(" as {}", self.bundled) };
        format!("{}{bundled}", self.coordinator)
    }

    fn run(&self, corpus: &Path, home: &Path) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_howdah"));
        command.env_clear().env("HOWDAH_ZONE_DATA", "built-in").env("HOME", home);
        command.args(["dryrun", "--json", "--check-data=no", "--actions", "1-100"]);
        command.arg("-c").arg(&self.properties).args([
            "-D",
            &format!("user.name={}", user_name()),
            "-D",
            "oozie.bundle.application.path=",
        ]);
        command.args(["-D", &format!("oozie.coord.application.path={}", corpus.join(&self.coordinator).display())]);
        for (name, value) in &self.values {
            command.args(["-D", &format!("{name}={value}")]);
        }
        for (prefix, folder) in mounts(&self.coordinator) {
            command.args(["--mount", &format!("{prefix}={}", corpus.join(folder).display())]);
        }
        command.output().expect("it runs")
    }
}

/// The mounts for a file of the corpus.
fn mounts(path: &str) -> Vec<(&'static str, PathBuf)> {
    let project = path.split('/').next().unwrap_or_default();
    let examples = (EXAMPLES.0, Path::new(project).join(EXAMPLES.1));
    MOUNTS.iter().map(|(prefix, folder)| (*prefix, PathBuf::from(folder))).chain([examples]).collect()
}

/// The paths of one kind in the index.
fn indexed(corpus: &Path, kind: &str) -> Vec<String> {
    let index = fs::read_to_string(corpus.join("INDEX.tsv")).expect("the index lies beside the definitions");
    let of_kind = |line: &str| {
        let mut fields = line.split('\t');
        let path = fields.next()?;
        (fields.next() == Some(kind)).then(|| path.to_owned())
    };
    index.lines().filter_map(of_kind).collect()
}

/// Every dry run, and how many coordinators have no properties.
fn dry_runs(corpus: &Path) -> (Vec<DryRun>, usize) {
    let mut by_coordinator: BTreeMap<String, Vec<DryRun>> = BTreeMap::new();
    for bundle in indexed(corpus, "bundle") {
        for run in bundled(corpus, &bundle) {
            by_coordinator.entry(run.coordinator.clone()).or_default().push(run);
        }
    }
    let (mut runs, mut without) = (Vec::new(), 0);
    for coordinator in indexed(corpus, "coordinator") {
        let own = properties_beside(corpus, &coordinator).map(|properties| DryRun {
            coordinator: coordinator.clone(),
            bundled: String::new(),
            properties,
            values: Vec::new(),
        });
        let before = runs.len();
        runs.extend(own);
        runs.extend(by_coordinator.remove(&coordinator).unwrap_or_default());
        without += usize::from(runs.len() == before);
    }
    (runs, without)
}

/// The properties with which a definition is submitted; those of a workflow job do not count.
fn properties_beside(corpus: &Path, definition: &str) -> Option<PathBuf> {
    let file = corpus.join(definition);
    let (folder, stem) = (file.parent()?, file.file_stem()?.to_str()?);
    let names = [
        format!("{stem}.properties"),
        format!("{}.properties", stem.replace("coordinator", "job")),
        "properties.xml".to_owned(),
        "job.properties".to_owned(),
    ];
    let found = names.iter().map(|name| folder.join(name)).find(|file| file.is_file())?;
    let is_of_workflow = fs::read_to_string(&found).is_ok_and(|text| text.contains("oozie.wf.application.path="));
    (!is_of_workflow).then_some(found)
}

/// The coordinators that a bundle names and that are in the corpus, with their values.
fn bundled(corpus: &Path, bundle: &str) -> Vec<DryRun> {
    let above =
        || Some(corpus.join(bundle).parent()?.parent()?.join("bundle.properties")).filter(|file| file.is_file());
    let Some(properties) = properties_beside(corpus, bundle).or_else(above) else { return Vec::new() };
    let known = read_properties(&properties, bundle);
    let text = without_comments(&fs::read_to_string(corpus.join(bundle)).expect("a bundle"));
    let coordinator = |element: &str| {
        let path = local(corpus, bundle, &resolve(between(element, "<app-path>", "</app-path>")?.trim(), &known))?;
        let value = |property: &str| {
            let name = between(property, "<name>", "</name>")?.trim().to_owned();
            // The bundle's own properties are substituted before the coordinator's are created.
            Some((name, resolve(between(property, "<value>", "</value>")?.trim(), &known)))
        };
        let mut values = vec![("granularity".to_owned(), known["granularity"].clone())];
        values.extend(element.split("<property>").skip(1).filter_map(value));
        let bundled = between(element, "name=\"", "\"").or_else(|| between(element, "name='", "'"))?.to_owned();
        Some(DryRun { coordinator: path, bundled, properties: properties.clone(), values })
    };
    let elements = text.split("<coordinator ").skip(1).filter_map(|rest| rest.split("</coordinator>").next());
    elements.filter_map(coordinator).collect()
}

/// Returns the path of a URI, relative to the corpus.
fn local(corpus: &Path, bundle: &str, uri: &str) -> Option<String> {
    let within = |(prefix, folder): (&str, PathBuf)| {
        Some(folder.join(uri.strip_prefix(prefix)?.trim_start_matches('/'))).filter(|path| corpus.join(path).exists())
    };
    let mut path = mounts(bundle).into_iter().find_map(within)?;
    if corpus.join(&path).is_dir() {
        path.push("coordinator.xml");
    }
    path.to_str().map(str::to_owned)
}

/// Returns the names and values of a properties file, and what its users pass on the command line: the folder's
/// granularity.
fn read_properties(file: &Path, bundle: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once('='));
    let mut known: BTreeMap<String, String> =
        pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect();
    let folder = Path::new(bundle).parent().and_then(Path::file_name).unwrap_or_default();
    known.insert("granularity".to_owned(), folder.to_string_lossy().into_owned());
    // Their folders are below the one of this user, also when another user tries them.
    known.insert("user.name".to_owned(), "joe".to_owned());
    known
}

/// Returns the text with its references to known properties replaced, including those in their values.
fn resolve(text: &str, known: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for _ in 0..20 {
        let Some(name) = between(&text, "${", "}").filter(|name| known.contains_key(*name)).map(str::to_owned) else {
            break;
        };
        text = text.replace(&format!("${{{name}}}"), &known[&name]);
    }
    text
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.filter_map(|part| part.split_once("-->")).fold(first, |text, (_, rest)| text + rest)
}

/// Tries one: whether its schedule could be compared, or the errors that refuse it.
fn tried(run: &DryRun, corpus: &Path, home: &Path) -> Result<bool, String> {
    let (title, output) = (run.title(), run.run(corpus, home));
    let answer: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{title}: {error}: {}", String::from_utf8_lossy(&output.stderr)));
    match output.status.code() {
        Some(0) => Ok(judge(&title, &answer)),
        Some(1) => Err(refusal(&title, &answer, corpus)),
        status => panic!("{title}: exit status {status:?}"),
    }
}

#[test]
fn published_coordinators_go_through_a_dry_run_or_are_refused_for_a_reason() {
    let Some(folder) = corpus() else { return };
    let folder = folder.canonicalize().expect("it is there");
    let (runs, without) = dry_runs(&folder);
    let home = tempfile::tempdir().expect("a folder");
    let tried = on_all_processors(&runs, |run| tried(run, &folder, home.path()));
    let compared = tried.iter().filter(|tried| matches!(tried, Ok(true))).count();
    let refusals: Vec<String> = tried.into_iter().filter_map(Result::err).collect();
    let (refused, refusals) = (refusals.len(), refusals.concat());
    let passed = runs.len() - refused;
    let summary =
        format!("{} dry runs: {passed} pass, {refused} refused; {without} coordinators without properties", runs.len());
    println!("{summary}; {compared} compared with another arithmetic");
    assert!(compared > 120, "only {compared} schedules were compared");
    assert!(!refusals.contains('@'), "an address is no part of a message");
    insta::assert_snapshot!("refusals_of_published_coordinators", format!("{refusals}\n{summary}"));
}

/// The errors of a refused job, without repetitions.
fn refusal(title: &str, answer: &Value, folder: &Path) -> String {
    let mut errors: BTreeMap<String, usize> = BTreeMap::new();
    for problem in answer["problems"].as_array().expect("a list") {
        if problem["severity"] == "error" {
            let text =
                format!("{}: {}", problem["code"].as_str().unwrap_or("?"), problem["message"].as_str().unwrap_or("?"));
            *errors.entry(text.replace(&folder.display().to_string(), "[corpus]")).or_default() += 1;
        }
    }
    assert!(!errors.is_empty(), "{title}: refused without a reason");
    errors.iter().fold(format!("{title}\n"), |mut lines, (error, count)| {
        let times = if *count > 1 { format!(" ({count} times)") } else { String::new() };
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "    {error}{times}");
        lines
    })
}

/// Checks the output of a dry run; returns whether this test can compute its schedule itself.
fn judge(title: &str, answer: &Value) -> bool {
    let actions = answer["actions"].as_array().expect("a list");
    let nominal: Vec<i64> = actions.iter().map(|action| minutes(&action["nominalTime"])).collect();
    assert!((1..=100).contains(&actions.len()), "{title}: {} actions", actions.len());
    for (number, action) in (1_u64..).zip(actions) {
        assert_eq!(action["actionNumber"], number, "{title}");
        // What waits for a search, or names what input logic took, depends on the data.
        let mut searched: Vec<&str> = Vec::new();
        let inputs = action["inputs"].as_array().expect("a list").iter().filter_map(|input| input["name"].as_str());
        let inputs: Vec<&str> = inputs.collect();
        for event in ["inputs", "outputs"].iter().flat_map(|list| action[list].as_array().expect("a list")) {
            for instance in event["instances"].as_array().expect("a list") {
                searched.extend(event["name"].as_str().filter(|_| instance["nominalTime"].is_null()));
                judge_instance(title, event, instance);
            }
        }
        let configuration = action["configuration"].as_object().expect("an object");
        for (name, value) in configuration {
            let value = value.as_str().expect("a text");
            let may_stay_open = match (between(value, "${coord:dataIn('", "')}"), between(value, "${", "}")) {
                (Some(event), _) => searched.contains(&event) || !inputs.contains(&event),
                (None, Some(reference)) => !configuration.contains_key(reference),
                (None, None) => true,
            };
            assert!(may_stay_open, "{title}: {name} stays open: {value}");
        }
    }
    let Some(expect) = schedule(&answer["coordJob"]) else { return false };
    assert_eq!(nominal, expect, "{title}");
    true
}

/// An instance is not before the initial one, and its URI contains its time where it has the parts of a date.
fn judge_instance(title: &str, event: &Value, instance: &Value) {
    let uri = instance["uri"].as_str().expect("a text");
    if instance["nominalTime"].is_null() {
        assert!(uri.starts_with("${coord:"), "{title}: {uri}");
        return;
    }
    let at = minutes(&instance["nominalTime"]);
    assert!(at >= minutes(&event["initialInstance"]), "{title}: {instance}");
    assert!(instance["state"].is_null() || instance["state"] == "unchecked", "{title}: {instance}");
    assert!(!uri.contains("${"), "{title}: {uri}");
    let part = |name: &str| {
        let (_, rest) = uri.split_once(&format!("/{name}="))?;
        rest.split('/').next()?.parse::<i64>().ok()
    };
    let (Some(year), Some(month), Some(day)) = (part("year"), part("month"), part("day")) else { return };
    let day_start = days_of(year, month, day) * 24 * 60;
    match part("hour") {
        Some(hour) => assert_eq!(day_start + hour * 60, at - at.rem_euclid(60), "{title}: {instance}"),
        None => assert_eq!(day_start, at - at.rem_euclid(24 * 60), "{title}: {instance}"),
    }
}

/// The first hundred nominal times, in minutes, of a schedule without clock changes.
fn schedule(job: &Value) -> Option<Vec<i64>> {
    if !["UTC", "Universal", "Etc/UTC", "GMT"].contains(&job["timeZone"].as_str()?) {
        return None;
    }
    let (start, end) = (minutes(&job["startTime"]), minutes(&job["endTime"]));
    let count: i64 = job["frequency"].as_str()?.parse().ok()?;
    let text = job["startTime"].as_str()?;
    let (year, month, day): (i64, i64, i64) =
        (text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..10].parse().ok()?);
    let time = |number: i64| match job["timeUnit"].as_str()? {
        "MINUTE" => Some(start + number * count),
        "HOUR" => Some(start + number * count * 60),
        "DAY" => Some(start + number * count * 24 * 60),
        "MONTH" if day <= 28 => {
            let months = year * 12 + month - 1 + number * count;
            let first = days_of(months.div_euclid(12), months.rem_euclid(12) + 1, day);
            Some(first * 24 * 60 + start.rem_euclid(24 * 60))
        }
        _ => None,
    };
    (0..100).map(time).collect::<Option<Vec<i64>>>().map(|times| times.into_iter().filter(|at| *at < end).collect())
}

/// Minutes since 1970 of `YYYY-MM-DDTHH:MMZ`.
fn minutes(time: &Value) -> i64 {
    let text = time.as_str().unwrap_or_else(|| panic!("no time: {time}"));
    let number = |range: std::ops::Range<usize>| text[range].parse::<i64>().expect("digits");
    assert!(text.len() == 17 && text.ends_with('Z'), "{text}");
    days_of(number(0..4), number(5..7), number(8..10)) * 24 * 60 + number(11..13) * 60 + number(14..16)
}

/// Days since 1970, counted year by year and month by month.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let years: i64 = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
    let lengths = [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let months: i64 = lengths.iter().zip(1..month).map(|(length, _)| length).sum();
    years + months + day - 1
}
