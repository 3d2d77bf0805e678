//! Has drivers compute with the floats of IEEE 754: infinities, NaNs and signs of zeros, denormal numbers, conversions to the
//! nearest number.
//!
//! A module that does not ask for them leaves them to the driver ("Precision and Operation of SPIR-V Instructions" of the Vulkan
//! specification): NVIDIA's takes `x > c ? c : x` for a minimum, which has no NaN, and flushes denormals to zero. What a device offers
//! differs, and a module that asks for more than that is not valid there; so modules are completed on the device. A module with an
//! execution mode of this kind stays as it is.
use ash::vk;
use std::ops::Range;

const OP_EXTENSION: u32 = 10;
const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
const OP_CAPABILITY: u32 = 17;
const OP_TYPE_FLOAT: u32 = 22;
const OP_EXECUTION_MODE_ID: u32 = 331;
/// All execution modes that say how floats behave, from `DenormPreserve` to `RoundingModeRTZ`.
const FLOAT_MODES: Range<u32> = 4459..4464;
const EXTENSION: &str = "SPV_KHR_float_controls";
const WIDTHS: [u32; 3] = [16, 32, 64];

/// An execution mode of SPIR-V, with the capability that it needs.
#[derive(Debug, Clone, Copy)]
struct Mode {
    number: u32,
    capability: u32,
    /// Whether the device has it for floats of 16, 32 and 64 bits.
    has: [bool; 3],
    independence: vk::ShaderFloatControlsIndependence,
}

/// The modes that a device offers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FloatModes {
    modes: Option<[Mode; 3]>,
}

impl FloatModes {
    /// Those of a device with these properties.
    pub(super) fn of(p: &vk::PhysicalDeviceFloatControlsProperties<'_>) -> Self {
        let mode = |number, capability, flags: [vk::Bool32; 3], independence| Mode {
            number,
            capability,
            has: flags.map(|flag| flag == vk::TRUE),
            independence,
        };
        let nan = [
            p.shader_signed_zero_inf_nan_preserve_float16,
            p.shader_signed_zero_inf_nan_preserve_float32,
            p.shader_signed_zero_inf_nan_preserve_float64,
        ];
        let denormal =
            [p.shader_denorm_preserve_float16, p.shader_denorm_preserve_float32, p.shader_denorm_preserve_float64];
        let nearest = [
            p.shader_rounding_mode_rte_float16,
            p.shader_rounding_mode_rte_float32,
            p.shader_rounding_mode_rte_float64,
        ];
        Self {
            modes: Some([
                mode(4461, 4466, nan, vk::ShaderFloatControlsIndependence::ALL),
                mode(4459, 4464, denormal, p.denorm_behavior_independence),
                mode(4462, 4467, nearest, p.rounding_mode_independence),
            ]),
        }
    }

    /// A module with all modes for the floats that it has. `words` are a valid module.
    pub(super) fn complete(&self, words: Vec<u32>) -> Vec<u32> {
        let (Some(modes), Some(parts)) = (&self.modes, Parts::of(&words)) else { return words };
        let asked: Vec<(Mode, Vec<u32>)> =
            modes.iter().map(|mode| (*mode, mode.widths(&parts.floats))).filter(|(_, w)| !w.is_empty()).collect();
        if asked.is_empty() || parts.has_modes {
            return words;
        }
        let mut all = Vec::with_capacity(words.len() + 64);
        all.extend_from_slice(&words[..parts.capabilities]);
        let new = asked.iter().filter(|(mode, _)| !parts.declared.contains(&mode.capability));
        new.for_each(|(mode, _)| all.extend(instruction(OP_CAPABILITY, &[mode.capability])));
        all.extend(instruction(OP_EXTENSION, &literal(EXTENSION)));
        all.extend_from_slice(&words[parts.capabilities..parts.modes]);
        for entry in &parts.entries {
            for (mode, widths) in &asked {
                widths.iter().for_each(|&w| all.extend(instruction(OP_EXECUTION_MODE, &[*entry, mode.number, w])));
            }
        }
        all.extend_from_slice(&words[parts.modes..]);
        all
    }
}

