# SPDX-License-Identifier: GPL-2.0-or-later
#
# Hashes, whose order depends on a seed, random numbers, and regular expressions.

use strict;
use warnings;
use List::Util qw(sum shuffle);

my %count;
srand(42);
for my $i (1 .. 1500) {
    my $word = "word" . int(rand(300));
    $count{$word}++;
}
my $text = join(" ", keys %count);
my $n = () = $text =~ /word\d*7\b/g;
my @mixed = shuffle(values %count);
exit(sum(@mixed) == 1500 && $n > 0 ? 0 : 1);
