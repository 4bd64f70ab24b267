# Completion of lbsp's command line in bash: subcommands and options as --help tells them, and files. A zsh that has
# loaded bashcompinit takes it too.

# What the command of these words says of itself. A job's program is never started.
_lbsp_help() {
  "$@" --help 2>/dev/null </dev/null
}

_lbsp_subcommands() {
  _lbsp_help "$@" | sed -nE 's/^  ([a-z][a-z0-9-]+)  +[^ ].*/\1/p'
}

_lbsp_options() {
  _lbsp_help "$@" | sed -nE 's/^  (-[A-Za-z],)?(-[-a-z0-9]+).*/\1 \2/p' | tr ', ' '\n\n' | sort -u
}

_lbsp() {
  local word=${COMP_WORDS[COMP_CWORD]} command=("${COMP_WORDS[0]}") place choices
  COMPREPLY=()
  for ((place = 1; place < COMP_CWORD; ++place)); do
    # Behind -- stands the program of a job, with its own arguments.
    [[ ${COMP_WORDS[place]} == -- ]] && {
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
    }
  done
  # The words so far that are subcommands: lbsp, lbsp wan, lbsp wan up.
  for ((place = 1; place < COMP_CWORD; ++place)); do
    choices=" $(_lbsp_subcommands "${command[@]}" | tr '\n' ' ')"
    [[ $choices == *" ${COMP_WORDS[place]} "* ]] || break
    command+=("${COMP_WORDS[place]}")
  done
  if [[ $word == -* ]]; then
    choices=$(_lbsp_options "${command[@]}")
  elif ((place == COMP_CWORD)); then
    choices=$(_lbsp_subcommands "${command[@]}")
  else
    choices=
  fi
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  [[ $word == -* ]] || ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -o filenames -F _lbsp lbsp
