//! The sub-commands of Oozie's command line and their options.

/// How many values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    None,
    One,
    /// A name and its value, with `=` or a blank between them.
    Pair,
    /// As many as follow.
    Many,
}

/// An option of a sub-command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OptionKind {
    pub(super) name: &'static str,
    pub(super) values: Values,
    pub(super) description: &'static str,
}

/// A sub-command.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubCommand {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    /// Its options, in groups that other sub-commands have as well.
    groups: &'static [&'static [OptionKind]],
    /// Options of which exactly one must be given; some sub-commands have none.
    pub(super) actions: &'static [&'static str],
    /// Whether everything from the first word on that is not an option is an argument.
    pub(super) has_arguments: bool,
}

impl SubCommand {
    /// Returns its options.
    pub(super) fn options(&self) -> impl Iterator<Item = &'static OptionKind> + use<> {
        self.groups.iter().copied().flatten()
    }
}

const fn flag(name: &'static str, description: &'static str) -> OptionKind {
    OptionKind { name, values: Values::None, description }
}

const fn valued(name: &'static str, description: &'static str) -> OptionKind {
    OptionKind { name, values: Values::One, description }
}

const fn pair(name: &'static str, description: &'static str) -> OptionKind {
    OptionKind { name, values: Values::Pair, description }
}

/// The server and the user: accepted and without effect, because there is no server.
const CONNECTION: &[OptionKind] = &[
    valued("oozie", "Oozie URL (accepted, not contacted)"),
    valued("auth", "select authentication type (accepted, without effect)"),
    valued("username", "username for BASIC authentication (accepted, without effect)"),
    valued("password", "password for BASIC authentication (accepted, without effect)"),
    flag("insecure", "accept any certificate (accepted, without effect)"),
];

const DO_AS: &[OptionKind] = &[valued("doas", "doAs user (accepted, without effect)")];

const DEBUG: &[OptionKind] = &[flag("debug", "debug mode (accepted, without effect)")];

const PROPERTIES: &[OptionKind] = &[
    valued("config", "job configuration file '.xml' or '.properties'"),
    pair("D", "set/override value for given property"),
];

const DISPLAY: &[OptionKind] = &[
    flag("localtime", "use the time zone of this machine; overrides -timezone"),
    valued("timezone", "use time zone with the specified ID (default GMT)"),
    flag("verbose", "verbose mode"),
];

const JOB: &[OptionKind] = &[
    flag("submit", "submit a job"),
    valued("start", "start a job"),
    flag("run", "run a job"),
    flag("dryrun", "check a job without running it"),
    valued("suspend", "suspend a job"),
    valued("resume", "resume a job"),
    valued("kill", "kill a job (of a coordinator also actions, with -action or -date)"),
    valued("change", "change a coordinator or bundle job"),
    valued("update", "update coord definition and properties"),
    valued("info", "info of a job"),
    valued("rerun", "rerun a job (of a coordinator with -action or -date, of a bundle with -coordinator or -date)"),
    valued("log", "job log"),
    valued("errorlog", "job error log"),
    valued("auditlog", "job audit log"),
    valued("definition", "job definition"),
    valued("configcontent", "job configuration"),
    valued("ignore", "change status of a coordinator job or action to IGNORED"),
    valued("poll", "wait until a job reaches a terminal state or a timeout occurs"),
    valued("slaenable", "enables sla alerts for the job"),
    valued("sladisable", "disables sla alerts for the job"),
    valued("slachange", "change sla parameters of a job"),
    valued("retries", "the attempts of a workflow action"),
    valued("missingdeps", "missing dependencies of coordinator actions"),
    valued("runjar", "generate and run a job definition (not available)"),
    valued("submitjar", "generate and submit a job definition (not available)"),
    valued("validatejar", "generate and check a job definition (not available)"),
    valued("value", "new endtime/concurrency/pausetime/status of a job, or sla parameters"),
    valued("offset", "job info offset of actions (default '1', requires -info)"),
    valued("len", "number of actions (requires -info)"),
    valued("filter", "<key><comparator><value>[;<key><comparator><value>]* with the keys status and nominaltime"),
    valued("order", "order of coord actions, 'desc' for descending (requires -info)"),
    valued("action", "action ids of a coordinator, such as 1,3-4"),
    valued("date", "action dates of a coordinator, such as A::B,C"),
    valued("coordinator", "coordinator names of a bundle (requires -rerun)"),
    flag("refresh", "re-materialize the rerun actions (requires -rerun)"),
    flag("nocleanup", "do not clean up output-events of the rerun actions (requires -rerun)"),
    flag("failed", "run only the failed workflow actions of the coordinator actions (requires -rerun)"),
    flag("allruns", "workflow jobs of a coordinator action, with those of its reruns (requires -info)"),
    valued("logfilter", "opt1=val1;opt2=val2 of recent, start, end, loglevel, text, limit and debug"),
    valued("timeout", "timeout in minutes (default 30, below 1 no timeout, requires -poll)"),
    valued("interval", "polling interval in minutes (default 5, requires -poll)"),
    valued("diff", "show the difference of the new definition and properties (default true, requires -update)"),
];

