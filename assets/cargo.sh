# How the two halves are built; sourced by install.sh and tests/run, so that nothing is built twice with other flags.
# shellcheck shell=bash disable=SC2034
#
# The caller sets `root` to the checkout and uses the paths named here. Flags of the user's own environment are left out: the prelude that cells
# link against must be one and the same everywhere.

target="${root:?}/target"
kernel_binary="$target/release/warpcell"
prelude_build="$target/prelude/release"

# Generic code of the prelude is shared with cells instead of being compiled again in each of them; that needs a
# flag which stable compilers take only with RUSTC_BOOTSTRAP. Without prefer-dynamic the standard library would end
# up inside the prelude.
prelude_flags="-C prefer-dynamic -Z share-generics=y"

# cargo for the kernel: cargo_kernel SUBCOMMAND ARGUMENTS...
cargo_kernel() {
  (cd "$root" && env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u RUSTC_BOOTSTRAP CARGO_TARGET_DIR="$target" cargo "$@")
}

# cargo for the prelude and its companion crates: cargo_prelude SUBCOMMAND ARGUMENTS...
cargo_prelude() {
  (cd "$root" && env -u CARGO_ENCODED_RUSTFLAGS RUSTC_BOOTSTRAP=1 RUSTFLAGS="$prelude_flags" \
    RUSTDOCFLAGS="$prelude_flags ${RUSTDOCFLAGS-}" CARGO_TARGET_DIR="$target/prelude" cargo "$@")
}
