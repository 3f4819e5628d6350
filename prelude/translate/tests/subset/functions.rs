//! Functions that use all of the subset, one part after the other; `all` leads to them.

#[device]
fn lets(a: f32, b: i32) -> (f32, i32) {
    let mut x = a;
    x += 1.0;
    let x = x * 2.0; // shadowed
    let ((p, _), q) = ((x, a), b + 1);
    let y;
    y = p - 0.5;
    let z: f32 = if y > 0.0 { y } else { -y };
    let w = if z > 1.0 {
        let t = z * z;
        t + 1.0
    } else if z > 0.5 {
        z
    } else {
        0.25
    };
    (w, q)
}

#[device]
fn loops(n: i32) -> i32 {
    let mut sum = 0;
    for i in 0..n {
        sum += i;
    }
    for i in 0..=n {
        sum += i;
    }
    for i in (0..n).rev() {
        sum -= i;
    }
    for i in (0..=n).rev() {
        sum -= i * 2;
    }
    for i in (0..n).step_by(3) {
        if i == 5 {
            continue;
        }
        sum += i;
    }
    for i in (1..=100).step_by(7) {
        sum ^= i;
    }
    for i in (0..n).rev().step_by(2) {
        sum += i;
    }
    for _ in 0..10 {
        sum += 1;
    }
    let mut k = 0;
    while k < 10 && sum < 1000 {
        k += 1;
        sum += k;
    }
    let found = loop {
        k += 1;
        if k > 20 {
            break k * 2;
        }
    };
    'outer: for i in 0..5 {
        for j in 0..5 {
            if j == i {
                continue 'outer;
            }
            if i + j > 6 {
                break 'outer;
            }
            sum += j;
        }
        sum += 100;
    }
    let b = 'a: {
        if sum > 10 {
            break 'a 1;
        }
        2
    };
    while {
        k -= 1;
        k > 3
    } {
        sum += 1;
    }
    sum + found + b
}

#[device]
fn matching(n: i32, b: bool, t: (u8, i32)) -> i32 {
    let a = match n {
        0 => 1,
        1 | 2 => 2,
        3..=9 => 3,
        x if x < 0 => -x,
        i32::MAX => 7,
        x => x / 2,
    };
    let c = match (b, n) {
        (true, 0) => 1,
        (true, m) => {
            let k = m * 2;
            k + 1
        }
        (false, _) => 0,
    };
    let d = match t {
        (0..=9, y @ 1..) => y,
        (_, y)
            if {
                let z = y * 2;
                z > 4
            } =>
        {
            2
        }
        _ => 3,
    };
    if let 5 = n {
        return 9;
    }
    let e = matches!(n, 1..=5 if b);
    a + c + d + e as i32
}

#[device]
fn arrays(i: usize, x: f32) -> f32 {
    let mut a = [0.0; 4];
    let b = [1.0, 2.0, x, 4.0];
    a[i] = b[3 - i] + 1.0;
    a[1] += 2.0;
    let mut total = 0.0;
    for v in a {
        total += v;
    }
    for v in b.iter() {
        total += v * 2.0;
    }
    for (k, v) in b.iter().enumerate() {
        total += *v * k as f32;
    }
    for v in a.iter_mut() {
        *v += 1.0;
    }
    for v in &b {
        total -= v;
    }
    for k in 0..a.len() {
        total += a[k] * b[k];
    }
    let big = [x; 20];
    let mut m = [[0i32; 3]; 2];
    m[1][2] = 5;
    (m[0][0], m[0][1]) = (m[1][2], m[0][2]);
    total + big[i] + m[1][2] as f32
}

#[device]
fn ints(a: i32, b: u8, c: u64, d: i64, e: u16, s: u32) -> i64 {
    let p = a + 3 * a - (a / 2) % 7;
    let q = a / (b as i32);
    let r = b.wrapping_add(200) & 0x0f | 3 ^ b;
    let t = c << 3 >> s;
    let u = d << s;
    let v = e * e + e;
    let w = -a + !a;
    let x = !b;
    let y = (a as f32 * 1.5) as u8 as i64;
    let z = 3.7 as i32 + 1u8 as i32 + (b as i8) as i32 + true as i32 + -1i32;
    let mut k = a;
    k += 1;
    k <<= 2;
    k /= 3;
    k %= 5;
    k *= k;
    k -= 1;
    k &= 7;
    k |= 1;
    k ^= 3;
    k >>= s;
    let mut l = b;
    l += 1;
    l -= 2;
    l *= 3;
    p as i64
        + q as i64
        + r as i64
        + t as i64
        + u
        + v as i64
        + w as i64
        + x as i64
        + y
        + z as i64
        + k as i64
        + l as i64
        + i64::MIN
        + (a.max(3).min(b as i32)) as i64
        + 3000000000u32 as i64
}

struct Point {
    x: f32,
    y: f32,
    tags: [i32; 2],
    pair: (u8, bool),
}
struct Wrapper(f32, Point);

