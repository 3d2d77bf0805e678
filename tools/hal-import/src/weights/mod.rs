//! Moves weights out of the text.
