//! Kernels that fail by a panic of their own, and launches that no device takes.

use super::Finds::{Panics, Refused};
use super::{Planted, at, launched};
use crate::kernels::arrays::{device, ramp, zeros};
use warpcell as gpu;
use warpcell::prelude::*;

#[kernel]
fn divides_by_zero(a: View<i32>, b: View<i32>, mut out: ViewMut<i32>) {
    let i = global_idx().x;
    out[i] = a[i] / b[i]; //~ divides_by_zero
}

#[kernel]
fn remainder_of_zero(mut out: ViewMut<u32>, groups: u32) {
    let i = global_idx().x;
    out[i] = i as u32 % groups; //~ remainder_of_zero
}

#[kernel]
fn asserts_what_is_not_so(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    assert!(a[i] < 5.0); //~ asserts_what_is_not_so
    out[i] = a[i];
}

#[kernel]
fn past_an_array_of_its_own(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    let weights = [0.25, 0.5, 0.25];
    out[i] = a[i] * weights[i]; //~ past_an_array_of_its_own
}

#[kernel]
fn more_shared_memory_than_there_is(mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f64>([128, 128]);
    let t = thread_idx().x;
    tile[[0, t]] = 1.0;
    out[t] = tile[[0, t]] as f32;
}

#[kernel]
fn fills(mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = 1.0;
    }
}

pub const PLANTED: &[Planted] = &[
    Planted {
        kernel: "divides_by_zero",
        launched: || {
            let b = device(vec![3, 1, 0, 2]);
            launched(divides_by_zero, 1, 4, (&device(vec![1; 4]), &b, &mut gpu::zeros(4)))
        },
        finds: Panics { message: "in THREAD, an integer was divided by zero; ", at: at(0, 2) },
    },
    Planted {
        kernel: "remainder_of_zero",
        launched: || launched(remainder_of_zero, 2, 4, (&mut gpu::zeros(8), 0)),
        finds: Panics {
            message: "in THREAD, the remainder of an integer was computed with the divisor zero; ",
            at: at(0, 0),
        },
    },
    Planted {
        kernel: "asserts_what_is_not_so",
        launched: || launched(asserts_what_is_not_so, 2, 4, (&ramp(8), &mut zeros(8))),
        finds: Panics { message: "THREAD panicked: assertion failed: a[i] < 5.0", at: at(1, 1) },
    },
    Planted {
        kernel: "past_an_array_of_its_own",
        launched: || launched(past_an_array_of_its_own, 1, 4, (&ramp(4), &mut zeros(4))),
        finds: Panics { message: "in THREAD, the index 3 is out of bounds for an array of length 3; ", at: at(0, 3) },
    },
    Planted {
        kernel: "more_shared_memory_than_there_is",
        launched: || launched(more_shared_memory_than_there_is, 1, 8, (&mut zeros(8),)),
        finds: Refused(&["131072", "49152"]),
    },
    Planted {
        kernel: "fills",
        launched: || launched(fills, 1, 1025, (&mut zeros(1025),)),
        finds: Refused(&["1025", "1024"]),
    },
    Planted {
        kernel: "fills",
        launched: || launched(fills, 1, (2, 2, 65), (&mut zeros(8),)),
        finds: Refused(&["65", "64"]),
    },
    Planted {
        kernel: "fills",
        launched: || launched(fills, (1, 65536), 8, (&mut zeros(8),)),
        finds: Refused(&["65536", "65535"]),
    },
];
