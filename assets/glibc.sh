# Linking against an older C library than the machine's; sourced by assets/wheel.sh and tests/run.
# shellcheck shell=bash disable=SC2034
#
# A program runs with the C library that it was linked with, and with later ones. So what goes into a wheel is linked with
# stubs of an older one, which zig makes: the names and versions of its functions, without what they do. Only the last
# step of a build is concerned, and it is done by a `cc` in front of the system's, which names the folder with the stubs.
# To cargo nothing differs: neither are objects built twice, nor does what is built depend on how it was linked.
#
# The caller sets `target` (assets/cargo.sh), calls link_with_stubs before the first build, and then builds as always.

glibc_version=2.28
stubs="${target:?}/glibc-$glibc_version"

# make_stubs PYTHON: makes the stubs by the zig in a Python environment, if they are not there.
make_stubs() {
  [ ! -f "$stubs/complete" ] || return 0
  local work="$stubs.new-$$" file
  rm -rf "$work" "$stubs"
  mkdir -p "$work/bin" || return 1
  # A program of nothing: zig then makes all parts of the C library that programs are linked with.
  echo 'int main(void) { return 0; }' >"$work/main.c"
  "$1" -m ziglang build-exe "$work/main.c" -lc -target "x86_64-linux-gnu.$glibc_version" -fPIE -O ReleaseSmall \
    -fno-compiler-rt -fno-ubsan-rt -femit-bin="$work/main" --cache-dir "$work/cache" --global-cache-dir "$work/cache" || return 1
  for file in Scrt1.o libc.so.6 libc_nonshared.a libdl.so.2 libld.so.2 libm.so.6 libpthread.so.0 libresolv.so.2 librt.so.1 libutil.so.1; do
    find "$work/cache" -name "$file" -exec cp {} "$work/" \; -quit
    [ -f "$work/$file" ] || {
      echo "zig has made no $file" >&2
      return 1
    }
  done
  for file in dl m pthread resolv rt util; do
    ln -s "$(basename "$work/lib$file".so.*)" "$work/lib$file.so"
  done
  echo 'GROUP ( libc.so.6 libc_nonshared.a AS_NEEDED ( libld.so.2 ) )' >"$work/libc.so"
  # The machine's libgcc_s asks for functions that the stubs lack, and gets them where the program runs.
  cat >"$work/bin/cc" <<CC
#!/bin/sh
exec "$(command -v cc)" -B "$stubs/" "\$@" -Wl,--allow-shlib-undefined
CC
  chmod +x "$work/bin/cc"
  rm -rf "$work/cache" "$work/main"*
  touch "$work/complete"
  mv "$work" "$stubs"
}

# link_with_stubs PYTHON: all later builds by cargo_kernel and cargo_prelude are linked with the stubs.
link_with_stubs() {
  make_stubs "$1" || return 1
  cargo_path="$stubs/bin:$PATH"
  # For install.sh below tests/run.
  export WARPCELL_CARGO_PATH=$cargo_path
}

# too_new FILE...: prints the files that need a later C library than the stubs', with what they need of it.
too_new() {
  local file versions newest
  for file in "$@"; do
    versions=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV)
    newest=$(printf '%s\nGLIBC_%s\n' "$versions" "$glibc_version" | sort -V | tail -n 1)
    [ "$newest" = "GLIBC_$glibc_version" ] || printf '%s: %s\n' "$file" "$newest"
  done
}
