# The program alone prints a map of its commands, each with an example.
$ perfolio
perfolio measures where programs spend their time.

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
perfolio: no command is called 'frobnicate'; `perfolio help` lists them
[2]
$ perfolio help frobnicate
perfolio help: no command is called 'frobnicate'; `perfolio help` lists them
`perfolio help help` shows what it takes.
[2]
$ perfolio stats
perfolio: no command is called 'stats'; did you mean 'stat'?
[2]

# An option that does not exist.
$ perfolio help --frob
perfolio help: unknown option --frob
`perfolio help help` shows what it takes.
[2]
$ perfolio help -Z
perfolio help: unknown option -Z
`perfolio help help` shows what it takes.
[2]
$ perfolio --frob
perfolio: no command is called '--frob'; `perfolio help` lists them
[2]

# Every command explains itself, by either spelling.
$ perfolio help help
perfolio help: explain a command

perfolio help [--completion SHELL] [COMMAND]

      --completion SHELL      print the completion script for bash or zsh
...
Example: perfolio help stat
More: man perfolio-help
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
`perfolio help help` shows what it takes.
[2]

# Nothing leaks into a file that happens to get a standard descriptor's number.
$ perfolio frobnicate 2>&- >&- <&-
[2]
