# How the two halves are built; sourced by install.sh and tests/run, so that nothing is built twice with other flags.
# shellcheck shell=bash disable=SC2034
#
# The caller sets `root` to the checkout and uses the paths named here. Flags of the user's own environment are left
# out: the prelude that cells link against must be one and the same everywhere.

target="${root:?}/target"
kernel_binary="$target/release/warpcell"
# Where cargo finds the C compiler that links: assets/glibc.sh changes it for wheels.
cargo_path=${WARPCELL_CARGO_PATH:-$PATH}

# use_toolchain FOLDER: its cargo and compiler come first from now on.
use_toolchain() {
  PATH="$1/bin:$PATH"
  cargo_path=${WARPCELL_CARGO_PATH:+$1/bin:$WARPCELL_CARGO_PATH}
  cargo_path=${cargo_path:-$PATH}
}

# The compiler's allocator, jemalloc, asks for huge pages: on virtual machines a crate takes a sixth less time. Not what else runs here:
# tests and benchmarks have the compilers of cells that users have.
huge_pages=MALLOC_CONF=thp:always

# cargo for the kernel: cargo_kernel SUBCOMMAND ARGUMENTS...
cargo_kernel() {
  (cd "$root" && env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u RUSTC_BOOTSTRAP PATH="$cargo_path" \
    CARGO_TARGET_DIR="$target" "$huge_pages" cargo "$@")
}

# cargo for the prelude and its companion crates: cargo_prelude SUBCOMMAND ARGUMENTS...
# prelude/dylib.toml has the flags and the target folder; one of the flags is unstable. It is named behind the subcommand: cargo
# passes on to clippy what stands there, and nothing else.
cargo_prelude() {
  (cd "$root" && env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u CARGO_TARGET_DIR PATH="$cargo_path" RUSTC_BOOTSTRAP=1 \
    "$huge_pages" cargo "$1" --config prelude/dylib.toml "${@:2}")
}

# share_processors: cargo calls that run side by side from now on share this machine's processors, by make's protocol. Without
# it each would start a compiler for each processor, and need the memory.
share_processors() {
  local pipe="$target/processors"
  rm -f "$pipe"
  mkfifo "$pipe" || return 0
  exec 8<>"$pipe"
  # Each cargo may run one compiler without asking.
  printf '%*s' $((${CARGO_BUILD_JOBS:-$(nproc)} - 1)) '' | tr ' ' '+' >&8
  export MAKEFLAGS="-j --jobserver-auth=fifo:$pipe"
}

# yielding COMMAND...: leaves the processors to others that want them. The prelude's own crate is built last, by one processor: so the
# kernel beside it yields, so that neither waits long for the other.
yielding() {
  renice -n 5 -p "$BASHPID" >/dev/null 2>&1 || true
  "$@"
}