impl Mode {
    /// The widths that a module with such floats asks for. Where modes depend on each other, several go together or none.
    fn widths(&self, floats: &[u32]) -> Vec<u32> {
        let together: &[u32] = match self.independence {
            vk::ShaderFloatControlsIndependence::ALL => &[],
            vk::ShaderFloatControlsIndependence::TYPE_32_ONLY => &[16, 64],
            _ => &WIDTHS,
        };
        let has = |width: u32| WIDTHS.iter().zip(self.has).any(|(w, has)| *w == width && has);
        let all = |group: &[u32]| group.iter().all(|w| has(*w));
        let wanted = |width: u32| match together.contains(&width) {
            true => all(together) && together.iter().any(|w| floats.contains(w)),
            false => has(width) && floats.contains(&width),
        };
        WIDTHS.into_iter().filter(|w| wanted(*w)).collect()
    }
}

/// What of a module matters here.
struct Parts {
    /// Where the capabilities end, and where execution modes may stand, in words.
    capabilities: usize,
    modes: usize,
    declared: Vec<u32>,
    entries: Vec<u32>,
    floats: Vec<u32>,
    has_modes: bool,
}

impl Parts {
    /// `None` if the words end within an instruction, or there is no entry point.
    fn of(words: &[u32]) -> Option<Self> {
        let mut parts = Self {
            capabilities: 5,
            modes: 0,
            declared: Vec::new(),
            entries: Vec::new(),
            floats: Vec::new(),
            has_modes: false,
        };
        let mut at = 5;
        while at < words.len() {
            let length = (words[at] >> 16) as usize;
            let operands = words.get(at + 1..at + length.max(1))?;
            let end = at + length;
            match words[at] & 0xffff {
                OP_CAPABILITY => (parts.capabilities, _) = (end, parts.declared.push(*operands.first()?)),
                OP_ENTRY_POINT => (parts.modes, _) = (end, parts.entries.push(*operands.get(1)?)),
                OP_EXECUTION_MODE | OP_EXECUTION_MODE_ID => {
                    parts.modes = end;
                    parts.has_modes |= FLOAT_MODES.contains(operands.get(1)?);
                }
                OP_TYPE_FLOAT => parts.floats.push(*operands.get(1)?),
                _ => {}
            }
            at = end;
        }
        (!parts.entries.is_empty()).then_some(parts)
    }
}

fn instruction(number: u32, operands: &[u32]) -> Vec<u32> {
    let length = operands.len() as u32 + 1;
    [length << 16 | number].into_iter().chain(operands.iter().copied()).collect()
}

