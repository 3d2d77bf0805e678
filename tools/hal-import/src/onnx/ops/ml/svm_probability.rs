//! Probabilities of classes from those of pairs of classes: Wu, Lin and Weng (2004), second method, as libsvm and
//! onnxruntime compute it.
use super::post::logistic;
use crate::onnx::{Body, Context, Dim, Elem, Iter, Order, Outcome, Scalar, Value, generic::map, problem::unsupported};

/// More classes would make the kernel too long.
const MOST: usize = 24;
const STEPS: i64 = 100;

/// `[rows, classes]` from the scores of pairs and the parameters of their sigmoids.
pub(super) fn probabilities(c: &mut Context<'_>, sums: &Value, classes: usize, a: &[f32], b: &[f32]) -> Outcome<Value> {
    if classes > MOST {
        return unsupported(format!("probabilities (`prob_a`) of {classes} classes, more than {MOST}; use the labels"));
    }
    let rows = sums.shape[0].clone();
    let (ssa, ty) = (c.ssa(sums), sums.ty());
    let outs: Vec<_> = (0..classes).map(|_| c.empty(Elem::F32, std::slice::from_ref(&rows))).collect();
    let outs: Vec<_> = outs.iter().map(|v| (v, map(&[0]))).collect();
    let columns = c.generic(&[Iter::Parallel], &[], &outs, |body, _| {
        let row = body.position(0);
        // r[i][j]: how probable class i is against class j.
        let mut r = vec![Vec::new(); classes];
        for line in &mut r {
            *line = vec![row.clone(); classes];
        }
        let mut pair = 0;
        for i in 0..classes {
            for j in i + 1..classes {
                let at = body.index_constant(pair as i64);
                let score = body.extract(&ssa, &ty, Elem::F32, &[row.clone(), at]);
                let (slope, offset) = (body.float(Elem::F32, a[pair].into()), body.float(Elem::F32, b[pair].into()));
                let scaled = body.mul(&score, &slope);
                let sum = body.add(&scaled, &offset);
                let likely = logistic(body, &sum);
                let one = body.float(Elem::F32, 1.0);
                let p = body.sub(&one, &likely);
                let (low, high) = (body.float(Elem::F32, 1e-7), body.float(Elem::F32, 1.0 - 1e-7));
                let p = body.max(&p, &low);
                let p = body.min(&p, &high);
                r[j][i] = body.sub(&one, &p);
                r[i][j] = p;
                pair += 1;
            }
        }
        iterate(body, &r)
    });
    let spread = |c: &mut Context<'_>, v: &Value| c.reshape(v, &[rows.clone(), Dim::fixed(1)]);
    let columns = columns.iter().map(|v| spread(c, v)).collect::<Outcome<Vec<_>>>()?;
    c.concat(&columns, 1)
}

fn dot(b: &mut Body<'_>, x: &[Scalar], y: &[Scalar]) -> Scalar {
    let mut sum = b.float(Elem::F32, 0.0);
    for (x, y) in x.iter().zip(y) {
        let product = b.mul(x, y);
        sum = b.add(&sum, &product);
    }
    sum
}

/// Minimises `pᵀ Q p` by Newton steps for one class after another, until nothing changes much.
fn iterate(b: &mut Body<'_>, r: &[Vec<Scalar>]) -> Vec<Scalar> {
    let classes = r.len();
    let mut q: Vec<Vec<Scalar>> = r.to_vec();
    for i in 0..classes {
        let others: Vec<_> = (0..classes).filter(|j| *j != i).map(|j| r[j][i].clone()).collect();
        q[i][i] = dot(b, &others, &others);
        for j in i + 1..classes {
            let product = b.mul(&r[j][i], &r[i][j]);
            q[i][j] = b.neg(&product);
            q[j][i] = q[i][j].clone();
        }
    }
    let start = b.float(Elem::F32, 1.0 / classes as f64);
    let [first, one, last] = [0, 1, STEPS].map(|n| b.index_constant(n));
    let step = b.w.name();
    let names: Vec<_> = (0..classes).map(|_| b.w.name()).collect();
    let starts: Vec<_> = names.iter().map(|name| format!("{name} = {}", start.name)).collect();
    let types = vec!["f32"; classes].join(", ");
    let head = format!(
        "scf.for {step} = {} to {} step {} iter_args({}) -> ({types}) {{",
        first.name,
        last.name,
        one.name,
        starts.join(", ")
    );
    let results = b.w.open_values(classes, &head);
    let floats = |names: &[String]| names.iter().map(|n| Scalar::new(n, Elem::F32)).collect::<Vec<_>>();
    let mut p = floats(&names);
    let (mut qp, mut total) = gradient(b, &q, &p);
    let mut error = b.float(Elem::F32, 0.0);
    for one in &qp {
        let difference = b.sub(one, &total);
        let size = b.abs(&difference);
        error = b.max(&error, &size);
    }
    // Converged values stay unchanged.
    let least = b.float(Elem::F32, 0.005 / classes as f64);
    let far = b.compare(Order::Ge, &error, &least);
    let next = b.w.open_values(classes, &format!("scf.if {} -> ({types}) {{", far.name));
    for i in 0..classes {
        let less = b.sub(&total, &qp[i]);
        let by = b.div(&less, &q[i][i]);
        let (one, two) = (b.float(Elem::F32, 1.0), b.float(Elem::F32, 2.0));
        p[i] = b.add(&p[i], &by);
        let scale = b.add(&one, &by);
        let (square, double) = (b.mul(&by, &q[i][i]), b.mul(&two, &qp[i]));
        let both = b.add(&square, &double);
        let more = b.mul(&by, &both);
        let sum = b.add(&total, &more);
        let once = b.div(&sum, &scale);
        total = b.div(&once, &scale);
        for j in 0..classes {
            let change = b.mul(&by, &q[i][j]);
            let sum = b.add(&qp[j], &change);
            qp[j] = b.div(&sum, &scale);
            p[j] = b.div(&p[j], &scale);
        }
    }
    let moved: Vec<_> = p.iter().map(|s| s.name.clone()).collect();
    b.w.line(format!("scf.yield {} : {types}", moved.join(", ")));
    b.w.between("} else {");
    b.w.line(format!("scf.yield {} : {types}", names.join(", ")));
    b.w.close("}");
    b.w.line(format!("scf.yield {} : {types}", next.join(", ")));
    b.w.close("}");
    floats(&results)
}

/// Computes `Q p` and `pᵀ Q p`.
fn gradient(b: &mut Body<'_>, q: &[Vec<Scalar>], p: &[Scalar]) -> (Vec<Scalar>, Scalar) {
    let qp: Vec<_> = q.iter().map(|line| dot(b, line, p)).collect();
    let total = dot(b, &qp, p);
    (qp, total)
}
