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

usage() {
  cat <<'HELP'
Usage: ./install.sh [WHERE] [THEN]
       ./install.sh --uninstall [WHERE]

Builds the kernel and its prelude and installs them for Jupyter as "Rust GPU".

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

  --uninstall      remove the kernel, the prelude and the kernelspec again
  --help           this text

It is safe to run again, and quick when nothing changed.
HELP
}

fail() {
  printf '\ninstall.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

# ---------------------------------------------------------------------------------------------------- arguments

where=default prefix='' notebook='' output='' lab=no uninstall=no
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
  --lab) lab=yes ;;
  --uninstall) uninstall=yes ;;
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

# The Python that runs notebooks: the prefix's own, or else the one in PATH.
python=python3
if [ -x "$prefix/bin/python3" ] || { [ "$where" = default ] && [ -z "$active" ]; }; then
  python=$prefix/bin/python3
fi

# ---------------------------------------------------------------------------------------------------- uninstall

if [ $uninstall = yes ]; then
  if [ -x "$prefix/bin/warpcell" ]; then
    rm -f "$stamp"
    "$prefix/bin/warpcell" uninstall --prefix "$prefix"
    echo "Warpcell is removed from $prefix."
  else
    echo "Warpcell is not installed in $prefix."
  fi
  [ "$prefix" != "$root/.venv" ] || echo "JupyterLab is still in $prefix; remove that folder if you need it no more."
  exit 0
fi

# ------------------------------------------------------------------------------------------------- prerequisites

channel=$(sed -n 's/^channel *= *"\(.*\)".*/\1/p' "$root/rust-toolchain.toml")
problems=()

rust=$(cd "$root" && rustc --version 2>/dev/null || true)
cargo=$(cd "$root" && cargo --version 2>/dev/null || true)
if [ -z "$rust" ] || [ -z "$cargo" ]; then
  if command -v rustup >/dev/null; then
    problems+=("Rust $channel: rustup toolchain install $channel --profile minimal")
  else
    problems+=("Rust $channel (cargo and rustc), best by rustup: https://rustup.rs, then open a new shell")
  fi
elif [[ "$rust" != "rustc $channel "* ]]; then
  problems+=("Rust $channel, which cells must be compiled with; found: $rust. With rustup: rustup toolchain install $channel --profile minimal")
fi

command -v cc >/dev/null ||
  problems+=("cc, the C compiler that links programs. Debian, Ubuntu: sudo apt-get install build-essential; Fedora: sudo dnf install gcc")

if ! command -v python3 >/dev/null; then
  problems+=("Python 3.9 or later. Debian, Ubuntu: sudo apt-get install python3 python3-venv; Fedora: sudo dnf install python3")
elif ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'; then
  problems+=("Python 3.9 or later; found: $(python3 --version 2>&1)")
elif [ "$prefix" = "$root/.venv" ] && ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
  problems+=("Python's venv module. Debian, Ubuntu: sudo apt-get install python3-venv")
fi

