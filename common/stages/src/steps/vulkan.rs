//! The steps of the pipeline `vulkan`.
use super::{PipelineSpec, step};

pub(super) const PIPELINE: PipelineSpec = PipelineSpec {
    name: "vulkan",
    tool: "hal-translate",
    steps: &[
        step(
            "hal-emit-kernel",
            "Generate a kernel from an export on tensors: workgroups of threads, fusion; skip unsupported exports",
        ),
        step("hal-inline-calls", "Inline the functions that an export calls; reject undefined ones"),
        step("hal-decompose", "Decompose softmax, pack, unpack, concat, gather and scatter"),
        step("hal-separate-empties", "Give each user of an empty tensor its own copy"),
        step(
            "hal-kernel-signature",
            "Give an export on tensors or memrefs flat buffers and a block of push constants, with one thread",
        ),
        step("hal-copies-to-linalg", "Turn copies of memory into linalg operations"),
        step("hal-map-threads", "Give each thread its iteration of an `scf.forall` that is mapped to threads"),
        step(
            "hal-distribute-loops",
            "Divide parallel loops among threads if no thread reads another's results and no thread count is given",
        ),
        step("hal-outline-kernel", "Convert a function of loops over flat buffers to a kernel in the gpu dialect"),
        step(
            "hal-target-environment",
            "Set the target environment of kernels; reject types that the target cannot store or compute with",
        ),
        step("hal-legalize-arithmetic", "Expand arithmetic that SPIR-V lacks"),
        step("hal-storage-classes", "Set the SPIR-V storage class of thread and workgroup memory"),
        step("hal-repair-loops", "Give loops that do not run their results; must directly follow convert-gpu-to-spirv"),
    ],
    conditions: &[
        ("tensors", "the export is on tensors"),
        ("wrapped", "hal-kernel-signature gave the export its signature"),
    ],
};