const JOB_ACTIONS: &[&str] = &[
    "submit",
    "start",
    "run",
    "suspend",
    "resume",
    "kill",
    "change",
    "update",
    "info",
    "rerun",
    "log",
    "errorlog",
    "auditlog",
    "definition",
    "configcontent",
    "ignore",
    "poll",
    "slaenable",
    "sladisable",
    "slachange",
    "retries",
    "missingdeps",
    "runjar",
    "submitjar",
    "validatejar",
];

const JOBS: &[OptionKind] = &[
    valued("filter", "text=<*>;user=<U>;name=<N>;status=<S>;startcreatedtime=<SC>;endcreatedtime=<EC>;sortBy=<SB>"),
    valued("jobtype", "job type 'coordinator' or 'bundle' or 'wf' (default)"),
    valued("offset", "jobs offset (default '1')"),
    valued("len", "number of jobs (default '50')"),
    valued("bulk", "actions of a bundle: bundle=<B>;coordinators=<C>;actionstatus=<S>"),
    flag("kill", "bulk kill operation"),
    flag("suspend", "bulk suspend operation"),
    flag("resume", "bulk resume operation"),
];

const ADMIN: &[OptionKind] = &[
    flag("status", "show the current system status"),
    valued("systemmode", "change the system mode [NORMAL|SAFEMODE]"),
    flag("version", "show the version of Oozie whose answers are given"),
    flag("configuration", "show the settings of the site"),
    flag("queuedump", "show the queue elements of the server (there is none)"),
    flag("instrumentation", "not available"),
    flag("metrics", "not available"),
    flag("javasysprops", "not available"),
    flag("osenv", "not available"),
    flag("servers", "not available"),
    flag("shareliblist", "not available"),
    flag("sharelibupdate", "not available"),
    valued("purge", "not available"),
];

const SLA: &[OptionKind] =
    &[valued("len", "number of results"), valued("offset", "start offset"), valued("filter", "filter of SLA events")];

const INFO: &[OptionKind] = &[flag("timezones", "display a list of available time zones")];

/// The options of the sub-commands that submit one action.
const ONE_ACTION: &[OptionKind] = &[
    pair("P", "set parameters for script"),
    valued("file", "script"),
    OptionKind { name: "command", values: Values::Many, description: "sqoop command" },
];

const fn plain(name: &'static str, description: &'static str, groups: &'static [&'static [OptionKind]]) -> SubCommand {
    SubCommand { name, description, groups, actions: &[], has_arguments: false }
}

/// A sub-command that submits one action.
const fn one_action(name: &'static str, description: &'static str) -> SubCommand {
    let options: &[&[OptionKind]] = &[CONNECTION, DO_AS, PROPERTIES, ONE_ACTION];
    SubCommand { has_arguments: true, ..plain(name, description, options) }
}

/// Every sub-command, in the order of the help.
pub(super) const SUB_COMMANDS: &[SubCommand] = &[
    SubCommand { has_arguments: true, ..plain("help", "display usage for all commands or specified command", &[]) },
    plain("version", "show client version", &[]),
    SubCommand {
        actions: JOB_ACTIONS,
        ..plain("job", "job operations", &[CONNECTION, DO_AS, DEBUG, PROPERTIES, DISPLAY, JOB])
    },
    plain("jobs", "jobs status", &[CONNECTION, DO_AS, DEBUG, DISPLAY, JOBS]),
    plain("admin", "admin operations", &[CONNECTION, DO_AS, DEBUG, ADMIN]),
    SubCommand {
        has_arguments: true,
        ..plain("validate", "validate a workflow, coordinator, bundle XML file", &[CONNECTION])
    },
    plain("sla", "sla operations (not available)", &[CONNECTION, SLA]),
    one_action("pig", "submit a pig job"),
    one_action("hive", "submit a hive job"),
    one_action("sqoop", "submit a sqoop job"),
    plain("info", "get more detailed info about specific topics", &[INFO]),
    SubCommand { has_arguments: false, ..one_action("mapreduce", "submit a mapreduce job") },
];
