//! Types that the schema families have in common (`oozie-common-1.0.xsd` since 1.0, copies of it before).

use super::particle::{
    Particle, Type, any_number, at_least, choice, elements, empty, one, optional, required, sequence, text,
};
use super::simple_type::SimpleType::{String, UnsignedInt};
use super::version::SchemaVersion;

/// Any text, no attributes.
pub(super) static TEXT: Type = text(&[], String);

static NUMBER: Type = text(&[], UnsignedInt);

/// An element whose presence alone has a meaning.
pub(super) static FLAG: Type = empty(&[]);

/// An element with a `path` and nothing else.
pub(super) static PATH: Type = empty(&[required("path", String)]);

/// `configuration`: properties with name and value.
pub(super) static CONFIGURATION: Type = elements(&[], at_least(1, "property", &PROPERTY));

/// `property` with a value.
pub(super) static PROPERTY: Type =
    elements(&[], sequence(&[one("name", &TEXT), one("value", &TEXT), optional("description", &TEXT)]));

/// `parameters`: properties that may lack a value.
pub(super) static PARAMETERS: Type = elements(
    &[],
    at_least(
        1,
        "property",
        &elements(&[], sequence(&[one("name", &TEXT), optional("value", &TEXT), optional("description", &TEXT)])),
    ),
);

/// `prepare`: all deletions first, then all new folders.
pub(super) static PREPARE: Type = elements(&[], sequence(&[any_number("delete", &PATH), any_number("mkdir", &PATH)]));

/// `launcher`, in any order and number.
pub(super) static LAUNCHER: Type = elements(
    &[],
    choice(&[
        optional("memory.mb", &NUMBER),
        optional("vcores", &NUMBER),
        optional("java-opts", &TEXT),
        optional("env", &TEXT),
        optional("queue", &TEXT),
        optional("sharelib", &TEXT),
        optional("view-acl", &TEXT),
        optional("modify-acl", &TEXT),
    ])
    .repeated(),
);

pub(super) const V0_1: SchemaVersion = SchemaVersion::new(0, 1);
pub(super) const V0_2: SchemaVersion = SchemaVersion::new(0, 2);
pub(super) const V0_2_5: SchemaVersion = SchemaVersion::with_patch(0, 2, 5);
pub(super) const V0_3: SchemaVersion = SchemaVersion::new(0, 3);
pub(super) const V0_4: SchemaVersion = SchemaVersion::new(0, 4);
pub(super) const V0_4_5: SchemaVersion = SchemaVersion::with_patch(0, 4, 5);
pub(super) const V0_5: SchemaVersion = SchemaVersion::new(0, 5);
/// The first version in which all families share these types.
pub(super) const V1_0: SchemaVersion = SchemaVersion::new(1, 0);

/// Before 1.0, `job-tracker` alone; from 1.0 on, `job-tracker` or `resource-manager`.
pub(super) const RESOURCE_MANAGER: Particle =
    choice(const { &[optional("job-tracker", &TEXT), optional("resource-manager", &TEXT)] }).since(V1_0);

/// `launcher`, available from 1.0 on.
pub(super) const LAUNCHER_SINCE_1_0: Particle = optional("launcher", &LAUNCHER).since(V1_0);
