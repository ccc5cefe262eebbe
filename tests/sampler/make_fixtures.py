#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes fixtures/: small programs, and what their stack and registers were at a place.
# The expected frames are gdb's, not ours.  Needs gcc and gdb; those of arm64, which
# recording.py describes, a cross compiler and qemu-user.  The fixtures are checked in, so
# that tests need none of these, nor the right to sample.
#
#    make_fixtures.py        writes fixtures/NAME.elf and fixtures/NAME.json
#    make_fixtures.py arm64  writes fixtures/arm64/NAME.elf and .../NAME.records.gz

"""Make the unwinder's fixtures."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from tests.groundtruth.architecture import ARM64  # noqa: E402
from tests.sampler.recording import (  # noqa: E402
    BUILDS,
    compile_program,
    run_program,
)

SMALL = ["-O2", "-static", "-nostdlib", "-fno-stack-protector", "-fcf-protection=none",
         "-fno-optimize-sibling-calls", "-Wl,-n", "-Wl,-z,noseparate-code",
         "-Wl,--build-id=none", "-no-pie", "-fno-pie", "-Wl,--no-warn-rwx-segments"]
REGISTERS = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10",
             "r11", "r12", "r13", "r14", "r15", "rip"]

# At the last instruction of `saving`, when all it saved is back in its registers.
AT_RETURN = r"""
python
import re
text = gdb.execute("disassemble saving", to_string=True)
gdb.execute("break *" + re.findall(r"(0x[0-9a-f]+) .*\bret", text)[-1])
end
"""


class Case(NamedTuple):
    flags: list[str]
    stop: list[str]  # commands for gdb, up to the place
    frames: list[str] = []  # of the source, where gdb cannot tell


AT_LEAF = ["break stop", "continue"]
CASES = {
    "plain": Case(["-fomit-frame-pointer"], AT_LEAF),
    "popped": Case(["-fomit-frame-pointer"], [AT_RETURN, "continue"]),
    "signal": Case(["-fomit-frame-pointer"],
                   ["handle SIGUSR1 nostop noprint pass", "break handler", "continue",
                    "break stop", "continue"]),
    "no_search_table": Case(["-fomit-frame-pointer", "-Wl,--no-eh-frame-hdr"], AT_LEAF),
    "debug_frame": Case(["-fomit-frame-pointer", "-g1", "-fno-asynchronous-unwind-tables",
                         "-DWITHOUT_SIGNAL"], AT_LEAF),
    "frame_pointers": Case(["-O0", "-fno-omit-frame-pointer",
                            "-fno-asynchronous-unwind-tables", "-DWITHOUT_SIGNAL",
                            "-Wl,--strip-debug"], AT_LEAF,
                           ["leaf", "saving", "middle", *["outer"] * 4, "first",
                            "_start"]),
}


def capture(program: Path, case: Case, stack: Path) -> dict[str, object]:
    commands = ["set pagination off", "set confirm off", "set disable-randomization on",
                "set backtrace past-main on",
                # Above is the environment, which is nobody's business.
                "starti", "set $top = (long)$rsp", *case.stop,
                *(f'printf "reg {name} %lx\\n", ${name}' for name in REGISTERS),
                "backtrace",
                f"dump binary memory {stack} (long)$rsp $top",
                "kill"]
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
        script.write("\n".join(commands) + "\n")
        script.flush()
        out = subprocess.run(["gdb", "-nx", "-q", "-batch", "-x", script.name, program],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    registers = dict(re.findall(r"^reg (\w+) ([0-9a-f]+)$", out, re.MULTILINE))
    frames = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(<signal handler called>|\w+)", out,
                        re.MULTILINE)
    frames = ["restorer" if name.startswith("<") else name for name in frames]
    frames = ["leaf" if name == "stop" else name for name in frames]
    return {"registers": {name: registers[name] for name in REGISTERS},
            "stack": stack.read_bytes().hex(), "frames": case.frames or frames}


def record_arm64() -> None:
    folder = HERE / "fixtures" / "arm64"
    folder.mkdir(exist_ok=True)
    for build, flags in BUILDS[ARM64].items():
        program = folder / f"{build}.elf"
        compile_program("aarch64-linux-gnu-gcc", flags, program)
        text = run_program("qemu-aarch64-static", program)
        program.chmod(0o644)
        packed = gzip.compress(text.encode("ascii"), mtime=0)
        (folder / f"{build}.records.gz").write_bytes(packed)


def main() -> None:
    if sys.argv[1:] == ["arm64"]:
        record_arm64()
        return
    folder = HERE / "fixtures"
    folder.mkdir(exist_ok=True)
    for name, case in CASES.items():
        program = folder / f"{name}.elf"
        # Where they were made is nobody's concern.
        subprocess.run(["gcc", *SMALL, *case.flags, "-o", program,
                        f"-ffile-prefix-map={HERE.parent.parent}=/fixture",
                        HERE / "programs" / "stacks.c"], check=True)
        with tempfile.TemporaryDirectory() as place:
            fixture = capture(program, case, Path(place, "stack"))
        program.chmod(0o644)
        (folder / f"{name}.json").write_text(json.dumps(fixture, indent=1) + "\n")
        print(name, program.stat().st_size, fixture["frames"])


if __name__ == "__main__":
    main()
