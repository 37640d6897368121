//! The codes: Oozie's `Exxxx` with Oozie's wording, our own `Hxxxx` (refusals without a code in Oozie) and `Wxxxx`
//! (warnings).
//!
//! Templates follow the catalogue of Oozie's error messages; `{0}`, `{1}` are arguments. This table is the only list of
//! codes: the manual page of `validate` and the rules of its reports are generated from it.

use std::fmt;

/// The kind of failure of a code; decides the exit status and whether a definition is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The input or the state does not allow the request (exit status 1).
    Refused,
    /// The command line is wrong (exit status 2).
    Usage,
    /// Another process holds what is needed (exit status 75).
    Busy,
    /// A defect of howdah (exit status 70).
    Internal,
    /// Nothing is refused, but something is probably wrong.
    Warning,
    /// Nothing is wrong, but the user should know.
    Note,
}

macro_rules! codes {
    ($($code:ident, $class:ident, $template:literal $(, $advice:literal)?;)*) => {
        /// A stable code of a problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $template, "`")] $code,)*
        }

        impl ErrorCode {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// Returns the code as printed.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$code => stringify!($code),)* }
            }

            /// Returns the message, with `{0}`, `{1}`, ... for its arguments.
            pub const fn template(self) -> &'static str {
                match self { $(Self::$code => $template,)* }
            }

            /// Returns what kind of failure this is.
            pub const fn class(self) -> Class {
                match self { $(Self::$code => Class::$class,)* }
            }

            /// Returns what to do about it, for the manual and for a problem without its own advice; without a full
            /// stop, like all advice. Every warning and note has some.
            pub const fn advice(self) -> Option<&'static str> {
                match self { $(Self::$code => codes!(@advice $($advice)?),)* }
            }
        }
    };
    (@advice) => { None };
    (@advice $advice:literal) => { Some($advice) };
}

