<?php
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls a function of the C library from generators, fibers and below exceptions, and
// counts the calls.

$counts = ['getppid' => 0];

function parentOf(): int
{
    $GLOBALS['counts']['getppid']++;
    return posix_getppid() > 0 ? 1 : 0;
}

function inTurns(int $depth): int
{
    parentOf();
    if ($depth === 0) {
        return 1;
    }
    Fiber::suspend($depth);
    // By way of a function of C.
    [$result] = array_map('inTurns', [$depth - 1]);
    Fiber::suspend($depth);
    return $result + 1;
}

function numbers(int $length): Generator
{
    for ($i = 0; $i < $length; $i++) {
        yield $i * parentOf();
    }
}

function raising(int $n): int
{
    if ($n === 0) {
        throw new Exception('zero');
    }
    return raising($n - 1) + parentOf();
}

$sum = array_sum(iterator_to_array(numbers(50)));
for ($i = 0; $i < 200; $i++) {
    $sum += parentOf() * ($i % 7);
}
$fibers = [];
for ($i = 0; $i < 12; $i++) {
    $fibers[] = new Fiber('inTurns');
}
foreach ($fibers as $fiber) {
    $sum += $fiber->start(8);
}
while ($fibers) {
    foreach ($fibers as $key => $fiber) {
        $sum += $fiber->resume() ?? 0;
        if ($fiber->isTerminated()) {
            $sum += $fiber->getReturn();
            unset($fibers[$key]);
        }
    }
}
for ($n = 0; $n < 30; $n++) {
    try {
        $sum += raising($n % 7);
    } catch (Exception $error) {
        $sum++;
    }
}
echo "sum $sum\n";
foreach ($counts as $name => $count) {
    echo "count $name $count\n";
}
