complete --keep-order --exclusive --command howdah --arguments "(HOWDAH_COMPLETE=fish howdah -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
