//! Scalar bodies, cloned for scalars or for vectors.
use crate::Emitter;
use crate::analysis::access::{PlainIndex, plain_index};
use crate::emit::index::{LaneIndex, Point};
use crate::emit::ir_builder::Supported;
use crate::prepare::table_of;
use halyard_ir::{Attr, Block, INTEGER_DIVISIONS, Op, Type, Value};
use std::collections::HashMap;

impl Emitter<'_> {
    /// Emits the operations of a body; gives the operands of its terminator. `args` are its block's arguments, scalars or
    /// vectors; `domain` has the index of each loop; `point` has the lanes that count.
    pub(crate) fn body(
        &mut self,
        block: Block,
        args: &[Option<Value>],
        domain: &[LaneIndex],
        point: &Point,
    ) -> Supported<Vec<Value>> {
        let mut map: HashMap<Value, Value> =
            block.args().into_iter().zip(args).filter_map(|(arg, value)| value.map(|v| (arg, v))).collect();
        let outer = self.code.at.loc;
        for op in block.ops() {
            let name = op.name();
            if matches!(name.as_str(), "linalg.yield" | "tensor.yield") {
                self.code.at.loc = outer;
                return op.operands().iter().map(|&v| self.body_value(v, &map)).collect();
            }
            self.code.at.loc = op.loc();
            let values = match name.as_str() {
                "arith.constant" => vec![self.code.constant(op.attr("value").ok_or("a constant without a value")?)],
                "linalg.index" => {
                    let dim = op.attr("dim").and_then(Attr::as_int).ok_or("`linalg.index` without `dim`")? as usize;
                    vec![self.index_value(&domain[dim])]
                }
                "tensor.extract" => {
                    let id = self.id(op.operand(0))?;
                    let mut idx = Vec::new();
                    for &v in &op.operands()[1..] {
                        idx.push(match plain_index(v) {
                            Some(PlainIndex::Loop(dim)) => domain[dim].clone(),
                            Some(PlainIndex::Constant(at)) => LaneIndex::constant(at),
                            None => {
                                let value = self.body_value(v, &map)?;
                                self.code.idx_of(value)
                            }
                        });
                    }
                    self.materialize(id, &[point.at(idx)])?
                }
                "arith.addf" if self.target.fma && fused(op).is_some() => {
                    let (product, c) = fused(op).expect("just checked");
                    let (a, b) = (product.operand(0), product.operand(1));
                    let operands = [self.body_value(a, &map)?, self.body_value(b, &map)?, self.body_value(c, &map)?];
                    let operands = self.level(&operands);
                    vec![self.code.at.value("math.fma", &operands, operands[0].ty(), &[])]
                }
                "arith.mulf" if self.target.fma && only_fused(op) => continue,
                _ => {
                    let operands =
                        op.operands().iter().map(|&v| self.body_value(v, &map)).collect::<Supported<Vec<_>>>()?;
                    self.scalar_op(op, &operands, point)?
                }
            };
            map.extend(op.results().into_iter().zip(values));
        }
        Err("a body without a terminator".into())
    }

    fn body_value(&mut self, value: Value, map: &HashMap<Value, Value>) -> Supported<Value> {
        map.get(&value)
            .or_else(|| self.scalar_of.get(&value))
            .copied()
            .ok_or_else(|| "a value from outside a body".into())
    }

    /// A value of a body, of values that are known.
    pub(crate) fn expression(
        &mut self,
        value: Value,
        known: &mut HashMap<Value, Value>,
        point: &Point,
    ) -> Supported<Value> {
        if let Some(&known) = known.get(&value).or_else(|| self.scalar_of.get(&value)) {
            return Ok(known);
        }
        let op = value.def().ok_or("a value from outside a body")?;
        let made = if op.is("arith.constant") {
            self.code.constant(op.attr("value").ok_or("a constant without a value")?)
        } else {
            let operands =
                op.operands().into_iter().map(|v| self.expression(v, known, point)).collect::<Supported<Vec<_>>>()?;
            self.scalar_op(op, &operands, point)?[0]
        };
        known.insert(value, made);
        Ok(made)
    }

    /// A lane index as a scalar or vector of `index`.
    fn index_value(&mut self, idx: &LaneIndex) -> Value {
        let value = self.code.idx(idx);
        let index = Type::index(self.code.at.context());
        let ty = if value.ty().is_vector() { self.code.vector(index) } else { index };
        self.code.pure("arith.index_cast", &[value], ty, None)
    }

    /// All vectors if any is one.
    pub(crate) fn level(&mut self, operands: &[Value]) -> Vec<Value> {
        if operands.iter().any(|v| v.ty().is_vector()) {
            operands.iter().map(|&v| self.code.splat(v)).collect()
        } else {
            operands.to_vec()
        }
    }

    /// One operation of `arith` or `math` on scalars or vectors.
    pub(crate) fn scalar_op(&mut self, op: Op, operands: &[Value], point: &Point) -> Supported<Vec<Value>> {
        let name = op.name();
        if name == "func.call" {
            return self.call(op, operands);
        }
        if let Some(table) = table_of(op) {
            return Ok(vec![self.look_up(table, operands[0])?]);
        }
        let dialect = name.split('.').next().unwrap_or_default();
        if !matches!(dialect, "arith" | "math") || !op.regions().is_empty() {
            return Err(format!("`{name}` in a body").into());
        }
        let mut operands = self.level(operands);
        // A scalar f16 is loaded into a part of a register on x86, which waits for what was in it; a whole vector is as cheap.
        let half = name == "arith.extf" && operands[0].ty().to_string() == "f16";
        if half && self.target.gpu.is_none() && !point.is_uniform() {
            operands[0] = self.code.splat(operands[0]);
        }
        let vector = operands.first().is_some_and(|v| v.ty().is_vector());
        if INTEGER_DIVISIONS.contains(&name.as_str()) {
            // A place that does not count must not trap: it divides by one.
            let guard = if vector { point.guard.map(|g| self.code.splat(g)) } else { point.guard };
            let mask = if vector { self.code.and(point.mask, guard) } else { guard };
            if let Some(mask) = mask {
                let mut one = self.code.number(op.operand(1).ty(), 1.0);
                if vector {
                    one = self.code.splat(one);
                }
                operands[1] = self.code.select(mask, operands[1], one);
            }
        }
        if let Some(value) = self.expand_math(&name, &operands) {
            return Ok(vec![value]);
        }
        if let Some(value) = self.gpu_form(&name, &operands)? {
            return Ok(vec![value]);
        }
        let types: Vec<Type> =
            op.results().iter().map(|r| if vector { self.code.vector(r.ty()) } else { r.ty() }).collect();
        let attrs = op.attrs();
        let attrs: Vec<(&str, Attr)> = attrs.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        Ok(self.code.at.op(&name, &operands, &types, &attrs).results())
    }

    /// A call of a function on numbers that someone else implements: lane by lane.
    fn call(&mut self, op: Op, operands: &[Value]) -> Supported<Vec<Value>> {
        let callee = op.attr("callee").ok_or("a call of nothing")?;
        if op.result_count() != 1 {
            return Err("a call without a result in a body".into());
        }
        let operands = self.level(operands);
        let (result, at, lanes) = (op.result(0).ty(), self.code.at, self.code.lanes);
        if operands.first().is_none_or(|v| !v.ty().is_vector()) {
            return Ok(at.op("func.call", &operands, &[result], &[("callee", callee)]).results());
        }
        let context = at.context();
        let poison = Attr::parse(context, "#ub.poison").ok_or("no poison")?;
        let ty = self.code.vector(result);
        let mut all = at.value("ub.poison", &[], ty, &[("value", poison)]);
        for lane in 0..lanes {
            let position = ("static_position", Attr::i64s(context, &[lane]));
            let one: Vec<Value> =
                operands.iter().map(|&v| at.value("vector.extract", &[v], v.ty().element(), &[position])).collect();
            let value = at.value("func.call", &one, result, &[("callee", callee)]);
            all = at.value("vector.insert", &[value, all], ty, &[position]);
        }
        Ok(vec![all])
    }
}

/// The product that an addition can take in as a fused multiply-add, `a * b + c` of single rounding, and the other term.
/// The product must have no other use, so that nothing is computed twice.
fn fused(add: Op) -> Option<(Op, Value)> {
    if !matches!(add.result(0).ty().bits(), 32 | 64) {
        return None;
    }
    [(0, 1), (1, 0)].into_iter().find_map(|(product, other)| {
        let mul = add.operand(product).def().filter(|d| d.is("arith.mulf") && d.block() == add.block())?;
        (mul.result(0).uses().len() == 1).then(|| (mul, add.operand(other)))
    })
}

fn only_fused(mul: Op) -> bool {
    let uses = mul.result(0).uses();
    uses.len() == 1 && uses[0].0.is("arith.addf") && fused(uses[0].0).is_some_and(|(product, _)| product == mul)
}
