use super::*;
use crate::settings::Settings;
use howdah_words::model::node_type::{ActionKind, NodeType};
use howdah_words::model::row::{AttemptKey, CLUSTER, CoordinatorKey, RunningNode};

/// What limits a command, in words: its type, `slurm` for a cluster, `@` and its pool; in any order.
fn needs(words: &str) -> CommandNeeds {
    let mut needs = CommandNeeds { kind: NodeType::Action(ActionKind::Shell), pool: None, place: None };
    for word in words.split_whitespace() {
        match (word.strip_prefix('@'), word) {
            (Some(pool), _) => needs.pool = Some(pool.to_owned()),
            (None, "ssh") => needs.kind = NodeType::Action(ActionKind::Ssh),
            (None, "slurm") => needs.place = Some(CLUSTER.to_owned()),
            (None, other) => assert_eq!(other, "shell"),
        }
    }
    needs
}

fn waiting(job: i64, coordinator: Option<i64>, node: &str, nominal: i64) -> WaitingNode {
    WaitingNode {
        job: WorkflowKey(job),
        node: node.to_owned(),
        coordinator: coordinator.map(CoordinatorKey),
        nominal_at: Timestamp::from_seconds(nominal),
        needs: needs(""),
    }
}

/// Limits such as `machine=4 db=2 ssh=1 slurm=3`.
fn limits(text: &str) -> Limits {
    let mut settings = Settings { commands: Some(1000), ..Settings::default() };
    for (name, most) in text.split_whitespace().map(|word| word.split_once('=').unwrap()) {
        let most = most.parse().unwrap();
        match name {
            "machine" => settings.commands = Some(most),
            "ssh" | "slurm" => drop(settings.commands_of.insert(name.to_owned(), most)),
            pool => drop(settings.pools.insert(pool.to_owned(), most)),
        }
    }
    Limits::of(&settings)
}

/// Running commands, as `<job>: <needs>` each; the coordinator of a job has its number.
fn running(lines: &[&str]) -> Vec<RunningNode> {
    let node = |(number, line): (usize, &&str)| {
        let (job, words) = line.split_once(':').unwrap();
        let (job, attempt) = (job.parse().unwrap(), AttemptKey(i64::try_from(number).unwrap()));
        RunningNode { attempt, job: WorkflowKey(job), coordinator: Some(CoordinatorKey(job)), needs: needs(words) }
    };
    lines.iter().enumerate().map(node).collect()
}

/// Waiting nodes, as `<job> <nominal time> <name>: <needs>` each.
fn nodes(lines: &[&str]) -> Vec<WaitingNode> {
    let node = |line: &&str| {
        let (node, words) = line.split_once(':').unwrap();
        let [job, nominal, name] = node.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let job = job.parse().unwrap();
        WaitingNode { needs: needs(words), ..waiting(job, Some(job), name, nominal.parse().unwrap()) }
    };
    lines.iter().map(node).collect()
}

#[test]
fn the_job_with_the_fewest_commands_and_then_the_earliest_time_comes_first() {
    let nodes = [
        waiting(1, Some(7), "late", 90),
        waiting(2, Some(7), "early", 10),
        waiting(3, Some(7), "middle", 50),
        waiting(4, Some(8), "other", 70),
        waiting(5, None, "single", 80),
    ];
    for (running, expect) in [
        (vec![], "early other single middle late"),
        (vec![(Family::Coordinator(CoordinatorKey(7)), 1)], "other single early middle late"),
        (vec![(Family::Coordinator(CoordinatorKey(8)), 9)], "early single middle late other"),
        (vec![(Family::Workflow(WorkflowKey(5)), 2)], "early other middle single late"),
    ] {
        let running = running.into_iter().collect();
        let ordered: Vec<&str> = in_order(&nodes, &running).iter().map(|node| node.node.as_str()).collect();
        assert_eq!(ordered.join(" "), expect, "{running:?}");
    }
}

/// Checks which of the waiting nodes get places, and what keeps each of the others.
fn check(most: &str, runs: &[&str], waits: &[&str], expect: &str) {
    let (limits, waits) = (limits(most), nodes(waits));
    let taken = Taken::count(&limits, &running(runs));
    let mut places = Places::new(limits.clone());
    places.share(&taken, &waits);
    let kept: Vec<&str> = waits
        .iter()
        .filter(|node| places.kept.contains_key(&(node.job, node.node.clone())))
        .map(|node| node.node.as_str())
        .collect();
    assert_eq!(kept.join(" "), expect, "{most}; {runs:?}; {waits:?}");
    let kept_of = |limit: &Limit| places.kept.values().filter(|needs| needs.contains(limit)).count();
    for limit in places.free.keys() {
        assert!(taken.all(limit) + kept_of(limit) <= limits.most(limit).max(taken.all(limit)), "{limit:?}");
    }
}

