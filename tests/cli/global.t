# The program alone prints a map of its commands, each with an example.
$ perfolio
perfolio measures where programs spend their time.

...
  doctor .* (re)
...
`perfolio help COMMAND` explains one; `perfolio --version` names this build.

$ perfolio --help | head -n 1
perfolio measures where programs spend their time.

$ perfolio -h | head -n 1
perfolio measures where programs spend their time.

$ perfolio help | head -n 1
perfolio measures where programs spend their time.

# The version, and nothing else.
$ perfolio --version
perfolio [0-9]+\.[0-9]+\.[0-9]+ (re)
$ perfolio version
perfolio [0-9]+\.[0-9]+\.[0-9]+ (re)

# A command that does not exist; the nearest name is offered.
$ perfolio frobnicate
perfolio: unknown command 'frobnicate'; see 'perfolio help'
[2]
$ perfolio help frobnicate
perfolio help: unknown command 'frobnicate'; see 'perfolio help'
See 'perfolio help help'.
[2]
$ perfolio stats
perfolio: unknown command 'stats'; did you mean 'stat'?
[2]

# An option that does not exist.
$ perfolio help --frob
perfolio help: unknown option '--frob'
See 'perfolio help help'.
[2]
$ perfolio help -Z
perfolio help: unknown option '-Z'
See 'perfolio help help'.
[2]
$ perfolio --frob
perfolio: unknown command '--frob'; see 'perfolio help'
[2]

# Every command explains itself, by either spelling.
$ perfolio help help
perfolio help: explain a command

perfolio help [-m] [--completion SHELL] [COMMAND]

  -m, --manual                the whole manual page of a command
      --completion SHELL      print the completion script for bash, zsh or fish
...
Example: perfolio help stat
More: perfolio help -m help
$ perfolio help help >a; perfolio help --help >b; cmp a b

# Output that cannot be written is a failure and says so.
$ perfolio help >&-
perfolio: standard output: Bad file descriptor
[1]
$ perfolio --version >&-
perfolio: standard output: Bad file descriptor
[1]
$ perfolio help >/dev/full
perfolio: standard output: No space left on device
[1]
$ perfolio >/dev/full
perfolio: standard output: No space left on device
[1]
$ perfolio help list stat
perfolio help: one command at a time
See 'perfolio help help'.
[2]

# Nothing leaks into a file that happens to get a standard descriptor's number.
$ perfolio frobnicate 2>&- >&- <&-
[2]

# A typo is helped; a word that only looks a little like a command is not.
$ perfolio evlst
perfolio: unknown command 'evlst'; did you mean 'evlist'?
[2]
$ perfolio iostat
perfolio: unknown command 'iostat'; see 'perfolio help'
[2]
$ perfolio test
perfolio: unknown command 'test'; see 'perfolio help'
[2]
$ perfolio recrod
perfolio: unknown command 'recrod'; did you mean 'record'?
[2]
$ perfolio record --durtion 5s true
perfolio record: unknown option '--durtion'; did you mean --duration?
See 'perfolio help record'.
[2]
$ perfolio stat --no-big-nmu true
perfolio stat: unknown option '--no-big-nmu'; did you mean --no-big-num?
See 'perfolio help stat'.
[2]
$ perfolio record --frequncy 99 true
perfolio record: unknown option '--frequncy'; did you mean --freq?
See 'perfolio help record'.
[2]
$ python3 $DATA/typos.py
True True
$ perfolio record --switch true
perfolio record: ambiguous option '--switch'; it could be --switch-events, --switch-output, --switch-output-event, --switch-max-files
See 'perfolio help record'.
[2]
$ perfolio record -c 0 true
perfolio record: -c needs a positive event count
See 'perfolio help record'.
[2]
$ perfolio record -p 999999
perfolio: no such process: 999999; `ps -e` lists them
[1]
$ perfolio stat -e cyclse true
...
  did you mean: cycles?
See 'perfolio help stat'.
[2]

# The manual is in the program.
$ perfolio help -m evlist | grep -A2 '^DESCRIPTION'
DESCRIPTION

`perfolio evlist` lists the events that a recording was made with, one a line, as `perf evlist` does. `-F` adds the rate or
$ perfolio help -m | grep -c '^EXIT STATUS\|^DESCRIPTION'
2
$ perfolio help --completion fish | grep -c "from record' -l tail-synthesize -d"
1
$ perfolio help --completion tcsh 2>&1 | head -1
perfolio help: no completion for 'tcsh'; must be bash, zsh or fish
