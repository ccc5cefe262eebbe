# SPDX-License-Identifier: GPL-2.0-or-later
#
# KCachegrind under a virtual display, for pictures.py.  Relies on kcachegrind, Xvfb
# (Debian: xvfb), xdotool, dbus-run-session (dbus-daemon) and ImageMagick.
#
# Owns: its settings in a home of its own; nothing of the user's is read or changed.

"""Have KCachegrind show a profile, and take a picture of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NEEDED = ("kcachegrind", "Xvfb", "xdotool", "dbus-run-session", "import")
# No tip of the day.
SETTINGS = "[TipOfDay]\nRunOnStart=false\n"


def missing() -> list[str]:
    """The programs that are not installed."""
    return [name for name in NEEDED if shutil.which(name) is None]


def take_picture(profile: Path, picture: Path, size: tuple[int, int], name: str) -> None:
    """Of the profile with all its parts, once the function `name` has been chosen."""
    with tempfile.TemporaryDirectory(prefix="kcachegrind.") as folder:
        home = Path(folder)
        (home / "run").mkdir(mode=0o700)
        (home / ".config").mkdir()
        (home / ".config" / "kcachegrindrc").write_text(SETTINGS, encoding="ascii")
        reading, writing = os.pipe()
        screen = f"{size[0]}x{size[1]}x24"
        with subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", screen],
            pass_fds=[writing], stderr=subprocess.DEVNULL,
        ) as display:
            os.close(writing)
            with os.fdopen(reading) as numbers:
                number = numbers.readline().strip()
            environment = {
                **os.environ, "DISPLAY": f":{number}", "HOME": folder,
                "LC_ALL": "C.UTF-8",
                "XDG_CONFIG_HOME": str(home / ".config"),
                "XDG_RUNTIME_DIR": str(home / "run"),
            }
            try:
                _show(profile, picture, size, name, environment)
            finally:
                display.terminate()


def _show(profile: Path, picture: Path, size: tuple[int, int], name: str,
          environment: dict[str, str]) -> None:
    with subprocess.Popen(
        ["dbus-run-session", "--", "kcachegrind", str(profile)], env=environment,
        cwd=profile.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as viewer:
        def tool(*words: str) -> str:
            done = subprocess.run(["xdotool", *words], env=environment, check=True,
                                  capture_output=True, text=True)
            return done.stdout

        try:
            # The title names the profile when it has been read.
            found = tool("search", "--sync", "--onlyvisible", "--name", profile.name)
            window = found.split()[-1]
            tool("windowmove", window, "0", "0")
            tool("windowsize", "--sync", window, str(size[0]), str(size[1]))
            tool("windowfocus", "--sync", window)
            # Into the field that searches: the function becomes the chosen one.
            tool("mousemove", "120", "209", "click", "1", "type", name)
            tool("key", "Return")
            tool("sleep", "1")
            # The source, with costs and jumps.
            tool("mousemove", "743", "99", "click", "1", "sleep", "2")
            tool("mousemove", "700", "250", "click", "--repeat", "3", "5", "sleep", "1")
            subprocess.run(["import", "-window", "root", str(picture)], env=environment,
                           check=True)
        finally:
            viewer.terminate()
