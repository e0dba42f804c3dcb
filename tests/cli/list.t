# Kinds are words; what opens depends on the machine, the names do not.
$ perfolio list sw --no-desc | sed 's/^  [xu?]/   /' | head -n 8
Software events \(12\).* (re)
...
    cpu-clock
...
    page-faults OR faults
...

# Words are searched for in names and descriptions, patterns in names.
$ perfolio list sw control group --no-desc | sed 's/^  [xu?]/   /' | tail -n 2
    cgroup-switches

$ perfolio list 'cgroup-sw*' --raw-dump
cgroup-switches 

# Nothing found: the nearest names, exit status 1.
$ perfolio list cylces
perfolio: unknown event 'cylces'
  cylces
  \^~~~~~ (re)
  did you mean: cycles?
[1]
$ perfolio list raw no such words
perfolio: no event has all of these words in its name or description; try fewer of them
[1]
$ perfolio list --cpu Sandy cache
perfolio: no events are known for the CPU 'Sandy'; perhaps snb, snb_ep; `perfolio list --cpus` shows the models, --import brings in more
[1]

# The names of Intel's own tables, which perf uses.
$ perfolio list --cpu skylakex UNHALTED_CORE_CYCLES | grep skx
  skx, Intel Skylake X, from libpfm
$ perfolio list --cpu no-such-cpu
perfolio: no events are known for the CPU 'no-such-cpu'; `perfolio list --cpus` shows the models, --import brings in more
[1]

# JSON parses and holds the same names.
$ perfolio list hw --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["events"]))'
10

# Importing what is not there, and what is no table.
$ perfolio list --import /no/such/file
perfolio: /no/such/file: No such file or directory
[1]
$ echo '{}' >x.json; perfolio list --import x.json 2>&1 >/dev/null
perfolio: x.json: no event tables in it
[1]
$ printf '[\n{ "EventName": ' >x.json; perfolio list --import x.json
perfolio: .*/x.json:2: not valid JSON: .* (re)
[1]
