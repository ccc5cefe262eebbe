#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# enter_arm64.sh EMULATOR SYSROOT TOOLS COMMAND...: runs a command where programs for
# arm64 run under EMULATOR (qemu-user) like any others, with libraries from SYSROOT.
# arm64.py starts it in user and mount namespaces of its own: what it tells the kernel of
# other processors' programs, and what it mounts, holds there only, and is gone when they
# end.
#
# Owns: the mounts of libraries, and the environment in which is built.  Relies on
# register_arm64.sh.  TOOLS is a folder of compilers for arm64, and of what else has to be
# that machine's, by the names of those for this one.

set -eu

emulator=$1 sysroot=$2 tools=$3
shift 3

# shellcheck source=tests/machines/register_arm64.sh
. "$(dirname "$0")/register_arm64.sh"
register_arm64 "$emulator"

# The libraries lie where a program looks for them, also one that is started without any
# environment, beside this machine's, whose folders have other names.  (QEMU_LD_PREFIX
# would lead every path to SYSROOT that is there, /tmp, too.)
mount -t overlay overlay -o "lowerdir=/usr/lib:$sysroot/usr/lib:$sysroot/lib" /usr/lib

PKG_CONFIG_SYSROOT_DIR=$sysroot
PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig
PATH=$tools:$PATH
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR PATH
exec "$@"
