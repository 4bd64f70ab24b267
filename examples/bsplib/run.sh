#!/bin/sh
# run.sh LBSP PROGRAM RANKS LOSS: runs the program on that many ranks with so many percent loss, and succeeds if
# it does and says on standard output that its answer is right.
answer=$(echo 1000 | "$1" run -n "$3" --wan "loss=$4%,rtt=2ms" -- "$2") || exit 1
echo "$answer"
echo "$answer" | grep -q "p=$3[ ,].*right"
