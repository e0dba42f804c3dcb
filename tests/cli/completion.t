# Completion comes from the command table; here bash's function is called as bash calls it.
$ $DATA/complete.bash perfolio st
stat
$ $DATA/complete.bash perfolio --v
--version
$ $DATA/complete.bash perfolio help d
doctor
$ $DATA/complete.bash perfolio help --completion ''
bash
zsh
fish
$ $DATA/complete.bash perfolio stat --per-s
--per-socket
$ $DATA/complete.bash perfolio stat --no-big
--no-big-num
$ $DATA/complete.bash perfolio stat --no-inh
--no-inherit

# Values: after the option, glued on with =, and not where none is taken.
$ $DATA/complete.bash perfolio stat -u roo
root
$ $DATA/complete.bash perfolio stat --uid=roo
root
$ $DATA/complete.bash perfolio stat -o ''

# Event names; what stands before the last comma or brace stays, what bash keeps itself does not.
$ $DATA/complete.bash perfolio stat -e page-f
page-faults
$ $DATA/complete.bash perfolio stat -e cs,{faults,page-f
cs,{faults,page-faults
$ $DATA/complete.bash perfolio stat --event=cs,page-f
cs,page-faults

# The program to run, after the options or after --.
$ $DATA/complete.bash perfolio stat -r 5 unam | sort -u
uname
$ $DATA/complete.bash perfolio stat -a -- unam | sort -u
uname
$ $DATA/complete.bash perfolio stat uname --per-s

# Summaries; recording for one goes on as record does.
$ $DATA/complete.bash perfolio script wake
wakeup-latency
$ $DATA/complete.bash perfolio script record rw-by-p
rw-by-pid
$ $DATA/complete.bash perfolio script record rw-by-pid --all-c
--all-cgroups
--all-cpus
$ $DATA/complete.bash perfolio script record rw-by-pid -a unam | sort -u
uname

# The same in a zsh session.
$ $DATA/complete.zsh perfolio script syscall-counts
syscall-counts         -- system calls: how often, how many failed, how long they took
syscall-counts-by-pid  -- system calls of each process
$ $DATA/complete.zsh perfolio stat --per-
--per-core    -- each core on its own
--per-die     -- each die on its own
--per-node    -- each memory node on its own
--per-socket  -- each socket on its own
--per-thread  -- each thread on its own
$ $DATA/complete.zsh perfolio '' | grep -E '^(doctor|stat)'
doctor +-- explain what this machine can measure.* (re)
stat +-- count events while a program runs (re)

# fish asks its own rules what may follow.
$ perfolio help --completion fish >perfolio.fish; command -v fish >/dev/null || exit 0; fish -c 'source perfolio.fish; complete -C "perfolio evl"' | grep -q evlist || echo no command
$ command -v fish >/dev/null || exit 0; fish -c 'source perfolio.fish; complete -C "perfolio stat --per-"' | cut -f1 | sort | tr '\n' ' ' | grep -q -e '--per-core --per-die --per-node --per-socket --per-thread' || echo no options
