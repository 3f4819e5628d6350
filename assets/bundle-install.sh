#!/usr/bin/env bash
# Installs the Warpcell that lies beside this file: nothing is built, and no network is needed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
active=${VIRTUAL_ENV:-${CONDA_PREFIX:-}}

usage() {
  cat <<'HELP'
Usage: install.sh [WHERE]
       install.sh --uninstall [--purge] [WHERE]

WHERE
  (nothing)      the active virtual or conda environment; with none active, ~/.local
  --sys-prefix   the environment of python3
  --user         ~/.local
  --prefix DIR   the folder DIR

  --uninstall    remove it again; with --purge also what kernels have built for this user
HELP
}

fail() {
  printf '\ninstall.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

prefix=${active:-$HOME/.local} uninstall=no purge=()
while [ $# -gt 0 ]; do
  case $1 in
  --sys-prefix) prefix=$(python3 -c 'import sys; print(sys.prefix)') ;;
  --user) prefix=$HOME/.local ;;
  --prefix)
    prefix=${2:?"install.sh: --prefix needs a folder"}
    shift
    ;;
  --uninstall) uninstall=yes ;;
  --purge) purge=(--purge) ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    usage >&2
    fail "unknown option: $1" 2
    ;;
  esac
  shift
done

if [ $uninstall = yes ]; then
  [ -x "$prefix/bin/warpcell" ] || fail "Warpcell is not installed in $prefix"
  exec "$prefix/bin/warpcell" uninstall "${purge[@]}" --prefix "$prefix"
fi

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || fail "Warpcell runs on Linux x86-64 only; this is $(uname -s) $(uname -m)"
command -v cc >/dev/null ||
  fail "cc, the C compiler that links programs, is missing. Debian, Ubuntu: sudo apt-get install build-essential; Fedora: sudo dnf install gcc"
(cd "$here" && sha256sum --quiet --check SHA256SUMS) ||
  fail "this bundle is damaged: its files do not have the sums of SHA256SUMS. Copy it again"
made=no
[ -d "$prefix" ] || made=yes
mkdir -p "$prefix" 2>/dev/null || fail "the folder $prefix cannot be made; choose another one with --prefix"
prefix=$(cd "$prefix" && pwd -P)
chmod +x "$here/warpcell" 2>/dev/null || true
if ! "$here/warpcell" install-bundle --from "$here" --prefix "$prefix"; then
  [ $made = no ] || rmdir "$prefix" 2>/dev/null || true
  fail "nothing was installed"
fi
"$prefix/bin/warpcell" doctor || fail "the installation does not work; see the lines above"
