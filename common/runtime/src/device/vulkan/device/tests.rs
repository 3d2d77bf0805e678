//! The result on the device is that of sequential execution: compared with plain bytes. Without a Vulkan device there
//! is nothing to test; lit then reports its tests as unsupported.
use super::{super::memory::STAGED, *};
use crate::{
    AlignedBytes,
    commands::{CodeFormat, ConstantWidth, DeviceCode},
    device::{Device, info::DeviceOptions, name::DeviceName},
};
use proptest::prelude::*;
use std::process::Command as Process;

/// `out[i] = 3 * out[i] + x[i] + c`, for words.
const SHADER: &str = "#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { int n; uint c; uint64_t w; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < n) y[i] = 3 * y[i] + x[i] + c + uint(w >> 32); }";

fn shader() -> Option<AlignedBytes> {
    let folder =
        std::env::temp_dir().join(format!("halyard-vulkan-{}-{:?}", std::process::id(), std::thread::current().id()));
    std::fs::create_dir_all(&folder).ok()?;
    let (source, module) = (folder.join("k.comp"), folder.join("k.spv"));
    let text = SHADER.replace("450\n", "450\n#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n");
    std::fs::write(&source, text).ok()?;
    let ran = Process::new("glslc").arg(&source).arg("-o").arg(&module).status().ok()?;
    let bytes = std::fs::read(&module).ok().filter(|_| ran.success());
    let _ = std::fs::remove_dir_all(&folder);
    Some(AlignedBytes::copy_of(&bytes?))
}

fn device(module: &[u8]) -> Option<Box<dyn Device>> {
    let options = DeviceOptions { device: "vulkan".parse::<DeviceName>().unwrap(), ..DeviceOptions::default() };
    let adapter = super::super::open(&options).ok()?;
    let code = DeviceCode {
        format: CodeFormat::Spirv,
        offset: 0,
        bytes: module.len() as u64,
        entry: "main".into(),
        workgroup_size: [32, 1, 1],
        shared_memory: 0,
        constants: vec![ConstantWidth::Index, ConstantWidth::Word, ConstantWidth::Long],
        arguments: None,
    };
    let kernel = DeviceKernel { name: "k", module, code: &code, written: &[false, true], load_constants: Vec::new() };
    Some(adapter.open(&[Some(kernel)]).unwrap())
}

const SIZE: u64 = 1200;

#[derive(Debug, Clone)]
enum Step {
    Mix { input: u64, out: u64, words: u64, constant: u32 },
    Copy { from: u64, to: u64, bytes: u64 },
    Fill { to: u64, width: u64, count: u64, value: u64 },
    Write { to: u64, bytes: u64, value: u8 },
    Read { from: u64, bytes: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let at = || 0..600u64;
    let bytes = || 0..500u64;
    // Kernels get words at multiples of 4, which no device takes everywhere.
    let word = || (0..150u64).prop_map(|w| 4 * w);
    prop_oneof![
        3 => (word(), word(), 0..100u64, any::<u32>()).prop_map(|(input, out, words, constant)| Step::Mix { input, out, words, constant }),
        2 => (at(), at(), bytes()).prop_map(|(from, to, bytes)| Step::Copy { from, to, bytes }),
        2 => (at(), 0..4u32, 0..60u64, any::<u64>()).prop_map(|(to, width, count, value)| Step::Fill { to, width: 1 << width, count, value }),
        1 => (at(), bytes(), any::<u8>()).prop_map(|(to, bytes, value)| Step::Write { to, bytes, value }),
        1 => (at(), bytes()).prop_map(|(from, bytes)| Step::Read { from, bytes }),
    ]
}

/// Does the steps on the device and on bytes; both must see the same.
fn compare(device: &mut dyn Device, steps: &[Step]) {
    let mut model: Vec<u8> = (0..SIZE).map(|i| (i * 7 % 251) as u8).collect();
    let mut memory = model.clone();
    let buffer = device.import_mut(&mut memory, true).unwrap();
    let part = |at: u64, bytes: u64| buffer.part(at, bytes).unwrap();
    let range = |at: u64, bytes: u64| at as usize..(at + bytes) as usize;
    for step in steps {
        match *step {
            Step::Mix { input, out, words, constant } => {
                let (x, y) = (model[range(input, 4 * words)].to_vec(), range(out, 4 * words));
                for (to, x) in model[y].chunks_mut(4).zip(x.chunks(4)) {
                    let word = |b: &[u8]| u32::from_le_bytes(b.try_into().unwrap());
                    let sum = word(to).wrapping_mul(3).wrapping_add(word(x)).wrapping_add(constant).wrapping_add(5);
                    to.copy_from_slice(&sum.to_le_bytes());
                }
                let constants = [words as i64, i64::from(constant), 5 << 32];
                let workgroups = [words.div_ceil(32) as u32, 1, 1];
                let bindings = [part(input, 4 * words), part(out, 4 * words)];
                let call = KernelCall { kernel: 0, bindings: &bindings, constants: &constants, workgroups };
                device.dispatch(call).unwrap();
            }
            Step::Copy { from, to, bytes } => {
                model.copy_within(range(from, bytes), to as usize);
                device.copy(part(from, bytes), part(to, bytes)).unwrap();
            }
            Step::Fill { to, width, count, value } => {
                let element = &value.to_le_bytes()[..width as usize];
                model[range(to, width * count)].chunks_mut(width as usize).for_each(|c| c.copy_from_slice(element));
                device.fill(part(to, width * count), element).unwrap();
            }
            Step::Write { to, bytes, value } => {
                model[range(to, bytes)].fill(value);
                device.write(part(to, bytes), &vec![value; bytes as usize]).unwrap();
            }
            Step::Read { from, bytes } => {
                let mut seen = vec![0; bytes as usize];
                device.read(part(from, bytes), &mut seen).unwrap();
                assert_eq!(seen, model[range(from, bytes)]);
            }
        }
    }
    device.finish().unwrap();
    device.end_call();
    assert_eq!(memory, model);
}

#[test]
fn everything_comes_after_what_stands_before_it() {
    let Some(module) = shader() else { return };
    let Some(mut device) = device(&module) else { return };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(64)
    });
    let device = std::cell::RefCell::new(&mut device);
    let steps = prop::collection::vec(step(), 1..30);
    let run = runner.run(&steps, |steps| {
        let mut device = device.borrow_mut();
        compare(&mut ***device, &steps);
        // A recording is submitted again.
        compare(&mut ***device, &steps);
        // Emulates a GPU with its own memory.
        STAGED.set(true);
        compare(&mut ***device, &steps);
        compare(&mut ***device, &steps);
        STAGED.set(false);
        Ok(())
    });
    run.unwrap();
}