if [ ${#problems[@]} -gt 0 ]; then
  {
    echo "Warpcell cannot be installed yet. Missing:"
    printf '  - %s\n' "${problems[@]}"
    echo "Then run ./install.sh again."
  } >&2
  exit 1
fi

# Types are inferred from the standard library's sources. Prints their folder, or nothing.
find_sources() {
  local found
  for found in "${RUST_SRC_PATH:-}" "$(cd "$root" && rustc --print sysroot)/lib/rustlib/src/rust/library" /usr/src/rustc-*/library; do
    if [ -f "$found/core/src/lib.rs" ]; then
      printf '%s\n' "$found"
      return
    fi
  done
}
rust_src=$(find_sources)

# ------------------------------------------------------------------------------------------------------ progress

steps=4 step=0 step_start=0
[ $own_environment = no ] || steps=5
begin() {
  step=$((step + 1)) step_start=$SECONDS
  printf '[%d/%d] %s\n' $step $steps "$1"
}
end() { printf '      %s (%d s)\n' "${1:-done}" $((SECONDS - step_start)); }

# Runs a command: on a terminal one sees what it prints, else it goes to a log, shown if the command fails.
logged() {
  local log="$target/install.log"
  if [ -t 2 ]; then
    "$@" >&2
  else
    mkdir -p "$target"
    "$@" >"$log" 2>&1 || {
      tail -n 60 "$log" >&2
      return 1
    }
  fi
}

# ----------------------------------------------------------------------------------------------------- the steps

if [ $own_environment = yes ]; then
  lab_stamp="$prefix/.warpcell-lab"
  requirements="$root/assets/requirements-lab.txt"
  if [ "$prefix" = "$root/.venv" ] && ! "$python" -c '' 2>/dev/null; then
    begin "Making the environment $prefix with JupyterLab"
    logged python3 -m venv --clear "$prefix" || fail "the environment could not be made"
    logged "$python" -m pip install -r "$requirements" || fail "JupyterLab could not be installed"
    cp "$requirements" "$lab_stamp"
    end
  elif [ "$prefix" = "$root/.venv" ] && ! cmp -s "$requirements" "$lab_stamp"; then
    begin "Bringing JupyterLab in $prefix up to date"
    logged "$python" -m pip install -r "$requirements" || fail "JupyterLab could not be installed"
    cp "$requirements" "$lab_stamp"
    end
  elif ! "$python" -c 'import importlib.util as u, sys; sys.exit(not (u.find_spec("jupyterlab") and u.find_spec("nbclient")))'; then
    begin "Adding JupyterLab to the active environment $prefix"
    logged "$python" -m pip install -r "$requirements" || fail "JupyterLab could not be installed"
    end
  else
    step=1
    echo "JupyterLab is in $prefix."
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
if [ -x "$prefix/bin/warpcell" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(fingerprint)" ]; then
  echo "Kernel and prelude in $prefix are up to date."
else
  rm -f "$stamp"
  if [ -z "$rust_src" ]; then
    if command -v rustup >/dev/null && (cd "$root" && rustup component add rust-src >/dev/null 2>&1); then
      rust_src=$(find_sources)
    fi
    [ -n "$rust_src" ] || cat >&2 <<'WARNING'
Warning: the standard library's sources were not found. Without them, variables that hold standard types such as
  Vec or String need their type written out. To get them: rustup component add rust-src
  (Debian: sudo apt-get install rust-web-src), then run ./install.sh again.
WARNING
  fi

  begin "Building the kernel (some minutes the first time)"
  logged cargo_kernel build --release --locked -p warpcell-kernel || fail "the kernel does not build"
  end
  begin "Building the prelude"
  logged cargo_prelude build --release --locked -p warpcell || fail "the prelude does not build"
  end
  begin "Installing to $prefix"
  "$kernel_binary" install --prefix "$prefix" --source "$root" ${rust_src:+--rust-src "$rust_src"} ||
    fail "the files could not be installed"
  end
  begin "Looking at what is there"
  "$prefix/bin/warpcell" doctor || fail "the installation does not work; see the lines above"
  end
  printf '%s\n' "$(fingerprint)" >"$stamp"
fi

# --------------------------------------------------------------------------------------------------- what follows

# The kernelspec is found in the environment of the Python that runs the notebook; for another prefix say where.
case $where in
prefix | sys-prefix) export JUPYTER_PATH="$prefix/share/jupyter${JUPYTER_PATH:+:$JUPYTER_PATH}" ;;
esac

need() {
  "$python" -c "import $1" 2>/dev/null ||
    fail "$2 needs $1 in the environment of $("$python" -c 'import sys; print(sys.executable)'): $python -m pip install $1"
}

if [ -n "$notebook" ]; then
  need nbclient --run
  "$python" "$root/tests/run_notebook.py" "$notebook" ${output:+--output "$output"} || exit 1
fi

if [ $lab = yes ]; then
  need jupyterlab --lab
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
