// Three sequences with parameters of each kind.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @constants(%m: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %i = transform.param.constant 8 : i64 {name = "rows"} -> !transform.param<i64>
    %j = transform.param.constant 16 : i64 {name = "columns"} -> !transform.param<i64>
    %r, %l:2 = transform.structured.tile_using_for %mm tile_sizes [%i, %j, 0] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.include @label failures(propagate) (%r) : (!transform.any_op) -> ()
    transform.yield
  }
  transform.named_sequence @knobs(%m: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %i = transform.tune.knob<"rows"> options = [8, 16, 32] -> !transform.param<i64>
    %j = transform.tune.knob<"columns"> = 32 from options = {lower_bound = 8, upper_bound = 64, divisible_by = 8} -> !transform.param<i64>
    %r, %l:2 = transform.structured.tile_using_for %mm tile_sizes [%i, %j, 0] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @arguments(%m: !transform.any_op {transform.readonly},
      %i: !transform.param<i64> {transform.readonly, hal.name = "rows", hal.default = 16 : i64},
      %j: !transform.param<i64> {transform.readonly, hal.name = "columns"}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %r, %l:2 = transform.structured.tile_using_for %mm tile_sizes [%i, %j, 0] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
  // What an included sequence names is a parameter of those that include it.
  transform.named_sequence @label(%op: !transform.any_op {transform.readonly}) {
    %t = transform.param.constant "tiled" {name = "label"} -> !transform.any_param
    transform.annotate %op "label" = %t : !transform.any_op, !transform.any_param
    transform.yield
  }
  transform.named_sequence @choice(%m: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.tune.alternatives<"how"> {
      transform.annotate %mm "first" : !transform.any_op
    }, {
      transform.annotate %mm "second" : !transform.any_op
    }
    transform.yield
  }
  transform.named_sequence @kinds(%m: !transform.any_op {transform.readonly},
      %l: !transform.any_param {transform.readonly, hal.name = "list", hal.default = [1, 2]}) {
    %b = transform.param.constant true {name = "flag"} -> !transform.any_param
    %f = transform.param.constant 0.5 : f32 {name = "scale"} -> !transform.any_param
    %a = transform.param.constant array<i64: 1> {name = "dense"} -> !transform.any_param
    %s = transform.param.constant @main {name = "symbol"} -> !transform.any_param
    %i = transform.param.constant 1 : i8 {name = "small"} -> !transform.any_param
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    transform.annotate %mm "b" = %b : !transform.any_op, !transform.any_param
    transform.annotate %mm "f" = %f : !transform.any_op, !transform.any_param
    transform.annotate %mm "a" = %a : !transform.any_op, !transform.any_param
    transform.annotate %mm "s" = %s : !transform.any_op, !transform.any_param
    transform.annotate %mm "i" = %i : !transform.any_op, !transform.any_param
    transform.annotate %mm "l" = %l : !transform.any_op, !transform.any_param
    transform.yield
  }
  transform.named_sequence @unnamed(%m: !transform.any_op {transform.readonly}, %i: !transform.param<i64> {transform.readonly}) {
    transform.yield
  }
  transform.named_sequence @handles(%m: !transform.any_op {transform.readonly}, %f: !transform.op<"func.func"> {transform.readonly}) {
    transform.yield
  }
  transform.named_sequence @forall(%m: !transform.any_op {transform.readonly},
      %i: !transform.any_param {transform.readonly, hal.name = "size", hal.default = 8 : i64}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %r, %l = transform.structured.tile_using_forall %mm tile_sizes [%i, 8] : (!transform.any_op, !transform.any_param) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @words(%m: !transform.any_op {transform.readonly}, %i: !transform.any_param {transform.readonly, hal.name = "size"}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %r, %l = transform.structured.tile_using_forall %mm tile_sizes [%i, 8] : (!transform.any_op, !transform.any_param) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @twice(%m: !transform.any_op {transform.readonly}) {
    %mm = transform.structured.match ops{["linalg.matmul"]} in %m : (!transform.any_op) -> !transform.any_op
    %i = transform.param.constant 1 : i64 {name = "same"} -> !transform.any_param
    %j = transform.param.constant 1 : i8 {name = "same"} -> !transform.any_param
    transform.annotate %mm "i" = %i : !transform.any_op, !transform.any_param
    transform.annotate %mm "j" = %j : !transform.any_op, !transform.any_param
    transform.yield
  }
}
