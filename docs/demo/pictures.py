#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the pictures of docs/flame-graphs.md and docs/export.md anew, after the page has
# changed:
#
#     docs/demo/pictures.py [BUILD [PICTURE...]]
#
# Owns: which pictures there are; without names, all are made.  index.c and threads.c are
# run under the tool, handlers.c and handlers.js under the sampler, too; their trees
# become pages, and the browser of the page's tests shows them
# (callgrind/report/tests/browser_session.py); kcachegrind.py has KCachegrind show a
# profile.  Where ImageMagick is installed, pictures are made smaller.  speedscope's signs
# take a font of emoji (Debian: fonts-noto-color-emoji).

"""Make the pictures of the documents."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent
SOURCE = DOCS.parent
REPORT = SOURCE / "callgrind" / "report"
BUILD = Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build").resolve()
COLOURS = 96  # of a picture

# Name, page, part of its address behind #, size.
PICTURES: list[tuple[str, str, str, tuple[int, int]]] = [
    ("flame-graph.png", "new", "zoom={read_text}", (1320, 640)),
    ("pictures/inverted.png", "new", "view=inverted", (1200, 520)),
    ("pictures/sandwich.png", "new", "view=sandwich&fn={find_word}", (1200, 520)),
    ("pictures/comparison.png", "change", "", (1200, 560)),
    ("pictures/lines.png", "new", "tab=lines", (1200, 520)),
    ("pictures/timeline.png", "time", "view=timeline", (1200, 960)),
    ("pictures/c-flat.png", "c-flat", "zoom={interpret}", (1200, 480)),
    ("pictures/c-sampled.png", "c-sampled", "zoom={interpret}", (1200, 480)),
    ("pictures/node-flat.png", "node-flat", "zoom={~main}", (1200, 1000)),
    ("pictures/node-sampled.png", "node-sampled", "zoom={~main}", (1200, 1000)),
    ("pictures/node-runner.png", "runner", "", (1200, 560)),
]
SPEEDSCOPE = "pictures/speedscope.png"  # of the npm package, on a tree
KCACHEGRIND = "pictures/kcachegrind.png"  # on a profile with threads, parts and jumps


def make_tree(folder: Path, name: str, program: str, *options: str) -> Path:
    """The tree; beside it are the profile and the timeline."""
    compiler = os.environ.get("CC", "cc")
    shutil.copy(DOCS / "demo" / f"{program}.c", folder)
    includes = [f"-I{SOURCE / 'include'}", "-I/usr/include/valgrind"]
    subprocess.run(
        [compiler, "-g", "-O2", f"-fdebug-prefix-map={folder}=/home/me", *options,
         *includes, "-o", program, f"{program}.c", "-pthread"],
        cwd=folder, check=True,
    )
    tree = folder / f"{name}.tree"
    subprocess.run(
        [BUILD / "vg-in-place", "-q", "--tool=callgrind", "--call-tree=yes",
         f"--call-tree-out-file={tree}", f"--callgrind-out-file={tree}.profile",
         "--timeline=yes", f"--timeline-out-file={tree}.timeline", f"./{program}"],
        cwd=folder, stdout=subprocess.DEVNULL, check=True,
    )
    return tree


def make_page(folder: Path, name: str, *arguments: str) -> Path:
    page = folder / f"{name}.html"
    subprocess.run(
        [sys.executable, REPORT / "callgrind_export.py", "--to", "html", "-o", page,
         *arguments],
        check=True,
    )
    return page


# What handlers.c and handlers.js run for: under the tool, and under the sampler.
ROUNDS = {"c": ("20000", "6000000"), "node": ("1500", "120000")}
NODE = ["node", "--perf-basic-prof", "--interpreted-frames-native-stack", "--no-opt",
        "--no-sparkplug", "--predictable"]


def make_handlers(folder: Path, wanted: list[str]) -> dict[str, Path]:
    """Pages of programs whose handlers jump to one another, counted and sampled, as far
    as they are wanted."""
    pages = {}
    for name in ("handlers.c", "handlers.js"):
        shutil.copy(DOCS / "demo" / name, folder)
    compiler = os.environ.get("CC", "cc")
    subprocess.run(
        [compiler, "-g", "-O2", f"-fdebug-prefix-map={folder}=/home/me", "-o", "handlers",
         "handlers.c"],
        cwd=folder, check=True,
    )
    commands = {
        "c": ["./handlers"],
        "node": [*NODE, "handlers.js"],
    }
    for page in (page for _, page, _, _ in PICTURES if page in wanted):
        program, _, how = page.partition("-")
        if program not in commands:
            continue
        tree = folder / f"{page}.tree"
        counted, sampled = ROUNDS[program]
        if how == "sampled":
            tool: list[object] = [
                BUILD / "callgrind_sample", "--stack-size=32768", "-o", tree]
            rounds = sampled
        else:
            tool = [BUILD / "vg-in-place", "-q", "--tool=callgrind", "--call-tree=yes",
                    f"--tail-calls={how}", f"--call-tree-out-file={tree}",
                    f"--callgrind-out-file={tree}.profile"]
            rounds = counted
        subprocess.run(
            [*map(str, tool), *commands[program], rounds],
            cwd=folder, stdout=subprocess.DEVNULL, check=True,
        )
        pages[page] = make_page(folder, page, str(tree))
    return pages


def make_runner(folder: Path) -> Path:
    """A page of four benchmarks of tinybench, by CodSpeed's plugin, with the options of
    its runner; node's own file is skipped."""
    from callgrind.report.tests.npm_packages import npm_folder
    from tests.bench.columns import RUNNER
    from tests.bench.workloads import NODE, NODE_OPTIONS

    tests = SOURCE / "tests"
    installed = npm_folder("plugins", "tinybench", tests / "runtimes", BUILD)
    packages = folder / "benchmarks"
    shutil.copytree(installed, packages)
    (packages / ".git").mkdir(exist_ok=True)  # the plugin asks for a work tree's top
    script = shutil.copy(tests / "bench/programs/words.mjs", packages)
    tree = folder / "runner.tree"
    subprocess.run(
        [BUILD / "vg-in-place", "-q", "--tool=callgrind",
         *(option.format(folder=folder) for option in RUNNER),
         f"--obj-skip={os.path.realpath(NODE)}", "--call-tree=yes",
         f"--call-tree-out-file={tree}", f"--callgrind-out-file={tree}.profile",
         NODE, *NODE_OPTIONS, script, "4", packages],
        cwd=folder, stdout=subprocess.DEVNULL, check=True,
    )
    return make_page(folder, "runner", str(tree))


