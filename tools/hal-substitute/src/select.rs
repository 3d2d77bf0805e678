//! Finds the variants and exports that a name refers to, and their target.
use crate::{SubstitutionName, Variants, gpu, object, request::Request, settings::VariantSettings};
use halyard_diag::{Error, Result, either, nearest};
use halyard_ir::form::{Executable, Variant, device_of_target, known_target_attributes};
use halyard_targets::{CpuTarget, Target};

/// Fails if a name has an export that the executable lacks.
pub(crate) fn check_export(executable: Executable, name: &SubstitutionName) -> Result<()> {
    let Some(wanted) = &name.export else { return Ok(()) };
    let names: Vec<String> = executable.interface_exports().iter().map(|e| e.name()).collect();
    if names.contains(wanted) {
        return Ok(());
    }
    Err(unknown(format!("executable `{}` has no export `{wanted}`", executable.name()), wanted, &names))
}

fn unknown(message: String, wanted: &str, names: &[String]) -> Error {
    let error = Error::usage(message).code("unknown-name");
    let near = nearest(wanted, names.iter().map(String::as_str));
    match (near.is_empty(), names) {
        (false, _) => error.hint(format!("did you mean {}?", either(&near))),
        (true, []) => error,
        (true, _) => {
            error.note(format!("it has {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")))
        }
    }
}

/// The variants that a request means; `None` is one to be made. Where it does not say which, those are meant that are for
/// the same kind of device as its files.
pub(crate) fn variants(executable: Executable, request: &Request) -> Result<Vec<Option<Variant>>> {
    let name = &request.name;
    let mut all = executable.variants();
    if !matches!(name.variants, Variants::One(_)) {
        let device = gpu::device(request);
        let fits = |v: &Variant| v.target().and_then(device_of_target) == Some(device);
        // If there is none, the error in the first one is reported later.
        if all.iter().any(fits) {
            all.retain(fits);
        }
    }
    let names: Vec<String> = all.iter().map(|v| v.name()).collect();
    match (&name.variants, all.as_slice()) {
        (Variants::One(wanted), _) => match all.iter().find(|v| v.name() == *wanted) {
            Some(found) => Ok(vec![Some(*found)]),
            None => {
                let error =
                    unknown(format!("executable `{}` has no variant `{wanted}`", executable.name()), wanted, &names);
                let alone = SubstitutionName::executable(&executable.name());
                Err(if names.is_empty() {
                    error
                        .note("`hal-translate` creates variants")
                        .hint(format!("replace the executable as a whole: `{alone}=FILE`"))
                } else {
                    error
                })
            }
        },
        (_, []) => Ok(vec![None]),
        (Variants::All, _) => Ok(all.into_iter().map(Some).collect()),
        (Variants::Unsaid, [one]) => Ok(vec![Some(*one)]),
        (Variants::Unsaid, several) => {
            let list: Vec<String> =
                names.iter().map(|n| format!("{}/{n}", SubstitutionName::executable(&executable.name()))).collect();
            Err(Error::usage(format!(
                "executable `{}` has {} variants, which one is replaced?",
                executable.name(),
                several.len()
            ))
            .code("several-variants")
            .hint(format!(
                "say {} (or `{}/*` for all)",
                either(&list),
                SubstitutionName::executable(&executable.name())
            )))
        }
    }
}

/// Returns the target that the objects must have: that of the variant, the requested one, or the baseline of their
/// architecture.
pub(crate) fn target(
    executable: Executable,
    variant: Option<Variant>,
    requests: &[&Request],
    settings: &VariantSettings<'_>,
) -> Result<Target> {
    if let Some(variant) = variant {
        let attr = variant.target();
        return attr.and_then(Target::of_attr).ok_or_else(|| {
            let text = attr.map_or_else(|| "nothing".to_owned(), |a| a.to_string());
            Error::input(format!("variant `{}` of executable `{}` is for `{text}`", variant.name(), executable.name()))
                .code("unsupported-target")
                .note(format!("objects can be given for {} of known chips", known_target_attributes("and")))
        });
    }
    let device = requests.first().map_or("cpu", |r| gpu::device(r));
    let alike: Vec<&Target> = settings.targets.iter().filter(|t| t.device() == device).collect();
    match (settings.targets, alike.as_slice()) {
        ([], _) => {}
        (_, [target]) => return Ok((*target).clone()),
        ([target], []) => return Ok(target.clone()),
        (several, _) => {
            let text = format!("an object for `{}` is for one target, not for {}", executable.name(), several.len());
            return Err(Error::usage(text));
        }
    }
    if let Some(target) = gpu::target(requests)? {
        return Ok(target);
    }
    // The target of the first file that states one; assembly states none, and is assumed to be for this machine.
    let named = requests.iter().flat_map(|r| &r.files).find_map(object::architecture);
    let architecture = named.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    CpuTarget::baseline(&architecture).map(Target::Cpu).ok_or_else(|| {
        Error::input(format!("LLVM knows no CPU of the architecture `{architecture}`")).code("wrong-architecture")
    })
}
