// A kernel in C says which properties of the device it takes, and is put into a program before or after hal-translate, as object, IR or assembly.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-translate %s -o o.mlir && clang -O2 -g -Wall -Wextra -fPIC -c -I%include %S/Inputs/kernel.c -o k.o
// RUN: hal-substitute o.mlir e=k.o -o new.mlir -v 2>&1 | FileCheck %s --check-prefix=SAID && FileCheck %s < new.mlir && hal-link new.mlir -o p.so && hal-run p.so --threads=3 --input=4xf32=1,2,3,4 --expect=4xf32=103,203,303,403
// SAID: `k` takes device.threads, device.cores of the device
// CHECK: func.func private @k(tensor<4xf32>, index, index, index) -> tensor<4xf32> attributes {hal.export, hal.fingerprint = "{{.*}}", hal.load_constants = ["device.threads", "device.cores"], hal.workgroups = @[[COUNT:.*]]}
// CHECK: func.func @[[COUNT]](%{{.*}}: index, %{{.*}}: index, %{{.*}}: index) -> (index, index, index)
// Instead of hal-translate.
// RUN: hal-substitute %s e=k.o | hal-translate | hal-link -o q.so && hal-run q.so --threads=2 --input=4xf32=1,2,3,4 --expect=4xf32=102,202,302,402
// RUN: clang -O2 -fPIC -S -emit-llvm -I%include %S/Inputs/kernel.c -o k.ll && hal-substitute o.mlir e=k.ll | hal-link -o q.so && hal-run q.so --threads=2 --input=4xf32=1,2,3,4 --expect=4xf32=102,202,302,402
// RUN: clang -O2 -fPIC -S -I%include %S/Inputs/kernel.c -o k.s && hal-substitute o.mlir e=k.s | hal-link -o q.so && hal-run q.so --threads=2 --input=4xf32=1,2,3,4 --expect=4xf32=102,202,302,402
// RUN: llvm-ar rc k.a k.o && hal-substitute o.mlir e=k.a | hal-link -o q.so && hal-run q.so --threads=2 --input=4xf32=1,2,3,4 --expect=4xf32=102,202,302,402
// On the driver.
// RUN: cp k.o e.o && hal-compile %s -o d.so -q --substitute-executable-object=e=k.o && hal-run d.so --threads=2 --input=4xf32=1,2,3,4 --expect=4xf32=102,202,302,402
// An object that says nothing takes what was taken before: nothing, or the same.
// RUN: clang -g -fPIC -DWITHOUT -DUNSAID -c -I%include %S/Inputs/kernel.c -o w.o && hal-substitute o.mlir e=w.o | hal-link -o q.so && hal-run q.so --threads=2 --input=4xf32=1 --expect=4xf32=100
// RUN: clang -g -fPIC -DUNSAID -c -I%include %S/Inputs/kernel.c -o u.o && hal-substitute new.mlir e=u.o | hal-link -o q.so && hal-run q.so --threads=2 --input=4xf32=1 --expect=4xf32=102

// RUN: exits 1 hal-substitute o.mlir e=u.o 2>&1 | FileCheck %s --check-prefix=UNSAID
// UNSAID: error[wrong-signature]: `u.o`: function `k` does not have the kernel's signature: it takes 6 arguments, a kernel of this interface 4
// RUN: exits 1 hal-substitute new.mlir e=w.o 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: error[wrong-signature]: `w.o`: function `k` does not have the kernel's signature: it takes 4 arguments, a kernel of this interface 6
// LACKS: hint: its signature in C is `void k(const float *, float *, int64_t, int64_t device_threads, int64_t device_cores, const hal_workgroup_t *)`
// RUN: clang -fPIC -c -I%include '-DLIST="device.threads,device.core"' %S/Inputs/kernel.c -o x.o && exits 1 hal-substitute o.mlir e=x.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[unknown-property]: `x.o`: `device.core` (did you mean `device.cores`{{.*}}?) is not a device property; there are `device.threads`
// RUN: clang -fPIC -c -I%include '-DLIST=""' %S/Inputs/kernel.c -o x.o && exits 1 hal-substitute o.mlir e=x.o 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error[bad-object]: `x.o`: section `.hal.load_constants` holds `k=`, which is not like `kernel=device.threads,device.cores`
// RUN: clang -fPIC -c -I%include -DNAMED=kk %S/Inputs/kernel.c -o x.o && exits 1 hal-substitute o.mlir e=x.o 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error[bad-object]: `x.o`: `HAL_LOAD_CONSTANTS` names `kk`, a function that it does not define
// NAMED: hint: did you mean `k`?
// RUN: clang -O2 -fPIC -S -emit-llvm -DUNSAID -I%include %S/Inputs/kernel.c -o u.ll && exits 1 hal-substitute o.mlir e=u.ll 2>&1 | FileCheck %s --check-prefix=IR
// IR: error[wrong-signature]: {{.*}} it takes 6 arguments, a kernel of this interface 4
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> attributes {hal.export} {
      return %x : tensor<4xf32>
    }
  }
  func.func private @k(tensor<4xf32>, index) -> tensor<4xf32> attributes {hal.entry = @e::@k}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c4 = arith.constant 4 : index
    %y = call @k(%x, %c4) : (tensor<4xf32>, index) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
