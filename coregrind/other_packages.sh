# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# other_packages DEBIAN_PACKAGE...: the command that installs them on a system without
# apt-get, by what its /etc/os-release says; nothing, if that is not known.  setup.sh
# tells it to a person, and installs nothing there.
#
# Owns: what the packages of Debian, which setup.sh asks for, are called elsewhere; README
# has the same in a table, and a test compares.

# ID, or what it is like, of this system; `setup_os_release` is another file, for tests.
other_family()
(
   ID='' ID_LIKE=''
   # shellcheck disable=SC1090,SC1091  # the system's
   . "${setup_os_release:-/etc/os-release}" 2> /dev/null || exit 0
   for word in $ID $ID_LIKE; do
      case $word in
         fedora|arch|rhel) echo "$word"; exit ;;
         suse|opensuse*)   echo suse; exit ;;
      esac
   done
)

# other_name FAMILY DEBIAN_PACKAGE
other_name()
{
   case $1:$2 in
      fedora:valgrind)      echo valgrind valgrind-devel valgrind-tools-devel ;;
      suse:valgrind)        echo valgrind valgrind-devel ;;
      fedora:pkg-config)    echo pkgconf-pkg-config ;;
      arch:pkg-config)      echo pkgconf ;;
      arch:python3)         echo python ;;
      arch:g++)             echo gcc ;;
      fedora:g++|suse:g++)  echo gcc-c++ ;;
      fedora:libc6-dev|suse:libc6-dev) echo glibc-devel ;;
      arch:libc6-dev)       echo glibc ;;
      fedora:libdw-dev)     echo elfutils-devel ;;
      suse:libdw-dev)       echo libdw-devel ;;
      arch:libdw-dev)       echo libelf ;;
      fedora:libiberty-dev|suse:libiberty-dev) echo binutils-devel ;;
      arch:libiberty-dev)   echo binutils ;;
      *:xz-utils)           echo xz ;;
      *)                    echo "$2" ;;
   esac
}

other_packages()
{
   local family package words=()
   family=$(other_family)
   for package; do
      read -ra names <<< "$(other_name "$family" "$package")"
      words+=("${names[@]}")
   done
   case $family in
      fedora) echo "dnf install ${words[*]}" ;;
      arch)   echo "pacman -S --needed ${words[*]}" ;;
      suse)   echo "zypper install ${words[*]}" ;;
   esac
}