#[device]
fn move_by(p: &mut Point, dx: f32) {
    p.x += dx;
    p.tags[1] = 3;
}

#[device]
fn length(p: &Point) -> f32 {
    let Point { x, y, .. } = p;
    (x * x + y * y).sqrt()
}

#[device]
fn swap_them(a: &mut f32, b: &mut f32) {
    std::mem::swap(a, b);
    let t = *a;
    *a = *b;
    *b = t;
}

#[device]
fn structs(x: f32) -> f32 {
    let mut p = Point { y: 2.0, x, tags: [1, 2], pair: (3, true) };
    move_by(&mut p, 1.5);
    let q = Point { x: 0.0, ..p };
    let w = Wrapper(1.0, q);
    let (mut a, mut b) = (w.0, w.1.y);
    swap_them(&mut a, &mut b);
    let r = &mut a;
    *r += 2.0;
    length(&p) + length(&w.1) + a + b + p.pair.0 as f32 + if p.pair.1 { 1.0 } else { 0.0 }
}

#[device]
fn order(a: i32, n: &mut i32) -> i32 {
    *n += a;
    *n
}

#[device]
fn sequence(x: i32) -> i32 {
    let mut n = x;
    let s = n + order(1, &mut n) * n + {
        n += 1;
        n
    } - order(2, &mut n);
    let t = (n, order(3, &mut n), n);
    let c = n > 3 && order(1, &mut n) > 5 || {
        n -= 1;
        n < 0
    };
    let mut arr = [n, n + 1];
    arr[(n & 1) as usize] = order(1, &mut n);
    order(5, &mut n);
    s + t.0 + t.1 + t.2 + c as i32 + arr[0]
}

#[device]
fn failing(x: i32, y: i32, a: [u8; 3], i: usize) -> i32 {
    assert!(x > 0, "x is {}", x);
    assert_eq!(y, 3);
    debug_assert!(y != 9);
    if y == 7 {
        panic!("no");
    }
    if y == 8 {
        unreachable!()
    }
    x / y + x % y + a[i] as i32
}

#[device]
fn compares(a: (f32, i32), b: (f32, i32), c: [u8; 3], d: [u8; 3], x: f32) -> bool {
    a < b && c == d || a != b && c >= d || x != x || (1, true) == (2, false) || (0.0..1.0).contains(&x)
}

#[device]
fn names(float: f32, int: i32, r#type: u8, größe: f64, f32_add: i32) -> f64 {
    let double = float as f64;
    let value = double;
    let value = value + 1.0;
    let passes = 1;
    let names = passes;
    while int == 12345678 {}
    double + int as f64 + r#type as f64 + größe + value + names as f64 + f32_add as f64
}

#[device]
fn consts(x: f32) -> f32 {
    const N: usize = 3;
    const W: [f32; N] = [0.25, 0.5, 0.25];
    const HALF: f32 = 1.0 / 2.0;
    use std::f32::consts::PI;
    let mut s = 0.0;
    for i in 0..N {
        s += W[i] * x;
    }
    s * HALF * PI + f32::MAX.min(f32::EPSILON) + std::f32::consts::E + f32::NAN + f32::INFINITY * 1e-30
}

#[device]
fn sincos(x: f32, n: i32) -> (f32, i32, bool) {
    let (s, c) = x.sin_cos();
    let (v, o) = n.overflowing_add(5);
    (s.max(c).clamp(0.0, 1.0), v.pow(2).rem_euclid(7), o)
}

#[device]
fn early(x: i32) -> i32 {
    if x > 3 {
        return 1;
    }
    match x {
        0 => return 5,
        1 => {}
        _ => {
            return 6;
        }
    }
    loop {
        if x == 1 {
            return 7;
        }
    }
}

#[device]
fn unit(x: i32) {
    let y = x;
    let () = ();
    let u = ();
    y;
}

#[device]
fn big(n: u64) -> u64 {
    let mut s = 0;
    for i in 0..n {
        s += i;
    }
    for i in (0..=n).rev() {
        s ^= i;
    }
    for j in 0..n as u32 {
        s += j as u64;
    }
    s
}

#[device]
fn all(x: f32, n: i32) -> f32 {
    let (w, q) = lets(x, n);
    let mut sum = w + q as f32 + loops(n) as f32 + matching(n, x > 0.0, (3, n)) as f32;
    sum += arrays(n as usize, x) + ints(n, 3, 4, 5, 6, 7) as f32 + structs(x) + sequence(n) as f32;
    sum += failing(n, 1, [1, 2, 3], 2) as f32;
    if compares((x, n), (x, 2), [1, 2, 3], [1, 2, 4], x) {
        sum += names(x, n, 1, 2.0, 3) as f32;
    }
    sum += consts(x) + sincos(x, n).0 + early(n) as f32 + big(n as u64) as f32;
    unit(n);
    sum
}
