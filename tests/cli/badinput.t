# Nothing at all.
$ : >empty; perfolio flame empty
perfolio: empty is empty
[1]
$ printf '' | perfolio fold -
perfolio: standard input is empty
[1]

# A recording without samples: a picture that says so.
$ python3 -c 'import struct,sys; sys.stdout.buffer.write(b"PERFILE2" + struct.pack("<12Q", 104, 128, 104, 128, 232, 8, 0, 0, 0, 0, 0, 0) + struct.pack("<II", 1, 112) + bytes(120) + struct.pack("<IHH", 68, 0, 8))' >none.data
$ perfolio flame none.data; grep -o 'There are no samples[^<]*' none.flamegraph.svg
perfolio: none.data: there are no samples
none.flamegraph.svg
There are no samples to show.
$ perfolio flame --format json -o - none.data 2>/dev/null; echo
{"name":"all","value":0,"self":0,"samples":0,"kind":"group"}
$ perfolio fold none.data 2>/dev/null
$ gzip -k none.data; cat none.data.gz | perfolio flame - -o piped.svg
perfolio: Flame graph: there are no samples
piped.svg

# Filters that leave nothing.
$ printf 'main;work 3\nmain;io 1\n' >a.txt; perfolio flame --grep nobody a.txt; grep -o 'No sample is left[^<]*' a.flamegraph.svg
perfolio: a.txt holds no samples that the filters leave
a.flamegraph.svg
No sample is left: the filters take none, or all are idle.

# Idle CPUs are left out and counted; the footer says so.
$ printf 'swapper 0 [000] 1.0: 1 cycles:\n\tff default_idle+0x1 ([kernel.kallsyms])\n\tff do_idle+0x1 ([kernel.kallsyms])\n\np 5 [001] 1.0: 1 cycles:\n\t7f f+0x1 (/bin/p)\n\n' >idle.txt
$ perfolio flame idle.txt; grep -o 'idle CPUs left out[^<]*' idle.flamegraph.svg; grep -c 'default_idle' idle.flamegraph.svg
idle.flamegraph.svg
idle CPUs left out: 1 sample (--idle shows them)
0
[1]
$ perfolio flame --idle -o shown.svg idle.txt; grep -c '<title>default_idle' shown.svg; grep -c 'idle CPUs left out' shown.svg
shown.svg
1
0
[1]

# Samples of other events only.
$ printf 'p 5 [001] 1.0: 1 cycles:\n\t7f f+0x1 (/bin/p)\n\n' >one.txt; perfolio flame -e page-faults one.txt
perfolio: unknown event 'page-faults'; there are: cycles
[1]

# Lines that are not understood: counted, the first shown, in the picture too.
$ printf 'p 1 1.0: 1 x:\n\t7f f (/b)\n\n@@@ what\np 1 1.0: 1 x:\n\t7f f (/b)\n\n?!\n' >b.txt; perfolio flame b.txt
perfolio: b.txt: lines not understood: 2; the first, line 4: @@@ what
b.flamegraph.svg
$ grep -o 'lines not understood: [0-9]*' b.flamegraph.svg
lines not understood: 2

# Bytes that mean nothing, behind every beginning that means something.
$ python3 -c 'import random,sys; random.seed(1); sys.stdout.buffer.write(random.randbytes(99999))' >g; perfolio flame g
perfolio: g isn't a profile we can read (perf.data, perf script, folded, pprof)
[1]
$ (printf PERFILE2; cat g) >g.data; perfolio flame g.data
perfolio: g.data: .* (re)
[1]
$ (printf '\037\213\010\000'; cat g) | perfolio flame -
perfolio: standard input: the gzip data is damaged
[1]
$ (printf '\050\265\057\375'; cat g) | perfolio flame -
perfolio: standard input: the zstd data is damaged
[1]
$ gzip -c a.txt | head -c 20 | perfolio fold -
perfolio: standard input: the packed data ends too early
[1]
$ (printf '\012\004\010\001\020\002'; cat g) | perfolio fold -
perfolio: standard input.* (re)
[1]
$ ls *.part 2>/dev/null
[2]

# A profile that unpacks to more than it may: 600 members of a megabyte of zeros.
$ python3 -c 'import gzip,sys; o = sys.stdout.buffer; o.write(gzip.compress(b"\n\4\10\1\20\2" + b"2\0" + b"2\1a" + b"2\x80\x80\x80\x80\2")); z = gzip.compress(bytes(1 << 20)); [o.write(z) for _ in range(600)]' >bomb.pb.gz
$ perfolio fold bomb.pb.gz
perfolio: bomb.pb.gz: unpacks to more than 64 MB and 100 times its size; if that is right, unpack it first
[1]

# What is mistyped is said whether the file is there or not.
$ perfolio report -s foo nonesuch 2>&1 | cut -c1-48
perfolio report: --sort: unknown sort key 'foo';
See 'perfolio help report'.
$ for words in '-g foo' '-gfoo' '-i x -g foo'; do perfolio report $words nonesuch 2>&1 | head -1 | cut -d';' -f1; done | uniq -c | tr -s ' '
 3 perfolio report: -g: unknown call graph word 'foo'
$ perfolio report -F foo nonesuch 2>&1 | cut -c1-47
perfolio report: --fields: unknown field 'foo';
See 'perfolio help report'.
$ for words in '--hide main' '--focus=main'; do perfolio report $words nonesuch 2>&1 | head -1 | cut -c1-57; done
perfolio report: --hide: report shows stacks as they are;
perfolio report: --focus: report shows stacks as they are
$ perfolio report -s time,trace nonesuch
perfolio: nonesuch: No such file or directory
[1]
$ for words in '--percent-limit x' '--stdio-color x' '--pretty x' '--time x' '--cpu x' '--pid x' '-w x' '--percentage x'; do perfolio report $words nonesuch; done 2>&1 | grep -c No.such
0
[1]
$ for words in '--time x' '--cpu x' '--tid 1,,2'; do perfolio script $words nonesuch; perfolio script iostat $words nonesuch; done 2>&1 | grep -c No.such
0
[1]
$ for words in '--weight x' '--time x' '--cpu x' '--pid x'; do for command in fold flame export; do perfolio $command $words nonesuch; done; done 2>&1 | grep -c No.such
0
[1]
$ perfolio script --pid 4194303,12x nonesuch
perfolio script: --pid: '4194303,12x' is not a list of process IDs; write 12,34
See 'perfolio help script'.
[2]
$ perfolio script --pid 4194303 nonesuch
perfolio: nonesuch: No such file or directory
[1]
