# SPDX-License-Identifier: GPL-2.0-or-later
#
# A server on this machine, in place of one that a script would ask.

"""An HTTP server for a test."""

from __future__ import annotations

import contextlib
import http.server
import threading
from typing import Any, Callable, Iterator


@contextlib.contextmanager
def serving(handler: Callable[..., Any]) -> Iterator[str]:
    """Its URL; it serves as long as the context lasts."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
