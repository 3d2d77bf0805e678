# Runs the program beside it at all levels: checks.sh FOLDER DEVICE [INCLUDE: what is extracted as C, too]
set -e
device=$2 program=$1/p.so input=$(dirname $0)/p.mlir
check() {
  x="--input=2x3xf32=1,2,3,4,5,6"
  hal-run $program --device=$device --function=turned $x --expect=2x3xf32=1,2,3,4,5,6 --expect=3x2xf32=-1,-4,-2,-5,-3,-6
  hal-run $program --device=$device --function=partial $x --expect=2xf32=6,15 --expect=3xf32=4,10,18
  hal-run $program --device=$device --function=sums $x --expect=2xf32=6,15 --expect=3x2xf32=2,5,3,6,4,7 --expect=f32=6
  hal-run $program --device=$device --function=one_place --input=3xf32=1,2,3 --expect=3x2xf32=1,7,2,7,3,7
  hal-run $program --device=$device --function=one_iteration --input=1xf32=5 --input=1xi8=3 --expect=3xf32=7,5,7 --expect=3xi8=1,1,3
  hal-run $program --device=$device --function=last --input=2x3xf32=1,2,3,4,5,6 --expect=2xf32=3,6
}
for level in 0 1 3; do
  hal-import $input | hal-translate --target=$device -O$level | hal-link -o $program
  check
done
[ -n "$3" ] || exit 0
hal-import $input -o $1/p.mlir
hal-extract --as=c $1/p.mlir --to=$1/c -o /dev/null
for f in $1/c/*.c; do
  clang -O1 -I$3 -fPIC -c $f -o ${f%.c}.o
done
hal-translate $1/p.mlir | hal-substitute --from=$1/c | hal-link -o $program
check
