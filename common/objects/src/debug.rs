//! Reads the signatures of functions from debug information: machine code alone does not have them.
use gimli::{AttributeValue, DwAte, EndianSlice, LittleEndian, Unit, UnitOffset, constants as dw};
use object::{Object, ObjectSection, ObjectSymbol, RelocationKind, RelocationTarget};
use std::{collections::BTreeMap, fmt};

/// A function as its source declares it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeclaredFunction {
    /// The parameters, in order.
    pub parameters: Vec<CParameter>,
    /// Whether its result type is not `void`.
    pub returns: bool,
}

/// The C type of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CParameter {
    /// A pointer, to a number if that is known.
    Pointer(Option<CNumber>),
    /// A scalar.
    Number(CNumber),
    /// Any other type.
    Other,
}

/// A scalar type of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CNumber {
    /// Whether it is a floating-point number.
    pub float: bool,
    /// The width in bits.
    pub bits: u32,
}

impl fmt::Display for CNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.float { "f" } else { "i" }, self.bits)
    }
}

impl fmt::Display for CParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer(Some(number)) => write!(f, "{number} *"),
            Self::Pointer(None) => f.write_str("pointer"),
            Self::Number(number) => number.fmt(f),
            Self::Other => f.write_str("structure"),
        }
    }
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// Returns the signatures of functions in an object's debug information; omits functions without debug information or
/// with unreadable information.
pub fn declared(bytes: &[u8], names: &[String]) -> BTreeMap<String, DeclaredFunction> {
    let mut found = BTreeMap::new();
    // Unreadable information is ignored.
    let _ = read(bytes, names, &mut found);
    found
}

fn read(bytes: &[u8], names: &[String], found: &mut BTreeMap<String, DeclaredFunction>) -> Result<(), gimli::Error> {
    let Ok(file) = object::File::parse(bytes) else { return Ok(()) };
    if !file.is_little_endian() || !file.has_debug_symbols() {
        return Ok(());
    }
    let sections =
        gimli::DwarfSections::load(|id| Ok::<_, gimli::Error>(contents(&file, id.name()).unwrap_or_default()))?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        // The function whose parameters come next, with its depth.
        let mut current: Option<(String, isize)> = None;
        while let Some(entry) = entries.next_dfs()? {
            if current.as_ref().is_some_and(|(_, depth)| entry.depth() <= *depth) {
                current = None;
            }
            let link = entry.attr_value(dw::DW_AT_linkage_name).or_else(|| entry.attr_value(dw::DW_AT_name));
            match entry.tag() {
                dw::DW_TAG_subprogram => {
                    let name = link.and_then(|value| dwarf.attr_string(&unit, value).ok());
                    let name = name.map(|n| n.to_string_lossy().into_owned());
                    let is_code = entry.attr(dw::DW_AT_declaration).is_none();
                    if let Some(name) = name.filter(|n| is_code && names.contains(n)) {
                        let returns = entry.attr(dw::DW_AT_type).is_some();
                        found.insert(name.clone(), DeclaredFunction { parameters: Vec::new(), returns });
                        current = Some((name, entry.depth()));
                    }
                }
                dw::DW_TAG_formal_parameter => {
                    if let Some((name, depth)) = &current
                        && entry.depth() == depth + 1
                    {
                        let parameter = parameter(&unit, entry.attr_value(dw::DW_AT_type));
                        found.entry(name.clone()).or_default().parameters.push(parameter);
                    }
                }
                _ => {}
            }
        }
    }
    // In C, `void k()` does not declare parameters.
    found.retain(|_, declared| !declared.parameters.is_empty());
    Ok(())
}

/// A section with its relocations done: in an object, references between sections are not filled in. `None` if it is not
/// there, or compressed.
fn contents(file: &object::File<'_>, name: &str) -> Option<Vec<u8>> {
    let section = file.section_by_name(name)?;
    if section.compressed_file_range().ok()?.format != object::CompressionFormat::None {
        return None;
    }
    let mut data = section.data().ok()?.to_vec();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
        if relocation.kind() != RelocationKind::Absolute || relocation.has_implicit_addend() {
            continue;
        }
        let address = file.symbol_by_index(symbol).map_or(0, |s| s.address());
        let value = address.wrapping_add_signed(relocation.addend()).to_le_bytes();
        let width = usize::from(relocation.size() / 8).min(8);
        let at = usize::try_from(offset).ok()?;
        data.get_mut(at..at.checked_add(width)?)?.copy_from_slice(&value[..width]);
    }
    Some(data)
}

/// Resolves typedefs and qualifiers of a type.
fn parameter(unit: &Unit<Slice<'_>>, ty: Option<AttributeValue<Slice<'_>>>) -> CParameter {
    match resolve(unit, ty) {
        Some(Resolved::Number(number)) => CParameter::Number(number),
        Some(Resolved::Pointer(to)) => {
            CParameter::Pointer(match to.and_then(|to| resolve(unit, Some(AttributeValue::UnitRef(to)))) {
                // Characters are bytes of any kind.
                Some(Resolved::Number(number)) if number.bits > 8 || number.float => Some(number),
                _ => None,
            })
        }
        None => CParameter::Other,
    }
}

enum Resolved {
    Number(CNumber),
    Pointer(Option<UnitOffset>),
}

fn resolve(unit: &Unit<Slice<'_>>, ty: Option<AttributeValue<Slice<'_>>>) -> Option<Resolved> {
    let mut ty = ty;
    // No type has more names; a damaged one may go in a circle.
    for _ in 0..32 {
        let Some(AttributeValue::UnitRef(offset)) = ty else { return None };
        let entry = unit.entry(offset).ok()?;
        ty = entry.attr_value(dw::DW_AT_type);
        match entry.tag() {
            dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type => {
                let to = ty.and_then(|t| if let AttributeValue::UnitRef(to) = t { Some(to) } else { None });
                return Some(Resolved::Pointer(to));
            }
            dw::DW_TAG_base_type => {
                let AttributeValue::Encoding(encoding) = entry.attr_value(dw::DW_AT_encoding)? else { return None };
                let bytes = entry.attr_value(dw::DW_AT_byte_size)?.udata_value()?;
                let float = encoding == dw::DW_ATE_float;
                return number(encoding, float, bytes);
            }
            dw::DW_TAG_enumeration_type => {
                return Some(Resolved::Number(CNumber { float: false, bits: 32 }));
            }
            dw::DW_TAG_typedef | dw::DW_TAG_const_type | dw::DW_TAG_volatile_type | dw::DW_TAG_restrict_type => {}
            _ => return None,
        }
    }
    None
}

fn number(encoding: DwAte, float: bool, bytes: u64) -> Option<Resolved> {
    let integers = [
        dw::DW_ATE_signed,
        dw::DW_ATE_unsigned,
        dw::DW_ATE_boolean,
        dw::DW_ATE_signed_char,
        dw::DW_ATE_unsigned_char,
        dw::DW_ATE_UTF,
    ];
    let known = float || integers.contains(&encoding);
    known.then_some(Resolved::Number(CNumber { float, bits: u32::try_from(bytes * 8).ok()? }))
}
