# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/suites/checked.py says what the benchmarks do.

"""Five benchmarks of pytest-benchmark."""

from concurrent.futures import ThreadPoolExecutor

import pytest


def digits(text):
    number = 0
    for character in text:
        number = number * 10 + ord(character) - 48
    return number


def parse(text):
    return sum([digits(word) for word in text.split(",")])


@pytest.mark.parametrize("size", [40])
def test_parse(benchmark, size):
    text = ",".join(str(number) for number in range(size))
    assert benchmark(parse, text) == sum(range(size))


def merge(left, right):
    merged = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


def sort(numbers):
    if len(numbers) < 2:
        return numbers
    half = len(numbers) // 2
    return merge(sort(numbers[:half]), sort(numbers[half:]))


def test_sort(benchmark):
    numbers = [(i * 7919) % 64 for i in range(64)]
    assert benchmark(sort, numbers) == sorted(numbers)


def make_node(after):
    return [after, None]


def allocate(size):
    node = None
    for _ in range(size):
        node = make_node(node)
    return node


def test_allocate(benchmark):
    benchmark.pedantic(allocate, setup=lambda: ((100,), {}), rounds=5)


def count_word(counts, word):
    counts[word] = counts.get(word, 0) + 1


def strings(text):
    counts = {}
    for word in text.split():
        count_word(counts, word)
    return counts


class TestOfStrings:
    def test_strings(self, benchmark):
        counts = benchmark(strings, "the quick brown fox " * 40)
        assert counts["fox"] == 40


def task(number):
    return digits(str(number))


def pool():
    with ThreadPoolExecutor(3) as executor:
        return sum(executor.map(task, range(9)))


def test_pool(benchmark):
    assert benchmark(pool) == sum(range(9))
