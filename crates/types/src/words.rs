//! Numbers and lists as people read them.

use std::fmt::{Display, Write as _};

/// The shortest decimal number that is this one in 32 bits.
pub fn decimal(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

/// `8,544`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Names that a message lists, unless it has reason to list fewer or more; the others are counted.
pub const NAMED: usize = 10;

/// The first `most` of a list, and how many more there are: `a, b and 1,200 more`.
pub fn first_of<T: Display>(list: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut list = list.into_iter();
    let mut out = String::new();
    for (at, item) in list.by_ref().take(most).enumerate() {
        let between = if at == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(out, "{between}{item}");
    }
    match list.count() {
        0 => out,
        more => format!("{out} and {} more", thousands(more as u64)),
    }
}

/// Each item once, in the order in which they first come.
pub fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut out = Vec::new();
    for item in items {
        if !out.contains(&item) {
            out.push(item);
        }
    }
    out
}

/// The variants of an enum as an array: for `const ALL`.
///
/// # Panics
/// When the array has another length; in a constant, that is an error of compilation.
pub const fn all<T: Copy, const N: usize>(variants: &[T]) -> [T; N] {
    match variants.first_chunk() {
        Some(all) if variants.len() == N => *all,
        _ => panic!("the array does not have as many places as the enum has variants"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_cut() {
        let check = |number: usize, want: &str| assert_eq!(first_of(1..=number, 3), want);
        check(0, "");
        check(1, "1");
        check(3, "1, 2, 3");
        check(4, "1, 2, 3 and 1 more");
        check(99_999, "1, 2, 3 and 99,996 more");
    }
}
