# SPDX-License-Identifier: GPL-2.0-or-later
#
# A shell on a terminal of its own, to see what it makes of a line that somebody types:
# all that completes the last word stands on the line then.
#
# Owns: how zsh and bash are asked, and told from a shell that is not ready.  The shell
# writes its answers into a FIFO, so that nothing has to be made of what a terminal shows.

"""Ask bash and zsh for completions."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shlex
import subprocess
import termios
from pathlib import Path

# ^I puts all completions on the line, ^T tells the line and clears it.
ZSH = """
fpath=({functions} $fpath)
autoload -Uz compinit
compinit -u -d "$ZDOTDIR/dump"
all_of_them() {{ _main_complete; compstate[insert]=all; compstate[list]=; }}
zle -C all_of_them complete-word all_of_them
bindkey '^I' all_of_them
tell() {{ print -r -- "$BUFFER" > "$ANSWERS"; BUFFER=; }}
zle -N tell
bindkey '^T' tell
zle-line-init() {{ print ready > "$ANSWERS"; }}
zle -N zle-line-init
"""
BASH = """
for file in {functions}/*; do . "$file"; done
bind '"\\t": insert-completions'
bind 'set enable-bracketed-paste off'
tell()
{{
   printf '%s\\n' "$READLINE_LINE" > "$ANSWERS"
   READLINE_LINE= READLINE_POINT=0
}}
bind -x '"\\C-t": tell'
PROMPT_COMMAND='echo ready > "$ANSWERS"'
"""


class ShellSession:
    """A shell that runs in `folder`, with the completions of `functions`."""

    def __init__(self, shell: str, functions: Path, folder: Path) -> None:
        private = folder / ".session"
        private.mkdir()
        if shell == "zsh":
            start = private / ".zshrc"
            words = ["zsh", "-d", "-i"]
            start.write_text(ZSH.format(functions=shlex.quote(str(functions))))
        else:
            start = private / "rc"
            words = ["bash", "--noprofile", "--rcfile", str(start), "-i"]
            start.write_text(BASH.format(functions=shlex.quote(str(functions))))
        answers = private / "answers"
        os.mkfifo(answers)
        self._answers = os.open(answers, os.O_RDWR)
        self._told = b""
        self._shown = b""
        self._terminal, theirs = pty.openpty()
        environment = {
            "HOME": str(private), "ZDOTDIR": str(private), "ANSWERS": str(answers),
            "PATH": os.environ["PATH"], "TERM": "dumb", "LC_ALL": "C", "PS1": "",
        }

        def on_the_terminal() -> None:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self._process = subprocess.Popen(
            words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder,
            env=environment, preexec_fn=on_the_terminal,
        )  # fmt: skip
        os.close(theirs)
        self._await("ready")

    def line_after_tab(self, line: str) -> str:
        """What stands on the line, with all that may complete its last word."""
        os.write(self._terminal, line.encode() + b"\t\x14")
        return self._answer()

    def close(self) -> None:
        os.close(self._terminal)  # hangs up
        self._process.wait()
        os.close(self._answers)

    def _await(self, word: str) -> None:
        while self._answer() != word:
            pass

    def _answer(self) -> str:
        while b"\n" not in self._told:
            ready, _, _ = select.select([self._answers, self._terminal], [], [])
            if self._terminal in ready:
                self._shown += self._read_terminal()
            if self._answers in ready:
                self._told += os.read(self._answers, 65536)
        answer, _, self._told = self._told.partition(b"\n")
        return answer.decode()

    def _read_terminal(self) -> bytes:
        try:
            shown = os.read(self._terminal, 65536)
        except OSError:
            shown = b""
        if not shown:
            last_words = self._shown.decode("utf-8", "replace")
            raise EOFError(f"the shell has ended: {last_words}")
        return shown
