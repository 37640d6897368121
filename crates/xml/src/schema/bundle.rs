//! `uri:oozie:bundle:0.1` and `0.2`.

use super::family::Family;
use super::particle::{Type, allowed, at_least, elements, one, optional, required, sequence};
use super::shared::{CONFIGURATION, PARAMETERS, TEXT};
use super::simple_type::SimpleType::{Identifier, String};
use super::version::SchemaVersion;

const V0_1: SchemaVersion = SchemaVersion::new(0, 1);
const V0_2: SchemaVersion = SchemaVersion::new(0, 2);

pub(super) static FAMILY: Family =
    Family { name: "bundle", versions: &[V0_1, V0_2], roots: &[one("bundle-app", &APPLICATION)] };

static APPLICATION: Type = elements(
    &[required("name", String)],
    sequence(&[
        optional("parameters", &PARAMETERS).since(V0_2),
        optional("controls", &CONTROLS),
        at_least(1, "coordinator", &COORDINATOR),
    ]),
);

static CONTROLS: Type = elements(&[], optional("kick-off-time", &TEXT));

static COORDINATOR: Type = elements(
    &[
        required("name", Identifier).until(V0_1),
        required("name", String).since(V0_2),
        allowed("critical", String),
        allowed("enabled", String).since(V0_2),
    ],
    sequence(&[one("app-path", &TEXT), optional("configuration", &CONFIGURATION)]),
);
