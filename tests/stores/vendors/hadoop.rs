//! The `map-reduce` action on Hadoop's own client, whose jobs run inside of it; and the command lines of programs that
//! cannot be installed on one machine.

use super::{Job, Vendors, program, write};
use howdah_sandbox::sandbox::Sandbox;

/// The files of this machine.
const LOCAL: &str = "file:///";

/// A mapper and a reducer of the new interface; the mapper waits while a file `hold` exists beside its input.
pub(super) const PROGRAM: &str = r#"
import java.io.*;
import org.apache.hadoop.io.*;
import org.apache.hadoop.mapreduce.*;
public class Words {
  public static class Map extends Mapper<LongWritable, Text, Text, IntWritable> {
    protected void map(LongWritable at, Text line, Context context) throws IOException, InterruptedException {
      if (line.toString().equals("sleep")) {
        new File(context.getConfiguration().get("begun")).createNewFile();
        Thread.sleep(600000);
      }
      for (String word : line.toString().split(" ")) {
        context.getCounter("mine", "words").increment(1);
        context.write(new Text(word), new IntWritable(1));
      }
    }
  }
  public static class Reduce extends Reducer<Text, IntWritable, Text, IntWritable> {
    protected void reduce(Text word, Iterable<IntWritable> ones, Context context)
        throws IOException, InterruptedException {
      int sum = 0;
      for (IntWritable one : ones) sum += one.get();
      context.write(word, new IntWritable(sum));
    }
  }
}
"#;

/// The same in the old interface.
const FORMER: &str = r"
import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.io.*;
import org.apache.hadoop.mapred.*;
public class Former {
  public static class Map extends MapReduceBase implements Mapper<LongWritable, Text, Text, LongWritable> {
    public void map(LongWritable at, Text line, OutputCollector<Text, LongWritable> out, Reporter reporter)
        throws IOException {
      out.collect(new Text(line.toString().toUpperCase()), at);
    }
  }
}
";

/// The properties of a job of these classes.
pub(super) const WORDS: [(&str, &str); 6] = [
    ("mapred.mapper.new-api", "true"),
    ("mapred.reducer.new-api", "true"),
    ("mapreduce.job.map.class", "Words$Map"),
    ("mapreduce.job.reduce.class", "Words$Reduce"),
    ("mapred.output.key.class", "org.apache.hadoop.io.Text"),
    ("mapred.output.value.class", "org.apache.hadoop.io.IntWritable"),
];

/// The action, with its jobs inside of the client.
pub(super) fn map_reduce(name_node: &str, jar: &std::path::Path, properties: &[(&str, &str)]) -> String {
    let property =
        |(name, value): &(&str, &str)| format!("<property><name>{name}</name><value>{value}</value></property>");
    let configuration: String = properties.iter().map(property).collect();
    format!(
        "<map-reduce><job-tracker>local</job-tracker><name-node>{name_node}</name-node>\
         <configuration>{configuration}</configuration><file>{}</file></map-reduce>",
        jar.display()
    )
}

#[test]
fn classes_of_both_interfaces() {
    let Some(vendors) = Vendors::installed() else { return };
    let sandbox = Sandbox::new();
    let site = vendors.site(&sandbox, &[]);
    let words = vendors.compile(&sandbox.path(""), "Words", PROGRAM);
    let former = vendors.compile(&sandbox.path(""), "Former", FORMER);
    sandbox.write("in/lines", "a b a\n");
    sandbox.write("slow/lines", "sleep\n");
    let job = |input: &str, output: &str| {
        let (input, output, begun) = (sandbox.text(input), sandbox.text(output), sandbox.text("begun"));
        let own =
            [("mapred.input.dir", input.as_str()), ("mapred.output.dir", output.as_str()), ("begun", begun.as_str())];
        Job::submit(&sandbox, &site, &map_reduce(LOCAL, &words, &[&WORDS[..], &own].concat()))
    };
    let [good, killed] = [job("in", "out"), job("slow", "slow-out")];
    assert_eq!(good.end(), "OK", "{}", good.file("stderr"));
    assert_eq!(sandbox.read("out/part-r-00000"), "a\t2\nb\t1\n");
    assert!(good.external_id().starts_with("job_local"), "{}", good.external_id());
    let report = good.file("report.json");
    for part in ["\"mine\":{\"words\":3}", "\"MAP_INPUT_RECORDS\":1", "\"org.apache.hadoop.mapred.Task$Counter\""] {
        assert!(report.contains(part), "{part} is not in {report}");
    }
    killed.wait("the mapper's begin", || sandbox.path("begun").exists());
    assert!(killed.file("report.json").contains("job_local"), "the id is known while the job runs");
    assert_eq!(killed.kill(), "KILLED");

    let again = job("in", "out");
    let end = again.end();
    let expect = "ERROR JA018 org.apache.hadoop.mapred.FileAlreadyExistsException: Output directory ";
    assert!(end.starts_with(expect), "{end}");

    let (input, output) = (sandbox.text("in"), sandbox.text("former"));
    let own = [
        ("mapred.mapper.class", "Former$Map"),
        ("mapred.output.key.class", "org.apache.hadoop.io.Text"),
        ("mapred.reduce.tasks", "0"),
        ("mapred.output.value.class", "org.apache.hadoop.io.LongWritable"),
        ("mapred.input.dir", input.as_str()),
        ("mapred.output.dir", output.as_str()),
    ];
    let former = Job::submit(&sandbox, &site, &map_reduce(LOCAL, &former, &own));
    assert_eq!(former.end(), "OK", "{}", former.file("stderr"));
    assert_eq!(sandbox.read("former/part-00000"), "A B A\t0\n");
}

