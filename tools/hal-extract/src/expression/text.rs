//! Builds the text of a function body: lines, names, helper functions.
use super::{helper::Helper, language::Language};
use std::collections::BTreeSet;

/// A block that is open: its lines come to those of the block around when it is closed.
#[derive(Debug, Default)]
struct Block {
    /// The text before the brace.
    head: String,
    lines: Vec<String>,
}

/// Lines with their indentation.
#[derive(Debug)]
pub(crate) struct Text {
    /// The language.
    pub(crate) language: Language,
    pub(crate) helpers: BTreeSet<Helper>,
    /// Never empty: the first one is the function.
    blocks: Vec<Block>,
    names: usize,
}

/// Blocks that are set aside.
#[derive(Debug)]
pub(crate) struct Aside(Vec<Block>);

impl Text {
    /// Starts a body, in the braces of a function.
    pub(crate) fn new(language: Language) -> Self {
        Self { language, helpers: BTreeSet::new(), blocks: vec![Block::default()], names: 0 }
    }

    /// Returns the number of open blocks, without the function.
    pub(crate) fn depth(&self) -> usize {
        self.blocks.len() - 1
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.blocks.last_mut().expect("a block is open").lines.push(text.as_ref().to_owned());
    }

    /// A comment of one or more lines; what would end it is taken apart.
    pub(crate) fn comment(&mut self, text: &str) {
        let text = text.replace("*/", "* /").replace("/*", "/ *");
        let mut lines = text.lines().peekable();
        let mut first = true;
        while let Some(line) = lines.next() {
            let start = if first { "/* " } else { " * " };
            let end = if lines.peek().is_none() { " */" } else { "" };
            self.line(format!("{start}{line}{end}").trim_end());
            first = false;
        }
    }

    /// Adds a line that opens a block.
    pub(crate) fn open(&mut self, head: &str) {
        self.blocks.push(Block { head: format!("{head} {{").trim_start().to_owned(), lines: Vec::new() });
    }

    /// Closes `count` blocks.
    pub(crate) fn close(&mut self, count: usize) {
        for _ in 0..count {
            let block = self.blocks.pop().expect("a block is open");
            self.line(block.head);
            for line in block.lines {
                self.line(if line.is_empty() { line } else { format!("  {line}") });
            }
            self.line("}");
        }
    }

    /// Opens a loop over `0 … bound`.
    pub(crate) fn each(&mut self, variable: &str, bound: &str) {
        let ty = self.language.index();
        self.open(&format!("for ({ty} {variable} = 0; {variable} < {bound}; ++{variable})"));
    }

    /// Redirects lines to an outer block, before the blocks inside it.
    pub(crate) fn outwards(&mut self, depth: usize) -> Aside {
        Aside(self.blocks.split_off(depth + 1))
    }

    /// Back to the blocks that were put aside.
    pub(crate) fn back(&mut self, aside: Aside) {
        self.blocks.extend(aside.0);
    }

    /// Returns the number of lines.
    pub(crate) fn len(&self) -> usize {
        self.blocks.iter().map(|b| b.lines.len()).sum()
    }

    /// A name that is new in the function.
    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names - 1)
    }

    /// Returns the text and the helper functions that it uses.
    pub(crate) fn finish(mut self) -> (String, BTreeSet<Helper>) {
        self.close(self.depth());
        let lines = self.blocks.into_iter().flat_map(|b| b.lines);
        let indented = |l: String| if l.is_empty() { "\n".into() } else { format!("  {l}\n") };
        (lines.map(indented).collect(), self.helpers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_to_blocks_further_out() {
        let mut text = Text::new(Language::C);
        text.open("if (a)");
        text.each("i", "4");
        let aside = text.outwards(1);
        text.line("early();");
        text.back(aside);
        text.line("late();");
        let (all, _) = text.finish();
        let expected = "  if (a) {
    early();
    for (int64_t i = 0; i < 4; ++i) {
      late();
    }
  }
";
        assert_eq!(all, expected);
    }
}
