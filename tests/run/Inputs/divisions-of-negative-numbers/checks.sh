# Runs the program beside it at all levels: checks.sh FOLDER DEVICE [INCLUDE: what is extracted as C, too]
set -e
device=$2 program=$1/p.so input=$(dirname $0)/p.mlir
check() {
  hal-run $program --device=$device --function=around --input=5xf32=0,1,2,3,4 --expect=9xf32=2,3,4,0,1,2,3,4,0 --expect=9xf32=0,1,1,2,2,3,3,4,4 --expect=9xf32=0,0,1,1,2,2,3,3,4
  pairs="--input=6xi32=-2147483648,-7,7,-8,-2147483648,-7 --input=6xi32=-1,2,-2,3,1,-7"
  hal-run $program --device=$device --function=divide $pairs --expect=6xi32=-2147483648,-3,-3,-2,-2147483648,1 --expect=6xi32=0,-1,1,-2,0,0 \
      --expect=6xi32=-2147483648,-4,-4,-3,-2147483648,1 --expect=6xi32=-2147483648,-3,-3,-2,-2147483648,1
  hal-run $program --device=$device --function=bytes --input=3xi8=-128,-128,-7 --input=3xi8=-1,1,-2 --expect=3xi8=-128,-128,3 --expect=3xi8=0,0,-1
  hal-run $program --device=$device --function=longs --input=1xi64=-9223372036854775808 --input=1xi64=-1 --expect=1xi64=-9223372036854775808 --expect=1xi64=0
  hal-run $program --device=$device --function=host --input=i32=-2147483648 --input=i32=-1 --expect=i32=-2147483648 --expect=i32=0 --expect=i32=-2147483648 --expect=i32=-2147483648
  hal-run $program --device=$device --function=host --input=i32=-7 --input=i32=2 --expect=i32=-3 --expect=i32=-1 --expect=i32=-4 --expect=i32=-3
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
