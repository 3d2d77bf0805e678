//! Stages with a condition: `when[CONDITION]:STAGE`, `when[CONDITION]:(STAGE; STAGE)`.
use super::{cursor::Cursor, file::NameAt};
use halyard_diag::Result;
use std::{cell::Cell, ops::Range};

/// The condition of a `when[…]` stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Whether the condition is negated with `not`.
    pub negated: bool,
    /// The name of what must hold.
    pub name: NameAt,
}

/// Stages that run if a condition holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditional {
    /// The condition.
    pub condition: Condition,
    /// The byte ranges of the stages.
    pub stages: Vec<Range<usize>>,
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.negated { "not " } else { "" }, self.name.text)
    }
}

impl Condition {
    /// Reads all that is left. Errors: no name, something after it.
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.skip_blanks();
        let mut at = word(cursor);
        let negated = cursor.text(at.clone()) == "not";
        if negated {
            cursor.skip_blanks();
            at = word(cursor);
        }
        if at.is_empty() {
            return Err(cursor
                .expected("a condition")
                .hint("a dialect (`tosa`), an operation (`scf.forall`), or `not` and one"));
        }
        cursor.skip_blanks();
        match cursor.peek() {
            None => Ok(Self { negated, name: NameAt { text: cursor.text(at.clone()).to_owned(), at } }),
            Some(_) => Err(cursor.expected("the end of the condition")),
        }
    }
}

fn word(cursor: &mut Cursor<'_>) -> Range<usize> {
    cursor.take_until(|c| !(c.is_ascii_alphanumeric() || "_.-".contains(c)))
}

/// Reads all that is left, if it begins with `when[`. Errors: brackets that are not closed, no stage.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Option<Conditional>> {
    let open = cursor.at + "when".len();
    if !cursor.eat_word("when[") {
        return Ok(None);
    }
    let inside = cursor.take_until(|c| c == ']');
    if cursor.peek().is_none() {
        return Err(cursor.error(open..open + 1, "this `[` is not closed with `]`"));
    }
    cursor.bump();
    let condition = Condition::parse(&mut cursor.within(inside))?;
    if cursor.peek() != Some(':') {
        return Err(cursor.expected("`:`").hint("write `when[CONDITION]:STAGE`"));
    }
    cursor.bump();
    cursor.skip_blanks();
    if cursor.peek() != Some('(') {
        let rest = cursor.at..cursor.end;
        return match cursor.rest().trim().is_empty() {
            true => Err(cursor.expected("a stage")),
            false => Ok(Some(Conditional { condition, stages: vec![rest] })),
        };
    }
    // Up to the parenthesis that closes this one, whatever follows.
    let opened = Cell::new(false);
    let list = cursor.balanced(|_| opened.replace(true))?;
    cursor.skip_blanks();
    if cursor.peek().is_some() {
        return Err(cursor.expected("the end of the stage"));
    }
    let mut inner = cursor.within(list.start + 1..list.end - 1);
    let mut stages = Vec::new();
    loop {
        let stage = inner.balanced(|c| c == ';')?;
        if inner.text(stage.clone()).trim().is_empty() {
            return Err(inner.expected("a stage"));
        }
        stages.push(stage);
        match inner.bump() {
            Some(_) => {}
            None => return Ok(Some(Conditional { condition, stages })),
        }
    }
}
