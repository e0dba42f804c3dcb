# One question, one JSON object.
$ printf 'p 5/6 [001] 10.5: 7 cycles:\n\t7f _ZN3fooEi+0x1 (/bin/p)\n\t7f main+0x1 (/bin/p)\n\np 5/5 [000] 20.5: 1 faults:\n\t7f g+0x1 (/bin/p)\n\n' >a.txt
$ perfolio query a.txt top
perfolio: other events: faults (select with -e)
{"query":"top","event":"cycles","unit":"cycles","weight":"period","samples":1,"count":"7","rows":[{"function":"foo","object":"/bin/p","kind":"user","self_samples":1,"self_count":"7","self_percent":100,"total_samples":1,"total_count":"7","total_percent":100},{"function":"main","object":"/bin/p","kind":"user","self_samples":0,"self_count":"0","self_percent":0,"total_samples":1,"total_count":"7","total_percent":100}],"matches":2,"left_out":0}
$ perfolio query a.txt callers foo -e cycles
{"query":"callers","event":"cycles","unit":"cycles","weight":"period","samples":1,"count":"7","functions":[{"function":"foo","object":"/bin/p","kind":"user","self_samples":1,"self_count":"7","self_percent":100,"total_samples":1,"total_count":"7","total_percent":100,"rows":[{"function":"main","object":"/bin/p","kind":"user","samples":1,"count":"7","percent":100}],"left_out":0}],"left_out":0}
$ perfolio query a.txt events
{"query":"events","rows":[{"event":"cycles","unit":"cycles","samples":1,"count":"7","lost":0,"counted":null},{"event":"faults","unit":"samples","samples":1,"count":"1","lost":0,"counted":null}],"left_out":0,"cpu_time_ns":null,"idle_ns":null}
$ perfolio query a.txt threads -e faults
{"query":"threads","event":"faults","unit":"samples","weight":"period","samples":1,"count":"1","rows":[{"comm":"p","pid":5,"tid":5,"samples":1,"count":"1","percent":100}],"left_out":0,"processes":[{"comm":"p","pid":5,"threads":1,"samples":1,"count":"1","percent":100}],"processes_left_out":0}
$ perfolio query a.txt tree -e cycles --depth 1 --focus '^foo$'
{"query":"tree","event":"cycles","unit":"cycles","weight":"period","samples":1,"count":"7","idle_samples":0,"nodes":[{"parent":-1,"name":"all","kind":"group","self_samples":0,"self_count":"0","self_percent":0,"total_samples":1,"total_count":"7","total_percent":100,"left_out":0},{"parent":0,"name":"p","kind":"group","self_samples":0,"self_count":"0","self_percent":0,"total_samples":1,"total_count":"7","total_percent":100,"left_out":1}],"left_out":1}
$ printf 'a;b 1\na;c 1\na;d 1\n???\n' | perfolio query - quality 2>&1 | grep -o '"text":{"lines[^}]*}'
"text":{"lines":4,"broken":1,"first_broken_line":4,"first_broken_text":"???"}
$ perfolio query a.txt overview -e cycles | grep -o '^.*"budget_missing":"[^"]*"'
{"query":"overview","sentence":"There is too little data to say what limited it: 1 sample.","sure":false,"budget":null,"budget_missing":"the recording does not have it (record --budget)"

# CPUs without work are told of the rows that are shown.
$ for i in 1 2 3; do printf 'swapper 0 [000] 1.%d: 1000 cpu-clock:\n\tffffffff81000010 default_idle+0x1 ([kernel.kallsyms])\n\np 5 [001] 1.%d: 1000 cpu-clock:\n\t7f main+0x1 (/bin/p)\n\n' $i $i; done >idle.txt
$ for words in '' '-C 0' '-C 1' '--comm p' '--busy -C 0'; do echo "$words: $(perfolio report --stdio -i idle.txt $words 2>&1 | grep '^# Idle')"; done
: # Idle: 50.00 % of this is CPUs without work; --busy leaves it out
-C 0: # Idle: 100.00 % of this is CPUs without work; --busy leaves it out
-C 1: 
--comm p: 
--busy -C 0: # Idle: 100.00 %, left out: shares are of busy time (--busy)

# Overloaded functions have a row each, also below others.
$ printf 'p 5 1.0: 3 cycles:\n\t7f _Z4overi+0x1 (/bin/p)\n\np 5 2.0: 1 cycles:\n\t8f _Z4overd+0x1 (/bin/p)\n\n' >over.txt
$ perfolio report --stdio -i over.txt --hierarchy -s comm,sym 2>/dev/null | grep -v '^#' | grep -v '^$' | sed 's/ *$//'
   100.00%     p
       75.00%     [.] over
       25.00%     [.] over

# Wrong use.
# Code that was inlined is the inlined function's, unlike in report, and the answer says so.
$ printf 'app 1 1.0: 1 cycles:\n\t10 small (inlined)\n\t10 big (/bin/p)\n\n' >in.txt; perfolio query in.txt callers big | grep -o '"inlined":"apart"\|"self_samples":.'
"inlined":"apart"
"self_samples":0
$ perfolio report --json in.txt | grep -o '"symbol":"big","self_percent":[0-9]*'
"symbol":"big","self_percent":100
$ perfolio query a.txt callers nobody -e cycles
perfolio: no function in these stacks is called 'nobody'
[1]
$ perfolio query a.txt what 2>&1 | head -1
perfolio query: usage: perfolio query [FILE] QUESTION; questions: tree, top, callers FUNCTION, callees FUNCTION, threads, events, quality, overview
$ perfolio query a.txt callers 2>&1 | head -1
perfolio query: callers of which function?
$ perfolio query a.txt top top 2>&1 | head -1
perfolio query: unexpected argument 'top'
$ perfolio query a.txt top --depth 3 2>&1 | head -1
perfolio query: --depth 3: a number of levels, of a tree only
$ perfolio query a.txt top --limit -1 2>&1 | head -1
perfolio query: --limit -1: 1 to 1000000
$ perfolio query a.txt top --percent-limit some 2>&1 | head -1
perfolio query: --percent-limit 'some': must be a number
$ perfolio query a.txt top --sort name 2>&1 | head -1
perfolio query: --sort 'name': must be self or total
$ perfolio query a.txt top -e misses
perfolio: unknown event 'misses'; there are: cycles, faults
[1]
$ perfolio query threads
perfolio: perf.data: No such file or directory
[1]

# Filters that leave nothing are not silent.
$ perfolio query a.txt top -e cycles --grep nothing >out
perfolio: a.txt holds no samples of cycles that the filters leave
$ perfolio query a.txt top --limit 0 2>&1 | sed 's/ to .*/ to .../'
perfolio query: --limit 0: 1 to ...
See 'perfolio help query'.
