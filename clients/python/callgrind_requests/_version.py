# SPDX-License-Identifier: BSD-2-Clause
#
# The version of the package; setuptools reads it without importing anything.

"""The version."""

VERSION = "0.1.0"
