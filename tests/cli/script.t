# What it takes, and what it says to nonsense.
$ perfolio script -i nowhere.data
perfolio: nowhere.data: No such file or directory
[1]
$ echo nonsense >text.data; perfolio script text.data
perfolio: text.data isn't a profile we can read (perf.data, perf script, folded, pprof); line 1: nonsense
[1]
$ : >empty.data; perfolio script -i empty.data
perfolio: empty.data is empty
[1]
$ perfolio script -F colour text.data 2>&1 | head -1
perfolio script: unknown field 'colour'; see 'perfolio script --explain'
$ for f in flags callindent synth ipc insn insnlen brstackinsn brstackinsnlen srccode metric; do perfolio script -F comm,$f text.data 2>&1 | head -1; done | sed 's/.*-F \S* //' | sort | uniq -c | sed 's/^ *//'
4 is not here: code is not disassembled
4 is not here: hardware traces are not decoded
1 is not here: metrics are of `perfolio stat`
1 is not here: source is not read; srcline has the file and line
$ perfolio script text.data two 2>&1 | head -1
perfolio script: one recording at a time
$ perfolio script one two.data 2>&1 | head -1
perfolio script: no file and no summary is called 'one'; `perfolio script -l` lists them
$ R=$DATA/../../../fuzz/corpus/summary/all; perfolio report $R -g none >a; perfolio report -gnone $R >b; cmp a b && test -s a

# Every field has a unit and a meaning.
$ perfolio script --explain | grep -c .
32
$ perfolio script --explain | grep '^time'
time             s              when, by the recording's clock; mostly since the machine was started

# Summaries: the list, what a recording lacks, names that are none.
$ perfolio script -l | grep '^[a-z]'
failed-syscalls
failed-syscalls-by-pid
futex-contention
rw-by-file
rw-by-pid
sched-migration
syscall-counts
syscall-counts-by-pid
wakeup-latency
$ perfolio script -l | grep -A3 '^wakeup'
wakeup-latency
    how long threads wait between being woken and running
    sched:sched_wakeup sched:sched_wakeup_new sched:sched_switch
    perfolio script record wakeup-latency -- sleep 10
$ perfolio script -l | grep 'sys_enter_{'  | sort -u
    syscalls:sys_enter_{read,pread64,readv,preadv,preadv2,write,pwrite64,writev,pwritev,pwritev2}
$ perfolio script -l --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))'
9
$ perfolio script syscall-counts -i nowhere.data
perfolio: nowhere.data: No such file or directory
[1]
$ perfolio script report syscall-counts one two 2>&1 | head -1
perfolio script: one recording at a time
$ perfolio script record
perfolio script: record which summary? Its name comes first; `perfolio script -l` lists them
See 'perfolio help script'.
[2]
$ perfolio script record -a rw-by-pid 2>&1 | head -1
perfolio script: record which summary? Its name comes first; `perfolio script -l` lists them
$ perfolio script record nonsense true
perfolio script: no summary is called 'nonsense'; `perfolio script -l` lists them
See 'perfolio help script'.
[2]
$ perfolio script record rw-by-pit true 2>&1 | head -1
perfolio script: no summary is called 'rw-by-pit'; did you mean 'rw-by-pid'?
$ perfolio script sycall-counts 2>&1 | head -1
perfolio script: no file and no summary is called 'sycall-counts'; did you mean 'syscall-counts'?
$ perfolio script nowhere
perfolio: nowhere: No such file or directory
[1]
$ perfolio script record syscall-counts --colour true 2>&1 | head -1
perfolio record: unknown option '--colour'
$ perfolio script rw-by-pid -e cycles text.data 2>&1 | head -1
perfolio script: -e: a summary looks at its own events, to the end
$ perfolio script --json text.data 2>&1 | head -1
perfolio script: --json is for summaries; `script -l` lists them
$ printf 'PERFILE2\020\0\0\0\0\0\0\0' >pipe.data; perfolio script wakeup-latency pipe.data
perfolio: pipe.data: wakeup-latency needs the event sched:sched_wakeup, which was not recorded; `perfolio script record wakeup-latency -a -- sleep 10` records what it needs
[1]

# A small recording in which everything happens once.
$ perfolio script syscall-counts $DATA/../../../fuzz/corpus/summary/all
System calls

syscall  calls  errors  total us  avg us  max us    max at
read         1       1     0.011   0.011   0.011  0.000000

Note: 12 samples lost while recording: counts are too low; a larger ring helps (record -m 64M).
$ perfolio script futex-contention --tid 9 $DATA/../../../fuzz/corpus/summary/all | head -3
Waits, by process and lock: none

Waits, by thread and lock: none
$ perfolio script report sched-migration $DATA/../../../fuzz/corpus/summary/all | head -4
Threads that were moved

comm    pid  tid  moves  to CPUs
worker    -   55      1        1
$ perfolio script rw-by-file --json -i $DATA/../../../fuzz/corpus/summary/all | python3 -m json.tool --compact
{"summary":"rw-by-file","files":[{"comm":"prog","pid":7,"fd":3,"reads":1,"read_requested":4096,"read_done":0,"read_errors":1,"read_ns":9,"writes":0,"write_requested":0,"write_done":0,"write_errors":0,"write_ns":0}],"failures":[{"comm":"prog","pid":7,"call":"read","error":"EBADF","errno":9,"failures":1}],"samples":2,"lost":12,"notes":["12 samples lost while recording: counts are too low; a larger ring helps (record -m 64M)"]}

# A tracepoint without a stack is in no function, and not nameless for that; lost samples count that the text tells of.
$ printf 'dd 704 [000] 1.5: block:block_rq_issue: 254,0 RA 4096 () 12 + 8 [dd]\ndd 704 [000] 1.6: PERF_RECORD_LOST_SAMPLES lost 7\n' >blk.txt; perfolio report blk.txt | grep 'dd \|Trust' | sed 's/^# //'
   100.00%  dd       [block:block_rq_issue]
Trust: 1 sample from perf script text; 0.00 % without a name, 100.00 % of all without a stack; at least 7 lost; can't tell whether stacks are whole
$ perfolio report --json blk.txt | grep -o '"symbol":[^,]*\|"lost":[^,]*'
"symbol":null
"lost":7

# Text in, text out: addresses and offsets as they were, of samples of one line and of several frames too.
$ printf 'app 1 [001] 1.5: 7 cycles:\n\t400810 leaf+0x10 (/bin/p)\n\t400810 big+0x1f (/bin/p)\n\t7f0012 [unknown] (/bin/q)\n\napp 1 [001] 1.6: 7 cycles: 400999 one+0x9 (/bin/p)\napp 1 [001] 1.7: 7 cycles:\n\t400811 leaf+0x11 (/bin/p)\n\n' >places.txt; perfolio script places.txt
app              1 [001]     1.500000000:          7 cycles: 
	          400810 leaf+0x10 (/bin/p)
	          400810 big+0x1f (/bin/p)
	          7f0012 [unknown] (/bin/q)

app              1 [001]     1.600000000:          7 cycles: 
	          400999 one+0x9 (/bin/p)

app              1 [001]     1.700000000:          7 cycles: 
	          400811 leaf+0x11 (/bin/p)

