"func.func"() ({
  %0 = "arith.constnt"() {value = 1 : i32} : () -> i32
  "func.return"() : () -> ()
}) {sym_name = "f", function_type = () -> ()} : () -> ()
