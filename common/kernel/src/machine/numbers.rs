//! A struct of numbers with their usual values.

/// Declares a struct whose fields stand beside their usual values, which are its `Default`.
macro_rules! numbers {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* $field:ident: $ty:ty = $value:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $ty,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $value,)* }
            }
        }
    };
}
pub(super) use numbers;
