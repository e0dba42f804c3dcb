# What depends on the machine is masked or left out; tests/live compares the rest with perf.
$ perfolio stat -n true 2>&1 | sed 's/[0-9]/#/g'

 Performance counter stats for 'true':

       #.######### seconds time elapsed

       #.######### seconds user
       #.######### seconds sys


$ perfolio stat -e task-clock -x, true 2>&1 | sed 's/[0-9][0-9.]*/#/g'
#,msec,task-clock,#,#,#,CPUs utilized

$ perfolio stat -e task-clock --format json true 2>&1 | sed 's/[0-9][0-9.]*/#/g'
{"counter-value" : "#", "unit" : "msec", "event" : "task-clock", "event-runtime" : #, "pcnt-running" : #, "metric-value" : #, "metric-unit" : "CPUs utilized"}

$ perfolio stat --quiet sh -c 'echo its own output; exit 3'
its own output
[3]

# Flags may stand together, "--" is optional, and the command's own flags are its own.
$ perfolio stat -q -i -e cs sh -c 'echo -e'
-e
$ perfolio stat -qiecs -- sh -c 'echo -e'
-e

# Wrong usage says what is wrong.
$ perfolio stat --nonsense true
perfolio stat: unknown option '--nonsense'
See 'perfolio help stat'.
[2]
$ perfolio stat -e
perfolio stat: -e needs EVENT
See 'perfolio help stat'.
[2]
$ perfolio stat -A true
perfolio stat: counts of a program or thread are not kept apart by CPU; use -a or -C
See 'perfolio help stat'.
[2]
$ perfolio stat --per-thread true
perfolio stat: --per-thread needs -p, -t, -u or -a
See 'perfolio help stat'.
[2]
$ perfolio stat -I 100us true
perfolio stat: -I: 1ms is the shortest interval
See 'perfolio help stat'.
[2]
$ perfolio stat --format xml true
perfolio stat: --format 'xml': it is text, csv or json
See 'perfolio help stat'.
[2]
$ perfolio stat -p 1 --passes
perfolio stat: --passes needs a command that it can run again
See 'perfolio help stat'.
[2]

# A command that can't be started.
$ perfolio stat -e cs /nosuch/program
perfolio: /nosuch/program: can't start it: No such file or directory
[127]
$ perfolio stat -e cs nosuchprogram
perfolio: nosuchprogram: no such command in PATH
[127]

$ perfolio stat --plan -e faults,cs
  faults                           the kernel counts it, without a counter
  cs                               the kernel counts it, without a counter

0 events need a counter.

$ perfolio stat -o counts -e cs true; sed 's/^# started on .*/(started)/; s/ *[0-9]* *cs/ # cs/; s/[0-9]/#/g' counts
(started)


 Performance counter stats for 'true':

 # cs                                                                 

       #.######### seconds time elapsed

       #.######### seconds user
       #.######### seconds sys