#[test]
fn constants_come_to_the_device_in_pieces() {
    let Some(module) = shader() else { return };
    let Some(mut device) = device(&module) else { return };
    let large: Vec<u8> = (0..STAGE + 12_345).map(|i| (i % 253) as u8).collect();
    // Some are prefixes of others: they share memory.
    let list: [&[u8]; 5] = [&large, &[], &large[..100], &[1, 2, 3], &large[7..20]];
    for staged in [false, true] {
        STAGED.set(staged);
        let spans = device.constants(&list).unwrap();
        for (bytes, span) in list.into_iter().zip(spans) {
            let mut seen = vec![0; bytes.len()];
            device.read(span, &mut seen).unwrap();
            assert!(seen == bytes, "{} bytes", bytes.len());
        }
        // Reads and writes of a host function.
        let span = device.allocate(5000).unwrap();
        let memory = device.host(span, HostUse::Write).unwrap();
        // SAFETY: it is memory of this size.
        unsafe { std::slice::from_raw_parts_mut(memory.address as *mut u8, 5000) }.copy_from_slice(&large[..5000]);
        device.host_wrote(span, memory).unwrap();
        device.host_done();
        let memory = device.host(span.part(3, 4990).unwrap(), HostUse::Read).unwrap();
        device.finish().unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { std::slice::from_raw_parts(memory.address as *const u8, 4990) }, &large[3..4993]);
        device.host_done();
        device.end_call();
    }
    STAGED.set(false);
}

#[test]
fn what_a_device_cannot_take_is_refused() {
    let Some(module) = shader() else { return };
    let Some(mut device) = device(&module) else { return };
    let buffer = device.allocate(64).unwrap();
    let mut says = |spans: [DeviceRange; 2], constants: [i64; 3], workgroups| {
        let call = KernelCall { kernel: 0, bindings: &spans, constants: &constants, workgroups };
        device.dispatch(call).unwrap_err().to_string()
    };
    let (a, b) = (buffer.part(0, 16).unwrap(), buffer.part(32, 16).unwrap());
    assert!(says([a, b], [1 << 31, 0, 0], [1; 3]).contains("kernel `k` gets the number 2147483648"));
    assert!(says([a, b], [4, 0, 0], [u32::MAX, 1, 1]).contains("kernel `k` takes [4294967295, 1, 1] workgroups"));
    let huge = DeviceRange { bytes: 1 << 40, ..a };
    assert!(
        says([huge, b], [4, 0, 0], [1; 3]).contains("kernel `k` takes a buffer of 1099511627776 bytes as binding 0")
    );
    let gone = device.allocate(1 << 47).unwrap_err();
    assert!(gone.to_string().contains("does not have 140737488355328 bytes left"), "{gone}");
}
