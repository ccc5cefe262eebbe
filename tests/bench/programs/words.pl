# SPDX-License-Identifier: GPL-2.0-or-later
#
# Benchmark program: perl at its ordinary work.
#
# words.pl N    makes 150 lines of text, and N times over takes them apart with regular
#               expressions, counts in hashes, and sorts; prints the results.
#
# A generator of its own makes the text, so that every perl gives the same output. The
# text is small, and used many times, because making it is calls of subroutines, which
# are not what this is about.

use strict;
use warnings;

my $state = 20231117;

sub random_below {
    $state = ( $state * 1103515245 + 12345 ) & 0x7fffffff;
    return ( $state >> 8 ) % $_[0];
}

my @syllables = qw(ka lo mi ren ta su vel dor an ix qui pra);

sub random_word {
    return join '', map { $syllables[ random_below(12) ] } 0 .. random_below(3);
}

my @text = map {
    my $words = join ' ', map { random_word() } 1 .. 30;
    sprintf '%s [%05d] key=%s;', $words, $_, random_word();
} 1 .. 150;

my ( %count, %length_of );
my ( $swapped, $in_order ) = ( 0, '' );
for my $round ( 1 .. $ARGV[0] ) {
    for my $original (@text) {
        my $line = $original;
        $count{$1}++ while $line =~ /\b([a-z]{2,})\b/g;
        $swapped++ if $line =~ s/\[(\d{2})(\d+)\]\s+key=(\w+);/$3:$2:$round/;
        $line =~ tr/a-z/b-za/;
        $length_of{$1} += length $line if $line =~ /(\w+):\d+:\d+$/;
    }
    my @by_count = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
    my @by_word  = sort keys %count;
    $in_order = "$by_count[0] $by_count[-1] $by_word[0] $by_word[-1]";
}
printf "%d words, %d swapped, in order %s\n", scalar keys %count, $swapped, $in_order;
printf "%s %d\n", $_, $count{$_}     for ( sort keys %count )[ 0 .. 4 ];
printf "%s %d\n", $_, $length_of{$_} for ( sort keys %length_of )[ 0 .. 4 ];
