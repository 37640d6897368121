//! The action bodies in the workflow namespace itself.

use super::particle::{
    Particle, Type, allowed, any_number, at_least, choice, elements, empty, one, optional, required, sequence, text,
};
use super::shared::{
    CONFIGURATION, FLAG, LAUNCHER_SINCE_1_0, PATH, RESOURCE_MANAGER, TEXT, V0_2, V0_3, V0_4, V0_4_5, V0_5,
};
use super::simple_type::SimpleType::{Boolean, String};

/// Mandatory until 0.3, then optional; in 1.0 also with its new name.
const JOB_TRACKER: Particle = sequence(
    const {
        &[
            one("job-tracker", &TEXT).until(V0_3),
            optional("job-tracker", &TEXT).since(V0_4).until(V0_5),
            RESOURCE_MANAGER,
            one("name-node", &TEXT).until(V0_3),
            optional("name-node", &TEXT).since(V0_4),
        ]
    },
);

/// One until 0.3, then any number.
const JOB_XML: Particle =
    sequence(const { &[optional("job-xml", &TEXT).until(V0_3), any_number("job-xml", &TEXT).since(V0_4)] });

static PREPARE: Type = elements(&[], sequence(&[any_number("delete", &DELETE), any_number("mkdir", &PATH)]));

static DELETE: Type =
    empty(&[required("path", String), allowed("skip-trash", Boolean).since(V0_5).published_until(V0_5)]);

pub(super) static MAP_REDUCE: Type = elements(
    &[],
    sequence(&[
        JOB_TRACKER,
        optional("prepare", &PREPARE),
        choice(&[optional("streaming", &STREAMING), optional("pipes", &PIPES)]),
        LAUNCHER_SINCE_1_0,
        JOB_XML,
        optional("configuration", &CONFIGURATION),
        optional("config-class", &TEXT).since(V0_5),
        any_number("file", &TEXT),
        any_number("archive", &TEXT),
    ]),
);

static STREAMING: Type = elements(
    &[],
    sequence(&[
        optional("mapper", &TEXT),
        optional("reducer", &TEXT),
        optional("record-reader", &TEXT),
        any_number("record-reader-mapping", &TEXT),
        any_number("env", &TEXT),
    ]),
);

static PIPES: Type = elements(
    &[],
    sequence(&[
        optional("map", &TEXT),
        optional("reduce", &TEXT),
        optional("inputformat", &TEXT),
        optional("partitioner", &TEXT),
        optional("writer", &TEXT),
        optional("program", &TEXT),
    ]),
);

pub(super) static PIG: Type = elements(
    &[],
    sequence(&[
        JOB_TRACKER,
        optional("prepare", &PREPARE),
        LAUNCHER_SINCE_1_0,
        JOB_XML,
        optional("configuration", &CONFIGURATION),
        one("script", &TEXT),
        any_number("param", &TEXT),
        any_number("argument", &TEXT).since(V0_2),
        any_number("file", &TEXT),
        any_number("archive", &TEXT),
    ]),
);

pub(super) static SUB_WORKFLOW: Type = elements(
    &[],
    sequence(&[
        one("app-path", &TEXT),
        optional("propagate-configuration", &FLAG),
        optional("configuration", &CONFIGURATION),
    ]),
);

pub(super) static JAVA: Type = elements(
    &[],
    sequence(&[
        JOB_TRACKER,
        optional("prepare", &PREPARE),
        LAUNCHER_SINCE_1_0,
        JOB_XML,
        optional("configuration", &CONFIGURATION),
        one("main-class", &TEXT),
        choice(&[one("java-opts", &TEXT), at_least(1, "java-opt", &TEXT).since(V0_4)]).or_none(),
        any_number("arg", &TEXT),
        any_number("file", &TEXT),
        any_number("archive", &TEXT),
        optional("capture-output", &FLAG),
    ]),
);

pub(super) static FS: Type = elements(
    &[],
    sequence(&[
        optional("name-node", &TEXT).since(V0_4),
        any_number("job-xml", &TEXT).since(V0_4),
        optional("configuration", &CONFIGURATION).since(V0_4),
        choice(&[
            one("delete", &DELETE),
            one("mkdir", &PATH),
            one("move", &MOVE),
            one("chmod", &CHMOD_UNTIL_0_3).until(V0_3),
            one("chmod", &CHMOD).since(V0_4),
            one("touchz", &PATH).since(V0_4),
            one("chgrp", &CHGRP).since(V0_4_5),
            one("setrep", &SETREP).since(V0_5).published_until(V0_5),
        ])
        .repeated(),
    ]),
);

static MOVE: Type = empty(&[required("source", String), required("target", String)]);

static CHMOD_UNTIL_0_3: Type =
    empty(&[required("path", String), required("permissions", String), allowed("dir-files", String)]);

static CHMOD: Type = elements(
    &[required("path", String), required("permissions", String), allowed("dir-files", String)],
    optional("recursive", &FLAG),
);

static CHGRP: Type = elements(
    &[required("path", String), required("group", String), allowed("dir-files", String)],
    optional("recursive", &FLAG),
);

static SETREP: Type = empty(&[required("path", String), required("replication-factor", String)]);

/// 0.1 only; later in its own namespace.
pub(super) static SSH: Type = elements(
    &[],
    sequence(&[
        one("host", &TEXT),
        one("command", &TEXT),
        any_number("args", &TEXT),
        optional("capture-output", &FLAG),
    ]),
);

/// 0.1 only. No implementation executes it.
pub(super) static HTTP: Type = elements(
    &[],
    sequence(&[
        one("http-url", &TEXT),
        optional("post", &text(&[required("content-type", String)], String)),
        choice(&[one("wait", &FLAG), one("continue", &FLAG)]),
        one("capture-output", &FLAG),
    ]),
);

/// 0.1 only; later in its own namespace.
pub(super) static EMAIL: Type =
    elements(&[], sequence(&[one("to", &TEXT), one("subject", &TEXT), optional("message", &TEXT)]));
