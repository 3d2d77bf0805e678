//! The parameters of a kernel, in any language: see docs/kernel-abi.md.

/// The buffers and numbers of a kernel, in the order of the kernel ABI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelAbi {
    /// The export: the symbol or entry point.
    pub name: String,
    /// The buffers, in order.
    pub bindings: Vec<AbiBinding>,
    /// The numbers: dynamic sizes, then scalars.
    pub constants: Vec<AbiConstant>,
    /// The properties of the device, filled in when the program is loaded.
    pub load_constants: Vec<String>,
    /// The code's arguments in order, if a declaration replaces the kernel ABI. The scalars among them are the
    /// constants, in the same order.
    pub arguments: Option<Vec<CodeArgument>>,
}

impl KernelAbi {
    /// Sets the code's arguments, which replace those of the kernel ABI.
    pub fn take(&mut self, arguments: Vec<CodeArgument>) {
        let number = |argument: &CodeArgument| match argument {
            CodeArgument::Number(n) => Some(AbiConstant { element: n.kind.name(), what: format!("`{}`", n.what) }),
            _ => None,
        };
        self.constants = arguments.iter().filter_map(number).collect();
        self.arguments = Some(arguments);
    }

    /// Returns the arguments of GPU code that does not have the kernel ABI, converted by the caller: `buffer` receives
    /// a binding and its number; `number` receives the constant factor, the constants to multiply, whether the upper
    /// half is meant, and the width that the value must fit into.
    pub fn passed<T>(
        &self,
        buffer: impl Fn(u32, u32) -> T,
        number: impl Fn(i64, Vec<u32>, bool, Option<u32>) -> T,
    ) -> Option<Vec<T>> {
        let index = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let one = |argument: &CodeArgument| match argument {
            CodeArgument::Buffer { binding, number } => Some(buffer(index(*binding), *number)),
            CodeArgument::Number(n) => {
                let constant = |f: &CodeFactor| match f {
                    CodeFactor::Constant(i) => Some(index(*i)),
                    _ => None,
                };
                let of = n.of.iter().filter_map(constant).collect();
                let fits = match n.kind {
                    NumberKind::Integer(bits) => Some(bits),
                    _ => None,
                };
                Some(number(n.factor, of, n.half == Some(Half::High), fits))
            }
            CodeArgument::Workgroup => None,
        };
        Some(self.arguments.as_ref()?.iter().filter_map(one).collect())
    }

    /// Returns the binding number of a buffer in a shader; `None` if the shader does not receive it.
    pub fn binding_number(&self, binding: usize) -> Option<u32> {
        let Some(arguments) = &self.arguments else { return u32::try_from(binding).ok() };
        arguments.iter().find_map(|a| match a {
            CodeArgument::Buffer { binding: is, number } if *is == binding => Some(*number),
            _ => None,
        })
    }
}

/// An argument of a hand-written kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeArgument {
    /// A buffer.
    Buffer {
        /// The index of the binding in the interface.
        binding: usize,
        /// The number that a shader has for it.
        number: u32,
    },
    /// A scalar.
    Number(CodeNumber),
    /// The workgroup: a pointer to `hal_workgroup_t`. For CPUs only.
    Workgroup,
}

/// A scalar argument of a hand-written kernel: a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeNumber {
    /// The constant factor.
    pub factor: i64,
    /// The factors that are known at the dispatch.
    pub of: Vec<CodeFactor>,
    /// The half that is passed; `None` for all of it.
    pub half: Option<Half>,
    /// The type in which it is passed.
    pub kind: NumberKind,
    /// The text of the declaration, for messages.
    pub what: String,
}

/// A factor of a scalar argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeFactor {
    /// The index of a constant of the kernel ABI.
    Constant(usize),
    /// The position of the workgroup, in x, y or z. For CPUs only.
    WorkgroupId(usize),
    /// The number of workgroups, in x, y or z. For CPUs only.
    WorkgroupCount(usize),
}

/// A half of a 64-bit number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The lower 32 bits.
    Low,
    /// The upper 32 bits.
    High,
}

/// The type in which a scalar is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberKind {
    /// An integer of that many bits, 8 to 64, signed, which must be enough.
    Integer(u32),
    /// This many of its low bits, 8 to 64, passed unchanged: the bits of a float, or one half of a 64-bit number.
    Bits(u32),
    /// A floating-point number of 32 or 64 bits.
    Float(u32),
}

impl NumberKind {
    /// Returns the width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Integer(bits) | Self::Bits(bits) | Self::Float(bits) => bits,
        }
    }

    /// Returns the type's name in MLIR.
    pub fn name(self) -> String {
        match self {
            Self::Float(bits) => format!("f{bits}"),
            Self::Integer(bits) | Self::Bits(bits) => format!("i{bits}"),
        }
    }
}

/// A buffer of a kernel's interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiBinding {
    /// The element type, as MLIR prints it.
    pub element: String,
    /// Whether the kernel writes it; the kernel may also read it.
    pub written: bool,
    /// The description in messages: `argument 0`.
    pub what: String,
}

/// A constant of a kernel's interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiConstant {
    /// The element type, as MLIR prints it.
    pub element: String,
    /// The description in messages: `size 1 of argument 0`.
    pub what: String,
}

/// The most bytes of push constants that every Vulkan device takes.
pub const PUSH_CONSTANT_BYTES: u32 = 128;

/// The layout of a kernel's constants among Vulkan's push constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushConstants {
    /// For each constant, its offset and its width (4 or 8), in bytes.
    pub places: Vec<(u32, u32)>,
    /// The end of the last constant, in bytes.
    pub size: u32,
}