codes! {
    E0301, Refused, "Invalid resource [{0}]";
    E0302, Refused, "Invalid parameter [{0}]";
    E0303, Refused, "Invalid parameter value, [{0}] = [{1}]";
    E0305, Refused, "Missing parameter [{0}]";
    E0308, Refused, "Could not parse date range parameter [{0}]";
    E0401, Refused, "Missing configuration property [{0}]";
    E0404, Refused, "Only one of the properties are allowed [{0}]";
    E0420, Refused, "Invalid jobs filter [{0}], {1}";
    E0421, Refused, "Invalid job filter [{0}], {1}";
    E0504, Refused, "App directory [{0}] does not exist";
    E0505, Refused, "App definition [{0}] does not exist";
    E0506, Refused, "App definition [{0}] is not a file";
    E0603, Internal, "SQL error in operation, {0}";
    E0604, Refused, "Job does not exist [{0}]";
    E0605, Refused, "Action does not exist [{0}]";
    E0700, Refused, "XML error, {0}";
    E0701, Refused, "XML schema error, {0}";
    E0703, Refused, "Invalid workflow element [{0}]";
    E0704, Refused, "Definition already complete, cannot add node [{0}]";
    E0705, Refused, "Nnode already defined, node [{0}]";
    E0706, Refused, "Node cannot transition to itself node [{0}]";
    E0707, Refused, "Loop detected at parsing, node [{0}], path [{1}]";
    E0708, Refused, "Invalid transition, node [{0}] transition [{1}]";
    E0709, Refused, "Loop detected at runtime, node [{0}]";
    E0710, Refused, "Could not read the workflow definition, {0}";
    E0716, Refused, "Workflow not running, current status [{0}]";
    E0720, Refused, "Fork/join mismatch, node [{0}]";
    E0721, Refused, "Invalid signal/transition, decision node [{0}] signal [{1}]";
    E0722, Refused, "Invalid signal, action node [{0}] signal [{1}]";
    E0723, Refused, "Unsupported action type, node [{0}] type [{1}]";
    E0724, Refused, "Invalid node name, {0}";
    E0725, Refused, "Workflow instance can not be killed, {0}";
    E0727, Refused, "Workflow Job can not be suspended as its not in running state, {0}, Status: {1}";
    E0728, Refused, "Coordinator Job can not be suspended as job finished or failed or killed, id : {0}, status : {1}";
    E0729, Refused, "Kill node message [{0}]";
    E0730, Refused, "Fork/Join not in pair";
    E0733, Refused, "Fork [{0}] without a join";
    E0736, Refused, "Workflow definition length [{0}] exceeded maximum allowed length [{1}]";
    E0737, Refused, "Invalid transition from node [{0}] to node [{1}] -- nodes of type 'end' are not allowed within \
                     Fork/Join";
    E0738, Refused, "The following {0} parameters are required but were not defined and no default values are \
                     available: {1}";
    E0739, Refused, "Parameter name cannot be empty";
    E0742, Refused, "No Fork for Join [{0}] to pair with";
    E0743, Refused, "Multiple \"ok to\" transitions to the same node, [{0}], are not allowed";
    E0744, Refused, "A fork, [{0}], is not allowed to have multiple transitions to the same node, [{1}]";
    E0755, Refused, "Workflow Job Rerun Error: {0}";
    E0756, Refused, "Exception parsing Kill node message [{0}]";
    E0757, Refused, "Fork node [{0}] has multiple joins: {1}";
    E0758, Refused, "Join node [{0}] has multiple forks: {1}";
    E0801, Refused, "Workflow already running, workflow [{0}]";
    E0803, Refused, "IO error, {0}";
    E0805, Refused, "Workflow job not completed, status [{0}]";
    E0806, Refused, "Action did not complete in previous run, action [{0}]";
    E0807, Refused, "Some skip actions were not executed [{0}]";
    E0808, Refused, "Disallowed user property [{0}]";
    E0902, Refused, "Exception occurred: [{0}]";
    E0906, Refused, "URI parsing error : {0}";
    E0907, Refused, "Failed to delete uri : {0}";
    E1001, Refused, "Could not read the coordinator job definition, {0}";
    E1002, Refused, "Invalid coordinator application URI [{0}], {1}";
    E1003, Refused, "Invalid coordinator application attributes, {0}";
    E1004, Refused, "Expression language evaluation error, {0}";
    E1005, Refused, "Could not read the coordinator job configuration read from DB, {0}";
    E1006, Refused, "Invalid coordinator application [{0}], {1}";
    E1007, Refused, "Unable to add record for SLA. [{0}], {1}";
    E1010, Refused, "Invalid data in coordinator xml. [{0}]";
    E1012, Refused, "Coord Job Materialization Error: {0}";
    E1015, Refused, "Invalid coordinator job change value {0}, {1}";
    E1016, Refused, "Cannot change a killed coordinator job";
    E1018, Refused, "Coord Job Rerun Error: {0}";
    E1020, Refused, "Could not kill coord job, this job either finished successfully or does not exist , [{0}]";
    E1021, Refused, "Coord Action Input Check Error: {0}";
    E1022, Refused, "Cannot delete running/completed coordinator action: [{0}]";
    E1023, Refused, "Coord Job update Error: [{0}]";
    E1024, Refused, "Cannot run ignore command: [{0}]";
    E1026, Refused, "SLA alert update command failed. {0}";
    E1027, Refused, "SLA change command failed. {0}";
    E1028, Refused, "Coord input logic error. {0}";
    E1100, Refused, "Command precondition does not hold before execution, [{0}]";
    E1301, Refused, "Could not read the bundle job definition, [{0}]";
    E1304, Refused, "Duplicate bundle application coordinator name [{0}]";
    E1305, Refused, "Empty bundle application coordinator name.";
    E1310, Refused, "Bundle Job submission Error: [{0}]";
    E1312, Refused, "Bundle Job can not be suspended or changed as it is over, [{0}], status [{1}]";
    E1317, Refused, "Invalid bundle job change value {0}, {1}";
    E1318, Refused, "No coord jobs for the bundle=[{0}], fail the bundle";
    E1319, Refused, "Invalid bundle coord job namespace, [{0}]";
    E1320, Refused, "Bundle Job change error, {0}";
    E1321, Refused, "The name of a bundle's coordinator cannot be evaluated: {0}";
    E1323, Refused, "Could not kill bundle job, this job already finished, [{0}], status [{1}]";
    E1601, Refused, "Cannot retrieve JMS connection info [{0}]";
    E1602, Refused, "Cannot retrieve Topic name [{0}]";
    E1603, Refused, "Invalid user request";
    H0001, Internal, "{0}";
    H0002, Usage, "{0}";
    H0100, Refused, "The database [{0}] cannot be opened: {1}";
    H0101, Refused, "The file [{0}] is not a howdah database";
    H0102, Refused, "The database [{0}] was written by a newer howdah (its version is {1}, this program knows {2})";
    H0103, Refused, "No space left to write [{0}]";
    H0104, Refused, "The database [{0}] is read-only";
    H0105, Busy, "Another process works on the database [{0}] and did not finish within {1} seconds";
    H0106, Busy, "Another tick is running on the database [{0}]";
    H0107, Refused, "The database [{0}] is damaged: {1}";
    H0108, Busy, "A rerun or a purge is running on the database [{0}]";
    H0109, Refused, "Nothing was changed: the job is being deleted from the database [{0}]";
    H0110, Refused, "Cannot read [{0}]: {1}";
    H0111, Refused, "Cannot write [{0}]: {1}";
    H0112, Refused, "[{0}] is not valid {1} text";
    H0113, Refused, "Cannot determine what is at [{0}]: {1}";
    H0120, Refused, "Invalid mount [{0}]: {1}";
    H0121, Refused, "Invalid setting [{0}] = [{1}]: {2}";
    H0122, Refused, "No mount for [{0}]";
    H0123, Refused, "Refused to delete [{0}]: {1}";
    H0124, Refused, "Nothing was done: {0}";
    H0125, Refused, "There is no pool [{0}]";
    H0128, Refused, "Invalid property [{0}] = [{1}]: {2}";
    H0131, Refused, "The clock jumped {0} forward since the last tick";
    H0132, Refused, "The clock says {0}, {1} before the tick at {2}: nothing is done; set the clock, or run `howdah \
                     tick --accept-clock` once if it is right";
    H0133, Refused, "The database [{0}] has moved: it was last used as {1}, and this may be a copy";
    H0134, Refused, "The file [{0}] is a backup that was put in the place of the database";
    H0135, Refused, "What began after the backup [{0}] is not all known: {1}";
    H0140, Refused, "Cannot start a process: {0}";
    H0141, Refused, "Slurm failed: {0}";
    H0150, Refused, "User [{0}] owns the job, and this process works for [{1}]";
    H0151, Refused, "There is no user [{0}] on this machine";
    H0152, Refused, "User [{0}] cannot enter the folder [{1}]";
    H0153, Refused, "Cannot act with the rights of user [{0}]: {1}";
    H0160, Refused, "Not delivered after every try: {0} for [{1}]: {2}";
    H0170, Refused, "[{0}] is not the name of one job: {1}";
    H0171, Refused, "The name [{0}] is not the name of one job: {1}";
    H0172, Refused, "[{0}] cannot be applied: {1}";
    H0173, Refused, "The job [{0}] cannot be replaced: {1}";
    H0174, Refused, "No job was killed, and nothing else was done: {0}";
    H0175, Refused, "The export cannot be imported: {0}";
    H0180, Refused, "A rerun was interrupted; {0} are left";
    H0181, Refused, "There are no nominal times before the start of [{0}] that continue its calendar back to {1}";
    H0190, Refused, "The export [{0}] cannot be read: {1}";
    H0191, Refused, "{0}, line {1}: {2}";
    H0192, Refused, "The time zone of the export's dates is not known: {0}";
    H0195, Refused, "Cannot listen on [{0}]: {1}";
    H0196, Refused, "The token [{0}] cannot be used: {1}";
    H0197, Refused, "The server refuses the request: {0}";
    H0198, Refused, "[{0}] has the stars that are shown in place of a secret value";
    H0210, Refused, "Left out of the rerun that was interrupted, with its outputs: {0}";
    H0220, Refused, "Dataset [{0}] has no instance before {1} (initial-instance)";
    H0230, Refused, "[{0}] cannot be taken over: {1}";
    H0231, Refused, "[{0}] is not what an import has written: {1}";
    H0232, Refused, "[{0}] is not stopped in Oozie: {1}";
    H0233, Refused, "[{0}] was not taken over from an Oozie";
    H0234, Refused, "[{0}] and the Oozie have both run it: {1}";
    H0235, Refused, "The state of [{0}] is older than its return to Oozie: {1}";
    H0236, Refused, "Oozie at [{0}] did not do it: {1}";
    H0240, Refused, "The Oozie server [{0}] gives no answer: {1}";
    H0241, Refused, "The Oozie server refuses [{0}]: {1}";
    H0242, Refused, "The Oozie server [{0}] wants Kerberos, which howdah does not use";
    H0243, Refused, "The answer of Oozie [{0}] cannot be used: {1}";
    H0244, Refused, "The folder [{0}] has no answer [{1}]";
    H0245, Refused, "This is a shadow database, where nothing starts: {0}";
    H0246, Refused, "The database [{0}] cannot be used as a shadow: {1}";
    H0247, Refused, "No shadow of [{0}]: {1}";
    H0250, Busy, "There is no answer to the request after {0} s";
    H0251, Busy, "{0} requests of this kind are being worked on, and none of them ended in time";
    H0252, Internal, "The process that worked on the request ended: {0}";
    H0253, Refused, "The process that ticks ended: {0}";
    H0254, Refused, "[{0}] belongs to the bundle [{1}], with which it is taken over: {2}";
    H0255, Refused, "[{0}] cannot be given back to Oozie: {1}";
    W0101, Warning, "Frequency [{0}] minutes is faster than the 5 minutes that Oozie allows",
        "Oozie refuses it unless its administrator allows it; use 5 minutes or more to run there too";
    W0102, Warning, "No mount for [{0}]; actions that need it wait until there is one",
        "say where its files are: --mount URI-PREFIX=DIR for a folder of this machine, URI-PREFIX=SERVER for a server";
    W0103, Warning, "The property [{0}] is given more than once; the last value counts",
        "remove the line that should not count";
    W0104, Warning, "The bare word [{0}] is taken as the name of an event",
        "write the name in quotes: a property of that name would win over the event";
    W0105, Warning, "Node [{0}] cannot be reached from the start node",
        "remove it, or add a transition to it; its own transitions are not checked until then";
    W0106, Warning, "The workflow application cannot be used as it is now; actions will fail to start: {0}",
        "put the workflow application in its place before the first action starts";
    W0108, Warning, "Oozie does not check included files, but {0}",
        "write datasets as in the schema of coordinators; Oozie may silently ignore the rest";
    W0109, Warning, "Variable [{0}] is not a declared parameter",
        "declare it among the parameters, or correct its name";
    W0110, Warning, "{0} never exists: {1}",
        "correct the instance, or the initial instance of the dataset";
    W0111, Warning, "Actions fail when they are created: {0}",
        "correct the text: the job would be accepted, and fail when its first action is created";
    W0112, Warning, "Outputs [{0}] and [{1}] are the same [{2}]",
        "give each output its own URI";
    W0113, Warning, "Every action writes the same output [{0}]",
        "write the time into the URI template, such as ${YEAR}/${MONTH}/${DAY}";
    W0114, Warning, "There is no action between start and end",
        "let the job end later: the first action is due at the end of the period that its frequency names";
    W0115, Warning, "Concurrency [{0}] is above the throttle [{1}]",
        "raise the throttle, or lower the concurrency: only waiting actions can become ready";
    W0116, Note, "The clocks of [{0}] change while actions are due: {1}",
        "nothing to do if that is meant; `howdah next` shows the times";
    W0117, Warning, "The case that leads to [{0}] is never taken: {1}",
        "remove the case, or correct its predicate or the cases before it";
    W0118, Warning, "Variable [{0}] has no value: the node that uses it fails when it starts",
        "define a property of this name, in the file or with -D, or correct the name";
    W0119, Warning, "Coordinator [{0}] of the bundle cannot be submitted as it is now: {1}",
        "correct it before the bundle's kick-off time: a bundle fails with the first coordinator that is refused";
    W0120, Warning, "The property [{0}] has no effect: {1}",
        "write true or false; without the property, forks and joins are checked";
    W0121, Warning, "Input [{0}] and output [{1}] of an action are the same [{2}]",
        "let the action wait for something that another one writes";
    W0122, Warning, "The actions of {0} and {1} write the same output [{2}]",
        "give the dataset and the job the same frequency";
    W0123, Warning, "The days of the week [{0}] mean {1}",
        "count from 1 for Sunday, unlike cron: Monday to Friday is 2-6 or MON-FRI, the weekend is 1,7 or SAT,SUN";
    W0124, Warning, "The pattern [{0}] probably does not print what is intended: {1}",
        "write yyyy for the year, MM for the month, dd for the day, HH for the hour, mm for the minute";
    W0125, Warning, "No event uses the dataset [{0}]",
        "remove it, or name it in an event";
    W0126, Warning, "Nothing uses the property [{0}]",
        "remove it, or correct its name in the definitions";
    W0127, Warning, "The property [{0}] has no meaning in Oozie",
        "correct its name: a property that Oozie does not know has an effect only where a definition uses it";
    W0128, Warning, "Output [{0}], [{1}], is also written by job [{2}] ([{3}])",
        "kill one of the two jobs, or give their outputs different URIs: each overwrites the other's data";
    W0129, Note, "Cron follows {0}, not the time zone [{1}] of the application: {2}",
        "nothing to do if that is meant; otherwise write the hours of the processing time zone";
    W0130, Warning, "The folder [{1}] of the mount [{0}] does not exist",
        "create the folder, or correct the mount: what is below it counts as absent";
    W0131, Warning, "No part of howdah reads the setting [{0}]",
        "remove it, or correct its name: docs/settings.md lists the settings";
    W0132, Warning, "The daemon does not notice new files in {0} of the {1} folders that it waits for: {2}",
        "nothing is lost: what arrives there is found at the daemon's next tick (--every)";
    W0133, Warning, "The done-flag [{0}] of dataset [{1}] never exists: {2}",
        "write the name of a file that is made below each instance, such as _SUCCESS";
    W0134, Warning, "The time zone [{0}] is an abbreviation: {1}",
        "name a region, such as America/New_York: its clocks change as people there expect";
    W0135, Warning, "Job [{0}] ([{1}]) runs the same application at the same nominal times: each action runs twice",
        "kill one of the two jobs, if that is not meant";
    W0136, Warning, "The first {0} instances of input [{1}] have {2} URIs: an action waits for less than it names",
        "write the time of each instance into the <uri-template> of its dataset";
    W0140, Warning, "The property [{0}] refers to [{1}], which no property has; the text ${{1}} stays in the value",
        "define the property that is referred to, or correct its name";
    W0141, Warning, "The property [{0}] is not given; {1} is the empty text",
        "define the property, or correct its name";
    W0142, Warning, "The datetime [{0}] is read as [{1}]",
        "write four digits for the year and two for each other field";
    W0150, Warning, "The node fails when the job reaches it: {0}",
        "correct the expression: the job is accepted, and fails if it reaches this node";
    W0151, Warning, "The <{0}> [{1}] is not in the application",
        "put the file into the application, or correct its path: the node fails when it starts without it";
    W0152, Warning, "retry-max of node [{0}] has no effect: {1} has the code {2}, which allows no retry",
        "add the code to oozie.service.LiteWorkflowStoreService.user.retry.error.code.ext in the site file";
    W0153, Warning, "The nodes [{0}] and [{1}] write the same output [{2}]",
        "give each node its own output: the later node fails because the output exists, or deletes the other's data";
    W0154, Warning, "wf:actionData('{0}') is always empty: node [{0}] has no <capture-output/>",
        "add <capture-output/> to the node, or do not read its output";
    W0155, Warning, "The error transition of node [{0}] leads to the end [{1}]: the job succeeds when the node fails",
        "let it lead to a kill node, or to a node that handles the error, if the failure should be seen";
    W0156, Warning, "The <command> of node [{0}] has quotes, and it is split at blanks only: {1}",
        "write one <arg> for each word, or set oozie.action.sqoop.shellsplitter=true for the action";
    W0160, Warning, "Notifications cannot be delivered as [{0}] specifies: {1}",
        "write a URL as http://host:port/path with blanks as %20, and a proxy as host:port or socks@host:port";
    W0170, Warning, "No mount for [{0}], the store of [{1}]; an action that names a path there fails before it touches \
                     anything",
        "say where its files are: --mount URI-PREFIX=DIR for a folder of this machine, URI-PREFIX=SERVER for a server";
}

impl ErrorCode {
    /// Returns the message with `...` in place of its arguments.
    pub fn summary(self) -> String {
        summary(self.template())
    }
}

/// Returns a template with `...` in place of its arguments.
pub fn summary(template: &str) -> String {
    (0..=3).fold(template.to_owned(), |text, number| text.replace(&format!("{{{number}}}"), "..."))
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_warnings_start_with_w() {
        assert!(ErrorCode::ALL.is_sorted_by_key(|code| code.as_str()));
        for code in ErrorCode::ALL {
            let refuses_nothing = matches!(code.class(), Class::Warning | Class::Note);
            assert_eq!(refuses_nothing, code.as_str().starts_with('W'), "{code}");
        }
    }

    #[test]
    fn the_manual_has_advice_on_every_warning() {
        for code in ErrorCode::ALL {
            let has_advice = code.advice().is_some_and(|advice| advice.len() > 20 && !advice.ends_with('.'));
            assert_eq!(has_advice, code.as_str().starts_with('W'), "{code}: say what to do about it, for the manual");
        }
    }
}
