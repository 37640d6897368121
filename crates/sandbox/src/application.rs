//! Applications for tests, written in few words.

use crate::sandbox::Sandbox;

/// A coordinator application: attributes and elements with usual values.
pub struct Coordinator {
    pub frequency: &'static str,
    pub start: &'static str,
    pub end: &'static str,
    pub timezone: &'static str,
    /// The content of `controls`.
    pub controls: &'static str,
    /// `datasets`, `input-events`, `output-events`.
    pub data: String,
    /// Properties of the workflow: name and expression.
    pub properties: &'static [(&'static str, &'static str)],
}

impl Default for Coordinator {
    fn default() -> Self {
        Self {
            frequency: "${coord:hours(1)}",
            start: "2010-01-01T00:00Z",
            end: "2010-01-01T02:00Z",
            timezone: "UTC",
            controls: "",
            data: String::new(),
            properties: &[],
        }
    }
}

impl Coordinator {
    /// Writes `app/coordinator.xml`; it starts the workflow in `app/`.
    pub fn write(&self, sandbox: &Sandbox) {
        let Self { frequency, start, end, timezone, controls, data, properties } = self;
        let own = ("nominal", "${coord:nominalTime()}");
        let properties: String =
            [own, ("sandbox", "${sandbox}")].iter().chain(*properties).fold(String::new(), |text, (name, value)| {
                text + &format!("<property><name>{name}</name><value>{value}</value></property>")
            });
        let controls = if controls.is_empty() { String::new() } else { format!("<controls>{controls}</controls>") };
        sandbox.write(
            "app/coordinator.xml",
            &format!(
                r#"<coordinator-app name="test" frequency="{frequency}" start="{start}" end="{end}" timezone="{timezone}"
    xmlns="uri:oozie:coordinator:0.4">
  {controls}
  {data}
  <action><workflow>
    <app-path>{app}</app-path>
    <configuration>{properties}</configuration>
  </workflow></action>
</coordinator-app>
"#,
                app = sandbox.text("app"),
            ),
        );
    }
}

/// The data of a coordinator whose actions each wait for the instance of their hour at `uri`, from 2010 on.
pub fn hourly_input(uri: &str, done_flag: &str) -> String {
    format!(
        "<datasets><dataset name=\"in\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"2010-01-01T00:00Z\"
           timezone=\"UTC\"><uri-template>{uri}</uri-template>{done_flag}</dataset></datasets>
         <input-events><data-in name=\"in\" dataset=\"in\"><instance>${{coord:current(0)}}</instance></data-in>
         </input-events>"
    )
}

/// Writes a workflow to `<folder>/workflow.xml`.
pub fn workflow(sandbox: &Sandbox, folder: &str, start: &str, nodes: &[String]) {
    sandbox.write(
        &format!("{folder}/workflow.xml"),
        &format!(
            r#"<workflow-app name="test" xmlns="uri:oozie:workflow:0.5">
  <start to="{start}"/>
  {nodes}
  <kill name="fail"><message>failed at [${{wf:lastErrorNode()}}]</message></kill>
  <end name="end"/>
</workflow-app>
"#,
            nodes = nodes.join("\n  "),
        ),
    );
}

/// An action that runs a line of shell; on an error it goes to the node `fail`.
pub fn shell(name: &str, line: &str, to: &str) -> String {
    shell_with(name, line, to, "")
}

/// As [`shell`], with attributes of the action, such as `retry-max`.
pub fn shell_with(name: &str, line: &str, to: &str, attributes: &str) -> String {
    action(name, &shell_body(line, ""), to, attributes)
}

/// The body of a shell action, with elements after the arguments.
pub fn shell_body(line: &str, elements: &str) -> String {
    let line = line.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<shell xmlns=\"uri:oozie:shell-action:0.3\"><exec>sh</exec><argument>-c</argument>\
         <argument>{line}</argument>{elements}</shell>"
    )
}

/// An action with any body.
pub fn action(name: &str, body: &str, to: &str, attributes: &str) -> String {
    format!("<action name=\"{name}\" {attributes}>{body}<ok to=\"{to}\"/><error to=\"fail\"/></action>")
}

/// The body of a sub-workflow action that starts the workflow in a folder, with the configuration of its parent.
pub fn sub_workflow(folder: &str) -> String {
    format!("<sub-workflow><app-path>${{sandbox}}/{folder}</app-path><propagate-configuration/></sub-workflow>")
}

/// A command that appends a word to the file of side effects, in one write.
pub fn effect(word: &str) -> String {
    format!("echo \"{word}\" >> ${{sandbox}}/effects")
}

/// Submits a coordinator of three actions and ticks until all are created: the first succeeds, and the others write
/// their process ids to files named by their nominal times and run until the file `gate` exists.
pub fn one_over_two_running(sandbox: &Sandbox) -> String {
    let controls = "<concurrency>3</concurrency>";
    Coordinator { controls, end: "2010-01-01T03:00Z", ..Coordinator::default() }.write(sandbox);
    let line = format!("[ ${{nominal}} = 2010-01-01T00:00Z ] && exit; {}", until_gate("${nominal}"));
    workflow(sandbox, "app", "one", &[shell("one", &line, "end")]);
    let job = sandbox.submit("2010-01-01T00:00Z", &[]);
    sandbox.tick_through("2010-01-01T00:00Z");
    sandbox.tick("2010-01-01T02:00Z");
    job
}

/// A command that writes its process id to `file` and runs until the file `gate` exists.
pub fn until_gate(file: &str) -> String {
    format!(
        "echo $$ > ${{sandbox}}/{file}.new; mv ${{sandbox}}/{file}.new ${{sandbox}}/{file}; \
             while [ ! -e ${{sandbox}}/gate ]; do sleep 0.02; done"
    )
}