/// A literal string: its bytes and a zero, in whole words.
fn literal(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((text.len() + 1).next_multiple_of(4), 0);
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::Write,
        process::{Command, Stdio},
    };

    fn device(independence: vk::ShaderFloatControlsIndependence) -> FloatModes {
        FloatModes::of(&vk::PhysicalDeviceFloatControlsProperties {
            denorm_behavior_independence: independence,
            shader_signed_zero_inf_nan_preserve_float32: vk::TRUE,
            shader_denorm_preserve_float16: vk::TRUE,
            shader_denorm_preserve_float32: vk::TRUE,
            ..Default::default()
        })
    }

    /// A module with one capability, an entry point of number 7 and floats of these widths.
    fn module(floats: &[u32], mode: Option<u32>) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x1_0300, 0, 100, 0];
        words.extend(instruction(OP_CAPABILITY, &[1]));
        words.extend(instruction(14, &[0, 1]));
        words.extend(instruction(OP_ENTRY_POINT, &[5, 7, u32::from_le_bytes(*b"abc\0")]));
        words.extend(instruction(OP_EXECUTION_MODE, &[7, 17, 64, 1, 1]));
        mode.into_iter().for_each(|mode| words.extend(instruction(OP_EXECUTION_MODE, &[7, mode, 32])));
        floats.iter().for_each(|w| words.extend(instruction(OP_TYPE_FLOAT, &[90 + *w, *w])));
        words
    }

    /// The modes that were added, with their widths.
    fn added(modes: &FloatModes, module: Vec<u32>) -> Vec<(u32, u32)> {
        let known = module.len();
        let words = modes.complete(module);
        let mut found = Vec::new();
        let (mut at, mut capabilities) = (5, Vec::new());
        while at < words.len() {
            match words[at] & 0xffff {
                OP_EXECUTION_MODE if FLOAT_MODES.contains(&words[at + 2]) => {
                    assert_eq!(words[at + 1], 7);
                    found.push((words[at + 2], words[at + 3]));
                }
                OP_CAPABILITY => capabilities.push(words[at + 1]),
                _ => {}
            }
            at += (words[at] >> 16) as usize;
        }
        assert_eq!(at, words.len());
        assert_eq!(words.len() == known, found.is_empty());
        assert!(found.iter().all(|(mode, _)| words.len() == known || capabilities.contains(&(mode + 5))));
        found
    }

    #[test]
    fn a_module_gets_the_modes_that_the_device_has_for_its_floats() {
        let modes = device(vk::ShaderFloatControlsIndependence::ALL);
        assert_eq!(added(&modes, module(&[32], None)), [(4461, 32), (4459, 32)]);
        assert_eq!(added(&modes, module(&[16, 32], None)), [(4461, 32), (4459, 16), (4459, 32)]);
        assert_eq!(added(&modes, module(&[64], None)), []);
        assert_eq!(added(&modes, module(&[], None)), []);
        assert_eq!(added(&FloatModes::default(), module(&[32], None)), []);
    }

    #[test]
    fn modes_that_depend_on_each_other_go_together() {
        // 16 and 64 bits together, but the device preserves no denormals of 64.
        let some = device(vk::ShaderFloatControlsIndependence::TYPE_32_ONLY);
        assert_eq!(added(&some, module(&[16, 32], None)), [(4461, 32), (4459, 32)]);
        let none = device(vk::ShaderFloatControlsIndependence::NONE);
        assert_eq!(added(&none, module(&[32], None)), [(4461, 32)]);
    }

    #[test]
    fn a_module_that_says_it_itself_stays_as_it_is() {
        let modes = device(vk::ShaderFloatControlsIndependence::ALL);
        let flushes = module(&[32], Some(4460));
        assert_eq!(modes.complete(flushes.clone()), flushes);
        let cut = &flushes[..flushes.len() - 1];
        assert_eq!(modes.complete(cut.to_vec()), cut);
    }

    /// The output of one of SPIR-V's tools for an input.
    fn tool(name: &str, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        let mut child = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("{name}: {e} (Debian: apt install spirv-tools)"));
        child.stdin.take().expect("it is piped").write_all(input).expect("the tool reads");
        let output = child.wait_with_output().expect("the tool ends");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    #[test]
    fn completed_modules_are_valid() {
        const MODULE: &str = "OpCapability Shader
            OpCapability Float16
            OpCapability Float64
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main \"main\"
            OpEntryPoint GLCompute %main \"other\"
            OpExecutionMode %main LocalSize 1 1 1
            %void = OpTypeVoid
            %function = OpTypeFunction %void
            %half = OpTypeFloat 16
            %single = OpTypeFloat 32
            %double = OpTypeFloat 64
            %main = OpFunction %void None %function
            %label = OpLabel
            OpReturn
            OpFunctionEnd";
        let bytes = tool("spirv-as", &["--target-env", "vulkan1.1", "-o", "-", "-"], MODULE.as_bytes());
        let words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes"))).collect();
        let all = FloatModes::of(&vk::PhysicalDeviceFloatControlsProperties {
            denorm_behavior_independence: vk::ShaderFloatControlsIndependence::ALL,
            rounding_mode_independence: vk::ShaderFloatControlsIndependence::ALL,
            shader_signed_zero_inf_nan_preserve_float16: vk::TRUE,
            shader_signed_zero_inf_nan_preserve_float32: vk::TRUE,
            shader_signed_zero_inf_nan_preserve_float64: vk::TRUE,
            shader_denorm_preserve_float16: vk::TRUE,
            shader_denorm_preserve_float32: vk::TRUE,
            shader_denorm_preserve_float64: vk::TRUE,
            shader_rounding_mode_rte_float16: vk::TRUE,
            shader_rounding_mode_rte_float32: vk::TRUE,
            shader_rounding_mode_rte_float64: vk::TRUE,
            ..Default::default()
        });
        let completed: Vec<u8> = all.complete(words).into_iter().flat_map(u32::to_le_bytes).collect();
        assert!(completed.len() > bytes.len());
        tool("spirv-val", &["--target-env", "vulkan1.1", "-"], &completed);
    }
}
