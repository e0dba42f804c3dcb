# Nobody at first; the folder is made for its owner alone.
$ perfolio user list --data data
Nobody yet; `perfolio user add NAME` lets somebody in.
$ stat -c %a data data/perfolio.db
700
600

# A password comes from standard input where that is no terminal, and is kept hashed.
$ echo 'correct horse' | perfolio user add --data data --role runner ann
ann may sign in as a runner.
$ perfolio user add --data data --no-password ci
ci may sign in as a viewer, with a token: `perfolio user token` makes one.
$ perfolio user list --data data
NAME  ROLE    PASSWORD  TOKENS  SINCE       RUNS AS
ann   runner  yes            0  20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]  \(shared\) (re)
ci    viewer  no             0  20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]  \(shared\) (re)
$ grep -r 'correct horse' data
[1]

# What is refused.
$ echo 'correct horse' | perfolio user add --data data ann
perfolio: there is a user 'ann' already
[1]
$ echo short | perfolio user add --data data bob
perfolio user: a password has at least 8 letters
See 'perfolio help user'.
[2]
$ perfolio user add --data data bob </dev/null
perfolio: standard input: no password there
[1]
$ perfolio user add --data data 'b b'
perfolio user: 'b b' can't be a user's name: letters, digits and . _ - @ + may be in one
See 'perfolio help user'.
[2]
$ perfolio user add --data data --role root bob
perfolio user: --role root: viewer and runner are known
See 'perfolio help user'.
[2]
$ perfolio user
perfolio user: add, change, list, remove or token?
See 'perfolio help user'.
[2]
$ perfolio user rename ann
perfolio user: 'rename': add, change, list, remove and token are known
See 'perfolio help user'.
[2]
$ perfolio user add
perfolio user: add: the name of one user follows
See 'perfolio help user'.
[2]
$ perfolio user list ann
perfolio user: list: nothing follows
See 'perfolio help user'.
[2]

# Tokens: 256 bits, each another one, shown once.
$ perfolio user token --data data --label nightly ci >one; perfolio user token --data data --label backup --expires 720h ci >two
$ grep -Ec '^[A-Za-z0-9_-]{43}$' one two
one:1
two:1
$ cmp -s one two
[1]
$ perfolio user token --data data --list ci
     N  SINCE       EXPIRES     LABEL
     1  20..-..-..  never       nightly (re)
     2  20..-..-..  20..-..-..  backup (re)
$ perfolio user token --data data --revoke 1 ci
$ perfolio user token --data data --revoke 1 ci
perfolio: there is no token 1 of that user
[1]
$ perfolio user token --data data --list ci | wc -l
2
$ perfolio user token --data data --expires -1 ci
perfolio user: --expires: that time is over
See 'perfolio help user'.
[2]
$ perfolio user token --data data nobody
perfolio: there is no user 'nobody'
[1]
$ perfolio user remove --data data ci
$ perfolio user remove --data data ci
perfolio: there is no user 'ci'
[1]

# A folder that others may look into, one that is none, and the default.
$ chmod 755 data; perfolio user list --data data
perfolio: data: others may look into it; `chmod 700 data`
[1]
$ perfolio user list --data /dev/null
perfolio: /dev/null: Not a directory
[1]
$ XDG_DATA_HOME=$PWD/home perfolio user add --no-password eve; ls home/perfolio/perfolio.db
eve may sign in as a viewer, with a token: `perfolio user token` makes one.
home/perfolio/perfolio.db

# At a terminal the password is asked for twice and not shown; after Ctrl-C the terminal is as before.
$ python3 $DATA/typed.py 'correct horse,correct horse' perfolio user add --data typed ann
Password: 
The same again: 
ann may sign in as a viewer.
$ python3 $DATA/typed.py 'correct horse,battery staple' perfolio user add --data typed bob
Password: 
The same again: 
perfolio: the two are not the same; try again
[1]
$ python3 $DATA/typed.py '^C' perfolio user add --data typed bob
...
ended by signal 2
$ perfolio user list --data typed | wc -l
2
