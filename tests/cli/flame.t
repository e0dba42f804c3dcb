# Folded stacks in and out; the format is found out by content.
$ printf 'main;work 3\nmain;io_[k] 1\nmain;work 2\n' >a.txt; perfolio fold a.txt
main;io_[k] 1
main;work 5
$ gzip -k a.txt; cat a.txt.gz | perfolio fold -
main;io_[k] 1
main;work 5
$ perfolio fold --focus work a.txt
work 5
$ perfolio fold --reverse a.txt
io_[k];main 1
work;main 5
$ perfolio fold -o a.json a.txt; cat a.json
a.json
{"name":"all","value":6,"self":0,"samples":6,"kind":"group","children":[{"name":"main","value":6,"self":0,"samples":6,"kind":"user","children":[{"name":"io_[k]","value":1,"self":1,"samples":1,"kind":"kernel"},{"name":"work","value":5,"self":5,"samples":5,"kind":"user"}]}]}

# perf script text: two events are never added.
$ printf 'p 5/6 [001] 10.5: 7 cycles:\n\t7f f+0x1 (/bin/p)\n\np 5/6 [000] 20.5: 1 faults:\n\t7f g+0x1 (/bin/p)\n\n' >b.txt
$ perfolio fold b.txt
p;f 7
perfolio: other events: faults (select with -e)
$ perfolio fold -e faults --per-thread b.txt
p-5/6;g 1
$ perfolio fold -e cycles --weight samples --cpu 1 --time 0s-1s b.txt
p;f 1
$ perfolio fold -e misses b.txt
perfolio: unknown event 'misses'; there are: cycles, faults
[1]
$ perfolio flame b.txt; grep -c '<title>' b.flamegraph.cycles.svg
b.flamegraph.cycles.svg
b.flamegraph.faults.svg
3

# Which samples, which frames.
$ printf 'p 5/5 [000] 10.0: 1 cycles:\n\t7f read+0x1 (/bin/p)\n\t7f walk+0x1 (/bin/p)\n\t7f walk+0x2 (/bin/p)\n\t7f main+0x1 (/bin/p)\n\np 5/6 [001] 11.0: 2 cycles:\n\t7f sort+0x1 (/bin/p)\n\t7f main+0x1 (/bin/p)\n\nq 7/7 [001] 12.0: 4 cycles:\n\t7f _ZN3foo4readEv+0x1 (/bin/q)\n\t7f main+0x1 (/bin/q)\n\n' >f.txt
$ perfolio fold f.txt
p;main;sort 2
p;main;walk;walk;read 1
q;main;foo::read 4
$ perfolio fold --grep read f.txt
p;main;walk;walk;read 1
q;main;foo::read 4
$ perfolio fold --grep '^foo::' f.txt
q;main;foo::read 4
$ perfolio fold --exclude read f.txt
p;main;sort 2

# The other names of these; `flame --keep` was something else.
$ perfolio fold --keep '^foo::' f.txt; perfolio fold --drop read f.txt
q;main;foo::read 4
p;main;sort 2
$ perfolio flame --keep read f.txt
perfolio flame: --keep: 'read': did you mean --grep 'read'? (--save-script keeps the `perf script` text)
See 'perfolio help flame'.
[2]

