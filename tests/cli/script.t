# What it takes, and what it says to nonsense.
$ perfolio script -i nowhere.data
perfolio: nowhere.data: No such file or directory
[1]
$ echo nonsense >text.data; perfolio script text.data
perfolio: text.data: not a perf.data file: it does not begin with PERFILE2
[1]
$ : >empty.data; perfolio script -i empty.data
perfolio: empty.data: empty
[1]
$ perfolio script -F colour text.data 2>&1 | head -1
perfolio script: no field is called 'colour'; `script --explain` tells them all
$ perfolio script one two 2>&1 | head -1
perfolio script: one recording at a time

# Every field has a unit and a meaning.
$ perfolio script --explain | grep -c .
29
$ perfolio script --explain | grep '^time'
time             s              when, by the recording's clock; mostly since the machine was started
