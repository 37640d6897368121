//! Reads the counters that Hadoop's client prints at the end of a job, under the names that expressions use.
//!
//! Follows the workflow specification, section 4.2.6. The client prints names for people. The groups and counters of
//! Hadoop get the names of their classes again, the current and the old ones; those of the job itself stay unchanged.
//! Several jobs are added up.

use super::super::report::Counters;

/// Most counters that are kept.
const MOST: usize = 10_000;

/// The groups of Hadoop: as printed, and their names.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Map-Reduce Framework", &["org.apache.hadoop.mapreduce.TaskCounter", "org.apache.hadoop.mapred.Task$Counter"]),
    ("Job Counters", &["org.apache.hadoop.mapreduce.JobCounter", "org.apache.hadoop.mapred.JobInProgress$Counter"]),
    ("File System Counters", &["org.apache.hadoop.mapreduce.FileSystemCounter", "FileSystemCounters"]),
    ("File Input Format Counters", &["org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter"]),
    ("File Output Format Counters", &["org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter"]),
];

/// Counters whose names are not their printed words in capitals.
const NAMES: [(&str, &str); 22] = [
    ("Input split bytes", "SPLIT_RAW_BYTES"),
    ("Failed Shuffles", "FAILED_SHUFFLE"),
    ("GC time elapsed (ms)", "GC_TIME_MILLIS"),
    ("CPU time spent (ms)", "CPU_MILLISECONDS"),
    ("Physical memory (bytes) snapshot", "PHYSICAL_MEMORY_BYTES"),
    ("Virtual memory (bytes) snapshot", "VIRTUAL_MEMORY_BYTES"),
    ("Total committed heap usage (bytes)", "COMMITTED_HEAP_BYTES"),
    ("Peak Map Physical memory (bytes)", "MAP_PHYSICAL_MEMORY_BYTES_MAX"),
    ("Peak Map Virtual memory (bytes)", "MAP_VIRTUAL_MEMORY_BYTES_MAX"),
    ("Peak Reduce Physical memory (bytes)", "REDUCE_PHYSICAL_MEMORY_BYTES_MAX"),
    ("Peak Reduce Virtual memory (bytes)", "REDUCE_VIRTUAL_MEMORY_BYTES_MAX"),
    ("Launched map tasks", "TOTAL_LAUNCHED_MAPS"),
    ("Launched reduce tasks", "TOTAL_LAUNCHED_REDUCES"),
    ("Failed map tasks", "NUM_FAILED_MAPS"),
    ("Failed reduce tasks", "NUM_FAILED_REDUCES"),
    ("Killed map tasks", "NUM_KILLED_MAPS"),
    ("Killed reduce tasks", "NUM_KILLED_REDUCES"),
    ("Data-local map tasks", "DATA_LOCAL_MAPS"),
    ("Rack-local map tasks", "RACK_LOCAL_MAPS"),
    ("Other local map tasks", "OTHER_LOCAL_MAPS"),
    ("Total time spent by all map tasks (ms)", "MILLIS_MAPS"),
    ("Total time spent by all reduce tasks (ms)", "MILLIS_REDUCES"),
];

/// The names of a file system's counters, after the name of the file system.
const OF_FILE_SYSTEMS: [(&str, &str); 5] = [
    ("Number of bytes read", "BYTES_READ"),
    ("Number of bytes written", "BYTES_WRITTEN"),
    ("Number of read operations", "READ_OPS"),
    ("Number of large read operations", "LARGE_READ_OPS"),
    ("Number of write operations", "WRITE_OPS"),
];

/// Reads counters line by line: a line `Counters: n`, then groups behind one tab and counters behind two.
#[derive(Debug, Default)]
pub(super) struct Reader {
    block: Block,
    count: usize,
}

#[derive(Debug, Default)]
enum Block {
    #[default]
    Outside,
    Inside,
    Group(String),
}

impl Reader {
    /// Reads the next line; adds its counter to `counters`.
    pub(super) fn read(&mut self, line: &str, counters: &mut Option<Counters>) {
        if is_head(line) {
            self.block = Block::Inside;
            return;
        }
        match (&self.block, line.strip_prefix("\t\t"), line.strip_prefix('\t')) {
            (Block::Group(group), Some(counter), _) => {
                let Some((name, value)) = counter.rsplit_once('=') else { return };
                let Ok(value) = value.trim().parse::<i64>() else { return };
                if self.count < MOST {
                    self.count += 1;
                    add(counters.get_or_insert_default(), group, name.trim(), value);
                }
            }
            (Block::Inside | Block::Group(_), None, Some(group)) => self.block = Block::Group(group.trim().to_owned()),
            _ => self.block = Block::Outside,
        }
    }
}

