#!/usr/bin/env bash
# Installs Warpcell, the Jupyter kernel for GPU notebooks in Rust. `./install.sh --help` says how it is used.
set -euo pipefail

if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ] || [[ "$(uname -r)" == *-Microsoft ]]; then
  echo "Warpcell runs on Linux x86-64 and on WSL2 only; this is $(uname -s) $(uname -m) ($(uname -r))." >&2
  exit 1
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=assets/cargo.sh
. "$root/assets/cargo.sh"
# shellcheck source=assets/packages.sh
. "$root/assets/packages.sh"
# shellcheck source=assets/rust.sh
. "$root/assets/rust.sh"
channel=$(sed -n 's/^channel *= *"\(.*\)".*/\1/p' "$root/rust-toolchain.toml")

usage() {
  cat <<'HELP'
Usage: ./install.sh [WHERE] [THEN]
       ./install.sh --bundle FILE [WHERE]
       ./install.sh --uninstall [--purge] [WHERE]

Builds the kernel and its prelude and installs them for Jupyter as "Rust GPU". What is missing it gets: the standard
library's sources by rustup; a C compiler, Python or those sources as packages of the distribution, with root's rights or
by sudo. On a terminal it asks before it installs packages.

WHERE
  (nothing)        the active virtual or conda environment; with none active, .venv in this checkout.
                   JupyterLab is added there if it is missing.
  --sys-prefix     the active environment, or else the one that python3 belongs to, as it is
  --user           ~/.local
  --prefix DIR     the folder DIR

THEN
  --run NOTEBOOK   execute a notebook; the result goes to executed/ beside it. Fails if a cell fails that is not
                   meant to.
  --output FILE    with --run: where the executed notebook goes; as a page to read in a browser, if FILE ends with .html
  --lab            open JupyterLab on the lessons

  --with-rust      get Rust by rustup if it is missing, after asking
  --yes            answer yes to all questions
  --bundle FILE    install what `warpcell bundle` has packed: nothing is built, and no network is needed
  --uninstall      remove the kernel, the prelude and the kernelspec again; with --purge also what kernels have built
                   for this user
  --help           this text

It is safe to run again, and quick when nothing changed.
HELP
}

fail() {
  printf '\ninstall.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

# ---------------------------------------------------------------------------------------------------- arguments

where=default prefix='' notebook='' output='' open_lab=no uninstall=no purge=no with_rust=no yes=no bundle=''
set_where() {
  [ "$where" = default ] || fail "--$where and --$1 exclude each other" 2
  where=$1
}
while [ $# -gt 0 ]; do
  case $1 in
  --sys-prefix | --user) set_where "${1#--}" ;;
  --prefix)
    set_where prefix
    prefix=${2:?"install.sh: --prefix needs a folder"}
    shift
    ;;
  --run)
    notebook=${2:?"install.sh: --run needs a notebook"}
    shift
    ;;
  --output)
    output=${2:?"install.sh: --output needs a file"}
    shift
    ;;
  --lab) open_lab=yes ;;
  --uninstall) uninstall=yes ;;
  --purge) purge=yes ;;
  --with-rust) with_rust=yes ;;
  --yes) yes=yes ;;
  --bundle)
    bundle=${2:?"install.sh: --bundle needs a file"}
    shift
    ;;
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
[ -z "$output" ] || [ -n "$notebook" ] || fail "--output needs --run" 2
[ -z "$notebook" ] || [ -f "$notebook" ] || fail "there is no notebook $notebook" 2

active=${VIRTUAL_ENV:-${CONDA_PREFIX:-}}
own_environment=no # whether JupyterLab is ours to install
case $where in
default)
  own_environment=yes
  prefix=${active:-$root/.venv}
  ;;
sys-prefix) prefix=${active:-$(python3 -c 'import sys; print(sys.prefix)')} ;;
user) prefix=$HOME/.local ;;
esac
[ $uninstall = no ] || [ -d "$prefix" ] || fail "there is no folder $prefix" 2
mkdir -p "$prefix" 2>/dev/null || fail "the folder $prefix cannot be made; choose another one with --prefix"
prefix=$(cd "$prefix" && pwd -P)
[ -w "$prefix" ] || fail "the folder $prefix cannot be written to; choose another one with --prefix"
stamp="$prefix/lib/warpcell/install.stamp"

# The Python that runs JupyterLab: the prefix's own, or else the one in PATH.
python=python3
if [ -x "$prefix/bin/python3" ] || { [ "$where" = default ] && [ -z "$active" ]; }; then
  python=$prefix/bin/python3
fi

# ---------------------------------------------------------------------------------------------------- uninstall

