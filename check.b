bash: run.sh: No such file or directory
