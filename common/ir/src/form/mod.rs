//! The exchange form: programs, executables, exports, entries, variants.
