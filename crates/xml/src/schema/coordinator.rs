//! `uri:oozie:coordinator:0.1` to `0.5` (specification, appendix A).

use super::family::Family;
use super::particle::{
    Namespaces, Particle, Type, allowed, any, any_number, at_least, choice, elements, empty, one, optional, required,
    sequence,
};
use super::shared::{CONFIGURATION, PARAMETERS, TEXT};
use super::simple_type::SimpleType::{Boolean, Identifier, String};
use super::version::SchemaVersion;

const V0_2: SchemaVersion = SchemaVersion::new(0, 2);
const V0_3: SchemaVersion = SchemaVersion::new(0, 3);
const V0_4: SchemaVersion = SchemaVersion::new(0, 4);
const V0_5: SchemaVersion = SchemaVersion::new(0, 5);

pub(super) static FAMILY: Family = Family {
    name: "coordinator",
    versions: &[SchemaVersion::new(0, 1), V0_2, V0_3, V0_4, V0_5],
    roots: &[one("coordinator-app", &APPLICATION), one("datasets", &DATASETS)],
};

static APPLICATION: Type = elements(
    &[
        required("name", String),
        required("frequency", String),
        required("start", String),
        required("end", String),
        required("timezone", String),
    ],
    sequence(&[
        optional("parameters", &PARAMETERS).since(V0_4),
        optional("controls", &CONTROLS),
        optional("datasets", &DATASETS),
        optional("input-events", &INPUT_EVENTS),
        optional("input-logic", &INPUT_LOGIC).since(V0_5),
        optional("output-events", &OUTPUT_EVENTS),
        one("action", &ACTION),
    ]),
);

static CONTROLS: Type = elements(
    &[],
    sequence(&[
        optional("timeout", &TEXT),
        optional("concurrency", &TEXT),
        optional("execution", &TEXT),
        optional("throttle", &TEXT).since(V0_2),
    ]),
);

/// Also the root of a file that coordinators include.
pub(super) static DATASETS: Type = elements(
    &[],
    sequence(&[
        any_number("include", &TEXT),
        choice(&[optional("dataset", &DATASET), optional("async-dataset", &ASYNC_DATASET)]).repeated(),
    ]),
);

static DATASET: Type = elements(
    &[
        required("name", Identifier),
        required("frequency", String),
        required("initial-instance", String),
        required("timezone", String),
    ],
    sequence(&[one("uri-template", &TEXT), optional("done-flag", &TEXT)]),
);

static ASYNC_DATASET: Type = elements(
    &[required("name", Identifier), required("sequence-type", String), required("initial-version", String)],
    one("uri-template", &TEXT),
);

static INPUT_EVENTS: Type = elements(
    &[],
    choice(&[
        at_least(1, "data-in", &DATA_IN),
        optional("and", &LOGIC).since(V0_5),
        optional("or", &LOGIC).since(V0_5),
    ]),
);

static DATA_IN: Type = elements(
    &[required("name", Identifier), required("dataset", String)],
    choice(&[at_least(1, "instance", &TEXT), sequence(&[one("start-instance", &TEXT), one("end-instance", &TEXT)])]),
);

static OUTPUT_EVENTS: Type = elements(&[], at_least(1, "data-out", &DATA_OUT));

static DATA_OUT: Type = elements(
    &[required("name", Identifier), required("dataset", String), allowed("nocleanup", Boolean).since(V0_4)],
    one("instance", &TEXT),
);

static INPUT_LOGIC: Type = elements(&[], choice(&OPERANDS).repeated());

/// `and` and `or`.
static LOGIC: Type =
    elements(&[allowed("name", String), allowed("min", String), allowed("wait", String)], choice(&OPERANDS).repeated());

static OPERANDS: [Particle; 4] = [
    any_number("and", &LOGIC),
    any_number("or", &LOGIC),
    any_number("combine", &COMBINE),
    at_least(1, "data-in", &LOGIC_DATA_IN),
];

static COMBINE: Type = elements(
    &[allowed("name", String), allowed("min", String), allowed("wait", String)],
    choice(&[at_least(2, "data-in", &LOGIC_DATA_IN)]).repeated(),
);

static LOGIC_DATA_IN: Type =
    empty(&[required("dataset", String), allowed("name", String), allowed("min", String), allowed("wait", String)]);

static ACTION: Type = elements(
    &[],
    sequence(&[
        one("workflow", &WORKFLOW),
        any(Namespaces::Listed(&["uri:oozie:sla:0.1"])).or_none().until(V0_3),
        any(Namespaces::Listed(&["uri:oozie:sla:0.1", "uri:oozie:sla:0.2"])).or_none().since(V0_4),
    ]),
);

static WORKFLOW: Type = elements(&[], sequence(&[one("app-path", &TEXT), optional("configuration", &CONFIGURATION)]));
