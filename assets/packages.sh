# What the distribution's packages can give; sourced by install.sh and tests/run.
# shellcheck shell=bash
#
# Packages are installed by root, or by sudo where there is one. On a terminal one question comes first; `yes=yes`, which the
# caller may set, answers it. Without a terminal root is not asked (scripts, containers, CI), and others install nothing.
# The caller sets `channel` to the release of Rust that is wanted.

packages_allowed='' packages_listed=no

# package_manager: the manager that there is, or nothing.
package_manager() {
  local manager
  for manager in apt-get dnf; do
    if command -v "$manager" >/dev/null; then
      printf '%s\n' "$manager"
      return
    fi
  done
}

# packages_for THING: the packages that give it, or nothing. The one table of them.
packages_for() {
  case $(package_manager):$1 in
  apt-get:cc) echo build-essential ;;
  dnf:cc) echo gcc ;;
  apt-get:python) echo python3 python3-venv ;;
  dnf:python) echo python3 ;;
  apt-get:venv) echo python3-venv ;;
  *:git) echo git ;;
  *:chromium) echo chromium ;;
  apt-get:node) echo nodejs npm ;;
  dnf:node) echo nodejs-npm ;;
  apt-get:mpirun) echo openmpi-bin ;;
  dnf:mpirun) echo openmpi ;;
  apt-get:sources) sources_package ;;
  dnf:sources) echo rust-src ;;
  esac
}

# sources_package: the package with the standard library's sources whose release is at most ten away from the wanted one.
sources_package() {
  local name minor wanted=${channel:?}
  wanted=${wanted#*.}
  wanted=${wanted%%.*}
  for name in rust-web-src rust-src; do
    minor=$(LC_ALL=C apt-cache policy "$name" 2>/dev/null | sed -n 's/^  Candidate: 1\.\([0-9]*\).*/\1/p')
    if [ -n "$minor" ] && [ $((minor - wanted)) -le 10 ] && [ $((wanted - minor)) -le 10 ]; then
      echo "$name"
      return
    fi
  done
}

# name_of THING: in a user's words.
name_of() {
  case $1 in
  cc) echo 'a C compiler' ;;
  python) echo 'Python 3.9 or later' ;;
  venv) echo "Python's venv module" ;;
  chromium) echo 'Chromium' ;;
  node) echo 'Node.js with npm' ;;
  mpirun) echo 'Open MPI' ;;
  sources) echo "the standard library's sources" ;;
  *) echo "$1" ;;
  esac
}

# package_command THING: the command that installs what gives it, for a message; or nothing.
package_command() {
  local names sudo=''
  names=$(packages_for "$1")
  # apt knows no versions before it has read its lists.
  [ -n "$names" ] || [ "$(package_manager):$1" != apt-get:sources ] || names=rust-web-src
  [ "$(id -u)" = 0 ] || sudo='sudo '
  [ -z "$names" ] || printf '%s%s install -y %s\n' "$sudo" "$(package_manager)" "$names"
}

# may_install THING...: whether packages may be installed; on a terminal asks, once.
may_install() {
  local answer='' is_root=no thing
  [ "$(id -u)" != 0 ] || is_root=yes
  [ -n "$(package_manager)" ] || return 1
  [ $is_root = yes ] || command -v sudo >/dev/null || return 1
  if [ "${yes:-no}" = yes ]; then
    packages_allowed=yes
  elif [ ! -t 0 ]; then
    packages_allowed=$is_root
  elif [ -z "$packages_allowed" ]; then
    packages_allowed=no
    echo "Missing:" >&2
    for thing in "$@"; do printf '  - %s\n' "$(name_of "$thing")" >&2; done
    read -r -p "Install with $(package_manager)? [Y/n] " answer || answer=n
    case $answer in '' | y | Y | yes) packages_allowed=yes ;; esac
  fi
  [ $packages_allowed = yes ]
}

# as_root COMMAND...
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    # Nobody can be asked for a password.
    sudo -n "$@"
  fi
}

# install_packages THING...: installs what gives these things, if that is allowed, and says so on stderr.
install_packages() {
  local thing said names=() found=()
  [ $# -gt 0 ] && may_install "$@" || return 1
  if [ "$(package_manager)" = apt-get ] && [ $packages_listed = no ]; then
    packages_listed=yes
    # If that fails, the lists are what they were.
    as_root apt-get update -qq >/dev/null 2>&1 || true
  fi
  for thing in "$@"; do
    read -r -a found < <(packages_for "$thing") || true
    if [ ${#found[@]} -eq 0 ]; then
      echo "$(package_manager) has no package with $(name_of "$thing")" >&2
    fi
    names+=("${found[@]}")
  done
  [ ${#names[@]} -gt 0 ] || return 1
  echo "Installing with $(package_manager): ${names[*]}" >&2
  local install=(dnf install -y -q)
  [ "$(package_manager)" != apt-get ] ||
    install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300)
  said=$(as_root "${install[@]}" "${names[@]}" 2>&1) || {
    echo "$(package_manager) has not installed them: $(last_line "$said")" >&2
    return 1
  }
}

# last_line TEXT: what a program that failed said last, without `error:` before it.
last_line() {
  printf '%s\n' "$1" | grep -v '^ *$' | tail -n 1 | sed 's/^error: //'
}

# find_python MINOR [MODULES]: a Python of release 3.MINOR or later that has some modules, or nothing. Without MODULES these
# are the ones that make environments.
find_python() {
  local name
  for name in python3 /usr/bin/python3 python3.{9..19}; do
    if "$name" -c "import sys, ${2:-venv, ensurepip}; sys.exit(sys.version_info < (3, $1))" 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
}
