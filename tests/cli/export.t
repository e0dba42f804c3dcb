# The end of the name tells the format; all events are in one file.
$ printf 'p 5/6 [001] 10.5: 7 cycles:\n\t7f f+0x1 (/bin/p)\n\t8f main (/bin/p)\n\np 5/6 [000] 20.5: 1 faults:\n\t7f g+0x1 (/bin/p)\n\n' >b.txt
$ perfolio export b.txt --format csv
time_ns,event,period,samples,pid,tid,comm,cpu,ip,function,object,stack
10500000000,cycles,7,1,5,6,p,1,,f,/bin/p,main;f
20500000000,faults,1,1,5,6,p,0,,g,/bin/p,g
$ perfolio export b.txt --format script
p                5/6 [001]    10.500000000:          7 cycles: 
	               0 f (/bin/p)
	               0 main (/bin/p)

p                5/6 [000]    20.500000000:          1 faults: 
	               0 g (/bin/p)

$ perfolio export b.txt -o b.pb.gz; perfolio fold --per-thread -e cycles b.pb.gz
b.pb.gz
p-5/6;main;f 7
$ perfolio export b.txt -o b.csv.zst -e faults; zstd -dc b.csv.zst | tail -n +2
b.csv.zst
20500000000,faults,1,1,5,6,p,0,,g,/bin/p,g
$ perfolio export b.txt -o b.folded.gz; zcat b.cycles.folded.gz b.faults.folded.gz
b.cycles.folded.gz
b.faults.folded.gz
p;main;f 7
p;g 1
$ perfolio export b.txt -o b.speedscope.json --focus '^f$'; cat b.speedscope.json
b.speedscope.json
{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"perfolio@0.1.0","name":"b.txt",
"shared":{"frames":[{"name":"f","file":"/bin/p"},
{"name":"p"}]},
"profiles":[{"type":"sampled","name":"cycles","unit":"none","startValue":0,"endValue":7,
"samples":[[1,0]],
"weights":[7]}]}
$ perfolio flame b.txt -o b.firefox.json; head -c 60 b.firefox.json
b.firefox.json
{"meta":{"interval":1,"startTime":0,"processType":0,"stackwa

# CSV has whole stacks, the outermost function first; quotes where a name needs them, and : for a ; in one.
$ printf 'p 5/6 [001] 10.5: 7 cycles:\n\t7f f(int, char)+0x1 (/bin/p)\n\t8f La;.b (/bin/p)\n\t9f main (/bin/p)\n\np 5/6 [001] 11.5: 7 cycles:\n\n' >stacks.txt
$ perfolio export stacks.txt --format csv | cut -d , -f 1,10-
time_ns,function,object,stack
10500000000,"f(int, char)",/bin/p,"main;La:.b;f(int, char)"
11500000000,,,
$ perfolio export stacks.txt --format csv --focus b | tail -n +2 | cut -d , -f 10-
"f(int, char)",/bin/p,"La:.b;f(int, char)"

# Counted samples are written one by one.
$ printf 'a;b 3\n' >a.txt; perfolio export a.txt --format script | perfolio fold --weight samples -
a;b 3

# Nothing to write, nothing to write to, and nonsense.
$ perfolio export b.txt --format csv --comm q
perfolio: b.txt holds no samples that the filters leave
time_ns,event,period,samples,pid,tid,comm,cpu,ip,function,object,stack
$ perfolio export b.txt 2>&1 | head -1
perfolio export: which format? -o FILE.pb.gz, or --format NAME
$ perfolio export b.txt -o b.xyz 2>&1 | head -1
perfolio export: the end of 'b.xyz' names no format: there are .folded, .json, .pb.gz, .speedscope.json, .firefox.json, .script, .csv, .h5; or --format names it
$ perfolio export b.txt -o b.svg 2>&1 | head -1
perfolio export: pictures are drawn by `perfolio flame`
$ perfolio export b.txt -o missing/b.csv
perfolio: missing/b.csv: No such file or directory
[1]
$ perfolio export b.txt --format csv >/dev/full
perfolio: standard output: No space left on device
[1]

# A pipe or a device is written to, not replaced; a link stays one.
$ mkfifo pipe; cat pipe >got & perfolio export b.txt -e cycles --format folded -o pipe; wait; cat got; test -p pipe && echo still a pipe
p;main;f 7
still a pipe
$ cat pipe >got & perfolio export b.txt --format folded -o pipe; wait; cat got; ls pipe*
perfolio: other events: faults (select with -e)
p;main;f 7
pipe
$ ln -s real.folded link.folded; touch real.folded; perfolio export b.txt -e cycles -o link.folded; cat real.folded; test -L link.folded && echo still a link
link.folded
p;main;f 7
still a link
$ perfolio export b.txt -e cycles --format folded -o .
perfolio: .: Is a directory
[1]

# What is read is not written over, by whichever name.
$ cp b.txt same.txt; ln -s same.txt same.folded; ln same.txt same.svg
$ perfolio flame same.txt -o same.svg 2>&1 | head -1; cmp b.txt same.txt
perfolio flame: -o 'same.svg' would overwrite the input
$ perfolio fold same.txt -o same.folded 2>&1 | head -1; cmp b.txt same.txt
perfolio fold: -o 'same.folded' would overwrite the input
$ perfolio export --format csv -o same.txt - <same.folded 2>&1 | head -1; cmp b.txt same.txt
perfolio export: -o 'same.txt' would overwrite the input
$ cp b.txt both.cycles.svg; perfolio flame both.cycles.svg -o both.svg 2>&1 | head -1; cmp b.txt both.cycles.svg
perfolio flame: -o 'both.cycles.svg' would overwrite the input
