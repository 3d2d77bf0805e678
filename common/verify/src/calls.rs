//! The calls of a run: the reference's functions, and the kernel's.
use crate::{
    arena,
    element::Element,
    fault,
    kernel::Call,
    memory::{Buffer, Side},
    reference::was_illegal,
    trial::{Count, Shapes, Subject, UNTOUCHED},
};
use halyard_diag::{Error, Result};
use halyard_ir::{Type, form::PackedWeight};
use halyard_runtime::{LEAST_ARGUMENTS, call_kernel};

impl Subject<'_> {
    /// Computes the results; false if the source has no meaning for the arguments.
    pub(crate) fn reference(
        &self,
        arguments: &[Buffer],
        wanted: &mut [Buffer],
        (inputs, results): &Shapes,
        places: &[Vec<Vec<i64>>],
    ) -> bool {
        wanted.iter_mut().for_each(|w| w.bytes_mut().fill(UNTOUCHED));
        for ((piece, &function), places) in self.pieces.iter().zip(&self.functions).zip(places) {
            let mut at = [0i64; 8];
            let mut words = Vec::new();
            for (i, ty) in self.inputs.iter().enumerate() {
                descriptor(&mut words, arguments[i].address(), if ty.is_tensor() { &inputs[i] } else { &[] });
            }
            for &r in &piece.results {
                descriptor(&mut words, wanted[r].address(), &results[r]);
            }
            descriptor(&mut words, at.as_mut_ptr() as u64, &[8]);
            let count = words.len();
            words.resize(count.max(LEAST_ARGUMENTS), 0);
            let start: &[Vec<i64>] = if piece.samples.is_some() { places } else { &[Vec::new()] };
            for place in start {
                at[..place.len()].copy_from_slice(place);
                // SAFETY: the function was made for these memrefs, which are live.
                unsafe { call_kernel(function, &words, count) };
                arena::clear();
                if was_illegal() {
                    return false;
                }
            }
        }
        true
    }

    /// The constants of the kernel ABI: sizes, numbers, load-time constants.
    pub(crate) fn constants(&self, arguments: &[Buffer], inputs: &[Vec<i64>], results: &[Vec<i64>]) -> Vec<i64> {
        let mut constants = Vec::new();
        let dynamic = |ty: Type, shape: &[i64]| {
            ty.shape().iter().zip(shape).filter(|(d, _)| d.is_none()).map(|(_, &n)| n).collect::<Vec<_>>()
        };
        for i in self.interface.tensor_inputs() {
            constants.extend(dynamic(self.inputs[i], &inputs[i]));
        }
        for (ty, shape) in self.interface.results.iter().zip(results) {
            constants.extend(dynamic(*ty, shape));
        }
        for i in self.interface.scalar_inputs() {
            let element = Element::of(self.inputs[i]).expect("checked before");
            let bytes = arguments[i].bytes();
            constants.push(if element.is_float() {
                let mut wide = [0; 8];
                wide[..bytes.len()].copy_from_slice(bytes);
                i64::from_le_bytes(wide)
            } else {
                element.int(bytes, 0)
            });
        }
        constants.extend(&self.load_constants);
        constants
    }

    pub(crate) fn workgroups(&self, constants: &[i64]) -> Result<Option<[u32; 3]>> {
        let numbers = match self.count {
            Count::Constant(numbers) => numbers,
            Count::Function(address) => {
                let mut numbers = [0i64; 3];
                let mut words = Vec::new();
                descriptor(&mut words, constants.as_ptr() as u64, &[constants.len() as i64]);
                descriptor(&mut words, numbers.as_mut_ptr() as u64, &[3]);
                let count = words.len();
                words.resize(count.max(LEAST_ARGUMENTS), 0);
                // SAFETY: the function was made for these memrefs, which are live.
                unsafe { call_kernel(address, &words, count) };
                std::hint::black_box(numbers)
            }
        };
        Ok(numbers.iter().map(|&n| u32::try_from(n).ok()).collect::<Option<Vec<_>>>().and_then(|v| v.try_into().ok()))
    }

    pub(super) fn dispatch(
        &self,
        arguments: &mut [Buffer],
        got: &mut [Buffer],
        constants: &[i64],
        workgroups: [u32; 3],
    ) -> Result<()> {
        let tied = |i: usize| self.interface.tied.contains(&Some(i));
        let inputs = self.interface.tensor_inputs();
        let outputs = self.interface.untied_results();
        let names: Vec<String> = inputs
            .iter()
            .map(|i| format!("argument {i}"))
            .chain(outputs.iter().map(|r| format!("result {r}")))
            .collect();
        for &i in inputs.iter().filter(|&&i| !tied(i)) {
            arguments[i].protect(true);
        }
        let packed = self.packed(arguments)?;
        let argument = |i: &usize| packed.iter().find(|(p, _)| p == i).map_or(&arguments[*i], |(_, buffer)| buffer);
        let bindings: Vec<&Buffer> = inputs.iter().map(argument).chain(outputs.iter().map(|&r| &got[r])).collect();
        let done = fault::watching(&self.export.name(), &bindings, || {
            self.kernel.run(&Call { bindings: &bindings, names: &names, constants, workgroups })
        });
        let over =
            bindings.iter().zip(&names).find_map(|(b, name)| b.overrun().map(|at| (name.clone(), at, b.bytes().len())));
        for &i in &inputs {
            arguments[i].protect(false);
        }
        done?;
        match over {
            Some((name, at, bytes)) => Err(Error::input(format!(
                "kernel `@{}` writes byte {at} of {name}, which has {bytes} bytes",
                self.export.name()
            ))
            .code("out-of-bounds")),
            None => Ok(()),
        }
    }

    /// The arguments that the kernel takes packed, write-protected.
    pub(crate) fn packed(&self, arguments: &[Buffer]) -> Result<Vec<(usize, Buffer)>> {
        let pack = |p: &PackedWeight| {
            let shape: Vec<u64> =
                self.inputs[p.argument].shape().iter().flatten().map(|&d| d.cast_unsigned()).collect();
            let element = self.inputs[p.argument].element().to_string();
            let bytes = p.layout.pack(&shape, &element, arguments[p.argument].bytes());
            let mut buffer = Buffer::new(bytes.len())?;
            buffer.lay_out(bytes.len(), Side::End);
            buffer.bytes_mut().copy_from_slice(&bytes);
            buffer.protect(true);
            Ok((p.argument, buffer))
        };
        self.packed.iter().map(pack).collect()
    }

    /// The arguments of a run: the sizes that were chosen, and scalars.
    pub(super) fn describe(&self, inputs: &[Vec<i64>], arguments: &[Buffer]) -> String {
        let show = |(i, ty): (usize, &Type)| {
            if ty.is_tensor() {
                let dims: String = inputs[i].iter().map(|d| format!("{d}x")).collect();
                format!("{dims}{}", ty.element())
            } else {
                Element::of(*ty).map_or_else(String::new, |e| e.show(arguments[i].bytes(), 0))
            }
        };
        self.inputs.iter().enumerate().map(show).collect::<Vec<_>>().join(", ")
    }
}

/// A memref as MLIR passes it: pointer, aligned pointer, offset, sizes, strides.
fn descriptor(words: &mut Vec<u64>, address: u64, shape: &[i64]) {
    words.extend([address, address, 0]);
    words.extend(shape.iter().map(|d| d.cast_unsigned()));
    let mut strides = vec![1i64; shape.len()];
    for i in (0..shape.len().saturating_sub(1)).rev() {
        strides[i] = strides[i + 1] * shape[i + 1];
    }
    words.extend(strides.iter().map(|d| d.cast_unsigned()));
}
