use super::*;
use crate::KernelIdentity;
use crate::commands::{CodeFormat, Kernel, KernelVariant, Operand, WorkgroupCount};

/// Returns the error for a section in which a module of that format has these bytes, from `offset` on.
fn said(format: CodeFormat, section: &[u8], offset: u64, bytes: u64) -> Option<String> {
    let one = Operand::Immediate(1);
    let code = DeviceCode {
        format,
        offset,
        bytes,
        entry: "k".into(),
        workgroup_size: [1; 3],
        shared_memory: 0,
        constants: Vec::new(),
        arguments: None,
    };
    let variant = KernelVariant {
        name: "v".into(),
        code: KernelCode::Device(code),
        features: Vec::new(),
        load_constants: Vec::new(),
        packed: Vec::new(),
        digest: String::new(),
        workgroups: WorkgroupCount { registers: 0, body: Vec::new(), results: [one; 3] },
    };
    let kernel = Kernel {
        executable: "e".into(),
        export: "k".into(),
        identity: KernelIdentity::default(),
        fingerprint: String::new(),
        bindings: Vec::new(),
        types: Vec::new(),
        constants: 0,
        results: 0,
        work: Default::default(),
        bytes: None,
        variants: vec![variant],
    };
    let host_program = HostProgram { kernels: vec![kernel], ..HostProgram::default() };
    DeviceModules::new(section, &host_program).err().map(|e| e.to_string())
}

#[test]
fn modules_lie_in_their_section_and_are_what_they_are_said_to_be() {
    let mut spirv = 0x0723_0203u32.to_le_bytes().to_vec();
    spirv.resize(20, 0);
    assert_eq!(said(CodeFormat::Spirv, &spirv, 0, 20), None);
    let outside = said(CodeFormat::Spirv, &spirv, 64, 20).unwrap();
    assert_eq!(outside, "the program is damaged: the spirv module of kernel `k` lies outside its section");
    assert!(said(CodeFormat::Spirv, &spirv, 0, 24).is_some() && said(CodeFormat::Spirv, &spirv, 0, u64::MAX).is_some());
    assert!(said(CodeFormat::Spirv, &spirv, 0, 19).unwrap().contains("is none"));
    assert!(said(CodeFormat::Spirv, &spirv, 0, 16).is_some() && said(CodeFormat::Spirv, &[0; 20], 0, 20).is_some());
    let ptx = b".version 7.0\n.target sm_80\n";
    assert_eq!(said(CodeFormat::Ptx, ptx, 0, ptx.len() as u64), None);
    // The driver takes it as a string of C.
    assert!(
        said(CodeFormat::Ptx, b".version 7.0\0", 0, 13).is_some() && said(CodeFormat::Ptx, &spirv, 0, 20).is_some()
    );
    assert!(said(CodeFormat::Cubin, ptx, 0, 20).is_some() && said(CodeFormat::Fatbin, ptx, 0, 20).is_some());
}