/// Checks whether the counters of a job follow. Counters of tasks, which jobs inside the client also print, are part of
/// them.
fn is_head(line: &str) -> bool {
    if line.contains("Final Counters for ") {
        return false;
    }
    let number = line.rsplit_once("Counters: ").map(|(_, number)| number.trim());
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn add(counters: &mut Counters, group: &str, name: &str, value: i64) {
    let known = GROUPS.iter().find(|(printed, _)| *printed == group);
    let own = [group];
    let groups = known.map_or(own.as_slice(), |(_, names)| names);
    let name = if known.is_some() { name_of(name) } else { name.to_owned() };
    for group in groups {
        let sum = counters.entry((*group).to_owned()).or_default().entry(name.clone()).or_default();
        *sum = sum.saturating_add(value);
    }
}

/// Returns the name of a counter of Hadoop's own.
fn name_of(printed: &str) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(words, _)| *words == printed) {
        return (*name).to_owned();
    }
    if let Some((system, words)) = printed.split_once(": ")
        && let Some((_, name)) = OF_FILE_SYSTEMS.iter().find(|(known, _)| *known == words)
    {
        return format!("{system}_{name}");
    }
    printed.to_uppercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let (mut reader, mut counters) = (Reader::default(), None);
        for line in text.lines() {
            reader.read(line, &mut counters);
        }
        let got = counters.map_or("none".to_owned(), |counters| {
            let group = |(group, of): (&String, &std::collections::BTreeMap<String, i64>)| format!("{group}: {of:?}");
            counters.iter().map(group).collect::<Vec<_>>().join("\n")
        });
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn counters_have_the_names_of_expressions() {
        check("INFO mapreduce.Job: Counters: 0\nnext", "none");
        let block = "INFO mapreduce.Job: Counters: 31\n\tFile System Counters\n\t\tFILE: Number of bytes read=3064\n\
                     \tMap-Reduce Framework\n\t\tMap input records=1\n\t\tShuffled Maps =1\n\t\tInput split bytes=87\n\
                     \tmine\n\t\twords=3\n\tFile Input Format Counters \n\t\tBytes Read=6\nINFO end\n\t\twords=9";
        let expect = "FileSystemCounters: {\"FILE_BYTES_READ\": 3064}\n\
                      mine: {\"words\": 3}\n\
                      org.apache.hadoop.mapred.Task$Counter: \
                      {\"MAP_INPUT_RECORDS\": 1, \"SHUFFLED_MAPS\": 1, \"SPLIT_RAW_BYTES\": 87}\n\
                      org.apache.hadoop.mapreduce.FileSystemCounter: {\"FILE_BYTES_READ\": 3064}\n\
                      org.apache.hadoop.mapreduce.TaskCounter: \
                      {\"MAP_INPUT_RECORDS\": 1, \"SHUFFLED_MAPS\": 1, \"SPLIT_RAW_BYTES\": 87}\n\
                      org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter: {\"BYTES_READ\": 6}";
        check(block, expect);
    }

    #[test]
    fn counters_of_several_jobs_are_added_and_other_text_is_ignored() {
        check("Counters: 1\n\tg\n\t\tn=1\nCounters: 1\n\tg\n\t\tn=41", "g: {\"n\": 42}");
        check(
            "Counters: 1\n\tg\n\t\tn=1\nCounters: 1\n\tg\n\t\tn=9223372036854775807",
            "g: {\"n\": 9223372036854775807}",
        );
        check(
            "Task: Final Counters for attempt_local1_m_0: Counters: 1\n\tg\n\t\tn=1\nCounters: 1\n\tg\n\t\tn=1",
            "g: {\"n\": 1}",
        );
        check("My Counters: many\n\tg\n\t\tn=1", "none");
        check("Counters: 1\n\t\tn=1", "none");
        check("Counters: 1\n\tg\n\t\tn=x\n\t\tm", "none");
    }
}
