# Completes `howdah` in bash: the program itself names what may come next.
_howdah() {
    local line=${COMP_LINE:0:COMP_POINT} found
    local -a words
    # Bash divides a word at = : and @ as well, so the line is divided again, at blanks only.
    IFS=$' \t\n' read -ra words <<< "$line"
    [[ $line == *[[:blank:]] ]] && words+=("")
    local current=${words[${#words[@]} - 1]}
    found=$(HOWDAH_COMPLETE=bash _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1)) _CLAP_IFS=$'\n' \
        "${words[0]/#\~/$HOME}" -- "${words[@]}" 2> /dev/null) || return
    local IFS=$'\n' kept=${current%"$2"} word
    COMPREPLY=()
    for word in $found; do
        COMPREPLY+=("${word#"$kept"}")
    done
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/@\;] ]]; then
        compopt -o nospace 2> /dev/null
    fi
}
complete -o bashdefault -F _howdah howdah
