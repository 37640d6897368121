//! `uri:oozie:workflow:0.1` to `1.0`: the control nodes and the frame of an action.
//!
//! The action bodies of this namespace are in [`workflow_action`](super::workflow_action).

use super::family::Family;
use super::particle::{
    Namespaces, Particle, Type, allowed, any, any_number, at_least, choice, elements, empty, one, optional, required,
    sequence, text,
};
use super::shared::{
    CONFIGURATION, LAUNCHER_SINCE_1_0, PARAMETERS, PROPERTY, RESOURCE_MANAGER, TEXT, V0_1, V0_2, V0_2_5, V0_3, V0_4,
    V0_4_5, V0_5, V1_0,
};
use super::simple_type::SimpleType::{NodeName, String};
use super::workflow_action::{EMAIL, FS, HTTP, JAVA, MAP_REDUCE, PIG, SSH, SUB_WORKFLOW};

pub(super) static FAMILY: Family = Family {
    name: "workflow",
    versions: &[V0_1, V0_2, V0_2_5, V0_3, V0_4, V0_4_5, V0_5, V1_0],
    roots: &[
        one("workflow-app", &APPLICATION),
        one("switch", &SWITCH),
        one("kill", &KILL),
        one("map-reduce", &MAP_REDUCE),
        one("pig", &PIG),
        one("ssh", &SSH).until(V0_1),
        one("sub-workflow", &SUB_WORKFLOW),
        one("fs", &FS),
        one("java", &JAVA),
    ],
};

static APPLICATION: Type = elements(
    &[required("name", String)],
    sequence(&[
        optional("parameters", &PARAMETERS).since(V0_4),
        optional("global", &GLOBAL).since(V0_4),
        optional("credentials", &CREDENTIALS).since(V0_2_5),
        one("start", &TARGET),
        choice(&[
            one("decision", &DECISION),
            one("fork", &FORK),
            one("join", &JOIN),
            one("kill", &KILL),
            one("action", &ACTION),
        ])
        .repeated(),
        one("end", &END),
        SLA_0_1,
        SLA_0_2,
    ]),
);

const SLA_0_1: Particle = any(Namespaces::Listed(&["uri:oozie:sla:0.1"])).or_none().since(V0_2).until(V0_4_5);

const SLA_0_2: Particle = any(Namespaces::Listed(&["uri:oozie:sla:0.1", "uri:oozie:sla:0.2"])).or_none().since(V0_5);

static GLOBAL: Type = elements(
    &[],
    sequence(&[
        optional("job-tracker", &TEXT).until(V0_5),
        RESOURCE_MANAGER,
        optional("name-node", &TEXT),
        LAUNCHER_SINCE_1_0,
        any_number("job-xml", &TEXT),
        optional("configuration", &CONFIGURATION),
    ]),
);

static CREDENTIALS: Type = elements(&[], any_number("credential", &CREDENTIAL));

static CREDENTIAL: Type =
    elements(&[required("name", String), required("type", String)], any_number("property", &PROPERTY));

/// `start`, `ok`, `error`, `default`: where to go.
static TARGET: Type = empty(&[required("to", NodeName)]);

static END: Type = empty(&[required("name", NodeName)]);

static DECISION: Type = elements(&[required("name", NodeName)], one("switch", &SWITCH));

static SWITCH: Type = elements(&[], sequence(&[at_least(1, "case", &CASE), one("default", &TARGET)]));

static CASE: Type = text(&[required("to", NodeName)], String);

static FORK: Type =
    elements(&[required("name", NodeName)], at_least(2, "path", &empty(&[required("start", NodeName)])));

static JOIN: Type = empty(&[required("name", NodeName), required("to", NodeName)]);

static KILL: Type = elements(&[required("name", NodeName)], one("message", &TEXT));

static ACTION: Type = elements(
    &[
        required("name", NodeName),
        allowed("cred", String).since(V0_2_5),
        allowed("retry-max", String).since(V0_3),
        allowed("retry-interval", String).since(V0_3),
        allowed("retry-policy", String).since(V0_5),
    ],
    sequence(&[
        choice(&[
            one("map-reduce", &MAP_REDUCE),
            one("pig", &PIG),
            one("ssh", &SSH).until(V0_1),
            one("sub-workflow", &SUB_WORKFLOW),
            one("fs", &FS),
            one("http", &HTTP).until(V0_1),
            one("email", &EMAIL).until(V0_1),
            one("java", &JAVA),
            any(Namespaces::Other),
        ]),
        one("ok", &TARGET),
        one("error", &TARGET),
        SLA_0_1,
        SLA_0_2,
    ]),
);
