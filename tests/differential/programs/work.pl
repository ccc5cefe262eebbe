# SPDX-License-Identifier: GPL-2.0-or-later
#
# A short, deterministic run of the Perl interpreter: hash, sort, regular expressions,
# recursion.

use strict;
use warnings;

sub fibonacci {
    my ($n) = @_;
    return $n < 2 ? $n : fibonacci($n - 1) + fibonacci($n - 2);
}

my %count;
$count{"key" . ($_ * 37 % 211)} += $_ for 1 .. 5000;
my @keys = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
my $text = join ',', map { "$_=$count{$_}" } @keys;
my $odd = () = $text =~ /key(\d+)=(\d*[13579])\b/g;
(my $short = $text) =~ s/key//g;
printf "%d %d %d %d\n", scalar(@keys), $odd, length($short), fibonacci(14);
