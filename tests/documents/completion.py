#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes docs/completion/: what a shell completes behind the names of our commands.  Of the
# Python commands it is made of their parsers; of callgrind_sample of its man page, and of
# ./profile of the manual of the tool, which tests hold against the options.
#
#    completion.py [--write]
#
# Owns: what is known of an option (its words, whether it takes a value, and which), and
# how that is told to bash and to zsh.

"""Completion for bash and zsh, from the options of the commands."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional, Sequence

SOURCE = Path(__file__).resolve().parent.parent.parent
FOLDER = SOURCE / "docs" / "completion"
MANUAL = SOURCE / "docs" / "manual.md"
SAMPLE_PAGE = SOURCE / "docs" / "man" / "callgrind_sample.1"


@dataclass
class Option:
    """One option, and what may stand behind it."""

    names: list[str]  # -o, --output
    takes_value: bool
    choices: list[str] = field(default_factory=list)
    help: str = ""
    takes_file: bool = False  # its value may be a path


@dataclass
class Command:
    """A command, or one within a command."""

    name: str
    options: list[Option]
    inner: list["Command"] = field(default_factory=list)
    help: str = ""
    runs_program: bool = False  # what is no option is a program, and what follows it its
    values_are_words: bool = True  # a value may be the next word, not only behind =


# How documents and parsers call a value that is a path.
PATHS = re.compile(
    r"<(f|file|dir|path)>|FILE|FOLDER|DIR|TREE|PROFILE|RUN|BASELINE|OUT|OLD|NEW|COMMAND"
)


def option_of(names: list[str], value: str, text: str) -> Option:
    """Of a document: `value` is `no|yes`, `<n>`, `no|yes|DIR` or empty."""
    forms = re.split(r"\s*\|\s*", value.replace("\\", "")) if value else []
    choices = [form for form in forms if re.fullmatch(r"[a-z][\w.-]*", form)]
    takes_file = any(PATHS.fullmatch(form) for form in forms)
    return Option(names, bool(forms), choices, text, takes_file)


def sentence(text: str) -> str:
    """The first one, without links and other marks of Markdown."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text.replace("`", ""))
    return re.split(r"\.(?:\s|$)", text)[0]


# --- What there is ----------------------------------------------------------------------


def of_parser(name: str, parser: argparse.ArgumentParser, text: str = "") -> Command:
    command = Command(name, [], help=text)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            texts = {each.dest: each.help or "" for each in action._choices_actions}
            for inner, its_parser in action.choices.items():
                command.inner.append(of_parser(inner, its_parser, texts[inner]))
        elif action.option_strings:
            found = (action.help or "") % {**vars(action), "prog": name}
            choices = [str(choice) for choice in action.choices or ()]
            words = action.metavar if isinstance(action.metavar, tuple) else (
                action.metavar or "",)
            takes_file = any(PATHS.fullmatch(word) for word in words)
            command.options.append(Option(list(action.option_strings), action.nargs != 0,
                                          choices, found, takes_file))  # fmt: skip
    return command


def plain_line(line: str) -> str:
    """Of a man page, without its macro and changes of font."""
    macro, blank, words = line.partition(" ")
    if macro in (".BR", ".IR", ".RI"):
        return "".join(shlex.split(words))
    text = words if blank and macro.startswith(".") else line
    return re.sub(r"\\f[BIR]", "", text)


def of_man_page(name: str, page: str) -> Command:
    """Options are paragraphs of the chapter OPTIONS, `.BR \\-o ", " \\-\\-output=...`."""
    command = Command(name, [], runs_program=True)
    chapter = page.partition("\n.SH OPTIONS\n")[2].partition("\n.SH ")[0]
    for paragraph in chapter.replace("\\-", "-").split(".TP\n")[1:]:
        head, _, rest = paragraph.partition("\n")
        words = re.sub(r'^\.BR? |"|\\f[BIR]', "", head)
        long, _, value = words.rpartition(", ")[2].partition("=")
        short = [word.strip() for word in words.split(", ")[:-1] if word[0] == "-"][:1]
        text = " ".join(map(plain_line, rest.splitlines()))
        names = [*short, long.strip()]
        command.options.append(option_of(names, value.strip(), sentence(text)))
    return command


def of_manual(name: str, manual: str) -> Command:
    """`./profile`: its own options, and the tool's, which are rows of tables."""
    command = Command(name, [
        Option(["--html"], False, [], "make a page with a flame graph, too"),
        Option(["--source"], False, [], "put the sources into the page"),
        Option(["--by-clock"], False, [], "sample in place of counting"),
        Option(["-h", "--help"], False, [], "show the options"),
    ], runs_program=True, values_are_words=False)  # fmt: skip
    known = {"--html", "--source", "--by-clock"}
    for long, value, text in re.findall(
        r"^\| `(--[\w-]+)(?:=([^`]*))?` \|.*?\| ([^|]*) \|$", manual, re.MULTILINE
    ):
        if long not in known:
            known.add(long)
            command.options.append(option_of([long], value, sentence(text)))
    return command


def commands() -> list[Command]:
    sys.path.insert(0, str(SOURCE / "callgrind" / "report"))
    import export.options
    import gate.options
    import views.options

    return [
        of_parser("callgrind_report", views.options.make_parser("callgrind_report")),
        of_parser("callgrind_export", export.options.make_parser("callgrind_export")),
        of_parser("callgrind_gate", gate.options.make_parser("callgrind_gate")),
        of_man_page("callgrind_sample", SAMPLE_PAGE.read_text("utf-8")),
        of_manual("profile", MANUAL.read_text("utf-8")),
    ]


# --- bash -------------------------------------------------------------------------------


def words_of(command: Command) -> str:
    return " ".join(
        name + ("=" if option.takes_value and name.startswith("--") else "")
        for option in command.options for name in option.names
    )


def cases_of(command: Command, indent: str) -> Iterator[str]:
    """What completes behind an option that takes a value: its words, or a file; behind
    others, where no program is run, files."""
    yield f"{indent}case $before in"
    for option in command.options:
        if option.takes_value and option.choices:
            names, choices = "|".join(option.names), " ".join(option.choices)
            yield f'{indent}   {names}) words="{choices}" ;;'
    for is_file, what in ((True, "return"), (False, "compopt +o default; return")):
        names_of = [name for option in command.options for name in option.names
                    if option.takes_value and not option.choices
                    and option.takes_file is is_file]  # fmt: skip
        if names_of:
            yield f'{indent}   {"|".join(names_of)}) {what} ;;'
    yield f"{indent}   *)"
    yield f"{indent}      case $now in"
    yield f'{indent}         -*) words="{words_of(command)}" ;;'
    if command.runs_program:
        yield f"{indent}         */*) ;;"
        yield f'{indent}         *) mapfile -t COMPREPLY < <(compgen -c -- "$now")'
        yield f"{indent}            return ;;"
    yield f"{indent}      esac ;;"
    yield f"{indent}esac"


def behind_the_program(command: Command) -> Iterator[str]:
    """The program's own words are completed as its own, where bash-completion helps, or
    else as files."""
    yield "   local at"
    yield "   for ((at = 1; at < COMP_CWORD; at++)); do"
    yield "      case ${COMP_WORDS[at]} in"
    yield "         =) at=$((at + 1)) ;;"
    if command.values_are_words:
        names = [name for option in command.options for name in option.names
                 if option.takes_value]  # fmt: skip
        yield f'         {"|".join(names)})'
        yield '            [ "${COMP_WORDS[at+1]}" = = ] || at=$((at + 1)) ;;'
    yield "         -*) ;;"
    yield "         *)"
    yield "            if declare -F _command_offset > /dev/null; then"
    yield "               _command_offset \"$at\""
    yield "            fi"
    yield "            return ;;"
    yield "      esac"
    yield "   done"


def bash(command: Command) -> str:
    function = f"_{command.name}"
    lines = [
        f"# bash completion for {command.name}; made by tests/documents/completion.py",
        "",
        f"{function}()",
        "{",
        "   local now=${COMP_WORDS[COMP_CWORD]} words=",
        "   local before=${COMP_WORDS[COMP_CWORD-1]}",
        *(behind_the_program(command) if command.runs_program else ()),
        "   # bash takes --option=value for three words.",
        "   if [ \"$now\" = = ]; then",
        "      now=",
        "   elif [ \"$before\" = = ]; then",
        "      before=${COMP_WORDS[COMP_CWORD-2]}",
        "   fi",
    ]
    if command.inner:
        lines += ["   if [ \"$COMP_CWORD\" = 1 ]; then",
                  f'      words="{" ".join(each.name for each in command.inner)}'
                  f' {words_of(command)}"',
                  "   else",
                  "      case ${COMP_WORDS[1]} in"]  # fmt: skip
        for each in command.inner:
            inner = " " * 12
            lines += [f"         {each.name})", *cases_of(each, inner), inner + ";;"]
        lines += ["      esac", "   fi"]
    else:
        lines += cases_of(command, "   ")
    lines += [
        "   # shellcheck disable=SC2207  # none of the words has a blank in it",
        "   COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))",
        "   case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac",
        "}",
        "# Without a word of ours: files.",
        f"complete -o default -F {function} {command.name}",
    ]
    return "\n".join(lines) + "\n"


# --- zsh --------------------------------------------------------------------------------


def zsh_text(text: str) -> str:
    first = re.split(r"; (?![^()]*\))", text)[0]  # not within brackets
    return re.sub(r"([\[\]:\\])", r"\\\1", first).replace("'", "'\\''")


def zsh_value(option: Option) -> str:
    """What completes the value."""
    words = " ".join(option.choices)
    if option.choices and option.takes_file:
        return f"{{compadd - {words} || _files}}"
    return f"({words})" if option.choices else "_files" if option.takes_file else " "


def zsh_options(command: Command) -> Iterator[str]:
    for option in command.options:
        value = ""
        if option.takes_value:
            value = f":value:{zsh_value(option)}"
        for name in option.names:
            mark = ("=" if name.startswith("--") else "+") if value else ""
            yield f"'*{name}{mark}[{zsh_text(option.help)}]{value}'"


def zsh(command: Command) -> str:
    lines = [f"#compdef {command.name}",
             "# zsh completion; made by tests/documents/completion.py", ""]  # fmt: skip
    if command.inner:
        lines += ["if (( CURRENT == 2 )); then", "   _values command \\"]
        lines += [f"      '{each.name}[{zsh_text(each.help)}]' \\"
                  for each in command.inner]  # fmt: skip
        lines += ["      && return 0", "fi", "local inner=$words[2]", "shift words",
                  "(( CURRENT-- ))", "case $inner in"]  # fmt: skip
        for each in command.inner:
            lines += [f"   {each.name})", "      _arguments -s \\"]
            lines += [f"         {option} \\" for option in zsh_options(each)]
            lines += ["         '*:file:_files' ;;"]
        lines.append("esac")
    elif command.runs_program:
        lines.append("_arguments -s -S -A '-*' \\")
        lines += [f"   {option} \\" for option in zsh_options(command)]
        lines += ["   '(-)1:program:_command_names -e' \\", "   '*::argument:_normal'"]
    else:
        lines.append("_arguments -s \\")
        lines += [f"   {option} \\" for option in zsh_options(command)]
        lines.append("   '*:file:_files'")
    return "\n".join(lines) + "\n"


# --- Files ------------------------------------------------------------------------------


def files() -> dict[Path, str]:
    """What docs/completion/ has to hold, by its path."""
    found = {}
    for command in commands():
        found[FOLDER / "bash" / command.name] = bash(command)
        found[FOLDER / "zsh" / f"_{command.name}"] = zsh(command)
    return found


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/completion/")
    options = parser.parse_args(arguments)
    behind = [path for path, text in files().items()
              if not path.is_file() or path.read_text("utf-8") != text]  # fmt: skip
    for path in behind:
        print(path.relative_to(SOURCE))
        if options.write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files()[path], "utf-8")
    return 1 if behind and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
