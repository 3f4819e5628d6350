#!/usr/bin/env bash
# Builds the wheel: target/wheel/warpcell-*.whl, for Linux x86-64 with glibc 2.28 or later. Prints its path.
#
# What is built already by install.sh or tests/run is not built again, unless it was linked with a later C library.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=assets/cargo.sh
. "$root/assets/cargo.sh"
# shellcheck source=assets/glibc.sh
. "$root/assets/glibc.sh"
work="$target/wheel"
venv="$work/venv"
python="$venv/bin/python"
requirements="$root/assets/requirements-wheel.txt"

say() { printf '%s\n' "$1" >&2; }

mkdir -p "$work"
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
  say "Making the environment with maturin and zig"
  python3 -m venv --clear "$venv"
  "$python" -m pip install --quiet -r "$requirements"
  cp "$requirements" "$venv/requirements.txt"
fi
link_with_stubs "$python"

# Everything in the wheel that is linked, as far as it is built.
linked() {
  find "$kernel_binary" "$target/prelude/release/libwarpcell.so" -print0 2>/dev/null || true
  find "$target/prelude/release/deps" -name '*.so' -print0 2>/dev/null || true
}
mapfile -d '' files < <(linked)
if [ -n "$(too_new "${files[@]}")" ]; then
  say "What was built before is linked with a later C library, and is built again"
  cargo_kernel clean --release -p warpcell-kernel >&2
  rm -rf "$target/prelude/release"
fi

# Whoever is to build before calls this with --tools, to link as the wheel needs it.
[ "${1:-}" != --tools ] || exit 0

say "Building the kernel and the prelude"
cargo_kernel build --release --locked -p warpcell-kernel >&2
cargo_prelude build --release --locked -p warpcell >&2

say "Making the package"
rm -rf "$work/tree"
share="$work/tree/data/share"
mkdir -p "$share/warpcell"
(cd "$root" && PATH="$cargo_path" "$kernel_binary" package --source "$root" \
  --kernelspec "$share/jupyter/kernels/warpcell" "$share/warpcell/package") >&2
mapfile -d '' files < <(linked; find "$share/warpcell/package/prelude" -name '*.so' -print0)
problems=$(too_new "${files[@]}")
if [ -n "$problems" ]; then
  say "These files need a later C library than $glibc_version:"
  say "$problems"
  exit 1
fi

say "Packing the wheel"
rm -f "$work"/*.whl
(cd "$root/kernel" && env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u RUSTC_BOOTSTRAP PATH="$cargo_path" \
  CARGO_TARGET_DIR="$target" "$python" -m maturin build --release --locked --compatibility "manylinux_${glibc_version/./_}" \
  --auditwheel check --out "$work") >&2
wheel=$(echo "$work"/*.whl)
say "$(du -m "$wheel" | cut -f1) MB, $(unzip -l "$wheel" 2>/dev/null | tail -n 1 || true)"
printf '%s\n' "$wheel"
