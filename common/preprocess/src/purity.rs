//! Commands that declare themselves pure: what their replies depend on.
use halyard_cache::file_digest;
use halyard_diag::{Error, Result, may_be_file};
use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead, BufReader, Read},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// What the replies of a pure command depend on beside its input, its variables `HALYARD_…` and the files that its line names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Purity {
    /// Further files.
    pub reads: Vec<PathBuf>,
}

impl Purity {
    /// Checks that the line of a pure command names its files plainly. Errors: only a shell can tell which they are.
    pub fn check(line: &str) -> Result<()> {
        words(line).map(|_| ()).map_err(|found| {
            Error::usage(format!("the command `{line}` declares itself pure, and has `{found}`"))
                .note("its replies are found by the contents of the files that its line names, so these must be plain words")
                .hint("put it into a script, and name that")
        })
    }

    /// The files that replies of the command `line`, called `name`, depend on, with hashes of their contents, a line each. Errors: a declared file that is none, or
    /// cannot be read.
    pub(crate) fn files(&self, line: &str, name: &str) -> Result<String> {
        let mut found = BTreeMap::new();
        for word in words(line).unwrap_or_default() {
            let values = word.split_once('=').map(|(_, value)| value);
            for word in [Some(&*word), values].into_iter().flatten() {
                add(word, &mut found)?;
            }
        }
        for path in &self.reads {
            let failed = |e: &std::io::Error| {
                let error = Error::io("read", path, e);
                error.note(format!("`{}` declares that its replies depend on it", name))
            };
            if path.is_dir() {
                return Err(failed(&std::io::ErrorKind::IsADirectory.into()).hint("name the files in it"));
            }
            found.insert(path.clone(), file_digest(path).map_err(|e| failed(&e))?);
            halyard_cli::depend_on(path);
        }
        Ok(found.iter().map(|(path, digest)| format!("{} {digest}\n", path.display())).collect())
    }
}

/// Adds the file that a word names, by path or in `PATH`, and those that its first line runs it by.
/// Errors: one that cannot be read, which may be another one next time.
fn add(word: &str, found: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    let Some(path) = resolve(word).filter(|path| !found.contains_key(path)) else { return Ok(()) };
    found.insert(path.clone(), file_digest(&path).map_err(|e| Error::io("read", &path, &e))?);
    interpreter(&path).unwrap_or_default().iter().try_for_each(|word| add(word, found))
}

fn resolve(word: &str) -> Option<PathBuf> {
    let path = Path::new(word);
    if may_be_file(path) {
        return Some(path.to_owned());
    }
    if word.is_empty() || word.contains('/') {
        return None;
    }
    let is_program =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(word)).find(is_program)
}

/// The words of `#!WORDS`, if a file begins with that.
fn interpreter(path: &Path) -> Option<Vec<String>> {
    let mut line = Vec::new();
    BufReader::new(fs::File::open(path).ok()?.take(256)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8(line.strip_prefix(b"#!")?.to_vec()).ok()?;
    Some(line.split_whitespace().map(str::to_owned).collect())
}

/// The words of a shell line. Errors: something in it, which is returned, that only a shell can expand.
fn words(line: &str) -> std::result::Result<Vec<String>, char> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = line.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(c),
            (_, '$' | '`') => return Err(c),
            (_, '\\') => match letters.next() {
                // In double quotes a backslash stands for itself before most letters.
                Some(next) if quote.is_some() && !"\"\\$`\n".contains(next) => {
                    word.get_or_insert_default().extend([c, next]);
                }
                Some('\n') | None => {}
                Some(next) => word.get_or_insert_default().push(next),
            },
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (None, '*' | '?' | '[') => return Err(c),
            (None, '~') if word.is_none() => return Err(c),
            (None, _) if c.is_whitespace() || ";|&<>()".contains(c) => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_lines() {
        let of = |line: &str| words(line).map(|words| words.join(","));
        assert_eq!(of("tool --fast a.txt"), Ok("tool,--fast,a.txt".into()));
        assert_eq!(of("a <in.txt|b;c&&(d)"), Ok("a,in.txt,b,c,d".into()));
        assert_eq!(of(r#"'my tool' "a b\"c" d\ e '' x"y"z"#), Ok(r#"my tool,a b"c,d e,,xyz"#.into()));
        assert_eq!(of(r#"sed 's/$/x*/' "a\b""#), Ok(r"sed,s/$/x*/,a\b".into()));
        for (line, found) in [("a $B", '$'), ("a `b`", '`'), ("a *.txt", '*'), ("~/a", '~'), ("a \"$b\"", '$')] {
            assert_eq!(words(line), Err(found), "{line}");
        }
        assert!(Purity::check("tool a~ 'b*'").is_ok() && Purity::check("tool b*").is_err());
    }

    #[test]
    fn files_of_lines() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("tool"), "#!/bin/sh -e\ncat\n").unwrap();
        fs::write(at("rules"), "1").unwrap();
        let line = format!("{} --rules={} no-such-thing | cat", at("tool").display(), at("rules").display());
        let mut found = BTreeMap::new();
        for word in words(&line).unwrap() {
            let value = word.split_once('=').map(|(_, value)| value.to_owned());
            add(&word, &mut found).unwrap();
            value.iter().for_each(|value| add(value, &mut found).unwrap());
        }
        let names: Vec<_> = found.keys().filter_map(|path| path.file_name()?.to_str()).collect();
        for name in ["tool", "rules", "sh", "cat"] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        assert_eq!(names.len(), 4);
    }
}
