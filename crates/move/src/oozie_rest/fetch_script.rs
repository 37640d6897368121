//! A shell script that fetches every answer that is read, with curl, where a program of howdah cannot log in.

use crate::oozie_rest::ask::{PAGE, live_filter, word};
use howdah_words::model::id::JobKind;

/// Returns a script for POSIX's shell that fetches all answers of the server at `url` into a folder.
pub fn fetch_script(url: &str) -> String {
    let quoted = format!("'{}'", url.trim_end_matches('/').replace('\'', "'\\''"));
    let list = |kind: JobKind, id: &str| {
        format!("pages jobs-{0} '\"{id}\"' \"jobs?jobtype={0}{1}\"", word(kind), live_filter(kind))
    };
    let coordinators = list(JobKind::Coordinator, "coordJobId");
    let bundles = list(JobKind::Bundle, "bundleJobId");
    let workflows = list(JobKind::Workflow, "appName");
    format!(
        r#"#!/bin/sh
# Fetches the answers of an Oozie server that howdah reads, into a folder:
#   kinit; sh this-script oozie-answers
#   howdah import oozie oozie-answers --to imported
# CURL may name other options, such as CURL='curl -u name:password'.
set -eu
oozie={quoted}
folder=${{1:-oozie-answers}}
curl=${{CURL:-curl --negotiate -u :}}
mkdir -p "$folder"
rm -f "$folder"/jobs-*.json "$folder"/job-*.json "$folder"/definition-*.xml

# Fetches one answer. An answer that was cut off never gets its name.
fetch() {{
    $curl --fail --silent --show-error --max-time 300 -o "$folder/$2.part" "$oozie/v1/$1"
    mv "$folder/$2.part" "$folder/$2"
}}
# Fetches pages until one is not full: name of the files, what each item has, path, most pages.
pages() {{
    at=1 left=${{4:-100000}}
    while [ "$left" -gt 0 ]; do
        fetch "$3&offset=$at&len={PAGE}&timezone=GMT" "$1-$at.json"
        count=$(grep -o "$2" "$folder/$1-$at.json" | wc -l)
        [ "$count" -ge {PAGE} ] || break
        at=$((at + {PAGE})) left=$((left - 1))
    done
}}
ids() {{
    cat "$folder"/jobs-"$1"-*.json | grep -o "\"$2\" *: *\"[A-Za-z0-9_-]*\"" | sed 's/.*"\([^"]*\)"$/\1/'
}}

{coordinators}
{bundles}
# The newest workflow jobs say when actions started.
{workflows} "${{WORKFLOW_PAGES:-20}}"
for id in $(ids coord coordJobId); do
    pages "job-$id" '"actionNumber"' "job/$id?show=info"
    fetch "job/$id?show=definition" "definition-$id.xml"
done
for id in $(ids bundle bundleJobId); do
    fetch "job/$id?show=info&timezone=GMT" "job-$id-1.json"
    fetch "job/$id?show=definition" "definition-$id.xml"
done
echo "$(ls "$folder" | wc -l) answers are in $folder" >&2
"#
    )
}
