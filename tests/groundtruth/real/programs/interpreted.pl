# SPDX-License-Identifier: GPL-2.0-or-later
#
# A little of all that perl does: hashes, sorting with a callback, regular expressions,
# die out of nested calls, a signal handler.

use strict;
use warnings;

sub descend {
   my ($depth) = @_;
   die "bottom\n" if $depth == 0;
   return descend($depth - 1) + 1;
}

my %count;
$count{"word" . $_ % 31} += $_ for 1 .. 400;
my @sorted = sort { $count{$a} <=> $count{$b} || $a cmp $b } keys %count;
my $digits = () = join(",", @sorted) =~ /(\d+)/g;
my $caught = 0;
for my $depth (1 .. 8) {
   eval { descend($depth) };
   $caught++ if $@ eq "bottom\n";
}
local $SIG{USR1} = sub { $caught += 100 };
kill "USR1", $$;
print "$digits $caught $sorted[0]\n";
