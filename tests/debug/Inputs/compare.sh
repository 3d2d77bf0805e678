# Compiles MODEL with and without -g at several levels of optimisation, and compares the code. Leaves plain.so and model.so.
set -e
for level in 0 1 3; do
  hal-compile "$1" -O$level -o plain.so -q
  hal-compile "$1" -O$level -g -o model.so -q
  for name in plain model; do
    llvm-objcopy -O binary --only-section=.text --only-section=.rodata $name.so $name.$level.code
  done
  cmp plain.$level.code model.$level.code
  llvm-dwarfdump --verify model.so | grep -q 'No errors'
done
