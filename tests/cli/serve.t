# What is refused before anything is started.
$ perfolio serve --listen nonsense --data data
perfolio serve: --listen nonsense: ADDRESS:PORT, or unix:PATH
See 'perfolio help serve'.
[2]
$ perfolio serve --listen 0.0.0.0:0 --open --data data
perfolio: --open: other machines reach http://.*, and nobody would have to sign in (re)
[1]
$ perfolio serve --tls-cert cert.pem
perfolio serve: --tls-cert and --tls-key go together
See 'perfolio help serve'.
[2]
$ perfolio serve --tls-cert cert.pem --tls-key key.pem --data data
perfolio: cert.pem: No such file or directory
[1]
$ perfolio serve --deny all --data data
perfolio serve: --deny all: it is attach, users or host
See 'perfolio help serve'.
[2]
$ perfolio serve --max-disk much
perfolio serve: --max-disk needs a size like 500M or 20G; 0: no limit
See 'perfolio help serve'.
[2]
$ perfolio serve --max-disk 99999999999T
perfolio serve: --max-disk: 99999999999T is more than any disk holds; 0: no limit
See 'perfolio help serve'.
[2]
$ perfolio serve now
perfolio serve: unknown option 'now'
See 'perfolio help serve'.
[2]

# A file of settings: names of options, and what is wrong in it by its line.
$ printf '# ours\nlisten = nonsense # no address\n' >conf
$ perfolio serve --config conf --data data
perfolio serve: --listen nonsense: ADDRESS:PORT, or unix:PATH
See 'perfolio help serve'.
[2]
$ perfolio serve --config conf --data data --listen 0.0.0.0:0 --open
perfolio: --open: other machines reach http://.*, and nobody would have to sign in (re)
[1]
$ printf 'listen = 127.0.0.1:0\ngc = yes\n' >conf
$ perfolio serve --config conf --data data
perfolio serve: conf:2: unknown setting 'gc' of the server
See 'perfolio help serve'.
[2]
$ printf 'open\n' >conf
$ perfolio serve --config conf --data data
perfolio serve: conf:1: 'open': must be NAME = VALUE
See 'perfolio help serve'.
[2]
$ printf 'open = maybe\n' >conf
$ perfolio serve --config conf --data data
perfolio serve: conf:1: open: yes or no
See 'perfolio help serve'.
[2]

# Cleaning up wants a folder that a server has used; the processes of a server, a server.
$ perfolio serve --gc --data data
perfolio: data: no server has used this folder
[1]
$ perfolio serve --role web
perfolio: --role: is for processes that the server starts
[1]
