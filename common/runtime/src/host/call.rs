//! A call of a host function, as its implementation sees it.
use crate::{DType, device::DeviceRange, shape_text};
use halyard_diag::{Error, Result};

/// A dense row-major tensor that a host function is given; a number is one of rank 0.
#[derive(Debug, Clone, Copy)]
pub struct HostTensor<'a> {
    /// The element type.
    pub dtype: DType,
    /// The sizes of its dimensions.
    pub shape: &'a [i64],
    /// Its elements; they start at a multiple of [`crate::ALIGNMENT`].
    pub bytes: &'a [u8],
}

/// An argument.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) dtype: DType,
    pub(super) shape: Vec<i64>,
    pub(super) span: DeviceRange,
}

/// A result.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) dtype: DType,
    /// The sizes; -1 where the function has to say them.
    pub(super) shape: Vec<i64>,
    /// Its memory on the host, once that is known.
    pub(super) span: Option<DeviceRange>,
    /// The result's range on the device.
    pub(super) on_device: DeviceRange,
    /// The block that was allocated for it.
    pub(super) block: Option<u32>,
}

/// Allocates memory for a result of this many bytes: returns a block, its range, and its range on the host.
pub(super) type Allocate<'a> = &'a mut dyn FnMut(u64) -> Result<(u32, DeviceRange, DeviceRange)>;

/// The arguments and results of a host function, which must write each result completely.
pub struct HostCall<'a> {
    pub(super) name: &'a str,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
    pub(super) allocate: Allocate<'a>,
    /// The first thing that the function did wrong.
    pub(super) problem: Option<Error>,
}

impl HostCall<'_> {
    /// Returns the number of arguments.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// An argument. Panics if there is none.
    pub fn input(&self, index: usize) -> HostTensor<'_> {
        let input = &self.inputs[index];
        // SAFETY: the range is live and nothing writes it during the call (see `super::run`).
        let bytes = unsafe { std::slice::from_raw_parts(input.span.address as *const u8, input.span.bytes as usize) };
        HostTensor { dtype: input.dtype, shape: &input.shape, bytes }
    }

    /// Returns the number of results.
    pub fn result_count(&self) -> usize {
        self.outputs.len()
    }

    /// The element type of a result. Panics if there is none.
    pub fn result_dtype(&self, index: usize) -> DType {
        self.outputs[index].dtype
    }

    /// The sizes of a result; -1 is for the function to say. Panics if there is no such result.
    pub fn result_shape(&self, index: usize) -> &[i64] {
        &self.outputs[index].shape
    }

    /// The elements of a result, to be written: of that shape, which must be what the program expects. Errors: another
    /// rank or size (the call fails then, whatever the function returns), no memory, another shape than before.
    pub fn result(&mut self, index: usize, shape: &[i64]) -> Result<&mut [u8], String> {
        match self.place(index, shape) {
            // SAFETY: the range is live and this call's own.
            Ok(span) => Ok(unsafe { std::slice::from_raw_parts_mut(span.address as *mut u8, span.bytes as usize) }),
            Err(error) => {
                let message = error.to_string();
                self.problem.get_or_insert(error);
                Err(message)
            }
        }
    }

    fn place(&mut self, index: usize, shape: &[i64]) -> Result<DeviceRange> {
        let name = self.name;
        let count = self.outputs.len();
        let wrong = |what: String| Error::tool(format!("host function `{name}` {what}")).code("bad-result");
        let Some(output) = self.outputs.get_mut(index) else {
            return Err(wrong(format!("makes result {index}, but it has {count}")));
        };
        let fits = output.shape.len() == shape.len()
            && output.shape.iter().zip(shape).all(|(&want, &is)| is >= 0 && (want == -1 || want == is));
        if !fits {
            let is: String = shape.iter().map(|d| format!("{d}x")).collect();
            let (is, want) = (format!("{is}{}", output.dtype), tensor_text(&output.shape, output.dtype));
            return Err(wrong(format!("makes result {index} of shape `{is}`, the program expects `{want}`")));
        }
        if let Some(span) = output.span {
            return Ok(span);
        }
        let sizes: Vec<usize> = shape.iter().map(|&d| d as usize).collect();
        let bytes = crate::Tensor::byte_count(output.dtype, &sizes);
        let bytes = bytes.ok_or_else(|| {
            wrong(format!("makes result {index} of shape `{}`, which is too large", shape_text(&sizes, output.dtype)))
        })?;
        let (block, on_device, span) = (self.allocate)(bytes as u64)?;
        output.block = Some(block);
        output.on_device = on_device;
        output.span = Some(span);
        output.shape = shape.to_vec();
        Ok(span)
    }
}

/// Prints a type as `?x3xf32`.
pub(super) fn tensor_text(shape: &[i64], dtype: DType) -> String {
    let dims: String = shape.iter().map(|&d| if d == -1 { "?x".into() } else { format!("{d}x") }).collect();
    format!("{dims}{dtype}")
}
