//! Elements as keys: unsigned integers in the order of the elements.

use super::{BINS, DIGITS};
use crate::numeric::{Bytes, native};
use std::ops::{BitOr, BitXor, Sub};
use warpcell_base::dtype::{dtypes, if_dtype};

/// An unsigned integer of an element's size: its bits, or its key.
pub(super) trait Key:
    Copy + Default + Ord + Send + Sync + BitOr<Output = Self> + BitXor<Output = Self> + Sub<Output = Self> + 'static
{
    const BYTES: usize;
    /// The digit that begins at a bit.
    fn digit(self, shift: u32) -> usize;
    /// The first and the last bit that is set, if there is one.
    fn set_bits(self) -> Option<(u32, u32)>;
    /// How far to shift differences up to this key so that they are numbers of `bins` bins, a power of two.
    fn shift(self, bins: usize) -> u32;
    /// The distance from another key, or 0, in bins; the last one if it is farther.
    fn bin(self, least: Self, shift: u32) -> usize;
}

macro_rules! keys {
    ($($type:ty)*) => {$(
        impl Key for $type {
            const BYTES: usize = size_of::<$type>();
            #[inline(always)]
            fn digit(self, shift: u32) -> usize {
                (self >> shift) as usize % DIGITS
            }
            fn set_bits(self) -> Option<(u32, u32)> {
                (self != 0).then(|| (self.trailing_zeros(), <$type>::BITS - 1 - self.leading_zeros()))
            }
            fn shift(self, bins: usize) -> u32 {
                (<$type>::BITS - self.leading_zeros()).saturating_sub(bins.ilog2())
            }
            #[inline(always)]
            fn bin(self, least: $type, shift: u32) -> usize {
                ((self.saturating_sub(least) >> shift) as usize).min(BINS - 1)
            }
        }
    )*};
}
keys!(u8 u16 u32 u64);

/// From an element's bits to its key and back.
pub(super) trait Order: Copy + Send + Sync + 'static {
    type Key: Key;
    /// The bits themselves, where nothing else is said.
    #[inline(always)]
    fn key(bits: Self::Key) -> Self::Key {
        bits
    }
    /// The bits of a key: the key itself, where nothing else is said.
    #[inline(always)]
    fn bits(key: Self::Key) -> Self::Key {
        key
    }
    /// The key for which equal elements are one: of -0.0 that of 0.0.
    #[inline(always)]
    fn rank(bits: Self::Key) -> Self::Key {
        Self::key(bits)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Truth;
#[derive(Clone, Copy)]
pub(super) struct Unsigned<K>(K);
#[derive(Clone, Copy)]
pub(super) struct Signed<K>(K);
#[derive(Clone, Copy)]
pub(super) struct Real<K>(K);

impl Order for Truth {
    type Key = u8;
    #[inline(always)]
    fn key(bits: u8) -> u8 {
        u8::from(bits != 0)
    }
}

impl<K: Key> Order for Unsigned<K> {
    type Key = K;
}

macro_rules! signed {
    ($($key:ty)*) => {$(
        impl Order for Signed<$key> {
            type Key = $key;
            #[inline(always)]
            fn key(bits: $key) -> $key {
                bits ^ (1 << (<$key>::BITS - 1))
            }
            #[inline(always)]
            fn bits(key: $key) -> $key {
                Self::key(key)
            }
        }
    )*};
}
signed!(u8 u16 u32 u64);

macro_rules! reals {
    ($($key:ty, $sign:expr, $infinity:expr;)*) => {$(
        impl Order for Real<$key> {
            type Key = $key;
            #[inline(always)]
            fn key(bits: $key) -> $key {
                let key = if bits & $sign == 0 { bits | $sign } else { !bits };
                if bits & !$sign > $infinity { <$key>::MAX } else { key }
            }
            #[inline(always)]
            fn bits(key: $key) -> $key {
                if key & $sign == 0 { !key } else { key & !$sign }
            }
            #[inline(always)]
            fn rank(bits: $key) -> $key {
                Self::key(if bits == $sign { 0 } else { bits })
            }
        }
    )*};
}
reals! {
    u32, 1 << 31, 0x7f80_0000;
    u64, 1 << 63, 0x7ff0_0000_0000_0000;
}

/// Elements that can be sorted.
pub(super) trait Sorted {
    type Order: Order;
}

macro_rules! sorted {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(if_dtype! { primitive $kind $use {
            impl Sorted for native!($kind $type) {
                type Order = sorted!(@$kind <[(); size_of::<$type>()] as Bytes>::Word);
            }
        } {} })*
    };
    (@Bool $key:ty) => { Truth };
    (@Unsigned $key:ty) => { Unsigned<$key> };
    (@Signed $key:ty) => { Signed<$key> };
    (@Float $key:ty) => { Real<$key> };
}
dtypes!(sorted!());
