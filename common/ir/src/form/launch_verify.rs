//! Verifies the launch parameters of variants.
use super::{
    Launch, Variant,
    device::{DEVICES, device_of},
};
use crate::{Op, names};

/// Checks what a variant says of workgroups: it is there for GPUs with objects and nowhere else, and its objects are of a
/// format that its device takes.
pub(super) fn verify_launches(name: &str, variant: Variant, say: &mut dyn FnMut(Op, String)) {
    let Some(device) = variant.target().and_then(device_of) else { return };
    // Errors in objects are reported elsewhere.
    let objects = variant.objects().unwrap_or_default();
    for object in &objects {
        if device.has_threads && !device.formats.contains(&&*object.format) {
            let text = device.formats.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", ");
            say(
                variant.op,
                format!(
                    "variant `@{name}::@{}` is for `{}`, which takes {text}, and has an object of format `{}`",
                    variant.name(),
                    device.name,
                    object.format
                ),
            );
        }
    }
    for export in variant.exports() {
        let place = format!("export `@{}` of variant `@{name}::@{}`", export.name(), variant.name());
        match Launch::of(export.op) {
            Err(why) => say(export.op, format!("{place}: {why}")),
            Ok(Some(_)) if !device.has_threads => {
                say(export.op, format!("{place} has `{}`, which is for GPUs only", names::WORKGROUP_SIZE));
            }
            Ok(Some(launch)) if launch.shared_memory > 0 && !device.has_launch_memory => {
                let with: Vec<&str> = DEVICES.iter().filter(|d| d.has_launch_memory).map(|d| d.title).collect();
                say(
                    export.op,
                    format!("{place} has `{}`, which is for {} only", names::SHARED_MEMORY, with.join(", ")),
                );
            }
            Ok(None) if device.has_threads && !objects.is_empty() => {
                say(export.op, format!("{place} does not declare its workgroup size (`{}`)", names::WORKGROUP_SIZE));
            }
            Ok(_) => {}
        }
    }
}