if [ $uninstall = yes ]; then
  if [ -x "$prefix/bin/warpcell" ]; then
    rm -f "$stamp"
    purge_flag=()
    [ $purge = no ] || purge_flag=(--purge)
    "$prefix/bin/warpcell" uninstall "${purge_flag[@]}" --prefix "$prefix"
    echo "Warpcell is removed from $prefix."
  else
    echo "Warpcell is not installed in $prefix."
  fi
  [ "$prefix" != "$root/.venv" ] || echo "JupyterLab is still in $prefix; remove that folder if you need it no more."
  exit 0
fi

# ------------------------------------------------------------------------------------------------------ a bundle

if [ -n "$bundle" ]; then
  [ -f "$bundle" ] || fail "there is no file $bundle" 2
  unpacked=$(mktemp -d "$prefix/.warpcell-bundle-XXXXXX") || fail "nothing can be written to $prefix"
  trap 'rm -rf "$unpacked"' EXIT
  tar -xf "$bundle" -C "$unpacked" 2>/dev/null ||
    fail "$bundle cannot be unpacked: it is no bundle, it is not whole, or there is no room for it in $prefix"
  [ -f "$unpacked/warpcell/install.sh" ] || fail "$bundle is no bundle: there is no warpcell/install.sh in it"
  bash "$unpacked/warpcell/install.sh" --prefix "$prefix" || exit 1
  exit 0
fi

# ------------------------------------------------------------------------------------------------- prerequisites

toolchain=$(find_rust "$channel")
if [ $with_rust = yes ] && { [ -z "$toolchain" ] || [ "$(rust_release "$toolchain")" != "$channel" ]; }; then
  get_rust "$channel" $yes || fail "Rust was not installed"
  toolchain=$(find_rust "$channel")
  [ -n "$toolchain" ] || fail "rustup has ended well, but Rust $channel is not in $rustup_home"
elif [ -z "$toolchain" ] && [ -z "${WARPCELL_RUSTC:-}" ] && get_toolchain "$channel"; then
  toolchain=$(find_rust "$channel")
fi

# The standard library's sources, by which types are inferred and completed.
look_for_sources() { rust_src=$([ -z "$toolchain" ] || find_sources "$toolchain"); }
# The Python that makes .venv; elsewhere any will do.
look_for_python() {
  base_python=$(find_python 9)
  [ -n "$base_python" ] || [ "$prefix" = "$root/.venv" ] || base_python=$(find_python 9 sys)
}

missing=()
look_for_sources
if [ -n "$toolchain" ] && [ -z "$rust_src" ]; then
  get_sources "$toolchain" || missing+=(sources)
