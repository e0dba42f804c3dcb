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

# Folded stacks don't say what they count, nor who ran them.
$ printf 'main;work 171514539\nmain 1000\n' >n.folded; perfolio doctor n.folded | head -2
171,515,539 counts from folded stacks, which do not say what they count; 0.00 %
without a name; can't tell how many were lost or whether stacks are whole
$ perfolio report -g none -i n.folded | sed -n 's/^# *//; 1,2p; 4p' | tr -s ' '
Total: 171,515,539 counts of event 'counts'
Event count (approx.): 171515539
Children Self Symbol 
$ perfolio query n.folded quality | grep -o '"good":[a-z]*,"verdict":"[^"]*","samples":[0-9]*,"lost":[a-z]*'
"good":false,"verdict":"Can't tell: the file does not say what was lost, or whether stacks are whole.","samples":171515539,"lost":null
$ printf 'p 5 10.5: 7 cpu-clock:\n\t7f f+0x1 (/bin/p)\n\n' | perfolio fold -
perfolio: values are nanoseconds of cpu-clock; --weight samples writes samples
p;f 7
$ printf 'p 5 10.5: 7 cycles:\n\t7f [unknown] (/bin/p)\n\n' | perfolio query - quality | grep -o '"worst_reason":"[^"]*"'
"worst_reason":"the file has no name for it"
