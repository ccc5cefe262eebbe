#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# try_bundle.sh FOLDER CHECK: in a root that has no Valgrind, one check of the bundle that
# lies in FOLDER, beside the programs that bundle.py has made.  0: it holds; 77: it cannot
# be seen here, and the last line says why; anything else: it does not hold.
#
# Owns: what a bundle must do wherever it runs.  Relies on nothing but a shell, grep and
# sed: the root may have only busybox.  EXPECTED is the number of instructions between
# START and STOP of the static program, PERF whether the kernel has perf events.  Under an
# emulator, CHILD and ENDLESS are programs for it: one that ends at once, and one that
# prints for ever.

set -eu

folder=$1 check=$2
bin=$folder/bundle/bin
work=$(mktemp -d)
pid=
finish()
{
   [ -z "$pid" ] || kill -9 "$pid" 2> /dev/null || :
   rm -rf "$work"
}
trap finish EXIT
cd "$work"
# To be executed by the program: a command of this root.
if [ -n "${CHILD:-}" ]; then
   child=$CHILD
elif [ -x /bin/busybox ]; then
   child='/bin/busybox true'
else
   child=/bin/true
fi

complain()
{
   echo "$1"
   exit 1
}

skip()
{
   echo "$1"
   exit 77
}

# callgrind OPTION... PROGRAM...: silent, but for the program.
callgrind()
{
   "$bin/valgrind" -q --tool=callgrind "$@" 2> errors ||
      complain "status $?: $(cat errors)"
   [ ! -s errors ] || complain "not silent: $(cat errors)"
}

# has PATTERN FILE
has()
{
   grep -q -e "$1" "$2" || { sed -n 1,40p "$2"; complain "nothing like '$1' in $2"; }
}

needs()
{
   command -v "$1" > /dev/null || {
      "$bin/$2" --help > said 2>&1 && complain "$2 does without $1"
      has "^$2: needs $1" said
      skip "no $1 here, and $2 says so"
   }
}

measured()
{
   # shellcheck disable=SC2086  # words of a command
   callgrind --callgrind-out-file=out "$@" "$folder/static" $child
}

static_program()
{
   measured --instr-atstart=no
   has '^creator: callgrind-exact' out
   has '^calls=10 ' out
   has "^totals: $EXPECTED\$" out
}

dynamic_program()
{
   # shellcheck disable=SC2086
   callgrind --callgrind-out-file=out --instr-atstart=no "$folder/dynamic" $child
   has '^calls=10 ' out
}

whole_program()
{
   # shellcheck disable=SC2086
   callgrind --callgrind-out-file=out "$folder/dynamic" $child
   has '^calls=10 ' out
   has 'ob=.*/\(ld-\|libc\)' out
}

children()
{
   # shellcheck disable=SC2086
   callgrind --trace-children=yes --callgrind-out-file=out.%p "$folder/dynamic" $child
   cat out.* > all
   [ "$(grep -c '^totals: ' all)" = 2 ] || complain "not two profiles: $(ls)"
   has "^cmd: .*${child##* }\$" all
   callgrind --trace-children=yes --callgrind-out-file=sh.%p sh -c "$child; $child"
   cat sh.* > all
   has "^cmd: .*sh -c" all
   has "^cmd: .*${child##* }\$" all
}

caches()
{
   measured --cache-sim=yes --branch-sim=yes
   has '^events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim$' out
}

# Equal for all: with stored translations, and without.
kept_translations()
{
   mkdir -m 700 kept
   measured "--translation-cache=$work/kept"
   mv out first
   measured "--translation-cache=$work/kept"
   [ -n "$(ls kept)" ] || complain "nothing is kept"
   [ "$(grep '^totals' first)" = "$(grep '^totals' out)" ] || complain "another total"
}

steady()
{
   measured --steady=yes
   has '^totals: ' out
}

no_tool()
{
   "$bin/valgrind" -q --tool=none "$folder/static" 2> errors
   [ ! -s errors ] || complain "$(cat errors)"
}