fi
command -v cc >/dev/null || missing+=(cc)
look_for_python
[ -n "$base_python" ] || missing+=("$(if [ -n "$(find_python 9 sys)" ]; then echo venv; else echo python; fi)")
if [ ${#missing[@]} -gt 0 ]; then
  install_packages "${missing[@]}" || true
fi
look_for_sources
look_for_python

problems=()
if [ -n "${WARPCELL_RUSTC:-}" ] && [ -z "$toolchain" ]; then
  problems+=("Rust $channel or later: WARPCELL_RUSTC is $WARPCELL_RUSTC, which is no such compiler with cargo beside it: unset WARPCELL_RUSTC")
elif [ -z "$toolchain" ]; then
  found=$(rustc --version 2>/dev/null || true)
  problems+=("Rust $channel${found:+; found: $found}: $(get_rust_command "$channel")")
fi
# needed THING NAME: a problem, with the command that mends it.
needed() { problems+=("$2. $(package_command "$1" || true)"); }
command -v cc >/dev/null || needed cc "cc, the C compiler that links programs"
if [ -z "$base_python" ]; then
  if [ -n "$(find_python 9 sys)" ]; then
    needed venv "Python's venv module"
  else
    found=$(python3 --version 2>/dev/null || true)
    needed python "Python 3.9 or later${found:+; found: $found}"
  fi
fi
if [ $own_environment = yes ] && [ -n "$active" ] && ! "$active/bin/python3" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
  found=$("$active/bin/python3" --version 2>&1 || true)
  problems+=("Python 3.9 or later in the active environment $active; found: ${found:-none}. Leave it: deactivate; then Warpcell makes one of its own")
fi

if [ ${#problems[@]} -gt 0 ]; then
  {
    echo "Warpcell cannot be installed yet. Missing:"
    printf '  - %s\n' "${problems[@]}"
    echo "Then run ./install.sh again."
  } >&2
  exit 1
fi
use_toolchain "$toolchain"

# One at a time in this checkout: two would write the same files.
mkdir -p "$target" 2>/dev/null || fail "the folder $target cannot be made; the build needs a checkout that can be written to"
exec 9>"$target/install.lock" || fail "nothing can be written to $target; the build needs a checkout that can be written to"
if ! flock -n 9; then
  echo "Another ./install.sh works in this checkout; waiting for its end."
  flock 9
fi

# ---------------------------------------------------------------------------------------------------------- jobs

# What takes long is done side by side, each job with a log in target/install-NAME.log and a process group of its own.
declare -A jobs=()
failed=''
stop_jobs() {
  local name
  for name in "${!jobs[@]}"; do kill -- "-${jobs[$name]}" 2>/dev/null || true; done
}
trap stop_jobs EXIT
trap 'exit 130' INT TERM

# start NAME COMMAND...
start() {
  rm -f "$target/install-$1.status"
  set -m
  job "$@" >"$target/install-$1.log" 2>&1 </dev/null 9>&- &
  jobs[$1]=$!
  set +m
}
job() {
  local status=0
  "${@:2}" || status=$?
  echo $status >"$target/install-$1.status"
}

# Waits for all jobs; on a terminal shows how far they are. If one fails, ends the others and says why.
finish() {
  local name count status
  while [ ${#jobs[@]} -gt 0 ]; do
    for name in "${!jobs[@]}"; do
      ! kill -0 "${jobs[$name]}" 2>/dev/null || continue
      # One that was killed has left none.
      status=$(cat "$target/install-$name.status" 2>/dev/null || echo 1)
      unset "jobs[$name]"
      if [ "$status" != 0 ]; then
        stop_jobs
        [ ! -t 2 ] || printf '\r\033[K' >&2
        explain "$target/install-$name.log"
        failed=$name
        return 1
      fi
    done
    [ ${#jobs[@]} -gt 0 ] || break
    if [ -t 2 ]; then
      count=$(cat "$target"/install-*.log | grep -c '^ *Compiling ') || true
      printf '\r\033[K      %d crates, %d s' "$count" $((SECONDS - step_start)) >&2
      sleep 1
    else
      wait -n || true
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

# Why a job failed, by its log: one cause and its cure, or else the end of the log.
explain() {
  local log=$1 line
  # said PATTERN: whether a line has it; `line` is the last one.
  said() {
    line=$(grep -E "$1" "$log" | tail -n 1 | sed 's/^ *//')
    [ -n "$line" ]
  }
  {
    if said 'No space left on device|os error 28|Disk quota exceeded'; then
      echo "There is no room left: $line"
      echo "A build needs $room GB in $target (free: $(df -h --output=avail "$target" | tail -n 1 | tr -d ' ')). Make room, then run it again."
    elif said 'Read-only file system|Permission denied'; then
      echo "Something cannot be written: $line"
      echo "Make it writable for $(id -un), or name another place: $0 --prefix DIR"
    elif said 'signal: 9|SIGKILL|LLVM ERROR: out of memory|memory allocation of'; then
      echo "A compiler was killed: $line"
      echo "Most often memory is short. Do less at a time: CARGO_BUILD_JOBS=1 $0"
    elif said 'failed to (download|fetch|get|query)|no matching package named|[Cc]ould not (resolve|connect)|spurious network error|download of .* failed|invalid response|No matching distribution|ProxyError|SSLError|ConnectionError|Read timed out|Tunnel connection failed|SSL connect error|403 Forbidden|407 Proxy'; then
      echo "Something cannot be downloaded: $line"
      echo "crates.io and PyPI must be reached. Behind a proxy: HTTPS_PROXY=http://HOST:PORT $0 (now: ${HTTPS_PROXY:-${https_proxy:-not set}}). Without a network there are bundles: README.md."
    elif said 'E0786|found invalid metadata files|too small to be an archive|malformed archive|file is truncated'; then
      echo "What an earlier build has left was damaged: $line"
      rm -rf "$target/release" "$target/prelude"
      echo "It is removed now. Run it again: $0"
    else
      tail -n 60 "$log"
    fi
  } >&2
}

steps=3 step=0 step_start=0
begin() {
  step=$((step + 1)) step_start=$SECONDS
  printf '[%d/%d] %s\n' $step $steps "$1"
}
end() { printf '      %s (%d s)\n' "${1:-done}" $((SECONDS - step_start)); }

# ----------------------------------------------------------------------------------------------------- the steps

room=4
requirements="$root/assets/requirements-lab.txt" lab_stamp="$prefix/.warpcell-lab"
# Makes .venv anew if there is none that works: it may be half made, or its Python may be gone or too old.
make_environment() {
  if ! "$python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    "$base_python" -m venv --clear "$prefix" || return 1
  fi
  add_lab && cp "$requirements" "$lab_stamp"
}
add_lab() { "$python" -m pip install --disable-pip-version-check -r "$requirements"; }
has_lab() {
  "$python" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("jupyterlab"))' 2>/dev/null
}
lab=there
if [ $own_environment = yes ]; then
  if [ "$prefix" = "$root/.venv" ]; then
    cmp -s "$requirements" "$lab_stamp" && has_lab || lab=make_environment
  else
    has_lab || lab=add_lab
  fi
fi

# A hash of everything that the installed files depend on.
fingerprint() {
  cd "$root"
  {
    rustc -vV
    printf '%s\n' "$prefix" "$rust_src"
    find Cargo.toml Cargo.lock rust-toolchain.toml install.sh assets kernel prelude -type f -print0 |
      LC_ALL=C sort -z | xargs -0 sha256sum
  } | sha256sum
}
# Of what is built now: a file that is changed meanwhile may be in it or not.
fingerprint=$(fingerprint)
build=yes
if [ -x "$prefix/bin/warpcell" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$fingerprint" ]; then
  build=no
  echo "Kernel and prelude in $prefix are up to date."
fi

notes=()
if [ $build = yes ] || [ $lab != there ]; then
  building="Building the kernel and the prelude (some minutes the first time)"
  case $build:$lab in
  yes:there) begin "$building" ;;
  yes:*) begin "$building, and getting JupyterLab for $prefix" ;;
  *)
    steps=1
    begin "Getting JupyterLab for $prefix"
    ;;
  esac
  [ $lab = there ] || start lab $lab
  if [ $build = yes ]; then
    rm -f "$stamp"
    share_processors
    start kernel yielding cargo_kernel build --release --locked -p warpcell-kernel
    start prelude cargo_prelude build --release --locked -p warpcell
  fi
  if ! finish; then
    # Where another release than the wanted one is taken, that may be why.
    release=$(rust_release "$toolchain") advice=''
    [ "$release" = "$channel" ] || advice=" with Rust $release; with $channel it does: $(get_rust_command "$channel")"
    case $failed in
    lab) fail "JupyterLab could not be installed" ;;
    *) fail "the $failed does not build$advice" ;;
    esac
  fi
  end
fi
if [ $build = yes ]; then
  begin "Installing to $prefix"
  said=$("$kernel_binary" install --prefix "$prefix" --source "$root" ${rust_src:+--rust-src "$rust_src"}) ||
    fail "the files could not be installed"
  while read -r line; do
    case $line in note:*) notes+=("$line") ;; *) echo "      $line" ;; esac
  done <<<"$said"
  end
  begin "Looking at what is there"
  "$prefix/bin/warpcell" doctor || fail "the installation does not work; see the lines above"
  end
  printf '%s\n' "$fingerprint" >"$stamp"
fi
exec 9>&-
if [ -z "$rust_src" ]; then
  notes+=("note: the standard library's sources could not be downloaded. Notebooks run without them, but a cell with \`let\` takes longer, and completion does not know the standard library. To add them: $(get_sources_command "$toolchain"), then ./install.sh")
fi

# --------------------------------------------------------------------------------------------------- what follows

# The kernelspec is found in the environment of the Python that runs JupyterLab; for another prefix say where.
case $where in
prefix | sys-prefix) export JUPYTER_PATH="$prefix/share/jupyter${JUPYTER_PATH:+:$JUPYTER_PATH}" ;;
esac

tell_notes() { [ ${#notes[@]} -eq 0 ] || printf '%s\n' '' "${notes[@]}"; }

if [ -n "$notebook" ]; then
  "$prefix/bin/warpcell" run "$notebook" ${output:+--output "$output"} || exit 1
fi

if [ $open_lab = yes ]; then
  "$python" -c 'import jupyterlab' 2>/dev/null ||
    fail "--lab needs jupyterlab in the environment of $("$python" -c 'import sys; print(sys.executable)'): $python -m pip install jupyterlab"
  tell_notes
  root_flag=()
  [ "$(id -u)" != 0 ] || root_flag=(--allow-root)
  exec "$python" -m jupyterlab "${root_flag[@]}" --ServerApp.root_dir="$root/lessons"
fi

if [ -z "$notebook" ]; then
  cat <<NEXT

Warpcell is ready. Next:
  ./install.sh --run lessons/01-convolution.ipynb    executes the first lesson
  ./install.sh --lab                                 opens the lessons in JupyterLab
NEXT
fi
tell_notes