def numbers_of(browser: Any, at: str) -> str:
    """An address in which {name} stands for a number: behind `zoom`, of a path to
    the function, otherwise of the function."""
    def number(match: re.Match[str]) -> str:
        # Compilers append .constprop.0 and the like; V8 has a place behind the name.
        wanted = re.escape(match[2]) + r"(\.\w+)*( |$)"
        find = f"profile.functions.findIndex(([name]) => /{wanted}/.test(name))"
        if browser.evaluate(find) < 0:
            raise SystemExit(f"no function {match[2]} for a picture")
        node = f"state.tree.nodesOf({find})[0]"
        return match[1] + str(browser.evaluate(node if match[1] == "zoom=" else find))

    return re.sub(r"(\w+=)\{(.*?)\}", number, at)


def main() -> None:
    os.environ.setdefault("VG_BUILD", str(BUILD))
    sys.path[:0] = [str(SOURCE), str(REPORT)]
    from callgrind.report.tests.browser_session import Browser

    (DOCS / "pictures").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pictures.") as name:
        folder = Path(name)
        old = make_tree(folder, "old", "index")
        new = make_tree(folder, "new", "index", "-DQUICK_HASH")
        threads = make_tree(folder, "threads", "threads")
        lines = ["--lines", f"{new}.profile", "--source", "-I", str(folder)]
        pages: dict[str, Path] = {
            "new": make_page(folder, "page", *lines, str(new)),
            "change": make_page(folder, "change", "--diff", str(old), str(new)),
            "time": make_page(
                folder, "time", "--timeline", f"{threads}.timeline", str(threads)
            ),
        }
        wanted = sys.argv[2:]
        needed = [page for name, page, _, _ in PICTURES if not wanted or name in wanted]
        pages.update(make_handlers(folder, needed))
        if "runner" in needed:
            pages["runner"] = make_runner(folder)
        browser = Browser()
        for picture, page, at, (width, height) in PICTURES:
            if wanted and picture not in wanted:
                continue
            settings = {"viewport": {"width": width, "height": height}}
            browser.open(str(pages[page]), settings)
            fragment = "#" + numbers_of(browser, at)
            browser.open(str(pages[page]), settings, fragment)
            path = DOCS / picture
            browser.screenshot(str(path))
            make_smaller(path)
        if not wanted or SPEEDSCOPE in wanted:
            show_in_speedscope(browser, threads, (1200, 480))
            browser.screenshot(str(DOCS / SPEEDSCOPE))
            make_smaller(DOCS / SPEEDSCOPE)
        browser.close()
        if not wanted or KCACHEGRIND in wanted:
            show_in_kcachegrind(folder, DOCS / KCACHEGRIND)


def show_in_kcachegrind(folder: Path, picture: Path) -> None:
    from docs.demo import kcachegrind

    if kcachegrind.missing():
        print(f"{picture}: not made; missing: {', '.join(kcachegrind.missing())}")
        return
    profile = folder / "threads.profile"
    subprocess.run(
        [BUILD / "vg-in-place", "-q", "--tool=callgrind", "--collect-jumps=yes",
         "--separate-threads=yes", "--combine-dumps=yes", "--dump-before=write_blocks",
         f"--callgrind-out-file={profile}", "./threads"],
        cwd=folder, stdout=subprocess.DEVNULL, check=True,
    )
    # Where the source is: KCachegrind shows it.
    text = profile.read_text(encoding="utf-8")
    profile.write_text(text.replace("/home/me/", f"{folder}/"), encoding="utf-8")
    kcachegrind.take_picture(profile, picture, (1200, 640), "part_of")
    make_smaller(picture)


def show_in_speedscope(browser: Any, tree: Path, size: tuple[int, int]) -> None:
    """As the command `speedscope` does: what is shown is in a script."""
    from callgrind.report.tests.npm_packages import npm_folder

    exported, script = tree.with_suffix(".json"), tree.with_suffix(".js")
    subprocess.run(
        [sys.executable, REPORT / "callgrind_export.py", "--to", "speedscope",
         "-o", exported, tree],
        check=True,
    )
    encoded = base64.b64encode(exported.read_bytes()).decode("ascii")
    script.write_text(f"speedscope.loadFileFromBase64('exported.json', '{encoded}')")
    folder = npm_folder("speedscope", "speedscope")
    page = folder / "node_modules" / "speedscope" / "dist" / "release" / "index.html"
    settings = {"viewport": {"width": size[0], "height": size[1]}}
    at = f"#localProfilePath={script}"
    browser.open_until(str(page), settings, at, "Ir, thread")


def make_smaller(path: Path) -> None:
    convert = shutil.which("convert")
    if convert:
        subprocess.run(
            [convert, path, "+dither", "-colors", str(COLOURS), "-strip",
             "-define", "png:compression-level=9", f"PNG8:{path}"],
            check=True,
        )
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
