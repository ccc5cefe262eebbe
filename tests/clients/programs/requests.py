# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/clients/contract.py says what it does.

"""Each request once."""

import sys

import callgrind_requests as callgrind


def counted() -> int:
    return sum(range(50))


def main() -> None:
    callgrind.start()
    for _ in range(3):
        counted()
    callgrind.stop()
    callgrind.dump_at("first part")

    callgrind.add_obj_skip(sys.argv[1])
    callgrind.add_desc("kind: second")
    callgrind.start()
    callgrind.mark("in the second")
    counted()
    callgrind.stop()
    callgrind.dump_at("second\npart")

    callgrind.start()
    counted()
    callgrind.stop()
    callgrind.zero()
    callgrind.dump()

    callgrind.start()
    callgrind.toggle_collect()
    counted()
    callgrind.toggle_collect()
    callgrind.stop()
    callgrind.dump_at("toggled")
    print("under Valgrind:", "yes" if callgrind.running_on_valgrind() else "no")


main()
