//! Resolves the items of `hal.arguments` against an interface.
use super::{
    kinds::kind,
    parse::{self, Factor, Item, Value, Whose, written},
};
use crate::form::device::device_named;
use crate::{Type, form::Interface, names};
use halyard_objects::{CodeArgument, CodeFactor, CodeNumber, Half, NumberKind};

/// The buffers of an interface, in the order of the kernel ABI, as items name them.
pub(super) fn buffers(interface: &Interface) -> Vec<String> {
    let inputs = interface.tensor_inputs().into_iter().map(|i| format!("arg{i}"));
    inputs.chain(interface.untied_results().into_iter().map(|i| format!("result{i}"))).collect()
}

/// The interface and the device that a list is resolved for.
pub(super) struct Place<'a> {
    pub(super) interface: &'a Interface,
    pub(super) device: &'a str,
}

impl Place<'_> {
    pub(super) fn all(&self, items: &[String]) -> Result<Vec<CodeArgument>, String> {
        let mut list = Vec::new();
        for (i, text) in items.iter().enumerate() {
            let at = |why: String| format!("item {i} of `{}`: {why}", names::ARGUMENTS);
            let item = parse::item(text).map_err(at)?;
            list.extend(self.item(&item).map_err(|why| at(format!("`{text}`: {why}")))?);
        }
        self.number_buffers(&mut list)?;
        self.check_passed(&list, items)?;
        Ok(list)
    }

    fn item(&self, item: &Item) -> Result<Vec<CodeArgument>, String> {
        if item.number.is_some() && !matches!(&item.value, Value::Plain(w) if self.is_buffer(*w)) {
            return Err("`@` gives a buffer the number of a binding".into());
        }
        let ty = item.ty.as_deref();
        let number = |half, factors: &[Factor]| self.number(half, factors, ty);
        let shape = |whose: Whose| -> Result<Vec<Vec<Factor>>, String> {
            Ok((0..self.tensor(whose)?.rank()).map(|d| vec![Factor::Dim(whose, d)]).collect())
        };
        let strides = |whose: Whose| -> Result<Vec<Vec<Factor>>, String> {
            let rank = self.tensor(whose)?.rank();
            let stride = |d: usize| (d + 1..rank).map(|i| Factor::Dim(whose, i)).collect::<Vec<_>>();
            let one = |f: Vec<Factor>| if f.is_empty() { vec![Factor::Integer(1)] } else { f };
            Ok((0..rank).map(|d| one(stride(d))).collect())
        };
        let numbers = |list: Vec<Vec<Factor>>| -> Result<Vec<CodeArgument>, String> {
            let all: Result<Vec<_>, _> = list.iter().map(|factors| number(None, factors)).collect();
            Ok(all?.concat())
        };
        let untyped = || match ty {
            Some(ty) => Err(format!("a buffer is a pointer, not `{ty}`")),
            None => Ok(()),
        };
        match &item.value {
            Value::Buffers => {
                untyped()?;
                let count = buffers(self.interface).len();
                Ok((0..count).map(|binding| CodeArgument::Buffer { binding, number: u32::MAX }).collect())
            }
            Value::AllSizes => {
                let inputs = self.interface.tensor_inputs().into_iter().map(Whose::Argument);
                let whose = inputs.chain((0..self.interface.results.len()).map(Whose::Result));
                let sizes = whose.flat_map(|w| self.dynamic(w).into_iter().map(move |d| vec![Factor::Dim(w, d)]));
                numbers(sizes.collect())
            }
            Value::Scalars => {
                numbers(self.interface.scalar_inputs().into_iter().map(|i| vec![Factor::Argument(i)]).collect())
            }
            Value::Workgroup => {
                untyped()?;
                self.only_cpu("the workgroup")?;
                Ok(vec![CodeArgument::Workgroup])
            }
            Value::Plain(whose) if self.is_buffer(*whose) => {
                untyped()?;
                let number = item.number.unwrap_or(u32::MAX);
                Ok(vec![CodeArgument::Buffer { binding: self.binding(*whose)?, number }])
            }
            Value::Plain(Whose::Argument(i)) => number(None, &[Factor::Argument(*i)]),
            Value::Plain(Whose::Result(i)) => Err(self.no("result", *i)),
            Value::Sizes(whose) => numbers(shape(*whose)?),
            Value::Strides(whose) => numbers(strides(*whose)?),
            Value::Memref(whose) => {
                self.only_cpu("a memref")?;
                untyped().map_err(|_| "the numbers of a memref are of type `i64`".to_owned())?;
                let pointer = CodeArgument::Buffer { binding: self.binding(*whose)?, number: u32::MAX };
                let mut list = vec![pointer.clone(), pointer];
                list.extend(number(None, &[Factor::Integer(0)])?);
                list.extend(numbers(shape(*whose)?)?);
                list.extend(numbers(strides(*whose)?)?);
                Ok(list)
            }
            Value::Number(half, factors) => number(*half, factors),
        }
    }

    /// Resolves a scalar; a 64-bit one may become two 32-bit words.
    fn number(&self, half: Option<Half>, factors: &[Factor], ty: Option<&str>) -> Result<Vec<CodeArgument>, String> {
        let own = self.own_type(factors)?;
        let (kind, in_words) = match (ty, own) {
            (Some("words"), own) if half.is_none() => (own, true),
            (Some(_), _) if half.is_some() && ty != Some("i32") => return Err("half of a number is an `i32`".into()),
            (_, _) if half.is_some() => (NumberKind::Bits(32), false),
            (None, own) => (own, false),
            (Some(ty), own) => (kind(ty, own)?, false),
        };
        let one = |half: Option<Half>, kind| self.product(half, factors, kind).map(CodeArgument::Number);
        match in_words {
            true if own.bits() == 64 => {
                [Half::Low, Half::High].into_iter().map(|half| one(Some(half), NumberKind::Bits(32))).collect()
            }
            true => Ok(vec![one(
                None,
                if own == NumberKind::Float(32) { NumberKind::Bits(32) } else { NumberKind::Integer(32) },
            )?]),
            false => Ok(vec![one(half, kind)?]),
        }
    }

    /// Returns the default type of a scalar: the device's size type for sizes, its own type for a scalar argument.
    fn own_type(&self, factors: &[Factor]) -> Result<NumberKind, String> {
        let size = NumberKind::Integer(device_named(self.device).map_or(64, |device| device.size_bits));
        if let [Factor::Argument(i)] = factors {
            let ty = self.scalar(*i)?;
            let bits = ty.bits();
            return Ok(match ty {
                t if t.is_index() => size,
                t if t.is_float() && bits >= 32 => NumberKind::Float(bits),
                // Registers and push constants have at least that.
                t if t.is_float() => NumberKind::Bits(32),
                _ if bits > 32 => NumberKind::Integer(64),
                _ => NumberKind::Integer(32),
            });
        }
        Ok(size)
    }

    fn product(&self, half: Option<Half>, factors: &[Factor], kind: NumberKind) -> Result<CodeNumber, String> {
        let mut number = CodeNumber { factor: 1, of: Vec::new(), half, kind, what: written(half, factors) };
        for factor in factors {
            let known = match factor {
                Factor::Integer(n) => Some(*n),
                Factor::Argument(i) => {
                    if self.scalar(*i)?.is_float()
                        && (factors.len() > 1 || half.is_some() && self.scalar(*i)?.bits() < 64)
                    {
                        return Err(format!("argument {i} is a float, which is passed as it is"));
                    }
                    number.of.push(CodeFactor::Constant(self.constant(*i)));
                    None
                }
                Factor::Dim(whose, d) => {
                    let ty = self.tensor(*whose)?;
                    let size = ty.shape().get(*d).copied();
                    let size = size.ok_or_else(|| format!("a `{ty}` has no dimension {d}; the first is 0"))?;
                    if size.is_none() {
                        number.of.push(CodeFactor::Constant(self.size(*whose, *d)));
                    }
                    size
                }
                Factor::WorkgroupId(axis) | Factor::WorkgroupCount(axis) => {
                    self.only_cpu("the number of a workgroup")?;
                    number.of.push(match factor {
                        Factor::WorkgroupId(_) => CodeFactor::WorkgroupId(*axis),
                        _ => CodeFactor::WorkgroupCount(*axis),
                    });
                    None
                }
            };
            let product = number.factor.checked_mul(known.unwrap_or(1));
            number.factor = product.ok_or("the product does not fit into 64 bits")?;
        }
        if let (NumberKind::Integer(bits), true, None) = (kind, number.of.is_empty(), half) {
            let (least, most) = (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits));
            if number.factor < least || number.factor > most {
                return Err(format!("{} does not fit into an `i{bits}`", number.factor));
            }
        }
        Ok(number)
    }

    fn only_cpu(&self, what: &str) -> Result<(), String> {
        if self.device == "cpu" {
            return Ok(());
        }
        Err(format!("{what} is passed on CPUs only; a kernel for a GPU asks the GPU, and takes pointers"))
    }

    fn tensor(&self, whose: Whose) -> Result<Type, String> {
        let (found, name, i) = match whose {
            Whose::Argument(i) => (self.interface.inputs.get(i), "argument", i),
            Whose::Result(i) => (self.interface.results.get(i), "result", i),
        };
        let ty = found.copied().ok_or_else(|| self.no(name, i))?;
        if ty.is_tensor() { Ok(ty) } else { Err(format!("{name} {i} is a `{ty}`, which has no sizes")) }
    }

    fn scalar(&self, i: usize) -> Result<Type, String> {
        let ty = self.interface.inputs.get(i).copied().ok_or_else(|| self.no("argument", i))?;
        if ty.is_tensor() { Err(format!("argument {i} is a `{ty}`, and no number")) } else { Ok(ty) }
    }

    fn no(&self, what: &str, i: usize) -> String {
        let count = if what == "argument" { self.interface.inputs.len() } else { self.interface.results.len() };
        let plural = if count == 1 { "" } else { "s" };
        format!("there is no {what} {i}; the kernel has {count} {what}{plural}, and 0 is the first")
    }

    fn is_buffer(&self, whose: Whose) -> bool {
        self.tensor(whose).is_ok()
    }

    fn binding(&self, whose: Whose) -> Result<usize, String> {
        self.tensor(whose)?;
        let inputs = self.interface.tensor_inputs();
        let of_input = |i: usize| inputs.iter().position(|&t| t == i).expect("it is a tensor");
        Ok(match whose {
            Whose::Argument(i) => of_input(i),
            Whose::Result(i) => match self.interface.tied[i] {
                Some(argument) => of_input(argument),
                None => {
                    let untied = self.interface.untied_results();
                    inputs.len() + untied.iter().position(|&r| r == i).expect("it is not tied")
                }
            },
        })
    }

    fn dynamic(&self, whose: Whose) -> Vec<usize> {
        let shape = self.tensor(whose).map(|t| t.shape()).unwrap_or_default();
        (0..shape.len()).filter(|&d| shape[d].is_none()).collect()
    }

    /// The constant of the kernel ABI that is a size.
    fn size(&self, whose: Whose, dimension: usize) -> usize {
        let inputs = self.interface.tensor_inputs().into_iter().map(Whose::Argument);
        let all = inputs.chain((0..self.interface.results.len()).map(Whose::Result));
        let before: usize = all.take_while(|w| *w != whose).map(|w| self.dynamic(w).len()).sum();
        before + self.dynamic(whose).iter().position(|&d| d == dimension).expect("it is dynamic")
    }

    /// The constant of the kernel ABI that is a scalar.
    fn constant(&self, argument: usize) -> usize {
        let scalars = self.interface.scalar_inputs();
        let place = scalars.iter().position(|&i| i == argument).expect("it is a scalar");
        self.interface.constant_count() - scalars.len() + place
    }

    /// Assigns binding numbers to buffers without one.
    fn number_buffers(&self, list: &mut [CodeArgument]) -> Result<(), String> {
        let mut place = 0;
        let mut seen: Vec<(usize, u32)> = Vec::new();
        for argument in list {
            let CodeArgument::Buffer { binding, number } = argument else { continue };
            if *number == u32::MAX {
                *number = place;
            }
            place += 1;
            if device_named(self.device).is_some_and(|device| device.numbers_buffers)
                && let Some((other, _)) = seen.iter().find(|(b, n)| b == binding || n == number)
            {
                let names = buffers(self.interface);
                return Err(match other == binding {
                    true => format!("`{}` passes `{}` twice", names::ARGUMENTS, names[*binding]),
                    false => format!(
                        "`{}` gives binding {number} to `{}` and `{}`",
                        names::ARGUMENTS,
                        names[*other],
                        names[*binding]
                    ),
                });
            }
            seen.push((*binding, *number));
        }
        Ok(())
    }

    /// Errors: what is written, or given and used for nothing, is not passed.
    fn check_passed(&self, list: &[CodeArgument], items: &[String]) -> Result<(), String> {
        let passed =
            |binding: usize| list.iter().any(|a| matches!(a, CodeArgument::Buffer { binding: b, .. } if *b == binding));
        let inputs = self.interface.tensor_inputs();
        for (binding, name) in buffers(self.interface).iter().enumerate().filter(|(b, _)| !passed(*b)) {
            let tied = inputs.get(binding).is_some_and(|i| self.interface.tied.contains(&Some(*i)));
            if binding >= inputs.len() || tied {
                return Err(format!("`{}` does not pass `{name}`, which the kernel writes", names::ARGUMENTS));
            }
            if !items.iter().any(|item| item.contains(&format!("({name},")) || item.contains(&format!("({name})"))) {
                return Err(format!(
                    "`{}` does not pass `{name}`, nor anything of it; leave it out of the declaration",
                    names::ARGUMENTS
                ));
            }
        }
        Ok(())
    }
}