/// A script in place of a program shows that arguments arrive as planned, that a printed id is recorded, that a kill
/// ends that job and that its state is queried. It shows nothing about the program itself.
#[test]
fn arguments_arrive_and_a_kill_reaches_the_cluster() {
    let sandbox = Sandbox::new();
    let recorder = |name: &str, script: &str| {
        let path = sandbox.path(name);
        program(
            &path,
            &format!("printf '%s\\n' \"$#\" \"$@\" > {}\n{script}", sandbox.text(&format!("{name}.arguments"))),
        );
        path.display().to_string()
    };
    let pig = recorder("pig", "echo 'Submitted application application_1_2' >&2; sleep 600");
    let sqoop = recorder("sqoop", "echo 'Job job_1_3 has completed successfully' >&2; exit 3");
    let hadoop = recorder("hadoop", "exit 12");
    recorder("yarn", "echo 'State : FINISHED'; echo 'Final-State : FAILED'");
    recorder(
        "mapred",
        "case $2 in -submit) echo 'Created job job_1_4';; \
         -status) printf 'Job state: SUCCEEDED\\nCounters: 1\\n\\tg\\n\\t\\tn=7\\n';; esac",
    );
    let spark = recorder("spark-submit", "echo 'Submitted application application_1_5' >&2");
    let site = [("pig", pig), ("sqoop", sqoop), ("hadoop", hadoop), ("spark-submit", spark)]
        .map(|(name, path)| format!("howdah.command.{name}={path}\n"))
        .concat();
    write(&sandbox.path("site.properties"), &site);
    let site = sandbox.text("site.properties");
    sandbox.write("a.pig", "dump x;");
    let at = "<job-tracker>rm:8032</job-tracker><name-node>hdfs://nn</name-node>";

    let body = format!("<pig>{at}<script>{}</script><param>X=$(id) 'y' \"z</param></pig>", sandbox.text("a.pig"));
    let killed = Job::submit(&sandbox, &site, &body);
    killed.wait("the application's id", || killed.file("report.json").contains("application_1_2"));
    assert!(sandbox.read("pig.arguments").contains("\n-param\nX=$(id) 'y' \"z\n"), "{}", sandbox.read("pig.arguments"));
    assert_eq!(killed.kill(), "KILLED");
    assert_eq!(sandbox.read("yarn.arguments"), "3\napplication\n-kill\napplication_1_2\n");

    let body = format!("<sqoop xmlns=\"uri:oozie:sqoop-action:0.4\">{at}<arg>import</arg><arg>a;b c</arg></sqoop>");
    let bad = Job::submit(&sandbox, &site, &body);
    assert_eq!(bad.end(), "ERROR 3 Main Class [org.apache.oozie.action.hadoop.SqoopMain], exit code [3]");
    assert_eq!(bad.external_id(), "job_1_3");
    assert!(sandbox.read("sqoop.arguments").ends_with("\na;b c\n"), "{}", sandbox.read("sqoop.arguments"));

    let body = format!("<distcp xmlns=\"uri:oozie:distcp-action:0.2\">{at}<arg>hdfs://a/x</arg><arg>/y</arg></distcp>");
    let bad = Job::submit(&sandbox, &site, &body);
    assert_eq!(bad.end(), "ERROR JA018 Returned value from distcp is non-zero (12)");

    let good = Job::submit(&sandbox, &site, &format!("<map-reduce>{at}</map-reduce>"));
    assert_eq!((good.end().as_str(), good.external_id().as_str()), ("OK", "job_1_4"));
    assert!(good.file("report.json").contains("{\"g\":{\"n\":7}}"), "{}", good.file("report.json"));

    let program = "<master>yarn</master><mode>cluster</mode><name>n</name><jar>local:/a.jar</jar>";
    let body = format!("<spark xmlns=\"uri:oozie:spark-action:0.2\">{at}{program}</spark>");
    let bad = Job::submit(&sandbox, &site, &body);
    assert_eq!(bad.end(), "ERROR JA018 application_1_5 ended as FAILED; see its log on the cluster");

    let site = sandbox.write("none.properties", "").display().to_string();
    sandbox.await_quiet();
    let missing = Job::submit(&sandbox, &site, &format!("<pig>{at}<script>{}</script></pig>", sandbox.text("a.pig")));
    let end = missing.end();
    assert!(end.starts_with("ERROR JA018 Cannot run program \"pig\": "), "{end}");
    assert!(
        end.ends_with("; install pig on this machine, or set howdah.command.pig in the site file to its path"),
        "{end}"
    );
}
