//! Files of stores, as `howdah fs` shows them. Must not depend on where they are.

use crate::output::screen::Layout;
use crate::output::table::{self, Column, Keep, column, number};
use crate::output::text::block;
use howdah_answers::query::file::{Below, FileView};

const COLUMNS: [Column; 8] = [
    column("KIND", Keep::Until(5)),
    column("MODE", Keep::Until(4)),
    number("COPIES", Keep::Until(1)),
    column("OWNER", Keep::Until(3)),
    column("GROUP", Keep::Until(2)),
    number("BYTES", Keep::Always),
    column("CHANGED", Keep::Always),
    column("PLACE", Keep::WrapPaths(20)),
];

/// Returns the table of files.
pub(crate) fn list(views: &[FileView], layout: Layout) -> String {
    let rows: Vec<Vec<String>> = views.iter().map(row).collect();
    if rows.is_empty() { "The folder is empty.\n".to_owned() } else { table::render(&COLUMNS, &rows, layout) }
}

fn row(view: &FileView) -> Vec<String> {
    let copies = if view.replication == 0 { String::new() } else { view.replication.to_string() };
    vec![
        view.kind.to_owned(),
        view.mode.clone().unwrap_or_default(),
        copies,
        view.owner.clone(),
        view.group.clone(),
        view.bytes.to_string(),
        view.modified.clone().unwrap_or_default(),
        view.place.clone(),
    ]
}

/// Returns all that is known of a file, a fact on each line.
pub(crate) fn facts(view: &FileView) -> String {
    let known = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let below = view.below.map(|below| {
        let Below { files, folders, bytes } = below;
        format!("{files} files, {folders} folders, {bytes} bytes")
    });
    block(&[
        ("place", known(&view.place)),
        ("server", Some(view.server.clone().unwrap_or_else(|| "this machine".to_owned()))),
        ("path", known(&view.path)),
        ("kind", known(view.kind)),
        ("bytes", Some(view.bytes.to_string())),
        ("mode", view.mode.clone()),
        ("owner", known(&view.owner)),
        ("group", known(&view.group)),
        ("copies", (view.replication > 0).then(|| view.replication.to_string())),
        ("changed", view.modified.clone()),
        ("below", below),
    ])
}
