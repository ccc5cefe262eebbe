#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# try_package.sh PACKAGE: in a root that has nothing of callgrind-exact, installs the
# package beside the distribution's valgrind, profiles a program with it, reads the
# profile, and removes the package; nothing may be left.

set -eu

package=$1
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get satisfy -qq -y --no-install-recommends "$(dpkg-deb -f "$package" Depends)" \
   > /dev/null

# All files but those that dpkg and apt keep for themselves, and other caches.
all_files()
{
   find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /srv \
      -o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg -o -path /var/lib/apt \
      -o -name __pycache__ \) -prune -o -print | sort
}
complain()
{
   echo "try_package.sh: $1"
   exit 1
}

# Of a run that was interrupted: the root is kept.
if dpkg -s callgrind-exact > /dev/null 2>&1; then
   dpkg -P callgrind-exact > /dev/null
fi
folder=$(mktemp -d)
all_files > "$folder/before"
cksum /usr/bin/valgrind /usr/libexec/valgrind/callgrind-* > "$folder/sums"
dpkg -i "$package" > /dev/null
cd "$folder"

callgrind-exact -q --tool=callgrind --callgrind-out-file=ours ls / > /dev/null
grep -q '^creator: callgrind-exact' ours || complain "the profile is not ours"
callgrind_report ours | grep -q 'function' || complain "callgrind_report shows nothing"
callgrind_annotate ours | grep -q 'PROGRAM TOTALS' || complain "nothing is annotated"
PATH=/usr/lib/callgrind-exact/bin:$PATH \
   valgrind -q --tool=callgrind --callgrind-out-file=first ls / > /dev/null
grep -q '^creator: callgrind-exact' first || complain "first in PATH, it is another one"
valgrind -q --tool=callgrind --callgrind-out-file=stock ls / > /dev/null
grep -q '^creator: callgrind-[0-9]' stock || complain "the distribution's is not itself"
callgrind_sample --version > /dev/null
for name in report export gate sample; do
   for file in "bash-completion/completions/callgrind_$name" \
      "zsh/vendor-completions/_callgrind_$name"
   do
      test -e "/usr/share/$file" || complain "there is no /usr/share/$file"
   done
done
cksum /usr/bin/valgrind /usr/libexec/valgrind/callgrind-* | diff sums -

dpkg -P callgrind-exact > /dev/null
all_files | diff before - || complain "these files are left, or gone"
rm -rf "$folder"
