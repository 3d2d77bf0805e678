//! Lists the contents of a program.
use halyard_runtime::{FunctionInfo, KernelInfo, LoadedProgram, TensorSpec, commands::HostFunction};

/// The functions with their signatures and the kernels, one a line.
pub(crate) fn text(program: &LoadedProgram) -> String {
    let mut text = String::from("functions:\n");
    text.extend(program.functions().iter().map(|f| format!("  {}\n", signature(f))));
    text += &states(program);
    text += "kernels:\n";
    text.extend(program.kernels().iter().map(|k| format!("  {}\n", kernel(k))));
    let host: Vec<_> = program.host_functions().iter().map(host_function).collect();
    if !host.is_empty() {
        text += "host functions:\n";
        text.extend(host);
    }
    let imports: Vec<_> =
        program.imports().map(|(name, users)| format!("  {name}, called by {}\n", users.join(", "))).collect();
    if !imports.is_empty() {
        text += "functions of plugins:\n";
        text.extend(imports);
    }
    if !program.trusting().is_empty() {
        text += &format!(
            "not checked (--bounds=trust): indices and divisors that are data, in {}\n",
            program.trusting().join(", ")
        );
    }
    text
}

/// The executables in order, each with its content key, where it comes from and its kernels.
pub(crate) fn executables(program: &LoadedProgram) -> String {
    let mut text = String::new();
    for of_one in program.kernels().chunk_by(|a, b| a.executable == b.executable) {
        let KernelInfo { executable, identity, .. } = &of_one[0];
        text += &format!("{executable}  key:{}\n", identity.key);
        if !identity.origin.is_empty() {
            text += &format!("  from {}\n", identity.origin.join(", "));
        }
        text.extend(of_one.iter().map(|k| format!("  {}\n", kernel(k))));
    }
    text
}

/// `cache: 1x?x64xf32 [, length], starts as 1x0x64xf32`.
fn states(program: &LoadedProgram) -> String {
    let one = |(i, s): (usize, &TensorSpec)| {
        let (name, dims) = (s.name.as_deref().unwrap_or_default(), s.dim_names_text());
        let space = if dims.is_empty() { "" } else { " " };
        let shape: Vec<Option<usize>> = program.initial_shape(i).iter().map(|&d| Some(d as usize)).collect();
        let start = if shape == s.shape {
            String::new()
        } else {
            format!(", starts as {}", TensorSpec { shape, ..s.clone() }.type_text())
        };
        format!("  {name}: {}{space}{dims}{start}\n", s.type_text())
    };
    let list: String = program.states().enumerate().map(one).collect();
    if list.is_empty() { list } else { format!("states:\n{list}") }
}

/// `vocab.lookup(tensor<?xi64>) -> tensor<?x8xf32>, called by main`.
fn host_function(f: &HostFunction) -> String {
    let version = f.version.map_or(String::new(), |v| format!(", version {v}"));
    format!("  {}{}{version}, called by {}\n", f.name, f.signature(), f.called_by.join(", "))
}

/// `main(x: 1x784xf32) -> (1x10xf32)`.
fn signature(function: &FunctionInfo) -> String {
    format!("{}({}) -> ({})", function.name, specs(&function.inputs), specs(&function.outputs))
}

fn specs(specs: &[TensorSpec]) -> String {
    let one = |s: &TensorSpec| {
        let (name, dims) = (s.name.as_ref().map_or(String::new(), |name| format!("{name}: ")), s.dim_names_text());
        let space = if dims.is_empty() { "" } else { " " };
        format!("{name}{}{space}{dims}", s.type_text())
    };
    specs.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `main_dispatch_0_matmul (cpu_x86_64_v4): 3 bindings, 0 constants, 100352 flops`.
fn kernel(kernel: &KernelInfo) -> String {
    let others = if kernel.others.is_empty() { String::new() } else { format!("; also {}", kernel.others.join(", ")) };
    let mut text = format!(
        "{} ({}{others}): {} bindings, {} constants",
        kernel.export, kernel.variant, kernel.bindings, kernel.constants
    );
    text.extend(kernel.load_constants.iter().map(|name| format!(", {name}")));
    if let Some(flops) = kernel.work.fixed_operations() {
        text += &format!(", {flops} flops");
    }
    if let Some(bytes) = kernel.bytes {
        text += &format!(", {bytes} bytes");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_runtime::{
        DType, KernelIdentity,
        commands::{KernelWork, WorkTerm},
    };

    #[test]
    fn lines() {
        let spec = |name: Option<&str>, shape| TensorSpec {
            name: name.map(Into::into),
            dtype: DType::F32,
            shape,
            dim_names: vec![],
            element: None,
        };
        let function = FunctionInfo {
            name: "main".into(),
            inputs: vec![spec(Some("x"), vec![None, Some(784)]), spec(None, vec![])],
            outputs: vec![spec(None, vec![Some(10)])],
        };
        insta::assert_snapshot!(signature(&function), @"main(x: ?x784xf32, f32) -> (10xf32)");
        let info = KernelInfo {
            executable: "main_dispatch_0".into(),
            export: "main_dispatch_0_matmul".into(),
            identity: KernelIdentity::default(),
            symbol: "main_dispatch_0_matmul".into(),
            variant: "cpu_x86_64_v4".into(),
            others: Vec::new(),
            digest: String::new(),
            bindings: 3,
            constants: 0,
            load_constants: vec!["device.threads".into()],
            work: KernelWork {
                operations: Some(vec![WorkTerm { factor: 100_352, constants: vec![] }]),
                ..KernelWork::default()
            },
            bytes: None,
        };
        insta::assert_snapshot!(kernel(&info), @"main_dispatch_0_matmul (cpu_x86_64_v4): 3 bindings, 0 constants, device.threads, 100352 flops");
    }
}
