// A masked store of one lane that is known writes one number: LLVM's code generator for AVX-512 would write four bytes of it.
// RUN: hal-translate %s --emit=asm --target=cpu:znver4@x86_64-linux-gnu | FileCheck %s
// CHECK-LABEL: first:
// CHECK-NOT: vmov{{[a-z]+}} {{.*}}(%rsi
// CHECK: {{movb|vpextrb}} {{.*}}(%rsi)
// CHECK-LABEL: fourth:
// CHECK-NOT: vextractps
// CHECK: {{movb|vpextrb}} {{.*}}3(%rsi)
// Two lanes are stored as before.
// CHECK-LABEL: two:
// CHECK: vpmovdb {{.*}}(%rsi) {%k1}
func.func @first(%a: !llvm.ptr, %out: !llvm.ptr, %wg: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> vector<16xi32>
  %y = arith.trunci %x : vector<16xi32> to vector<16xi8>
  %mask = arith.constant dense<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : vector<16xi1>
  llvm.intr.masked.store %y, %out, %mask {alignment = 1 : i32} : vector<16xi8>, vector<16xi1> into !llvm.ptr
  return
}
func.func @first_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
func.func @fourth(%a: !llvm.ptr, %out: !llvm.ptr, %wg: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> vector<16xi32>
  %y = arith.trunci %x : vector<16xi32> to vector<16xi8>
  %mask = arith.constant dense<[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : vector<16xi1>
  llvm.intr.masked.store %y, %out, %mask {alignment = 1 : i32} : vector<16xi8>, vector<16xi1> into !llvm.ptr
  return
}
func.func @fourth_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
func.func @two(%a: !llvm.ptr, %out: !llvm.ptr, %wg: !llvm.ptr) {
  %x = llvm.load %a : !llvm.ptr -> vector<16xi32>
  %y = arith.trunci %x : vector<16xi32> to vector<16xi8>
  %mask = arith.constant dense<[1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : vector<16xi1>
  llvm.intr.masked.store %y, %out, %mask {alignment = 1 : i32} : vector<16xi8>, vector<16xi1> into !llvm.ptr
  return
}
func.func @two_workgroups() -> (index, index, index) {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}
