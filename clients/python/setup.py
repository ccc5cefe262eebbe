# SPDX-License-Identifier: BSD-2-Clause
#
# The part of the package that is compiled: by the limited API, so that one wheel serves
# Python 3.9 and all later ones.  pyproject.toml says everything else.

"""Builds the shared object with the requests."""

from __future__ import annotations

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "callgrind_requests._requests",
            ["callgrind_requests/_requests.c"],
            depends=["callgrind_requests/client_request.h"],
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
