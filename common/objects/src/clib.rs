//! Functions of the C library that kernels may use.

/// Functions of `libm`; each also exists with the suffix `f`.
const MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "hypot",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "roundeven",
    "scalbn",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
];

/// Functions of `libc`.
const LIBC: &[&str] = &[
    "abort",
    "aligned_alloc",
    "__assert_fail",
    "bcmp",
    "calloc",
    "fflush",
    "fprintf",
    "fputs",
    "free",
    "malloc",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "posix_memalign",
    "printf",
    "putchar",
    "puts",
    "qsort",
    "realloc",
    "snprintf",
    "__stack_chk_fail",
    "stderr",
    "stdout",
    "strcmp",
    "strlen",
];

/// Symbols that the linker itself defines.
const LINKER: &[&str] = &[
    "_GLOBAL_OFFSET_TABLE_",
    "_DYNAMIC",
    "__ehdr_start",
    "__dso_handle",
    "__start_asan_globals",
    "__stop_asan_globals",
];

/// The shared library that defines a name, if kernels may use it.
pub fn library_of(name: &str) -> Option<&'static str> {
    if MATH.contains(&name) || name.strip_suffix('f').is_some_and(|n| MATH.contains(&n)) {
        return Some("libm.so.6");
    }
    LIBC.contains(&name).then_some("libc.so.6")
}

/// Prefixes of the functions that code compiled with `-fsanitize=` calls: the user must load the sanitizer's runtime
/// before the program.
const SANITIZERS: &[&str] = &["__asan_", "__ubsan_", "__sanitizer_"];

/// Whether a name belongs to the runtime of a sanitizer.
pub fn is_sanitizer(name: &str) -> bool {
    SANITIZERS.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a symbol is provided from outside, so that no object need define it.
pub fn is_provided(name: &str) -> bool {
    library_of(name).is_some() || LINKER.contains(&name) || is_sanitizer(name)
}
