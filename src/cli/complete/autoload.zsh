
# A file of the path of functions is itself the function, the first time that it is needed.
if [ "${funcstack[1]}" = "_howdah" ]; then
    _clap_dynamic_completer_howdah "$@"
fi
