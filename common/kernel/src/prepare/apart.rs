//! Results apart: a generic operation of several results that are laid out differently becomes one operation for each layout.
//! An element of a result is then wanted at one place of its own loops, and the other results do not matter. Loops that a
//! result does not have run for each of its elements, in their order, as the operation says: they are reductions.
use halyard_ir::{Affine, AffineKind, Attr, Block, Builder, Op, Region, Value};

/// Rewrites the generic operations of a module; says whether it has changed any.
pub(crate) fn rewrite(module: Op) -> bool {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if op.is("linalg.generic") && op.result_count() > 0 {
            found.push(op);
        }
    });
    found.into_iter().any(|op| Generic::of(op).is_some_and(|g| g.split()))
}

/// A generic operation on tensors.
struct Generic {
    op: Op,
    body: Block,
    inputs: usize,
    maps: Vec<Attr>,
    loops: usize,
}

impl Generic {
    fn of(op: Op) -> Option<Self> {
        let maps = op.attr("indexing_maps")?.as_array()?;
        let loops = maps.first()?.as_affine_map()?.dims();
        let inputs = op.operand_count().checked_sub(op.result_count())?;
        Some(Self { op, body: op.body()?, inputs, maps, loops })
    }

    /// The results of each layout.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for result in 0..self.op.result_count() {
            let map = self.maps[self.inputs + result];
            match groups.iter_mut().find(|g| self.maps[self.inputs + g[0]] == map) {
                Some(group) => group.push(result),
                None => groups.push(vec![result]),
            }
        }
        groups
    }

    /// The loops that stand for themselves at some place of an operand.
    fn shown(&self, operand: usize) -> Vec<bool> {
        let results = self.maps[operand].as_affine_map().map(Affine::results).unwrap_or_default();
        (0..self.loops).map(|d| results.contains(&AffineKind::Dim(d))).collect()
    }

    /// What the loops of some results are: those that the results do not have are reductions.
    fn iterators(&self, result: usize) -> Option<Attr> {
        let before = self.op.attr("iterator_types")?.as_array()?;
        let reduction = Attr::parse(self.op.context(), "#linalg.iterator_type<reduction>")?;
        let shown = self.shown(self.inputs + result);
        let after: Vec<Attr> =
            before.into_iter().zip(shown).map(|(kind, shown)| if shown { kind } else { reduction }).collect();
        Some(Attr::array(self.op.context(), &after))
    }

    /// Makes an operation of each layout; false if it stays as it is.
    fn split(&self) -> bool {
        let groups = self.groups();
        if groups.len() == 1 {
            return self.mark_reductions().unwrap_or(false);
        }
        if !groups.iter().all(|group| self.stands_alone(group)) {
            return false;
        }
        let Some(iterators) = groups.iter().map(|g| self.iterators(g[0])).collect::<Option<Vec<_>>>() else {
            return false;
        };
        for (group, iterators) in groups.iter().zip(iterators) {
            let part = self.part(group, iterators);
            for (at, &result) in group.iter().enumerate() {
                self.op.result(result).replace_all_uses(part.result(at));
            }
        }
        self.op.erase();
        true
    }

    fn mark_reductions(&self) -> Option<bool> {
        let iterators = self.iterators(0)?;
        let changed = self.op.attr("iterator_types")? != iterators;
        if changed {
            self.op.set_attr("iterator_types", iterators);
        }
        Some(changed)
    }

    /// Whether some results can be computed without the others: what their body reads of those is there before the
    /// operation, for no element of them is come back to.
    fn stands_alone(&self, group: &[usize]) -> bool {
        let args = self.body.args();
        let Some(end) = self.body.terminator() else { return false };
        let mut needed: Vec<Value> = group.iter().map(|&r| end.operand(r)).collect();
        let (mut seen, mut seen_ops) = (0, std::collections::HashSet::new());
        while let Some(&value) = needed.get(seen) {
            seen += 1;
            // With what is inside of it: a branch of an `scf.if` may read what the operation does not take.
            let mut add = |op: Op| needed.extend(op.operands());
            if let Some(def) = value.def().filter(|d| seen_ops.insert(*d)) {
                def.walk(&mut add);
            }
        }
        (0..self.op.result_count()).filter(|r| !group.contains(r)).all(|r| {
            let operand = self.inputs + r;
            !needed.contains(&args[operand]) || self.shown(operand).into_iter().all(|shown| shown)
        })
    }

    /// The operation for some results. The outs of the others are among its inputs: its body may read them, and they show how
    /// long the loops are.
    fn part(&self, group: &[usize], iterators: Attr) -> Op {
        let others = (0..self.op.result_count()).filter(|r| !group.contains(r)).map(|r| self.inputs + r);
        let own = group.iter().map(|r| self.inputs + r);
        let order: Vec<usize> = (0..self.inputs).chain(others).chain(own).collect();
        let copy = self.op.duplicate();
        let (from, loc) = (copy.body().expect("the operation has a body"), self.op.loc());
        let types: Vec<_> = order.iter().map(|&o| from.args()[o].ty()).collect();
        let body = Block::create(&types, loc);
        for (&operand, arg) in order.iter().zip(body.args()) {
            from.args()[operand].replace_all_uses(arg);
        }
        for op in from.ops() {
            op.detach();
            body.append(op);
        }
        copy.erase();
        let end = body.terminator().expect("a body has a terminator");
        end.set_operands(&group.iter().map(|&r| end.operand(r)).collect::<Vec<_>>());
        let region = Region::create();
        region.append(body);
        let operands: Vec<Value> = order.iter().map(|&o| self.op.operand(o)).collect();
        let results: Vec<_> = group.iter().map(|&r| self.op.result(r).ty()).collect();
        let context = self.op.context();
        let segments = Attr::i32s(context, &[(order.len() - group.len()) as i32, group.len() as i32]);
        let attrs = [
            ("indexing_maps", Attr::array(context, &order.iter().map(|&o| self.maps[o]).collect::<Vec<_>>())),
            ("iterator_types", iterators),
            ("operandSegmentSizes", segments),
        ];
        Builder::before(self.op).op_with_regions("linalg.generic", &operands, &results, &attrs, vec![region])
    }
}
