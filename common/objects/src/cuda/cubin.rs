//! Cubins: ELF files of NVIDIA. Their attributes (`.nv.info`) are undocumented; `cuobjdump -elf` prints them.
use super::{CudaCode, CudaKernel, CudaKind, CudaParameter};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind,
    read::elf::{ElfFile64, FileHeader},
};

/// `EIATTR_KPARAM_INFO`: a parameter, its number and size.
const PARAMETER: u8 = 0x17;
/// `EIATTR_MAX_THREADS`.
const MOST: u8 = 0x05;
/// `EIATTR_REQNTID`.
const REQUIRED: u8 = 0x10;
/// An attribute with a payload, whose size follows; others have two bytes.
const SIZED: u8 = 0x04;

/// Reads a cubin. Errors: what is wrong with it.
pub(super) fn read(bytes: &[u8], owner: &str) -> Result<CudaCode, String> {
    let damaged = |e: object::Error| e.to_string().to_lowercase();
    let elf = ElfFile64::<Endianness>::parse(bytes).map_err(damaged)?;
    let header = elf.elf_header();
    let flags = header.e_flags(elf.endian()).0;
    // The eighth version of the ABI moved the chip up by a byte.
    let capability = if header.e_ident().abi_version >= 8 { flags >> 8 & 0xff } else { flags & 0xff };
    if capability == 0 {
        return Err("it does not say which chip it is for".into());
    }
    // Code for one chip alone is marked since the seventh.
    let letter = (header.e_ident().abi_version == 7 && flags & 0x800 != 0).then_some('a');
    let mut kernels = Vec::new();
    for symbol in elf.symbols().filter(|s| s.kind() == SymbolKind::Text && s.is_global() && !s.is_undefined()) {
        let name = symbol.name().map_err(damaged)?.to_owned();
        let Some(info) = elf.section_by_name(&format!(".nv.info.{name}")) else { continue };
        let mut kernel = CudaKernel { name, ..CudaKernel::default() };
        attributes(info.data().map_err(damaged)?, &mut kernel)?;
        kernels.push(kernel);
    }
    let undefined = elf
        .symbols()
        .filter(|s| s.is_undefined() && s.kind() == SymbolKind::Text)
        .filter_map(|s| s.name().ok().map(str::to_owned))
        .filter(|n| !n.is_empty())
        .collect();
    let owner = owner.to_owned();
    Ok(CudaCode { owner, kind: CudaKind::Cubin, capability, letter, kernels, undefined, dynamic_shared: false })
}

/// Reads what a section says of a kernel.
fn attributes(mut data: &[u8], kernel: &mut CudaKernel) -> Result<(), String> {
    let mut parameters: Vec<(u16, u32)> = Vec::new();
    while let [format, attribute, low, high, rest @ ..] = data {
        data = rest;
        if *format != SIZED {
            continue;
        }
        let size = usize::from(u16::from_le_bytes([*low, *high]));
        let payload =
            data.get(..size).ok_or_else(|| format!("the attributes of kernel `{}` end early", kernel.name))?;
        data = &data[size..];
        let word = |i: usize| payload.get(4 * i..4 * i + 4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
        match (*attribute, word(0), word(1), word(2)) {
            (PARAMETER, _, Some(place), Some(flags)) => parameters.push((place as u16, flags >> 18)),
            (MOST, Some(x), Some(y), Some(z)) => kernel.most = Some(x.saturating_mul(y).saturating_mul(z)),
            (REQUIRED, Some(x), Some(y), Some(z)) => kernel.required = Some([x, y, z]),
            _ => {}
        }
    }
    parameters.sort_unstable();
    kernel.parameters =
        parameters.into_iter().map(|(_, bytes)| CudaParameter { ty: format!(".b{}", bytes * 8), bytes }).collect();
    Ok(())
}