# Names match as they are shown: a parameter's type stands in the mangled name alone.
$ printf 'p 5 1.0: 1 cycles:\n\t7f _Z5countRK6bitmap+0x1 (/bin/p)\n\np 5 2.0: 2 cycles:\n\t7f _Z9bitmap_orv+0x1 (/bin/p)\n\n' >m.txt
$ perfolio fold --grep bitmap m.txt; perfolio fold --exclude bitmap m.txt; perfolio fold --focus bitmap m.txt
p;bitmap_or 2
p;count 1
p;bitmap_or 2
$ perfolio fold --grep-raw bitmap m.txt; perfolio fold --hide bitmap m.txt
p;bitmap_or 2
p;count 1
p 2
p;count 1
$ perfolio fold --focus walk --collapse-recursion f.txt
p;walk;read 1
$ perfolio fold --hide '^(main|walk)$' f.txt
p;read 1
p;sort 2
q;foo::read 4
$ perfolio fold --comm p --tid 6 f.txt; perfolio fold --pid 7 f.txt; perfolio fold --cpu 0 f.txt
p;main;sort 2
q;main;foo::read 4
p;main;walk;walk;read 1
$ perfolio fold --time 1s- f.txt; perfolio fold --time -1500ms f.txt
p;main;sort 2
q;main;foo::read 4
p;main;sort 2
p;main;walk;walk;read 1
$ perfolio fold --per-thread --comm p f.txt
p-5/5;main;walk;walk;read 1
p-5/6;main;sort 2
$ perfolio flame --pid 5 --time 0s-1s --format folded -o - f.txt
p;main;walk;walk;read 1

# Names that would break a line are changed, and it is said.
$ printf 'p 5/6 [001] 10.5: 7 cycles:\n\t7f a;b+0x1 (/bin/p)\n\n' >c.txt; perfolio fold c.txt
perfolio: 1 name holds ';' or line breaks, written as ':' and ' '
p;a:b 7
$ printf 'p 1 1.0: 1 x:\n\t7f f (/b)\n@@@\n' | perfolio fold -
perfolio: standard input: lines not understood: 1; the first, line 3: @@@
p;f 1

# Colours that names have already stay.
$ echo 'main->rgb(1,2,3)' >palette.map; perfolio flame --cp -o d.svg a.txt; grep -c 'fill="#010203"' d.svg; cut -d- -f1 palette.map
d.svg
1
io_[k]
main
work

# A page for a browser: what is in it is checked in tests/web.
$ perfolio flame a.txt -o e.html; head -1 e.html; perfolio flame a.txt --format html -o - | cmp - e.html
e.html
<!doctype html>
$ perfolio fold a.txt --format html 2>&1 | head -1
perfolio fold: pictures are drawn by `perfolio flame`

# Nonsense.
$ echo hello world | perfolio flame -
perfolio: standard input isn't a profile we can read (perf.data, perf script, folded, pprof); line 1: hello world
[1]
$ perfolio flame --color red a.txt 2>&1 | head -1
perfolio flame: --color 'red': must be kind, name, warm or object
$ perfolio flame --format pdf a.txt 2>&1 | head -1
perfolio flame: --format 'pdf': there are: svg, html, folded, json, pprof, speedscope, firefox, script, csv, hdf5
$ perfolio fold --like sed a.txt 2>&1 | head -1
perfolio fold: --like 'sed': stackcollapse-perf and inferno-collapse-perf are known
$ perfolio fold --time 5 b.txt 2>&1 | head -1
perfolio fold: --time '5': must be FROM-TO after the start (10s-20s), START,STOP of the clock in seconds (12.5,13), or 10%-20%
$ perfolio fold --grep '(' a.txt 2>&1 | head -c 40; echo
perfolio fold: '(' is not a regular expr
$ perfolio flame a.txt b.txt 2>&1 | head -1
perfolio flame: one profile at a time
$ perfolio flame a.txt --colour 2>&1 | head -1 | cut -c 1-16
perfolio flame: 
$ mkdir none; cd none; perfolio flame 2>&1 | head -1
perfolio flame: what to draw? A recording, a command, -p PID, -t TID, -u USER or -a; - reads standard input
$ perfolio flame no-such-command
perfolio: no-such-command: neither a file nor a command in PATH
[127]
$ perfolio flame ./none.data
perfolio: ./none.data: No such file or directory
[1]
$ perfolio flame .
perfolio: .: Is a directory
[1]