#[test]
fn a_command_needs_a_place_in_each_limit_that_concerns_it() {
    // A full pool holds neither other jobs nor the other nodes of its job.
    check("machine=4 db=1", &["1: @db"], &["1 10 a: @db", "1 20 b:", "2 30 c:"], "b c");
    check("machine=2 db=1", &["1: @db"], &["1 10 a: @db", "1 20 b:", "2 30 c:"], "c");
    // A place of the pool alone is not enough.
    check("machine=1 db=9", &["1:"], &["2 10 a: @db"], "");
    check("machine=2 db=9", &["1:"], &["2 10 a: @db", "2 20 b: @db"], "a");
    // The oldest of a job first, in a pool and on the machine.
    check("machine=9 db=1", &[], &["1 20 a: @db", "1 10 b: @db"], "b");
    check("machine=1 db=1", &[], &["1 20 a: @db", "1 10 b:"], "b");
    check("machine=1 db=1", &[], &["1 20 a:", "1 10 b: @db"], "b");
    // The job with the fewest commands in the pool, also when it has more commands in all.
    check("machine=9 db=2", &["1: @db", "2:", "2:", "2:"], &["1 10 a: @db", "2 20 b: @db"], "b");
    // A cluster has no places of the machine, and as many of its own as it likes unless the site says otherwise.
    check("machine=1", &["1:"], &["1 10 a: slurm", "1 20 b:", "2 30 c: slurm"], "a c");
    check("machine=1 slurm=2", &["1: slurm"], &["1 10 a: slurm", "1 20 b:", "2 30 c: slurm"], "b c");
    check("machine=9 ssh=2", &["1: ssh"], &["1 10 a: ssh", "2 20 b: ssh", "2 30 c: shell"], "b c");
    // Of several limits the full one counts.
    check("machine=9 ssh=1 db=3", &["1: ssh"], &["1 10 a: ssh @db", "1 20 b: @db"], "b");
    check("machine=9 slurm=1 db=1", &[], &["1 10 a: slurm @db", "2 20 b: @db", "2 30 c: slurm"], "a");
    // A pool that the site does not have any more is no limit: the start of such a node fails.
    check("machine=9", &[], &["1 10 a: @gone"], "a");
}

#[test]
fn waiting_nodes_get_places_first_and_other_nodes_get_the_rest() {
    let plain = needs("");
    let of_machine = |free: usize| Taken::of_machine(5 - free);
    let mut places = Places::new(limits("machine=5"));
    let nodes = [waiting(1, None, "a", 10), waiting(1, None, "b", 10), waiting(2, None, "c", 20)];
    let (first, second) = (WorkflowKey(1), WorkflowKey(2));
    assert_eq!(places.share(&of_machine(2), &nodes), [first, second]);
    assert!(!places.take(first, "new", &plain) && places.is_refused(first, "new"));
    assert!(places.take(first, "a", &plain) && places.take(second, "c", &plain));
    assert!(!places.take(first, "b", &plain) && !places.take(first, "a", &plain));
    assert_eq!(places.share(&of_machine(3), &nodes[1..2]), [first]);
    assert!(places.take(second, "new", &plain) && places.take(second, "newer", &plain));
    assert!(!places.take(second, "newest", &plain));
    assert!(!places.is_refused(first, "b") && places.take(first, "b", &plain));
}

#[test]
fn a_new_node_takes_what_is_left_in_all_its_limits_or_nothing() {
    let mut places = Places::new(limits("machine=2 db=1"));
    let (first, second) = (WorkflowKey(1), WorkflowKey(2));
    places.share(&Taken::default(), &[]);
    assert!(places.take(first, "a", &needs("@db")) && !places.take(first, "b", &needs("@db")));
    assert!(places.is_refused(first, "b") && !places.is_refused(second, "c"));
    assert!(places.take(second, "c", &needs("")) && !places.take(second, "d", &needs("")));
    assert!(places.take(second, "e", &needs("slurm")));
    // A node that wants another pool than when it began to wait gives its place back.
    let mut places = Places::new(limits("machine=1 db=1 web=1"));
    assert_eq!(places.share(&Taken::default(), &nodes(&["1 10 a: @db"])), [first]);
    assert!(!places.take(first, "b", &needs("@db")));
    assert!(places.take(first, "a", &needs("@web")) && !places.take(first, "b", &needs("@db")));
}

#[test]
fn the_obstacle_is_the_narrowest_limit_without_a_place() {
    let limits = limits("machine=3 db=2");
    let waits = nodes(&["1 10 a: @db", "2 15 b: @db", "1 20 c:", "3 30 d:", "1 40 e: @db"]);
    let of = |runs: &[&str], job: i64, node: &str| {
        let taken = Taken::count(&limits, &running(runs));
        let found = obstacle(&limits, &taken, &waits, (WorkflowKey(job), node));
        found.map(|(limit, before)| format!("{limit}; {before}")).unwrap_or_default()
    };
    let full = ["1: @db", "1: @db", "1:"];
    assert_eq!(of(&full, 2, "b"), "of pool db; 0");
    assert_eq!(of(&full, 1, "a"), "of pool db; 1");
    assert_eq!(of(&full, 1, "e"), "of pool db; 2");
    assert_eq!(of(&full, 3, "d"), "on this machine (howdah.commands); 0");
    assert_eq!(of(&full, 1, "c"), "on this machine (howdah.commands); 1");
    assert_eq!(of(&["1:", "1:", "1:"], 1, "e"), "on this machine (howdah.commands); 4");
    assert_eq!(of(&full[..2], 3, "d"), "");
    assert_eq!(of(&full, 3, "unknown"), "");
}
