//! Kernels that fail, by Rust and translated at the same places. See `kernels.rs`.

#![allow(dead_code, unused, clippy::all)]

use warpcell_threads::*;

#[cfg_attr(any(), kernel)]
pub fn beyond_the_end(input: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[i] = input[i];
}

#[cfg_attr(any(), kernel)]
pub fn beyond_the_column(mut out: ViewMut<i32>) {
    let t = thread_idx();
    if t.x == 2 && t.y == 1 {
        out[[t.y, t.x + 3]] = 1;
    }
}

#[cfg_attr(any(), kernel)]
pub fn beyond_the_tile(mut out: ViewMut<i32>) {
    let mut tile = shared_array::<i32>([4, 6]);
    let t = thread_idx().x;
    tile[[t, 5 - t]] = t as i32;
    out[t] = tile[(t, 5 - t)];
}

#[cfg_attr(any(), kernel)]
pub fn beyond_dynamic_memory(mut out: ViewMut<i32>) {
    let mut part = dynamic_shared_array::<i32>();
    part[thread_idx().x * 2] = 3;
    out[thread_idx().x] = 1;
}

#[cfg_attr(any(), kernel)]
pub fn beyond_in_a_function(mut out: ViewMut<i32>) {
    if thread_idx().x == 3 {
        let mut cell = out;
        store(&mut cell, 40, 1);
    }
}

#[cfg_attr(any(), device)]
fn store(array: &mut ViewMut<i32>, at: usize, value: i32) {
    array[at] = value;
}

#[cfg_attr(any(), kernel)]
pub fn beyond_by_an_atomic(mut out: ViewMut<i32>) {
    out.atomic_add(thread_idx().x, 1);
}

#[cfg_attr(any(), kernel)]
pub fn divided_by_zero(input: View<i32>, mut out: ViewMut<i32>) {
    let i = thread_idx().x;
    out[i] = 100 / input[i];
}

#[cfg_attr(any(), kernel)]
pub fn asserted(input: View<i32>, mut out: ViewMut<i32>) {
    let i = thread_idx().x;
    assert!(input[i] != 3, "three");
    out[i] = input[i];
}

#[cfg_attr(any(), kernel)]
pub fn beyond_before_a_barrier(input: View<i32>, mut out: ViewMut<i32>) {
    let mut part = shared_array::<i32>(40);
    let t = thread_idx().x;
    part[t] = input[t];
    sync_threads();
    out[t] = part[39 - t];
}
