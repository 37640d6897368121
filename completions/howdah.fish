# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_howdah_global_optspecs
    string join \n db= site= mount= json q/quiet h/help V/version
end

function __fish_howdah_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_howdah_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_howdah_using_subcommand
    set -l cmd (__fish_howdah_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c howdah -n "__fish_howdah_needs_command" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_needs_command" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_needs_command" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_needs_command" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_needs_command" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_needs_command" -s h -l help -d 'Print help'
complete -c howdah -n "__fish_howdah_needs_command" -s V -l version -d 'Print version'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "validate" -d 'Check coordinators, workflows, bundles, dataset files and configurations'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "dryrun" -d 'Show what a job would do, and store nothing'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "submit" -d 'Submit a coordinator, a workflow or a bundle'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "run" -d 'Submit jobs and run them to their end in the foreground'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "tick" -d 'Do everything that is due, once; meant for cron'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "daemon" -d 'Tick and advance workflows in one long-running process; meant for systemd'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "cron" -d 'Print the line for a crontab, or units for systemd, with the absolute paths of this program and its database'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "status" -d 'Say whether all is well: ticks, jobs, failed and late actions, deliveries, disk'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "metrics" -d 'Print numbers for a monitoring program, in the text format of OpenMetrics'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "jobs" -d 'List coordinator jobs, workflow jobs or bundles, newest first'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "actions" -d 'List actions of all coordinator jobs, the latest changed first'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "info" -d 'Show a job and its actions, or one action or node'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "explain" -d 'Say why a job or an action waits, is held back or failed, and what a code means'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "log" -d 'Print the output of a workflow, an action or a node'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "poll" -d 'Wait until a job, an action or a node is over'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "suspend" -d 'Suspend jobs: nothing new starts until they are resumed'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "resume" -d 'Resume suspended jobs'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "kill" -d 'Kill jobs, actions or nodes: running commands are ended'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "change" -d 'Change the end, the concurrency, the pause time or the status of a job'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "ignore" -d 'Ignore unsuccessful actions, or a whole job: they no longer affect the status of the job'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "rerun" -d 'Rerun actions of a coordinator job or of a bundle\'s coordinators, or a workflow job'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "update" -d 'Apply a changed definition or changed properties to a coordinator job'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "sla" -d 'List the promises about actions, and set the alerts when they are late'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "next" -d 'Show the next nominal times of a frequency, and the clock changes on those days'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "time" -d 'Convert times between zones, list zones, print offsets'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "eval" -d 'Print the value of an expression and its type'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "backtest" -d 'Recompute the actions that an Oozie database records, and compare'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "db" -d 'Check, copy, or maintain the database'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "completions" -d 'Print the completions of a shell'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "man" -d 'Write the manual pages'
complete -c howdah -n "__fish_howdah_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c howdah -n "__fish_howdah_using_subcommand validate" -s c -l config -d 'A file of job properties: Java properties, or a Hadoop configuration when its name ends in .xml' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand validate" -s D -d 'A property that overrides the file; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand validate" -l format -d 'The form of the report [default: human]' -r -f -a "human\t''
json\t''
sarif\t''
github\t''
junit\t''"
complete -c howdah -n "__fish_howdah_using_subcommand validate" -l allow -d 'Hide the warnings and notes with this code; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand validate" -l deny -d 'Treat the warnings and notes with this code as errors, or all warnings; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand validate" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand validate" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand validate" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand validate" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand validate" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -s c -l config -d 'A file of job properties: Java properties, or a Hadoop configuration when its name ends in .xml' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -s D -d 'A property that overrides the file; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -l actions -d 'Actions to show, by number: numbers and ranges such as 1,3-4,7-40, or all' -r
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -l from -d 'Only actions of this nominal time or later: YYYY-MM-DDTHH:MMZ, now, +2d, -24h, today, tomorrow, or a date' -r
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -l to -d 'Only actions of this nominal time or earlier, which is written as for --from; a date is included as a whole' -r
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -l check-data -d 'Whether to check the data now; without it no mount is needed, latest and future remain expressions, and the workflow application is not checked (the coordinator and the dataset files that it includes are read)' -r -f -a "yes\t''
no\t''"
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand dryrun" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand submit" -s c -l config -d 'A file of job properties: Java properties, or a Hadoop configuration when its name ends in .xml' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand submit" -s D -d 'A property that overrides the file; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand submit" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand submit" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand submit" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand submit" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand submit" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand submit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand run" -s c -l config -d 'A file of job properties; may be repeated, once per job' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand run" -s D -d 'A property that overrides the files; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand run" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand run" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand run" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand run" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand run" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand tick" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand tick" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand tick" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand tick" -l accept-clock -d 'Accept a clock that is far ahead of the last tick (howdah.clock.leap.days)'
complete -c howdah -n "__fish_howdah_using_subcommand tick" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand tick" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand tick" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand daemon" -l every -d 'Seconds between two ticks while nothing happens' -r
complete -c howdah -n "__fish_howdah_using_subcommand daemon" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand daemon" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand daemon" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand daemon" -l accept-clock -d 'Accept a clock that is far ahead of the last tick (howdah.clock.leap.days)'
complete -c howdah -n "__fish_howdah_using_subcommand daemon" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand daemon" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand daemon" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand cron" -l systemd -d 'Write howdah.service (the daemon), howdah-tick.service and howdah-tick.timer (a tick every minute) into this folder; use one of the two' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand cron" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand cron" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand cron" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand cron" -l install -d 'Add the line to your crontab'
complete -c howdah -n "__fish_howdah_using_subcommand cron" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand cron" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand cron" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand status" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand status" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand status" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand status" -l check -d 'Print one line for a monitoring program; the exit status is 0, 1, 2 or 3'
complete -c howdah -n "__fish_howdah_using_subcommand status" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand status" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand metrics" -s o -l output -d 'Write to this file, which is replaced as a whole, such as one in the folder of a node exporter' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand metrics" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand metrics" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand metrics" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand metrics" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand metrics" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand metrics" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l jobtype -d 'The type of the jobs: coordinator, wf or bundle' -r
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l filter -d 'Only the jobs that match: NAME=VALUE pairs separated by `;`. Values of one name are alternatives, different names must all match. Names: status, name, user, id; text (a part of the name or of the user, or an id); startcreatedtime and endcreatedtime (a time, or -2d, -3h, -10m before now); sortby (createdTime or lastModifiedTime, the latest first); of coordinator jobs also frequency, with unit (minutes, hours, days, months); group has no effect, as in Oozie' -r
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l bulk -d 'Instead of jobs the actions of a bundle\'s coordinators: NAME=VALUE pairs separated by `;` that must all match; a value is a list with commas. Names: bundle (names or ids, required); coordinators (names or ids); actionstatus (default KILLED and FAILED); startcreatedtime, endcreatedtime, startscheduledtime, endscheduledtime (scheduled is the nominal time)' -r
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l offset -d 'The first job to list, counted from 1' -r
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l len -d 'How many jobs to list' -r
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l timezone -d 'Show times in this zone, such as Europe/Vienna or GMT+05:30 [default: the processing time zone; always UTC with --json]' -r
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l localtime -d 'Show times in the zone of this machine; overrides --timezone'
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand jobs" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l status -d 'Only these statuses, with commas between them; `failed` means FAILED, KILLED and TIMEDOUT' -r
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l since -d 'Only actions that changed at this time or later: a time, a date, today, yesterday, or how long ago, such as 24h' -r
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l late -d 'Only actions that have not ended so long after their nominal time, such as 30m or 1h' -r
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l job -d 'Only actions of the jobs with this name or id, in which * fits any text; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l offset -d 'The first action to list, counted from 1' -r
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l len -d 'How many actions to list' -r
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l timezone -d 'Show times in this zone, such as Europe/Vienna or GMT+05:30 [default: the processing time zone; always UTC with --json]' -r
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l localtime -d 'Show times in the zone of this machine; overrides --timezone'
complete -c howdah -n "__fish_howdah_using_subcommand actions" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand actions" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand actions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand info" -l filter -d 'Only the actions that match: comparisons separated by `;`, such as status=FAILED, status!=SUCCEEDED or nominaltime>=2026-03-01T00:00Z. Equal statuses and times are alternatives, everything else must match together' -r
complete -c howdah -n "__fish_howdah_using_subcommand info" -l offset -d 'The first action to show, counted from 1' -r
complete -c howdah -n "__fish_howdah_using_subcommand info" -l len -d 'How many actions to show' -r
complete -c howdah -n "__fish_howdah_using_subcommand info" -l order -d 'The order of the nominal times' -r -f -a "asc\t''
desc\t''"
complete -c howdah -n "__fish_howdah_using_subcommand info" -l timezone -d 'Show times in this zone, such as Europe/Vienna or GMT+05:30 [default: the processing time zone; always UTC with --json]' -r
complete -c howdah -n "__fish_howdah_using_subcommand info" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand info" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand info" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand info" -l allruns -d 'Show every workflow job that an action has run, the latest first'
complete -c howdah -n "__fish_howdah_using_subcommand info" -l definition -d 'Print the definition of the job as it is stored'
complete -c howdah -n "__fish_howdah_using_subcommand info" -l configuration -d 'Print the properties of the job as a configuration in XML'
complete -c howdah -n "__fish_howdah_using_subcommand info" -l localtime -d 'Show times in the zone of this machine; overrides --timezone'
complete -c howdah -n "__fish_howdah_using_subcommand info" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand info" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand info" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand explain" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand explain" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand explain" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand explain" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand explain" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand log" -l attempt -d 'Only this attempt of each node, counted from 1 in every run, or `last` for the latest' -r
complete -c howdah -n "__fish_howdah_using_subcommand log" -s n -l tail -d 'Only the last N lines that each attempt has written to standard output and to standard error' -r
complete -c howdah -n "__fish_howdah_using_subcommand log" -l logfilter -d 'Only matching lines, such as \'recent=1h;loglevel=WARN|ERROR;text=revenue;limit=10\'' -r
complete -c howdah -n "__fish_howdah_using_subcommand log" -l action -d 'Only these actions of one coordinator job: numbers and ranges such as 1,3-4' -r
complete -c howdah -n "__fish_howdah_using_subcommand log" -l date -d 'Only the actions of these nominal times: times, and periods A::B with both ends, with commas between them. A time may be now, -24h, today, yesterday or a date: the first minute of that day, and at the end of a period the last one, so that 2026-03-01::2026-03-01 is the whole day' -r
complete -c howdah -n "__fish_howdah_using_subcommand log" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand log" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand log" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand log" -s f -l follow -d 'Continue until the job is over'
complete -c howdah -n "__fish_howdah_using_subcommand log" -l stdout -d 'Only standard output'
complete -c howdah -n "__fish_howdah_using_subcommand log" -l stderr -d 'Only standard error'
complete -c howdah -n "__fish_howdah_using_subcommand log" -l audit -d 'The changes of statuses instead of the output; a coordinator job has no other log'
complete -c howdah -n "__fish_howdah_using_subcommand log" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand log" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand log" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand poll" -l timeout -d 'How many minutes to wait at most; 0 for no limit' -r
complete -c howdah -n "__fish_howdah_using_subcommand poll" -l interval -d 'Minutes after which --verbose prints the status again although it has not changed' -r
complete -c howdah -n "__fish_howdah_using_subcommand poll" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand poll" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand poll" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand poll" -l verbose -d 'Print every status on the way'
complete -c howdah -n "__fish_howdah_using_subcommand poll" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand poll" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand poll" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand suspend" -l filter -d 'Instead of ids: every job that matches, written as for `jobs`; jobs whose status does not allow the verb do not change' -r
complete -c howdah -n "__fish_howdah_using_subcommand suspend" -l jobtype -d 'The type of the jobs in the filter: coordinator, wf or bundle' -r
complete -c howdah -n "__fish_howdah_using_subcommand suspend" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand suspend" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand suspend" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand suspend" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand suspend" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand suspend" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand suspend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand resume" -l filter -d 'Instead of ids: every job that matches, written as for `jobs`; jobs whose status does not allow the verb do not change' -r
complete -c howdah -n "__fish_howdah_using_subcommand resume" -l jobtype -d 'The type of the jobs in the filter: coordinator, wf or bundle' -r
complete -c howdah -n "__fish_howdah_using_subcommand resume" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand resume" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand resume" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand resume" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand resume" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand resume" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand resume" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand kill" -l filter -d 'Instead of ids: every job that matches, written as for `jobs`; jobs whose status does not allow the verb do not change' -r
complete -c howdah -n "__fish_howdah_using_subcommand kill" -l jobtype -d 'The type of the jobs in the filter: coordinator, wf or bundle' -r
complete -c howdah -n "__fish_howdah_using_subcommand kill" -l action -d 'Only these actions of one coordinator job: numbers and ranges such as 1,3-4' -r
complete -c howdah -n "__fish_howdah_using_subcommand kill" -l date -d 'Only the actions of these nominal times: times, and periods A::B with both ends, with commas between them. A time may be now, -24h, today, yesterday or a date: the first minute of that day, and at the end of a period the last one, so that 2026-03-01::2026-03-01 is the whole day' -r
complete -c howdah -n "__fish_howdah_using_subcommand kill" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand kill" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand kill" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand kill" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand kill" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand kill" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand kill" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand change" -l value -d 'The new values as Oozie writes them: name=value;name=value of endtime, concurrency, pausetime, status; an empty pausetime removes it' -r
complete -c howdah -n "__fish_howdah_using_subcommand change" -l endtime -d 'No action is due at this time or later: YYYY-MM-DDTHH:MMZ, now, +2d, -24h, today, tomorrow, or a date for its first minute' -r
complete -c howdah -n "__fish_howdah_using_subcommand change" -l concurrency -d 'How many actions may run at a time; below zero: any number' -r
complete -c howdah -n "__fish_howdah_using_subcommand change" -l pausetime -d 'No action is created from this time on, which is written as for --endtime; or none' -r
complete -c howdah -n "__fish_howdah_using_subcommand change" -l status -d 'RUNNING or IGNORED' -r
complete -c howdah -n "__fish_howdah_using_subcommand change" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand change" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand change" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand change" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand change" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand change" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand change" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand ignore" -l action -d 'Only these actions of one coordinator job: numbers and ranges such as 1,3-4' -r
complete -c howdah -n "__fish_howdah_using_subcommand ignore" -l date -d 'Only the actions of these nominal times: times, and periods A::B with both ends, with commas between them. A time may be now, -24h, today, yesterday or a date: the first minute of that day, and at the end of a period the last one, so that 2026-03-01::2026-03-01 is the whole day' -r
complete -c howdah -n "__fish_howdah_using_subcommand ignore" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand ignore" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand ignore" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand ignore" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand ignore" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand ignore" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand ignore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l action -d 'Only these actions of one coordinator job: numbers and ranges such as 1,3-4' -r
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l date -d 'Only the actions of these nominal times: times, and periods A::B with both ends, with commas between them. A time may be now, -24h, today, yesterday or a date: the first minute of that day, and at the end of a period the last one, so that 2026-03-01::2026-03-01 is the whole day' -r
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l coordinator -d 'For a bundle: only the coordinators with these names, separated by commas' -r
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -s c -l config -d 'A file of job properties: Java properties, or a Hadoop configuration when its name ends in .xml' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -s D -d 'A property that overrides the file; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l refresh -d 'Create the actions again from the job\'s present definition; their inputs are searched for again'
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l nocleanup -d 'Do not delete the outputs of the actions'
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l failed -d 'Run the workflow jobs of the actions again instead of new ones, except for nodes that ended OK; no output is deleted'
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -s y -l yes -d 'Delete the outputs without asking'
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand rerun" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand update" -s c -l config -d 'A file of job properties: Java properties, or a Hadoop configuration when its name ends in .xml' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand update" -s D -d 'A property that overrides the file; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand update" -l actions -d 'The number of next actions to compare' -r
complete -c howdah -n "__fish_howdah_using_subcommand update" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand update" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand update" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand update" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand update" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand update" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -f -a "list" -d 'List the promises, by nominal time'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -f -a "enable" -d 'Send alerts about late actions from now on'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -f -a "disable" -d 'Send no alerts about late actions; the results are still recorded'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -f -a "change" -d 'Change the promises of actions that have not ended'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and not __fish_seen_subcommand_from list enable disable change help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from list" -l filter -d 'Only matching promises: NAME=VALUE pairs separated by `;`, all of which must match' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from list" -l offset -d 'The first to list, counted from 1' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from list" -l len -d 'How many to list' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from list" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from list" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from list" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from enable" -l action -d 'Only these actions of one coordinator job: numbers and ranges such as 1,3-4' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from enable" -l date -d 'Only the actions of these nominal times: times, and periods A::B with both ends, with commas between them. A time may be now, -24h, today, yesterday or a date: the first minute of that day, and at the end of a period the last one, so that 2026-03-01::2026-03-01 is the whole day' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from enable" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from enable" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from enable" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from enable" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from enable" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from enable" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from enable" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from disable" -l action -d 'Only these actions of one coordinator job: numbers and ranges such as 1,3-4' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from disable" -l date -d 'Only the actions of these nominal times: times, and periods A::B with both ends, with commas between them. A time may be now, -24h, today, yesterday or a date: the first minute of that day, and at the end of a period the last one, so that 2026-03-01::2026-03-01 is the whole day' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from disable" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from disable" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from disable" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from disable" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from disable" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from disable" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from disable" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -l action -d 'Only these actions of one coordinator job: numbers and ranges such as 1,3-4' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -l date -d 'Only the actions of these nominal times: times, and periods A::B with both ends, with commas between them. A time may be now, -24h, today, yesterday or a date: the first minute of that day, and at the end of a period the last one, so that 2026-03-01::2026-03-01 is the whole day' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -l value -d 'NAME=VALUE pairs separated by `;`, with the names sla-nominal-time, sla-should-start, sla-should-end and sla-max-duration; the values are minutes or expressions, as in the SLA element' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from change" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the promises, by nominal time'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from help" -f -a "enable" -d 'Send alerts about late actions from now on'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from help" -f -a "disable" -d 'Send no alerts about late actions; the results are still recorded'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from help" -f -a "change" -d 'Change the promises of actions that have not ended'
complete -c howdah -n "__fish_howdah_using_subcommand sla; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c howdah -n "__fish_howdah_using_subcommand next" -l start -d 'The start, which is included: YYYY-MM-DDTHH:MMZ, now, +2d, -24h, today, tomorrow, or a date; days begin at midnight of --timezone [default: now]' -r
complete -c howdah -n "__fish_howdah_using_subcommand next" -l end -d 'The end, which is not included, written as for --start [default: none]' -r
complete -c howdah -n "__fish_howdah_using_subcommand next" -s z -l timezone -d 'The zone of the coordinator; `howdah time zones` lists them. Cron follows the processing time zone instead' -r
complete -c howdah -n "__fish_howdah_using_subcommand next" -s n -l count -d 'The number of times to show' -r
complete -c howdah -n "__fish_howdah_using_subcommand next" -s c -l config -d 'A file of job properties: Java properties, or a Hadoop configuration when its name ends in .xml' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand next" -s D -d 'A property that overrides the file; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand next" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand next" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand next" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand next" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand next" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand next" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -s h -l help -d 'Print help'
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -f -a "convert" -d 'Convert a time to a zone'
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -f -a "zones" -d 'List the zones with their offsets now and their next changes'
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -f -a "offset" -d 'Print the offset of a zone in minutes, or the difference of two'
complete -c howdah -n "__fish_howdah_using_subcommand time; and not __fish_seen_subcommand_from convert zones offset help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from convert" -l to -d 'The zone to convert to' -r
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from convert" -l from -d 'The zone of a local time' -r
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from convert" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from convert" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from convert" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from convert" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from convert" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from zones" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from zones" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from zones" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from zones" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from zones" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from zones" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from offset" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from offset" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from offset" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from offset" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from offset" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from offset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from help" -f -a "convert" -d 'Convert a time to a zone'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from help" -f -a "zones" -d 'List the zones with their offsets now and their next changes'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from help" -f -a "offset" -d 'Print the offset of a zone in minutes, or the difference of two'
complete -c howdah -n "__fish_howdah_using_subcommand time; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c howdah -n "__fish_howdah_using_subcommand eval" -l phase -d 'The phase of evaluation [default: start with --coordinator, else only what needs no context]' -r -f -a "name\t'the name of a coordinator'
submit\t'start, end, time zones, most controls, URI templates, app-path'
frequency\t'the frequency of a coordinator or a dataset'
timeout\t'the timeout of a coordinator'
initial-instance\t'the initial instance of a dataset'
instance\t'the check of instances at submission'
data\t'the check of the action\'s configuration at submission'
sla-submit\t'the check of an SLA element at submission'
create\t'an instance when an action is created; needs --coordinator and --action'
create-range\t'the start or end of a range when an action is created; needs --coordinator and --action'
sla\t'an SLA element when an action is created; needs --coordinator and --action'
start\t'the action\'s configuration when its inputs exist; needs --coordinator and --action'
workflow-submit\t'the name of a workflow, and its retry attributes'
workflow-sla\t'an SLA element of a workflow'
workflow\t'everything else in a workflow, when a node starts; no node has run before it'"
complete -c howdah -n "__fish_howdah_using_subcommand eval" -l coordinator -d 'A coordinator definition, or its folder' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand eval" -l action -d 'The number of an action of the coordinator' -r
complete -c howdah -n "__fish_howdah_using_subcommand eval" -l event -d 'The data-in or data-out whose dataset is used in create and create-range [default: the first]' -r
complete -c howdah -n "__fish_howdah_using_subcommand eval" -s c -l config -d 'A file of job properties: Java properties, or a Hadoop configuration when its name ends in .xml' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand eval" -s D -d 'A property that overrides the file; may be repeated' -r
complete -c howdah -n "__fish_howdah_using_subcommand eval" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand eval" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand eval" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand eval" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand eval" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand eval" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand backtest" -l zone -d 'The zone of the machine that wrote the export, whose dates have none [default: found from the rows]' -r
complete -c howdah -n "__fish_howdah_using_subcommand backtest" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand backtest" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand backtest" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand backtest" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand backtest" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand backtest" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -f -a "check" -d 'Search for damage, and for rows that contradict each other'
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -f -a "backup" -d 'Write a consistent copy, while other processes continue to work'
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -f -a "purge" -d 'Delete jobs that ended long ago, with everything that belongs to them'
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -f -a "here" -d 'Declare that the database is used here from now on'
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -f -a "shrink" -d 'Return the space of deleted jobs in the file to the file system'
complete -c howdah -n "__fish_howdah_using_subcommand db; and not __fish_seen_subcommand_from check backup purge here shrink help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from check" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from check" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from check" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from check" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from backup" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from backup" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from backup" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from backup" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from backup" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from backup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from purge" -l older-than -d 'How long ago a job must have ended: hours, days or weeks, such as 12h, 30d or 2w [default: 30d for workflow jobs, 7d for coordinators and bundles, or the site\'s oozie.service.PurgeService.older.than, .coord.older.than and .bundle.older.than]' -r
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from purge" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from purge" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from purge" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from purge" -l dry-run -d 'Show what would be done, but do nothing'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from purge" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from purge" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from purge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from here" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from here" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from here" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from here" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from here" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from here" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from shrink" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from shrink" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from shrink" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from shrink" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from shrink" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from shrink" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "check" -d 'Search for damage, and for rows that contradict each other'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "backup" -d 'Write a consistent copy, while other processes continue to work'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "purge" -d 'Delete jobs that ended long ago, with everything that belongs to them'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "here" -d 'Declare that the database is used here from now on'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "shrink" -d 'Return the space of deleted jobs in the file to the file system'
complete -c howdah -n "__fish_howdah_using_subcommand db; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c howdah -n "__fish_howdah_using_subcommand completions" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand completions" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand completions" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand completions" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand completions" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand completions" -s h -l help -d 'Print help'
complete -c howdah -n "__fish_howdah_using_subcommand man" -l db -d 'The database [default: $HOWDAH_DB, else howdah/howdah.db in the XDG state folder]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand man" -l site -d 'Settings under Oozie\'s names, such as an oozie-site.xml [default: $HOWDAH_SITE, else howdah/site.xml in the XDG configuration folder, if it is there]' -r -F
complete -c howdah -n "__fish_howdah_using_subcommand man" -l mount -d 'Where a store\'s files are on this machine, such as hdfs://namenode:8020=/data; may be repeated and is added to $HOWDAH_MOUNTS and the site\'s howdah.mounts' -r
complete -c howdah -n "__fish_howdah_using_subcommand man" -l json -d 'Print one JSON document instead of text'
complete -c howdah -n "__fish_howdah_using_subcommand man" -s q -l quiet -d 'Print nothing about what was not done; print bare values where the verb prints values'
complete -c howdah -n "__fish_howdah_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "validate" -d 'Check coordinators, workflows, bundles, dataset files and configurations'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "dryrun" -d 'Show what a job would do, and store nothing'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "submit" -d 'Submit a coordinator, a workflow or a bundle'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "run" -d 'Submit jobs and run them to their end in the foreground'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "tick" -d 'Do everything that is due, once; meant for cron'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "daemon" -d 'Tick and advance workflows in one long-running process; meant for systemd'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "cron" -d 'Print the line for a crontab, or units for systemd, with the absolute paths of this program and its database'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "status" -d 'Say whether all is well: ticks, jobs, failed and late actions, deliveries, disk'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "metrics" -d 'Print numbers for a monitoring program, in the text format of OpenMetrics'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "jobs" -d 'List coordinator jobs, workflow jobs or bundles, newest first'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "actions" -d 'List actions of all coordinator jobs, the latest changed first'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "info" -d 'Show a job and its actions, or one action or node'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "explain" -d 'Say why a job or an action waits, is held back or failed, and what a code means'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "log" -d 'Print the output of a workflow, an action or a node'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "poll" -d 'Wait until a job, an action or a node is over'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "suspend" -d 'Suspend jobs: nothing new starts until they are resumed'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "resume" -d 'Resume suspended jobs'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "kill" -d 'Kill jobs, actions or nodes: running commands are ended'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "change" -d 'Change the end, the concurrency, the pause time or the status of a job'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "ignore" -d 'Ignore unsuccessful actions, or a whole job: they no longer affect the status of the job'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "rerun" -d 'Rerun actions of a coordinator job or of a bundle\'s coordinators, or a workflow job'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "update" -d 'Apply a changed definition or changed properties to a coordinator job'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "sla" -d 'List the promises about actions, and set the alerts when they are late'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "next" -d 'Show the next nominal times of a frequency, and the clock changes on those days'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "time" -d 'Convert times between zones, list zones, print offsets'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "eval" -d 'Print the value of an expression and its type'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "backtest" -d 'Recompute the actions that an Oozie database records, and compare'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "db" -d 'Check, copy, or maintain the database'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "completions" -d 'Print the completions of a shell'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "man" -d 'Write the manual pages'
complete -c howdah -n "__fish_howdah_using_subcommand help; and not __fish_seen_subcommand_from validate dryrun submit run tick daemon cron status metrics jobs actions info explain log poll suspend resume kill change ignore rerun update sla next time eval backtest db completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from sla" -f -a "list" -d 'List the promises, by nominal time'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from sla" -f -a "enable" -d 'Send alerts about late actions from now on'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from sla" -f -a "disable" -d 'Send no alerts about late actions; the results are still recorded'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from sla" -f -a "change" -d 'Change the promises of actions that have not ended'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from time" -f -a "convert" -d 'Convert a time to a zone'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from time" -f -a "zones" -d 'List the zones with their offsets now and their next changes'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from time" -f -a "offset" -d 'Print the offset of a zone in minutes, or the difference of two'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "check" -d 'Search for damage, and for rows that contradict each other'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "backup" -d 'Write a consistent copy, while other processes continue to work'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "purge" -d 'Delete jobs that ended long ago, with everything that belongs to them'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "here" -d 'Declare that the database is used here from now on'
complete -c howdah -n "__fish_howdah_using_subcommand help; and __fish_seen_subcommand_from db" -f -a "shrink" -d 'Return the space of deleted jobs in the file to the file system'
