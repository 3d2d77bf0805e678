#!/bin/sh
# generate.sh HOW: makes objects of executables, by way of C.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $1 in
empty) exit 0 ;;
fails) echo "not this one" >&2; exit 7 ;;
text) echo "this is text"; exit 0 ;;
slow) sleep 60 ;;
esac
cat >"$work/e.mlir"
hal-extract -q "$work/e.mlir" --as=c --to="$work/c" -o "$work/same"
flags="-O1 -fPIC"
case $1 in
other-name) sed -i 's/^void main_/void other_main_/' "$work"/c/*.c ;;
static) sed -i 's/^void main_/static __attribute__((used)) void main_/' "$work"/c/*.c ;;
aarch64) flags="-O1 -fPIC --target=aarch64-linux-gnu -ffreestanding" ;;
absolute) flags="-O1 -fno-pic -mcmodel=medium"
  sed -i 's/wg->id\[0\]/table[0] | wg->id[0]/; s/^void main_/int table[9]; &/' "$work"/c/*.c ;;
esac
echo "target $HALYARD_TARGET, hook $HALYARD_HOOK" >&2
clang $flags -I"$work/c" -c "$work"/c/*.c -o "$work/e.o"
cat "$work/e.o"
