// A kernel that wants more memory than its thread has allocates once; then it is lent enough, and finds what it left there.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -I%include -c %S/Inputs/lent.c -o lent.o && hal-compile %s -o p.so -q
// RUN: hal-run p.so --threads=1 --expect=2xi64=0,0 --expect=2xi64=1,2
func.func private @lent() -> tensor<2xi64> attributes {hal.objects = [{path = "lent.o"}], hal.workgroups = array<i64: 3>}
func.func @main() -> (tensor<2xi64>, tensor<2xi64>) {
  %first = call @lent() : () -> tensor<2xi64>
  %second = call @lent() : () -> tensor<2xi64>
  return %first, %second : tensor<2xi64>, tensor<2xi64>
}
