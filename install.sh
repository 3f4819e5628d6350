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
# shellcheck source=assets/rust.sh
. "$root/assets/rust.sh"

usage() {
  cat <<'HELP'
Usage: ./install.sh [WHERE] [THEN]
       ./install.sh --bundle FILE [WHERE]
       ./install.sh --uninstall [--purge] [WHERE]

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

  --with-rust      get Rust by rustup if it is missing, after asking; --yes does not ask
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

where=default prefix='' notebook='' output='' lab=no uninstall=no purge=no with_rust=no yes=no bundle=''
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

# The Python that runs notebooks: the prefix's own, or else the one in PATH.
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

channel=$(sed -n 's/^channel *= *"\(.*\)".*/\1/p' "$root/rust-toolchain.toml")
problems=()

toolchain=$(find_rust "$channel")
if [ $with_rust = yes ] && { [ -z "$toolchain" ] || [ "$(rust_release "$toolchain")" != "$channel" ]; }; then
  get_rust "$channel" $yes || fail "Rust was not installed"
  toolchain=$(find_rust "$channel")
  [ -n "$toolchain" ] || fail "rustup has ended well, but Rust $channel is not in $rustup_home"
fi
rust_src=''
if [ -n "${WARPCELL_RUSTC:-}" ] && [ -z "$toolchain" ]; then
  problems+=("Rust $channel or later: WARPCELL_RUSTC is $WARPCELL_RUSTC, which is no such compiler with cargo beside it: unset WARPCELL_RUSTC")
elif [ -z "$toolchain" ]; then
  found=$(rustc --version 2>/dev/null || true)
  problems+=("Rust $channel${found:+; found: $found}: $(get_rust_command "$channel")")
else
  # Types are inferred from the standard library's sources.
  rust_src=$(find_sources "$toolchain")
  [ -n "$rust_src" ] || problems+=("The standard library's sources: $(get_sources_command "$toolchain")")
  PATH="$toolchain/bin:$PATH"
fi

command -v cc >/dev/null ||
  problems+=("cc, the C compiler that links programs. Debian, Ubuntu: sudo apt-get install build-essential; Fedora: sudo dnf install gcc")

if ! command -v python3 >/dev/null; then
  problems+=("Python 3.9 or later. Debian, Ubuntu: sudo apt-get install python3 python3-venv; Fedora: sudo dnf install python3")
elif ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'; then
  problems+=("Python 3.9 or later; found: $(python3 --version 2>&1 || true)")
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
  begin "Building the kernel (some minutes the first time)"
  # Where another release than the wanted one is taken, that may be why.
  release=$(rust_release "$toolchain")
  advice=''
  [ "$release" = "$channel" ] || advice=" with Rust $release; with $channel it does: $(get_rust_command "$channel")"
  logged cargo_kernel build --release --locked -p warpcell-kernel || fail "the kernel does not build$advice"
  end
  begin "Building the prelude"
  logged cargo_prelude build --release --locked -p warpcell || fail "the prelude does not build$advice"
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
