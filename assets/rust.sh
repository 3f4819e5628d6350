# Rust, before there is a kernel to look for it; sourced by install.sh after assets/packages.sh.
# shellcheck shell=bash
#
# The search is the beginning of that in kernel/src/installation/toolchain/search.rs: $WARPCELL_RUSTC alone if it is set, or else PATH,
# rustup's toolchains and cargo's folder of programs; the wanted release wins, a later one will do.

rustup_home=${RUSTUP_HOME:-$HOME/.rustup}
cargo_programs=${CARGO_HOME:-$HOME/.cargo}/bin

# rust_release FOLDER: the release of the toolchain in a folder.
rust_release() {
  "$1/bin/rustc" -vV 2>/dev/null | sed -n 's/^release: //p'
}

# is_later RELEASE WANTED: whether a release is the wanted one or a later one.
is_later() {
  [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# find_rust WANTED: the folder of a toolchain with a compiler and cargo, or nothing.
find_rust() {
  local wanted=$1 rustc root release later=''
  local places=("$(command -v rustc || true)" "$rustup_home/toolchains/$wanted"-*/bin/rustc
    "$rustup_home"/toolchains/*/bin/rustc "$cargo_programs/rustc")
  if [ -n "${WARPCELL_RUSTC:-}" ]; then
    places=("$(realpath -m -s "$WARPCELL_RUSTC")")
    [ ! -d "${places[0]}" ] || places=("${places[0]}/bin/rustc")
  fi
  for rustc in "${places[@]}"; do
    # Not in the current folder, and without the network: rustup would choose by the one and install by the other.
    root=$(cd / && RUSTUP_AUTO_INSTALL=0 "$rustc" --print sysroot 2>/dev/null) || continue
    release=$(rust_release "$root")
    [ -x "$root/bin/cargo" ] && [ -n "$release" ] || continue
    if [ "$release" = "$wanted" ]; then
      printf '%s\n' "$root"
      return
    fi
    [ -n "$later" ] || ! is_later "$release" "$wanted" || later=$root
  done
  printf '%s\n' "$later"
}

# The rustup that is there, or nothing.
find_rustup() {
  command -v rustup || { [ ! -x "$cargo_programs/rustup" ] || printf '%s\n' "$cargo_programs/rustup"; }
}

# get_rust_command WANTED: the one command that gets it, for a message.
get_rust_command() {
  if [ -n "$(find_rustup)" ]; then
    printf '%s toolchain install %s --profile minimal --component rust-src\n' "$(find_rustup)" "$1"
  elif [ -n "${CONDA_PREFIX:-}" ]; then
    printf 'conda install -y -c conda-forge rust=%s rust-src=%s\n' "$1" "$1"
  else
    printf '%q --with-rust\n' "$0"
  fi
}

# find_sources FOLDER: the standard library's sources, by which types are inferred, or nothing.
find_sources() {
  local found
  for found in "${RUST_SRC_PATH:-}" "$1/lib/rustlib/src/rust/library" "/usr/src/rustc-$(rust_release "$1")/library" \
    /usr/src/rustc-*/library; do
    if [ -f "$found/core/src/lib.rs" ]; then
      printf '%s\n' "$found"
      return
    fi
  done
}

# get_sources_command FOLDER: the one command that gets them, for a message.
get_sources_command() {
  if is_from_rustup "$1"; then
    printf '%s component add rust-src --toolchain %s\n' "$(find_rustup)" "$(basename "$1")"
  elif [ "$1" = "${CONDA_PREFIX:-}" ]; then
    printf 'conda install -y -c conda-forge rust-src=%s\n' "$(rust_release "$1")"
  elif [ "$1" = /usr ] && [ -n "$(package_command sources)" ]; then
    package_command sources
  else
    printf 'curl -sSf https://static.rust-lang.org/dist/rust-src-%s.tar.xz | tar -xJ --strip-components=2 -C %q\n' \
      "$(rust_release "$1")" "$1"
  fi
}

# is_from_rustup FOLDER: whether a toolchain is rustup's.
is_from_rustup() {
  [ -n "$(find_rustup)" ] && [ "$(dirname "$1")" = "$rustup_home/toolchains" ]
}

# get_toolchain WANTED: gets it by rustup, if that is there. Says what it does on stderr.
get_toolchain() {
  local command said
  [ -n "$(find_rustup)" ] || return 1
  command=$(get_rust_command "$1")
  echo "Getting Rust $1: $command" >&2
  said=$(timeout 900 bash -c "$command" 2>&1 </dev/null) || {
    echo "Rust could not be downloaded: $(last_line "$said")" >&2
    return 1
  }
}

# get_sources FOLDER: gets them by the tool that the toolchain is from, if it is from one. Says what it does on stderr.
get_sources() {
  local command said
  if ! is_from_rustup "$1" && { [ "$1" != "${CONDA_PREFIX:-}" ] || ! command -v conda >/dev/null; }; then
    return 1
  fi
  command=$(get_sources_command "$1")
  echo "Getting the standard library's sources: $command" >&2
  # A download that hangs has failed.
  said=$(timeout 120 bash -c "$command" 2>&1 </dev/null) || true
  [ -z "$(find_sources "$1")" ] || return 0
  echo "The sources could not be downloaded: $(last_line "$said")" >&2
  return 1
}

# download ADDRESS FILE: by what there is.
download() {
  case $1 in
  /*) cp "$1" "$2" ;;
  file://*) cp "${1#file://}" "$2" ;;
  *)
    if command -v curl >/dev/null; then
      curl --proto '=https' --tlsv1.2 -sSfL "$1" -o "$2"
    elif command -v wget >/dev/null; then
      wget -q --https-only -O "$2" "$1"
    else
      python3 -c 'import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[1:])' "$1" "$2"
    fi
    ;;
  esac
}

# get_rust WANTED YES: gets a toolchain by rustup, after saying what that does, and asking unless YES is `yes`.
# $RUSTUP_INIT names another place of rustup's installer than its own site; the sum of the file lies beside it.
get_rust() {
  local wanted=$1 yes=$2 answer='' folder rustup installer status=0
  installer=${RUSTUP_INIT:-https://static.rust-lang.org/rustup/dist/x86_64-unknown-linux-gnu/rustup-init}
  rustup=$(find_rustup)
  echo "Rust $wanted is to be installed for you alone:"
  if [ -n "$rustup" ]; then
    echo "  $rustup downloads it to $rustup_home; your default toolchain stays what it is."
  else
    echo "  rustup, the installer of the Rust project, is downloaded ($installer),"
    echo "  compared with its published SHA-256 sum, and run. It puts programs into $cargo_programs and Rust $wanted,"
    echo "  with the standard library's sources, into $rustup_home. Your PATH is left as it is. About 600 MB."
    echo "  \`rustup self uninstall\` removes it again."
  fi
  if [ "$yes" != yes ]; then
    if [ ! -t 0 ]; then
      echo "There is nobody to ask; with --yes it is done without asking." >&2
      return 1
    fi
    read -r -p "Go on? [y/N] " answer || true
    case $answer in
    y | Y | yes) ;;
    *)
      echo "Nothing was done." >&2
      return 1
      ;;
    esac
  fi
  if [ -n "$rustup" ]; then
    "$rustup" toolchain install "$wanted" --profile minimal --component rust-src
    return
  fi
  folder=$(mktemp -d) || return 1
  if ! download "$installer" "$folder/rustup-init" || ! download "$installer.sha256" "$folder/sum"; then
    echo "The installer of Rust cannot be downloaded from $installer. Is there a network?" >&2
    status=1
  elif [ "$(sha256sum <"$folder/rustup-init" | cut -d ' ' -f 1)" != "$(cut -d ' ' -f 1 "$folder/sum")" ]; then
    echo "What was downloaded from $installer does not have its published sum; it was not run." >&2
    status=1
  else
    chmod +x "$folder/rustup-init"
    "$folder/rustup-init" -y --no-modify-path --profile minimal --default-toolchain "$wanted" --component rust-src ||
      status=1
  fi
  rm -rf "$folder"
  return $status
}
