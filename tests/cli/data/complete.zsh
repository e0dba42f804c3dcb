#!/bin/zsh
# What zsh shows after the words given and two presses of Tab, from a real session in a pseudo-terminal.
zmodload zsh/zpty
mkdir -p site && perfolio help --completion zsh >site/_perfolio
export TERM=xterm COLUMNS=100 # tests run with a dumb one
zpty -b shell 'zsh -f -i'
zpty -w shell "PS1= LISTMAX=1000 fpath=($PWD/site \$fpath); autoload -Uz compinit; compinit -u -D; echo READY"
zpty -r shell start '*READY*READY*'
zpty -w -n shell "$*"$'\t\t'
shown=
repeat 50; do
  sleep 0.1
  zpty -r -t shell part || { [[ -n $shown ]] && break }
  shown+=$part part=
done
zpty -d shell
print -r -- $shown | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/\x07//g' | tr '\r' '\n' | grep -E -- '^(-|[a-z-]+ +-- )' | sort -u
