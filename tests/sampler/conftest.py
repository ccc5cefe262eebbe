# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which tests of the sampler may not run at the same time: those that sample share the
# kernel's perf events, of which a user has so many, and the FIFOs /tmp/runner.*.fifo.
# Those that call the driver share its building.

"""What pytest has to know of the sampler's tests."""

from __future__ import annotations

import pytest

from tests.sampler.sampling import SamplerTest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        owner = getattr(item, "cls", None)
        if isinstance(owner, type) and issubclass(owner, SamplerTest):
            group = "sampling" if owner.needs_sampling else "driver"
            item.add_marker(pytest.mark.xdist_group(group))
