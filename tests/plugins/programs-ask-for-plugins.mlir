// A program may ask for plugins; it is refused unless they are marked safe or the command line allows it.
// RUN: rm -rf %t && mkdir %t
// RUN: exits 1 hal-import %s --plugin-path=%S/Inputs/folders 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: exits 1 hal-compile %s -o %t/a.so --plugin-path=%S/Inputs/folders 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error[plugin-not-allowed]: the program asks for plugin `trace`, which is not marked safe
// REFUSED: hint: `--allow-program-plugins` allows it, `--plugin=trace` asks for it, `--plugin=-trace` leaves it out
//
// RUN: hal-import %s --plugin-path=%S/Inputs/folders --allow-program-plugins -o %t/p.mlir 2>&1 | FileCheck %s --check-prefix=ALLOWED
// RUN: FileCheck %s --check-prefix=PROGRAM --input-file=%t/p.mlir
// ALLOWED: {{^  }}asked input
// ALLOWED: {{^  }}asked global
// PROGRAM: hal.plugins = ["trace{words=asked}", "cheap{tag=asked}"]
// PROGRAM-DAG: seen.global = "asked"
//
// The program goes on asking in the next tool.
// RUN: exits 1 hal-translate %t/p.mlir --plugin-path=%S/Inputs/folders 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: hal-translate %t/p.mlir --plugin-path=%S/Inputs/folders --allow-program-plugins -o %t/o.mlir 2>&1 | FileCheck %s --check-prefix=EXECUTABLE
// RUN: hal-opt %t/o.mlir --emit=bytecode -o %t/o.mlirbc
// RUN: exits 1 hal-link %t/o.mlirbc -o %t/a.so --plugin-path=%S/Inputs/folders 2>&1 | FileCheck %s --check-prefix=REFUSED
// EXECUTABLE: {{^  }}asked executable main_dispatch_0
//
// The command line has the last word: its options count, and what it switches off is off.
// RUN: hal-import %s --plugin-path=%S/Inputs/folders --plugin='trace{words=mine}' -o %t/p.mlir 2>&1 | FileCheck %s --check-prefix=MINE
// RUN: hal-import %s --plugin-path=%S/Inputs/folders --plugin=-trace -o %t/p.mlir 2>&1 | count 0
// RUN: hal-import %s --plugin-path=%S/Inputs/folders --plugin=-trace --plugin=-cheap | FileCheck %s --check-prefix=OFF
// RUN: exits 2 hal-import %s --plugin-path=%S/Inputs/folders --plugin=-trace --plugin=-other 2>&1 | FileCheck %s --check-prefix=NEVER
// MINE: {{^  }}mine input
// OFF-NOT: seen.
// NEVER: error[bad-plugin]: plugin `other` is disabled, but was not enabled
//
// What is asked for has to be there, and to be well-formed.
// RUN: exits 3 hal-import %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: sed 's/trace{words=asked}/trace{words=/' %s | exits 1 hal-import --plugin-path=%S/Inputs/folders 2>&1 | FileCheck %s --check-prefix=MALFORMED
// RUN: sed 's/tag=asked/tags=asked/' %s | exits 1 hal-import --plugin-path=%S/Inputs/folders --allow-program-plugins 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: sed 's/= \["trace.*\]}/= 3 : i32}/' %s | exits 1 hal-import --plugin-path=%S/Inputs/folders 2>&1 | FileCheck %s --check-prefix=KIND
// MISSING: error[no-plugin]: there is no plugin `trace`
// MISSING: hal.plugins of `@asks`:1:1
// MALFORMED: error[bad-plugin]: the options of `trace` are not closed with `}`
// OPTION: error[unknown-name]: plugin `cheap` has no option `tags`
// KIND: error[bad-plugin]: `hal.plugins` has to be an array of strings
//
// Those that are marked safe need no permission; hal-opt does nothing of its own accord.
// RUN: sed 's/"trace{words=asked}", //' %s | hal-import --plugin-path=%S/Inputs/folders | FileCheck %s --check-prefix=SAFE
// RUN: hal-opt %s | FileCheck %s --check-prefix=OFF
// SAFE: seen.global = "asked"
// RUN: hal-compile %s -o a.so --plugin-path=%S/Inputs/folders --allow-program-plugins --plugin=budget --dry-run | FileCheck %s --check-prefix=PIPE
// PIPE:      hal-import {{.*}} --plugin-path={{.*}}folders --plugin=budget --allow-program-plugins --emit=bytecode |
// PIPE-NEXT: hal-translate --plugin-path={{.*}}folders --plugin=budget --allow-program-plugins --emit=bytecode |
// PIPE-NEXT: hal-link --plugin-path={{.*}}folders --plugin=budget --allow-program-plugins {{.*}}-o a.so
module @asks attributes {hal.plugins = ["trace{words=asked}", "cheap{tag=asked}"]} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %empty = tensor.empty() : tensor<4xf32>
    %exp = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    return %exp : tensor<4xf32>
  }
}
