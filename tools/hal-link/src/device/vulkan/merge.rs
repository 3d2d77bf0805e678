//! Merges many SPIR-V modules into one: a driver then compiles one module, and shared parts only once.
use halyard_diag::Result;
use halyard_ir::{
    Session,
    form::{Executable, ObjectData, Program, Variant},
};
use halyard_objects::{SpirvModule, inspect_spirv, merge_spirv};

/// Variants whose modules are merged.
struct Group {
    /// The features that their devices must have. Variants with other features have separate modules, so that they run
    /// where these do not.
    features: Vec<String>,
    variants: Vec<Variant>,
    modules: Vec<SpirvModule>,
}

/// Merges the SPIR-V of a program, in place; gives how many modules became how many. Modules with specialisation
/// constants stay as they are: those of one could not be told from those of another. Errors: a damaged module.
pub(crate) fn merge(session: &Session, program: Program) -> Result<(usize, usize)> {
    let mut groups: Vec<Group> = Vec::new();
    for executable in program.executables() {
        for variant in executable.variants() {
            let Some(module) = module(executable, variant)? else { continue };
            let features = module.features();
            // The first group of the same needs where no entry point is called alike.
            let fits = |g: &&mut Group| {
                let taken = |name: &str| g.modules.iter().any(|m| m.entries.iter().any(|e| e.name == name));
                g.features == features && !module.entries.iter().any(|e| taken(&e.name))
            };
            match groups.iter_mut().find(fits) {
                Some(group) => {
                    group.variants.push(variant);
                    group.modules.push(module);
                }
                None => groups.push(Group { features, variants: vec![variant], modules: vec![module] }),
            }
        }
    }
    let before = groups.iter().map(|g| g.modules.len()).sum();
    for group in groups.iter().filter(|g| g.modules.len() > 1) {
        let bytes = merge_spirv(&group.modules)?.bytes();
        let data = Variant::embed(session.raw(), "merged_spirv", &bytes);
        group.variants.iter().for_each(|v| v.set_objects(&[("spirv".into(), data)]));
    }
    Ok((before, groups.len()))
}

/// The one module of a variant, if it can be merged.
fn module(executable: Executable, variant: Variant) -> Result<Option<SpirvModule>> {
    let mut objects = variant.objects()?;
    let (Some(object), true) = (objects.pop(), objects.is_empty()) else { return Ok(None) };
    let (ObjectData::Embedded(bytes), "spirv") = (object.data, &*object.format) else { return Ok(None) };
    let owner = format!("the SPIR-V of `{}/{}`", executable.name(), variant.name());
    Ok(Some(inspect_spirv(&bytes, &owner)?).filter(|m| m.spec_constants.is_empty()))
}
