# What depends on the machine is left out; tests/live compares the rest with perf.
$ perfolio record 2>&1
perfolio record: nothing to record: name a command, or -a for the whole machine, or -p, -t, -u
See 'perfolio help record'.
[2]

$ perfolio record -F 99 -c 1000 true 2>&1
perfolio record: -F (a rate) and -c (a count of events) exclude each other
See 'perfolio help record'.
[2]

$ perfolio record --all-user --all-kernel true 2>&1
perfolio record: --all-user and --all-kernel exclude each other
See 'perfolio help record'.
[2]

$ perfolio record --call-graph dwarf,100000 true 2>&1
perfolio record: --call-graph: '100000' is not a size for stack copies; give 8 to 65528 bytes
See 'perfolio help record'.
[2]

$ perfolio record --call-graph nonsense true 2>&1
perfolio record: --call-graph: unknown call graph mode 'nonsense'; write fp, dwarf[,BYTES] or lbr
See 'perfolio help record'.
[2]

$ perfolio record -j any,nonsense true 2>&1
perfolio record: -j: unknown branch filter 'nonsense'; there are any, any_call, any_ret, ind_call, ind_jmp, call, cond, stack, u, k ...
See 'perfolio help record'.
[2]

$ perfolio record --tree true 2>&1
perfolio record: --tree needs -p
See 'perfolio help record'.
[2]

$ perfolio record --switch-output -o - true 2>&1
perfolio record: a pipe can't be switched: --switch-output needs a file
See 'perfolio help record'.
[2]

$ perfolio record --timeout 5ms true 2>&1
perfolio record: --timeout: 10ms is the shortest
See 'perfolio help record'.
[2]

$ perfolio record -e duration_time true 2>&1
perfolio record: duration_time can be counted but not sampled
See 'perfolio help record'.
[2]
