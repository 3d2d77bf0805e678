//! Replaces divisions by constants with products with their reciprocals. Reads an executable as MLIR from standard
//! input and writes it to standard output; messages go to standard error.
//!
//! For powers of two the result is the same, bit for bit; other constants are replaced only with `--inexact`.
use std::{
    collections::BTreeMap,
    env,
    io::{self, Read, Write},
    process::ExitCode,
};

/// The name and type of what a line defines by `OPERATION VALUE : TYPE`, and the value.
fn defined<'l>(line: &'l str, operation: &str) -> Option<(&'l str, &'l str, &'l str)> {
    let (name, rest) = line.trim_start().split_once(" = ")?;
    let (value, ty) = rest.strip_prefix(operation)?.strip_prefix(' ')?.rsplit_once(" : ")?;
    Some((name, value, ty))
}

/// `1 / value` as MLIR writes it, if that is asked for or exact.
fn reciprocal(value: f32, inexact: bool) -> Option<String> {
    let result = 1.0 / value;
    let power_of_two = value.to_bits() & 0x007f_ffff == 0;
    ((power_of_two || inexact) && value.is_normal() && result.is_normal())
        .then(|| format!("{result:e}"))
        // MLIR wants a point in it: 1.25e-1, not 5e-1.
        .map(|text| if text.contains('.') { text } else { text.replace('e', ".0e") })
}

fn rewrite(text: &str, inexact: bool) -> (String, usize) {
    let mut constants: BTreeMap<&str, String> = BTreeMap::new();
    let (mut out, mut changed) = (String::new(), 0);
    for line in text.lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        if line.trim_start().starts_with("func.func") {
            // Names of values start anew.
            constants.clear();
        }
        if let Some((name, value, "f32")) = defined(line, "arith.constant") {
            if let Some(result) = value.parse().ok().and_then(|v| reciprocal(v, inexact)) {
                out += &format!("{line}\n{indent}{name}_reciprocal = arith.constant {result} : f32\n");
                constants.insert(name, format!("{name}_reciprocal"));
                continue;
            }
        }
        let division = defined(line, "arith.divf").and_then(|(name, operands, ty)| {
            let (dividend, divisor) = operands.split_once(", ")?;
            Some((name, dividend, constants.get(divisor)?, ty))
        });
        if let Some((name, dividend, factor, ty)) = division {
            out += &format!("{indent}{name} = arith.mulf {dividend}, {factor} : {ty}\n");
            changed += 1;
        } else {
            out += line;
            out.push('\n');
        }
    }
    (out, changed)
}

fn main() -> ExitCode {
    let mut text = String::new();
    if let Err(error) = io::stdin().read_to_string(&mut text) {
        eprintln!("cannot read the executable: {error}");
        return ExitCode::FAILURE;
    }
    let (out, changed) = rewrite(&text, env::args().any(|a| a == "--inexact"));
    if changed > 0 {
        eprintln!("{changed} division(s) by constants became products");
    }
    match io::stdout().write_all(out.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