trees()
{
   measured --call-tree=yes --call-tree-out-file=tree --timeline=yes \
      --timeline-out-file=timeline
   for file in tree timeline; do
      [ -s "$file" ] || complain "no $file"
   done
   needs python3 callgrind_export
   "$bin/callgrind_export" --to folded -o folded tree
   has 'main;work ' folded
   "$bin/callgrind_export" --to html -o page.html tree
   has '<html' page.html
}

report()
{
   measured
   needs python3 callgrind_report
   "$bin/callgrind_report" out > table
   has ' work' table
   "$bin/callgrind_report" --diff out out > table
}

gate()
{
   needs python3 callgrind_gate
   # JSON: Python before 3.11 reads no TOML.
   cat > gate.json <<END
{"gate": {"limits": ["Ir:1%"]}, "benchmarks": {"work": {"command": "$folder/static"}}}
END
   "$bin/callgrind_gate" run --config gate.json > said 2>&1 || complain "$(cat said)"
   "$bin/callgrind_gate" accept baseline > said 2>&1 || complain "$(cat said)"
   "$bin/callgrind_gate" run --config gate.json > said 2>&1 || complain "$(cat said)"
   "$bin/callgrind_gate" compare baseline > said 2>&1 || complain "$(cat said)"
   has '1 benchmark: 1 same' said
}

annotate()
{
   measured
   needs perl callgrind_annotate
   "$bin/callgrind_annotate" out > table
   has 'PROGRAM TOTALS' table
}

# Starts a program that does not end by itself, and waits until vgdb knows it.
start_endless()
{
   if [ -n "${ENDLESS:-}" ]; then
      set -- "$ENDLESS"
      patience=--max-invoke-ms=0 # never stops it: it would stop the emulator
   else
      set -- sh -c 'while :; do :; done'
      patience=
   fi
   "$bin/valgrind" -q --tool=callgrind --callgrind-out-file=out "$@" \
      > /dev/null 2> errors &
   pid=$!
   until "$bin/vgdb" -l 2> said | grep -q "pid=$pid "; do
      kill -0 "$pid" 2> /dev/null || complain "it ended: $(cat errors)"
      sleep 0.1
   done
}

speak_to_it()
{
   start_endless
   "$bin/vgdb" ${patience:+"$patience"} "--pid=$pid" dump > said 2>&1 ||
      complain "vgdb: $(cat said)"
   has '^creator: callgrind-exact' out.1
   if command -v perl > /dev/null; then
      "$bin/callgrind_control" > said 2>&1
      has "PID $pid:" said
   fi
}

sampler()
{
   [ -x "$bin/callgrind_sample" ] || skip "this bundle has no callgrind_sample"
   status=0
   # shellcheck disable=SC2016  # for the inner shell
   "$bin/callgrind_sample" -o samples sh -c \
      'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' > said 2>&1 || status=$?
   if [ "$PERF" = no ]; then
      [ $status != 0 ] || complain "it samples without perf events"
      [ "$(grep -c . said)" -le 3 ] || complain "$(cat said)"
      has '^callgrind_sample: ' said
      return
   fi
   [ $status = 0 ] || skip "nothing may be sampled here: $(sed -n 1p said)"
   has ' samples of ' said
   if command -v python3 > /dev/null; then
      "$bin/callgrind_report" samples > table
      has '^Costs: ' table
   fi
}

# By a link, a variable, and in spite of another Valgrind's.
places()
{
   ln -s "$bin/valgrind" by-a-link
   VALGRIND_LIB=/nonexistent ./by-a-link -q --tool=callgrind --callgrind-out-file=out \
      "$folder/static"
   cp "$bin/valgrind" alone
   CALLGRIND_EXACT_HOME=$folder/bundle ./alone -q --tool=callgrind \
      --callgrind-out-file=alone.out "$folder/static"
   has '^creator: callgrind-exact' alone.out
}

case $check in
   static_program|dynamic_program|whole_program|children|caches|kept_translations) ;;
   steady|no_tool|trees|report|gate|annotate|speak_to_it|sampler|places) ;;
   *) complain "no check '$check'" ;;
esac
$check
