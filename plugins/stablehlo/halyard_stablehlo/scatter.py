"""`stablehlo.scatter`: a loop over the updates, in order; updates outside of the operand are left out."""

from jaxlib.mlir.dialects import stablehlo

from .build import before, i1, ir, replace, shape, shaped
from .elements import evaluate
from .loops import Array, Number, constant, nest, select, when


def scatter(op):
    """Any number of operands, of any sizes, with batching dimensions."""
    count = len(op.results)
    operands, indices, updates = list(op.operands)[:count], op.operands[count], list(op.operands)[count + 1 :]
    numbers = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    window = list(numbers.update_window_dims)
    inserted, batching = list(numbers.inserted_window_dims), list(numbers.input_batching_dims)
    batching_at, starts = list(numbers.scatter_indices_batching_dims), list(numbers.scattered_dims_to_operand_dims)
    vector = numbers.index_vector_dim
    body = op.regions[0].blocks[0]
    rank = shaped(operands[0]).rank
    kept = [d for d in range(rank) if d not in inserted and d not in batching]
    with before(op):
        out, new, at = [Array(v) for v in operands], [Array(v) for v in updates], Array(indices)
        sizes = [new[0].size(d) for d in range(new[0].type.rank)]
        zero = Number(constant(ir.IndexType.get(), 0))

        def update(u):
            batch = [i for d, i in enumerate(u) if d not in window]
            inner = [i for d, i in enumerate(u) if d in window]
            full = [zero] * rank
            for d, i in zip(kept, inner):
                full[d] = i
            for d, a in zip(batching, batching_at):
                full[d] = batch[a if a < vector else a - 1]
            for j, d in enumerate(starts):
                where = list(batch)
                if vector < at.type.rank:
                    where.insert(vector, j)
                full[d] = full[d] + at[where].index()
            inside = Number(constant(i1(), 1))
            for d in starts:
                i = Number(full[d].v, unsigned=True)  # below zero is far above
                inside = inside & (i < out[0].size(d))
            safe = [select(inside, i, zero) if d in starts else i for d, i in enumerate(full)]
            old = [x[safe] for x in out]
            pairs = evaluate(body, [*old, *[x[u] for x in new]])
            for x, before_it, after in zip(out, old, pairs):
                x.put(safe, select(inside, after, before_it))

        # An operand without elements has no place to look at.
        def all_updates():
            nest(sizes, out, update)

        if any(d == 0 for d in shape(operands[0])):
            return replace(op, operands)
        if shaped(operands[0]).has_static_shape:
            all_updates()
        else:
            there = Number(constant(i1(), 1))
            for d in range(rank):
                there = there & (out[0].size(d) > 0)
            when(there, out, all_updates)
        replace(op, [x.tensor for x in out])