# An end that is no format's is refused; what has no end gets a picture.
$ perfolio flame a.txt -o a.png
perfolio flame: the end of 'a.png' names no format: there are .svg, .html, .folded, .json, .pb.gz, .speedscope.json, .firefox.json, .script, .csv, .h5; or --format names it
See 'perfolio help flame'.
[2]
$ perfolio flame -o a.data -- true 2>&1 | head -1; test -e a.data
perfolio flame: the end of 'a.data' names no format: there are .svg, .html, .folded, .json, .pb.gz, .speedscope.json, .firefox.json, .script, .csv, .h5; or --format names it
[1]
$ perfolio fold a.txt -o a.xyz.gz 2>&1 | head -1
perfolio fold: the end of 'a.xyz.gz' names no format: there are .folded, .json, .pb.gz, .speedscope.json, .firefox.json, .script, .csv, .h5; or --format names it
$ perfolio flame a.txt -o ./plain; perfolio flame a.txt -o .hidden; perfolio flame a.txt --format svg -o a.xyz; grep -l '<svg' plain .hidden a.xyz
./plain
.hidden
a.xyz
plain
.hidden
a.xyz
$ perfolio flame a.txt -o /dev/null
$ mkfifo p.fifo; cat p.fifo >got & perfolio flame a.txt -o p.fifo; wait; grep -c '<svg' got
1

# Filters that leave nothing are not silent.
$ perfolio fold --grep nothing a.txt; perfolio fold --focus nothing a.txt
perfolio: a.txt holds no samples that the filters leave
perfolio: a.txt holds no samples that the filters leave
$ perfolio fold --comm nope -e cycles b.txt; perfolio fold --comm nope --like stackcollapse-perf -e cycles b.txt
perfolio: b.txt holds no samples of cycles that the filters leave
perfolio: b.txt holds no samples of cycles that the filters leave
$ perfolio flame --grep nothing -o - a.txt | grep -c '<svg'
perfolio: a.txt holds no samples that the filters leave
1
$ printf 'swapper 0/0 [000] 10.5: 7 cycles:\n\t7f default_idle+0x1 ([kernel.kallsyms])\n\n' >idle.txt; perfolio flame -o /dev/null idle.txt
perfolio: idle.txt: what is left is of idle CPUs; --idle shows it

# What says how to record is refused where a file is drawn, and a rate of nothing.
$ for o in -a '-u root' --tree '-F 7' '--duration 5s' '--call-graph zzz' --no-keep --save-script; do perfolio flame a.txt $o 2>&1 | head -1; done; perfolio flame -F 7 a.txt 2>&1 | head -1
perfolio flame: -a says how to record, but 'a.txt' is drawn as it is
perfolio flame: -u says how to record, but 'a.txt' is drawn as it is
perfolio flame: --tree says how to record, but 'a.txt' is drawn as it is
perfolio flame: -F says how to record, but 'a.txt' is drawn as it is
perfolio flame: --duration says how to record, but 'a.txt' is drawn as it is
perfolio flame: --call-graph says how to record, but 'a.txt' is drawn as it is
perfolio flame: --no-keep says how to record, but 'a.txt' is drawn as it is
perfolio flame: --save-script says how to record, but 'a.txt' is drawn as it is
perfolio flame: -F says how to record, but 'a.txt' is drawn as it is
$ perfolio flame -F 0 -- true 2>&1 | head -1
perfolio flame: -F 0: samples a second, 1 at least
$ perfolio flame <a.txt 2>&1 | head -1; perfolio flame </dev/null 2>&1 | head -1
perfolio flame: what to draw? A recording, a command, -p PID, -t TID, -u USER or -a; - reads standard input
perfolio flame: what to draw? A recording, a command, -p PID, -t TID, -u USER or -a; - reads standard input

