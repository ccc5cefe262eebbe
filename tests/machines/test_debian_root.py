# SPDX-License-Identifier: GPL-2.0-or-later
#
# Roots, made by a made-up mmdebstrap: when one is made, kept, added to, and what is said
# where that is impossible.  What runs in a real one is `./check debian13`.

"""Making and keeping roots."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.machines import debian_root
from tests.machines.choice import Choice
from tests.machines.debian_root import CannotMake, Wanted, provided
from tests.machines.other_debian import check_in_root

# Makes a root with the packages that --include names; --arch=bad cannot be had.  dpkg
# knows nothing of those that are extracted only.
MMDEBSTRAP = """#!/bin/sh
echo "$*" >> "$CALLS"
for word; do
   case $word in
      --include=*) names=$(echo "${word#*=}" | tr , ' ') ;;
      --variant=extract) known_to=nobody ;;
      --arch=bad) echo "E: no such architecture" >&2; exit 1 ;;
      /*) root=$word ;;
   esac
done
mkdir -p "$root/var/lib/dpkg"
for name in ${known_to-$names}; do
   if [ "$name" != nobody ]; then
      printf 'Package: %s\\nStatus: install ok installed\\n\\n' "$name"
   fi
done > "$root/var/lib/dpkg/status"
"""
UNSHARE_WORKS = "#!/bin/sh\nexit 0\n"
UNSHARE_FAILS = "#!/bin/sh\necho 'unshare: Operation not permitted' >&2\nexit 1\n"
APT_GET = """#!/bin/sh
echo 'Debian|trixie-security|http://mirror.invalid/debian-security/'
echo 'Other|trixie|http://other.invalid/'
echo 'Debian|trixie|http://mirror.invalid/debian/'
"""
APT_CONFIG = """#!/bin/sh
echo 'Acquire::Check-Valid-Until "no";'
echo 'Acquire::Languages "none";'
echo 'Acquire::http::Proxy "http://proxy.invalid";'
"""


class MadeUp(unittest.TestCase):
    """A machine on which the programs are made up."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.calls = self.folder / "calls"
        self.calls.touch()
        (self.folder / "bin").mkdir()
        self.program("mmdebstrap", MMDEBSTRAP)
        self.program("unshare", UNSHARE_WORKS)
        self.program("chroot", UNSHARE_WORKS)
        self.program("apt-get", APT_GET)
        self.program("apt-config", APT_CONFIG)
        self.said: list[str] = []
        environment = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "CALLS": str(self.calls),
        }
        variables = mock.patch.dict(os.environ, environment)
        variables.start()
        self.addCleanup(variables.stop)
        is_root = mock.patch("os.geteuid", lambda: 0)
        is_root.start()
        self.addCleanup(is_root.stop)

    def program(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def provide(self, *packages: str, fresh: bool = False) -> Path:
        with provided(Wanted("trixie", packages=packages), self.said.append, fresh) as it:
            return it.folder

    def times_made(self) -> int:
        return len(self.calls.read_text(encoding="utf-8").splitlines())


class Keeping(MadeUp):
    def test_a_root_is_made_once(self) -> None:
        first = self.provide("gcc", "make")
        self.assertEqual(self.provide("gcc", "make"), first)
        self.assertEqual(self.times_made(), 1)
        self.assertTrue(first.is_relative_to(self.folder / "cache"))

    def test_one_that_lacks_a_package_which_cannot_be_added_is_made_anew(self) -> None:
        self.provide("gcc")
        self.program("unshare", '#!/bin/sh\ncase "$*" in *apt-get*) exit 1; esac\n')
        self.provide("gcc", "make")
        self.assertEqual(self.times_made(), 2)

    def test_what_can_be_added_is_added(self) -> None:
        self.provide("gcc")
        self.provide("gcc", "make")
        self.assertEqual(self.times_made(), 1)
        self.assertIn("installing make", self.said)

    def test_one_that_is_unpacked_only_is_kept_until_it_lacks_a_package(self) -> None:
        for packages, times in ((("gcc",), 1), (("gcc",), 1), (("gcc", "make"), 2)):
            wanted = Wanted("sid", packages=packages, unpacked_only=True)
            with provided(wanted, self.said.append):
                pass
            self.assertEqual(self.times_made(), times)

    def test_fresh_makes_it_anew(self) -> None:
        self.provide("gcc")
        self.provide("gcc", fresh=True)
        self.assertEqual(self.times_made(), 2)

    def test_a_root_begins_as_a_smaller_one(self) -> None:
        """Both are kept, each with its own packages; fresh, both are made anew."""
        small = Wanted("trixie", packages=("python3",), purpose="small")
        large = Wanted("trixie", packages=("python3", "gcc"), begins_as=small)
        with provided(small, self.said.append) as root:
            root.inside("srv/of a run").mkdir(parents=True)
        for fresh, times in ((False, 1), (False, 1), (True, 2)):
            with provided(large, self.said.append, fresh) as root:
                status = root.inside("var/lib/dpkg/status").read_text(encoding="utf-8")
            self.assertFalse(root.inside("srv/of a run").exists())
            self.assertIn("Package: python3\n", status)
            self.assertEqual(self.times_made(), times)
        copied = [text for text in self.said if text.startswith("copying ")]
        self.assertEqual(len(copied), 2)
        with provided(small, self.said.append):
            self.assertEqual(self.times_made(), 2)

    def test_where_the_rest_cannot_be_added_to_a_copy_all_is_made(self) -> None:
        small = Wanted("trixie", packages=("python3",), purpose="small")
        large = Wanted("trixie", packages=("python3", "gcc"), begins_as=small)
        self.program("unshare", '#!/bin/sh\ncase "$*" in *apt-get*) exit 1; esac\n')
        with provided(large, self.said.append) as root:
            status = root.inside("var/lib/dpkg/status").read_text(encoding="utf-8")
        self.assertIn("Package: gcc\n", status)
        self.assertEqual(self.times_made(), 2)

    def test_roots_for_different_purposes_are_different(self) -> None:
        wanted = [
            Wanted("sid"),
            Wanted("trixie"),
            Wanted("sid", "arm64"),
            Wanted("sid", purpose="install"),
        ]
        self.assertEqual(len({each.name for each in wanted}), 4)


class ThisMachine(MadeUp):
    """What apt knows here holds for the root."""

    def test_the_mirror_is_the_one_of_debian_itself(self) -> None:
        self.assertEqual(debian_root.mirror(), "http://mirror.invalid/debian")

    def test_without_one_it_is_debians_default(self) -> None:
        self.program("apt-get", "#!/bin/sh\nexit 1\n")
        self.assertEqual(debian_root.mirror(), debian_root.DEFAULT_MIRROR)

    def test_settings_of_the_way_to_a_mirror_are_handed_on(self) -> None:
        self.provide("gcc")
        call = self.calls.read_text(encoding="utf-8")
        self.assertIn('--aptopt=Acquire::Check-Valid-Until "no";', call)
        self.assertIn('--aptopt=Acquire::http::Proxy "http://proxy.invalid";', call)
        self.assertNotIn("Languages", call)


class Impossible(MadeUp):
    """Each says why, in the words of what said no."""

    def assert_cannot(self, reason: str, architecture: str = "amd64") -> None:
        with self.assertRaisesRegex(CannotMake, reason):
            with provided(Wanted("trixie", architecture), self.said.append):
                pass

    def test_without_the_right(self) -> None:
        with mock.patch("os.geteuid", lambda: 1000):
            self.assert_cannot("only root")

    def test_where_nothing_may_be_mounted(self) -> None:
        self.program("unshare", UNSHARE_FAILS)
        self.assert_cannot("nothing may be mounted here .*Operation not permitted")

    def test_without_mmdebstrap(self) -> None:
        (self.folder / "bin" / "mmdebstrap").unlink()
        with mock.patch.dict(os.environ, {"PATH": str(self.folder / "bin")}):
            self.assert_cannot("mmdebstrap is not installed")

    def test_where_packages_cannot_be_had(self) -> None:
        self.assert_cannot("no root of trixie: E: no such architecture", "bad")
        left = [path.name for path in debian_root.cache_folder().iterdir()]
        self.assertEqual(left, ["trixie-bad-check.lock"])

    def test_is_a_skipped_test(self) -> None:
        with mock.patch("builtins.print") as printed:
            status = check_in_root("old", Wanted("trixie", "bad"), Choice())
        said = [call.args[0] for call in printed.call_args_list]
        self.assertEqual(status, 0)
        self.assertRegex(said[-2], "^old, .* s, .* skipped: mmdebstrap made no root of t")
        self.assertEqual(said[-1], "0 passed, 0 failed, 1 skipped")


if __name__ == "__main__":
    unittest.main()
