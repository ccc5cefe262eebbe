# SPDX-License-Identifier: BSD-2-Clause
{
  "targets": [{
    "target_name": "requests",
    "sources": ["requests.c"],
    "defines": ["NAPI_VERSION=8"],
  }],
}