# A pipe is read, as perf has it, also where an old perf.data lies; /dev/null and a redirected file are no pipe.
$ mkdir piped; cd piped; printf 'old;gone 7\n' >perf.data; printf 'new;here 5\n' | perfolio fold
new;here 5
$ cd piped; perfolio fold </dev/null; printf 'new;here 5\n' >new; perfolio fold <new
old;gone 7
old;gone 7
$ cd piped; printf 'new;here 5\n' | perfolio fold perf.data; printf 'new;here 5\n' | perfolio fold -i perf.data
old;gone 7
old;gone 7
$ cd piped; for c in flame 'export --format json' 'query top' report script; do cat new | perfolio $c 2>&1 | grep -Eo 'here|gone' | sort -u; done
here
here
here
here
here
$ cd piped; R=$DATA/../../../fuzz/corpus/summary/all; cat $R | perfolio evlist >a; perfolio evlist $R | cmp - a && test -s a
$ cd piped; true | perfolio report
perfolio: standard input is empty
[1]

# perf's odd lines: an accessed address, other records, arguments of tracepoints, frames without blanks.
$ printf ' a 1 9.5: 50 branch-misses:       0    4008a0 main+0x4 (/bin/a)\n a 1 9.6: 50 branch-misses:  401000    4008a4 main+0x8 (/bin/a)\n' | perfolio fold -
a;main 100
$ printf 'PERF_RECORD_MMAP2 1/1: [0x400000(0x1000) @ 0x1000 08:01 2 3]: r-xp /b\n\t 4005dc f (/b)\n\nPERF_RECORD_MMAP2 1/1: [0x5000(0x10) @ 0x1000 08:01 2 3]: r-xp /c\n\t 4005dd f (/b)\n\n\t 4005de f (/b)\n\n' | perfolio fold -
f 3
$ printf 'p 1 1.0: raw_syscalls:sys_enter: NR 59 (7ffd12a0, 55d0e812, 0)\n' | perfolio fold -
p 1
$ printf 'java 7 cycles:\nffffffff8103d0ca native_write_msr ([kernel.kallsyms])\n7f12a0000000 run (/lib/libjvm.so)\n\n' | perfolio fold -
java;run;native_write_msr 1

# pprof opens a profile on the last type of its values: bytes here, not objects.
$ printf 'heap profile: 1: 2097152 [1: 2097152] @ heap/1048576\n 1: 2097152 [1: 2097152] @ 0x10 0x20\n' >heap.txt; perfolio query heap.txt events 2>&1 | grep -o '"unit":"[a-z]*"' | head -1
"unit":"bytes"
$ perfolio flame -o - heap.txt 2>&1 | grep -Eo '[0-9.]+ MiB' | head -1
2.037 MiB

# inferno's lines: Rust's older names to the end, parameters outside of all brackets, quotes, marks of perf inject's objects.
$ perfolio fold --like inferno-collapse-perf:all,pid $DATA/inferno.txt | tr ';' '\n'
java-5
p::operator_[k]
_[i]
call_[k]
a/b:.c
warm_[j]
hot_[j]
it's
main.(*T).run
ns::{lambda(int)#1}::operator
_$LT$T$GT$::short::h0123456789abcde
a$u99$b$LT$
a::Packet<T>::recv::_{{closure}}
<&a::B<'x> as c::D>::f 7

# pprof: what is below zero can't be drawn, and is said with how much it is.
$ printf '\012\004\010\001\020\002\022\015\010\001\020\373\377\377\377\377\377\377\377\377\001\022\004\010\001\020\007\042\006\010\001\042\002\010\001\052\004\010\001\020\003\062\000\062\001x\062\005bytes\062\004work' >below.pb; perfolio fold below.pb
perfolio: below.pb: 1 sample has negative values, which are left out: 5 B of x; is it the difference of two profiles?
perfolio: values are bytes of x; --weight samples writes stacks
work 7
$ perfolio report below.pb 2>/dev/null | grep Trust | sed 's/^# //'
Trust: 7 B of x from a pprof profile; 0.00 % without a name; 1 sample has negative values, which are left out: 5 B of x; can't tell how many were lost or whether stacks are whole
$ perfolio query below.pb quality 2>/dev/null | grep -o '"text":{[^}]*}'
"text":{"lines":2,"broken":0,"negative":1}
