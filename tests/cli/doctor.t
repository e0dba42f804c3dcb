# The verdict stands at the top, the groups below it; what they say depends on the machine.
$ LC_ALL=C perfolio doctor | grep -E '^(Profiling|[A-Z][a-z]+$)'
Profiling (works|does not work) here\. (re)
Processor
Measuring
Tracing
Names

# -v adds how things were found out.
$ test "$(perfolio doctor -v | wc -l)" -gt "$(perfolio doctor | wc -l)"

# JSON that parses, and the exit status that it implies.
$ perfolio doctor --json >out.json; test $? = "$(python3 -c 'import json; print(0 if json.load(open("out.json"))["works"] else 1)')"

# Wrong usage.
$ perfolio doctor one two
perfolio doctor: one recording or process at a time
See 'perfolio help doctor'.
[2]
$ perfolio doctor -i one -p 2 2>&1 | head -1
perfolio doctor: -i and -p don't go together
$ perfolio doctor nowhere.data
perfolio: nowhere.data: No such file or directory
[1]
$ perfolio doctor --frobnicate 2>/dev/null
[2]

# Output that can't be written.
$ perfolio doctor >/dev/full
perfolio: standard output: No space left on device
[1]
