# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes `tests` this folder, whatever else of that name is installed: modules of tests
# import each other from the top of the source tree, as `tests.build.built`.
