#!/bin/bash
# What bash would offer after the words given, cursor at their end; a last word '' is an empty one.
# shellcheck disable=SC1090,SC2034 # the variables are bash's own, read by the completion function
source <(perfolio help --completion bash)
COMP_LINE=$*
COMP_POINT=${#COMP_LINE}
read -ra COMP_WORDS <<<"$COMP_LINE"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_perfolio
printf '%s\n' "${COMPREPLY[@]}"
