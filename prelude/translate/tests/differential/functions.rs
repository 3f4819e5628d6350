//! Functions that run on the host and as CUDA C: the forms of the language, and kernels as people write them.
//!
//! `#[vectorize]` and `#[device]` are Warpcell's. The tests of the translator read this file as text.

const STEPS: u32 = 12;
const SCALE: f32 = 0.25;
const OFFSET: f64 = -1.5;
const MASK: u64 = 0x00ff_00ff_00ff_00ff;
const WEIGHTS: [f32; 5] = [0.0625, 0.25, 0.375, 0.25, 0.0625];
const PRIMES: [u32; 8] = [2, 3, 5, 7, 11, 13, 17, 19];
const ORIGIN: (f64, f64) = (0.5, -0.25);

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

#[device]
#[derive(Clone, Copy)]
struct Body {
    position: Point,
    mass: f32,
    hits: [u8; 3],
}

#[vectorize]
fn squared_diff(x: f32, y: f32) -> f32 {
    (x - y) * (x - y)
}

#[vectorize]
fn gaussian_pdf(x: f32, mean: f32, sigma: f32) -> f32 {
    use std::f32::consts::PI;
    let z = (x - mean) / sigma;
    (-0.5 * z * z).exp() / (sigma * (2.0 * PI).sqrt())
}

#[vectorize]
fn polar_distance(rho1: f64, theta1: f64, rho2: f64, theta2: f64) -> f64 {
    let (x1, y1) = polar_to_cartesian(rho1, theta1);
    let (x2, y2) = polar_to_cartesian(rho2, theta2);
    ((x1 - x2).powi(2) + (y1 - y2).powi(2)).sqrt()
}

#[device]
fn polar_to_cartesian(rho: f64, theta: f64) -> (f64, f64) {
    (rho * theta.cos(), rho * theta.sin())
}

#[vectorize]
fn check_prime(n: i32) -> bool {
    let n = n % 5000;
    if n < 2 {
        return false;
    }
    for i in 2..n {
        if n % i == 0 {
            return false;
        }
    }
    true
}

#[vectorize]
fn check_prime_fast(n: u32) -> bool {
    if n < 4 {
        return n > 1;
    }
    if n.is_multiple_of(2) {
        return false;
    }
    let mut i = 3;
    while i <= 200 && i * i <= n {
        if n % i == 0 {
            return false;
        }
        i += 2;
    }
    true
}

#[vectorize]
fn mandelbrot(cx: f32, cy: f32) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    for i in 0..64 {
        if x * x + y * y > 4.0 {
            return i;
        }
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
    }
    64
}

#[vectorize]
fn collatz(n: u64) -> u32 {
    let mut n = n % 100_000 + 1;
    let mut steps = 0u32;
    while n != 1 {
        n = if n & 1 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[device]
fn gcd(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[vectorize]
fn lowest_terms(a: u32, b: u32) -> (u32, u32) {
    let common = gcd(a, b);
    if common == 0 { (0, 0) } else { (a / common, b / common) }
}

#[vectorize]
fn least_common_multiple(a: u32, b: u32) -> u32 {
    a / gcd(a, b) * b
}

#[vectorize]
fn xorshift(seed: u64) -> u64 {
    let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
    for _ in 0..STEPS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    state
}

#[vectorize]
fn pcg(state: u64) -> u32 {
    let next = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let mixed = (((next >> 18) ^ next) >> 27) as u32;
    mixed.rotate_right((next >> 59) as u32)
}

#[vectorize]
fn fnv_hash(word: u32) -> u32 {
    let mut hash = 0x811c_9dc5u32;
    for byte in 0..4 {
        hash ^= (word >> (8 * byte)) & 0xff;
        hash = hash.wrapping_mul(0x0100_0193);
    }
    hash
}

#[vectorize]
fn morton(x: u16, y: u16) -> u32 {
    spread(x) | spread(y) << 1
}

#[device]
fn spread(of: u16) -> u32 {
    let mut bits = of as u32;
    bits = (bits | bits << 8) & 0x00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333;
    (bits | bits << 1) & 0x5555_5555
}

#[vectorize]
fn masked(of: u64) -> u64 {
    (of & MASK) ^ (!of & !MASK) >> 8
}

#[vectorize]
fn horner(x: f64) -> f64 {
    let coefficients = [1.0, -0.5, 0.25, -0.125, 0.0625];
    let mut sum = 0.0;
    for coefficient in coefficients.iter().rev() {
        sum = sum * x + coefficient;
    }
    sum
}

#[vectorize]
fn smooth(x: f32) -> f32 {
    let mut sum = 0.0;
    for (index, weight) in WEIGHTS.iter().enumerate() {
        sum += *weight * (x + (index as f32 - 2.0) * SCALE);
    }
    sum
}

#[vectorize]
fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = if high > low { ((x - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
    t * t * (3.0 - 2.0 * t)
}

#[vectorize]
fn clamp_between(x: f64, low: f64, high: f64) -> f64 {
    x.clamp(low, high)
}

#[vectorize]
fn clamp_integer(x: i16, low: i16, high: i16) -> i16 {
    x.clamp(low, high)
}

#[vectorize]
fn newton_root(x: f64) -> f64 {
    if !(x > 0.0) || x.is_infinite() {
        return f64::NAN;
    }
    let mut guess = x;
    loop {
        let next = 0.5 * (guess + x / guess);
        if !(next < guess) {
            break guess;
        }
        guess = next;
    }
}

#[vectorize]
fn relu(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

#[vectorize]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[vectorize]
fn softplus(x: f64) -> f64 {
    if x > 30.0 { x } else { x.exp().ln_1p() }
}

#[vectorize]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044715 * x * x * x)).tanh())
}

#[vectorize]
fn haversine(lat1: f64, lon1: f64, lat2: f64, lon2: f64) -> f64 {
    let (a, b) = (lat1.to_radians(), lat2.to_radians());
    let half = ((b - a) / 2.0).sin();
    let across = ((lon2 - lon1).to_radians() / 2.0).sin();
    let h = half * half + a.cos() * b.cos() * across * across;
    2.0 * 6_371.0 * h.min(1.0).sqrt().asin()
}

#[vectorize]
fn black_scholes(price: f64, strike: f64, years: f64) -> (f64, f64) {
    let (rate, volatility) = (0.02, 0.3);
    let root = volatility * years.abs().sqrt();
    let d1 = ((price / strike).abs().ln() + (rate + 0.5 * volatility * volatility) * years) / root;
    let d2 = d1 - root;
    let discount = strike * (-rate * years).exp();
    let call = price * normal(d1) - discount * normal(d2);
    (call, call - price + discount)
}

#[device]
fn normal(d: f64) -> f64 {
    const A: [f64; 5] = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let mut power = k;
    let mut sum = 0.0;
    for a in A {
        sum += a * power;
        power *= k;
    }
    let tail = 0.3989422804014327 * (-0.5 * d * d).exp() * sum;
    if d > 0.0 { 1.0 - tail } else { tail }
}

#[vectorize]
fn rgb_to_gray(r: u8, g: u8, b: u8) -> u8 {
    ((r as u32 * 77 + g as u32 * 150 + b as u32 * 29) >> 8) as u8
}

#[vectorize]
fn blend(a: u8, b: u8, alpha: u8) -> u8 {
    let weight = f32::from(alpha) / 255.0;
    (f32::from(a) * weight + f32::from(b) * (1.0 - weight)).round() as u8
}

#[vectorize]
fn saturating_mix(a: i8, b: i8) -> (i8, i8, bool) {
    let (sum, over) = a.overflowing_add(b);
    (a.saturating_add(b), sum, over)
}

#[vectorize]
fn narrow(x: f64) -> (i8, u16, i64) {
    (x as i8, x as u16, x as i64)
}

#[vectorize]
fn through_all(x: i64) -> f32 {
    x as i8 as u64 as i32 as f64 as f32 + x as u16 as f32 - (x > 0) as u8 as f32
}

#[vectorize]
fn from_every(a: bool, b: i8, c: u16, d: f32) -> f64 {
    f64::from(a as u8) + f64::from(b) * f64::from(c) - f64::from(d) + OFFSET
}

#[vectorize]
fn grade(points: i32) -> u8 {
    match points {
        i32::MIN..=-1 => b'?',
        0..=49 => b'F',
        50 | 51 => b'E',
        52..60 => b'D',
        p if p % 10 == 0 => b'*',
        60..=100 => b'A',
        _ => b'!',
    }
}

#[vectorize]
fn quadrant(x: f64, y: f64) -> i32 {
    match (x > 0.0, y > 0.0) {
        (true, true) => 1,
        (false, true) => 2,
        (false, false) => 3,
        (true, false) => 4,
    }
}

#[vectorize]
fn fizz(n: u32) -> i32 {
    match (n % 3, n % 5) {
        (0, 0) => -3,
        (0, _) => -1,
        (_, 0) => -2,
        (a, b) => (a * b) as i32,
    }
}

#[vectorize]
fn match_bound(n: i16) -> i32 {
    match n {
        small @ -10..=10 => small as i32 * 100,
        n if n < 0 => -1,
        big => big as i32 / 2,
    }
}

#[vectorize]
fn match_bool(flag: bool, n: u8) -> u8 {
    match flag {
        true => n.count_ones() as u8,
        false => n.leading_zeros() as u8,
    }
}

#[vectorize]
fn match_consts(n: u32) -> u32 {
    const LIMIT: u32 = 1000;
    match n {
        0 => u32::MAX,
        LIMIT => 1,
        STEPS => 2,
        u32::MAX => 3,
        _ => n >> 1,
    }
}

#[vectorize]
fn nested_if(a: i32, b: i32, c: i32) -> i32 {
    if a > b {
        if b > c { a } else if a > c { a - c } else { c }
    } else if b > c {
        b
    } else {
        c
    }
}

#[vectorize]
fn shadowing(x: i32) -> i64 {
    let x = x as i64;
    let y = {
        let x = x * 2;
        let y = x + 1;
        x * y
    };
    let x = x - y;
    x ^ y
}

#[vectorize]
fn shadow_in_loop(x: u32) -> u32 {
    let mut sum = x;
    for x in 0..4 {
        let sum_of_pass = sum + x;
        let x = sum_of_pass * 3;
        sum ^= x;
    }
    sum
}

#[vectorize]
fn labelled(n: u32) -> u32 {
    let mut found = 0;
    'outer: for a in 1..20u32 {
        for b in a..20 {
            if (a * b + n) % 37 == 0 {
                found = a * 100 + b;
                break 'outer;
            }
            if b > 10 && (n & 1) == 1 {
                continue 'outer;
            }
        }
    }
    found
}

#[vectorize]
fn block_value(a: i32, b: i32) -> i32 {
    let chosen = 'search: {
        if a > 100 {
            break 'search a;
        }
        let twice = b * 2;
        if twice > a {
            break 'search twice;
        }
        -1
    };
    chosen + 1
}

#[vectorize]
fn loop_value(n: u8) -> u32 {
    let mut i = 0u32;
    let square = loop {
        i += 1;
        if i * i >= n as u32 {
            break i * i;
        }
    };
    square - n as u32
}

#[vectorize]
fn countdown(n: i64) -> i64 {
    let mut sum = 0;
    for i in (0..n % 50).rev() {
        sum = sum * 3 - i;
    }
    sum
}

#[vectorize]
fn in_steps(n: usize) -> usize {
    let mut sum = 1;
    for i in (3..n % 100).step_by(7) {
        sum = sum * 31 + i;
    }
    for i in (0..=20usize).rev().step_by(6) {
        sum ^= i;
    }
    sum
}

#[vectorize]
fn inclusive(n: u8) -> u32 {
    let mut sum = 0;
    for i in n..=u8::MAX {
        sum += i as u32;
    }
    sum
}

#[vectorize]
fn inclusive_signed(n: i8) -> i32 {
    let mut sum = 0;
    for i in i8::MIN..=n {
        if i == 100 {
            continue;
        }
        sum += i as i32 * 2;
    }
    sum
}

#[vectorize]
fn empty_range(a: i32, b: i32) -> i32 {
    let mut count = 0;
    for _ in a % 10..b % 10 {
        count += 1;
    }
    count
}

#[vectorize]
fn changed_bound(n: u32) -> u32 {
    let mut end = n % 8;
    let mut count = 0;
    for _ in 0..end {
        end += 5;
        count += end;
    }
    count
}

#[vectorize]
fn array_sum(a: i32, b: i32, c: i32) -> i32 {
    let values = [a, b, c, 7];
    let mut sum = 0;
    for i in 0..values.len() {
        sum += values[i] * (i as i32 + 1);
    }
    sum
}

#[vectorize]
fn array_index(i: usize) -> u32 {
    PRIMES[i % 9]
}

#[vectorize]
fn array_index_signed(i: i32) -> f32 {
    WEIGHTS[i.rem_euclid(5) as usize]
}

#[vectorize]
fn array_out_of_bounds(i: u8) -> u8 {
    let values = [1u8, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    values[i as usize]
}

#[vectorize]
fn sort_three(a: f32, b: f32, c: f32) -> (f32, f32, f32) {
    let mut v = [a, b, c];
    for i in 0..3 {
        for j in 0..2 - i.min(1) {
            if v[j] > v[j + 1] {
                let other = v[j];
                v[j] = v[j + 1];
                v[j + 1] = other;
            }
        }
    }
    (v[0], v[1], v[2])
}

#[vectorize]
fn median_of_five(a: i32, b: i32, c: i32, d: i32, e: i32) -> i32 {
    let mut v = [a, b, c, d, e];
    for i in 1..5 {
        let mut j = i;
        while j > 0 && v[j - 1] > v[j] {
            (v[j - 1], v[j]) = (v[j], v[j - 1]);
            j -= 1;
        }
    }
    v[2]
}

#[vectorize]
fn matrix(a: f64, b: f64) -> f64 {
    let m = [[a, b, 1.0], [b, 2.0, a], [0.5, a, b]];
    let mut product = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            for k in 0..3 {
                product[i][j] += m[i][k] * m[k][j];
            }
        }
    }
    product[0][0] + product[1][1] * product[2][2] - product[0][2]
}

#[device]
fn determinant(m: [[f64; 2]; 2]) -> f64 {
    m[0][0] * m[1][1] - m[0][1] * m[1][0]
}

#[vectorize]
fn solve(a: f64, b: f64, c: f64, d: f64) -> (f64, f64) {
    let whole = determinant([[a, b], [c, d]]);
    (determinant([[1.0, b], [2.0, d]]) / whole, determinant([[a, 1.0], [c, 2.0]]) / whole)
}

#[device]
fn advance(body: Body, time: f32) -> Body {
    let moved = Point { x: body.position.x + time, y: body.position.y * time };
    let mut hits = body.hits;
    hits[1] += 1;
    Body { position: moved, hits, ..body }
}

#[vectorize]
fn structs(x: f32, y: f32, mass: f32) -> (f32, u8) {
    let mut body = Body { position: Point { x, y }, mass, hits: [1, 2, 255] };
    for step in 0..3 {
        body = advance(body, step as f32);
        body.position.x *= 0.5;
        body.hits[2] += 1;
    }
    let Body { position: Point { x, y }, mass, hits } = body;
    ((x * x + y * y) * mass, hits[0] + hits[1] * hits[2])
}

#[device]
fn bump(value: &mut i32, by: i32) -> i32 {
    let old = *value;
    *value += by;
    old
}

#[vectorize]
fn references(x: i32) -> i32 {
    let mut value = x;
    let first = bump(&mut value, 3);
    let second = bump(&mut value, first);
    value ^ first ^ second
}

#[device]
fn fill(values: &mut [u32; 6], seed: u32) {
    let mut state = seed;
    for i in 0..6 {
        state = state * 1_664_525 + 1_013_904_223;
        values[i] = state >> 16;
    }
}

#[vectorize]
fn filled(seed: u32) -> u32 {
    let mut values = [0; 6];
    fill(&mut values, seed);
    let mut largest = 0;
    for value in values {
        largest = largest.max(value);
    }
    largest - values[0]
}

#[device]
fn divide_with_rest(a: i64, b: i64) -> (i64, i64) {
    (a / b, a % b)
}

#[vectorize]
fn parts(a: i64, b: i64) -> i64 {
    let (whole, rest) = divide_with_rest(a, b);
    whole * 10 + rest
}

#[vectorize]
fn division_order(a: i32, b: i32) -> i32 {
    if b != 0 && a / b > 2 || a == 7 { a } else { b }
}

#[vectorize]
fn not_divided(a: u32, b: u32) -> u32 {
    let flag = b == 0;
    if flag { a } else { a % b + a / b }
}

#[vectorize]
fn compound(a: i32, b: u32) -> i32 {
    let mut x = a;
    x += 3;
    x -= b as i32;
    x *= 5;
    x <<= b;
    x >>= 2;
    x |= 1;
    x &= 0xffff;
    x ^= -1;
    x %= 1000;
    x /= 3;
    x
}

#[vectorize]
fn compound_small(a: u8, b: i8) -> i16 {
    let (mut x, mut y) = (a, b);
    x += 200;
    x *= 3;
    x -= 77;
    x <<= 1;
    y -= 100;
    y *= 2;
    y >>= 1;
    let z = !x;
    z as i16 - y as i16 + (-y) as i16
}

#[vectorize]
fn wide_shift(a: u64, count: i32) -> (u64, i64) {
    (a << count | a >> (count & 7), (a as i64) >> count)
}

#[vectorize]
fn negative(x: i64) -> i64 {
    -x + -(x / 2) - (-5 * x)
}

#[vectorize]
fn precedence(a: i32, b: i32, c: i32) -> i32 {
    a + b * c - a & b | c ^ a << 2 >> 1
}

#[vectorize]
fn comparisons(a: i32, b: u32) -> u32 {
    let less = (a as i64) < b as i64;
    let same = a as u32 == b;
    less as u32 | (same as u32) << 1 | ((a != 0) & (b != 0)) as u32 * 4 | ((a > 1) ^ (b >= 2)) as u32 * 8
}

#[vectorize]
fn compare_floats(a: f64, b: f64) -> u8 {
    (a < b) as u8 | ((a <= b) as u8) << 1 | ((a == b) as u8) << 2 | ((a != b) as u8) << 3 | ((!(a >= b)) as u8) << 4
}

#[vectorize]
fn logic(a: bool, b: bool, c: bool) -> bool {
    a && !b || (b ^ c) | (a & c) && (a == b || c != a)
}

#[vectorize]
fn bool_order(a: bool, b: bool) -> bool {
    (a < b) ^ (a >= b) & !a
}

#[vectorize]
fn in_range(x: i32, low: i32, high: i32) -> bool {
    (low..high).contains(&x) || (5..=9).contains(&x)
}

#[vectorize]
fn with_matches(n: u8) -> bool {
    matches!(n, b'a'..=b'z' | b'A'..=b'Z' | b'_') || matches!(n, d if d.is_ascii_digit())
}

#[vectorize]
fn asserted(x: f32) -> f32 {
    assert!(x >= 0.0, "the root of {x}");
    x.sqrt()
}

#[vectorize]
fn panics(kind: u32) -> u32 {
    match kind % 4 {
        0 => 10,
        1 => panic!("one"),
        2 => unreachable!(),
        _ => kind / 4,
    }
}

#[vectorize]
fn unit_results(x: i32) -> i32 {
    let mut y = x;
    let () = if x > 0 {
        y += 1;
    };
    y
}

#[vectorize]
fn late_binding(x: i32) -> i32 {
    let sign;
    let size;
    if x < 0 {
        sign = -1;
        size = x.unsigned_abs();
    } else {
        sign = 1;
        size = x as u32;
    }
    sign * (size % 1000) as i32
}

#[vectorize]
fn typed_by_use(n: u64) -> u64 {
    let mut count = 0;
    let mut rest = n;
    while rest != 0 {
        rest &= rest - 1;
        count += 1;
    }
    count
}

#[vectorize]
fn literals(x: f64) -> f64 {
    x * 1e-3 + 2.5E2 - 0.1_f64 + 1_000.0 + 3f64 + 7 as f64
}

#[vectorize]
fn integer_literals(x: i64) -> i64 {
    x ^ 0x7fff_ffff_ffff_ffff ^ 0b1010 ^ 0o17 ^ -9_223_372_036_854_775_808 ^ 1_i64 ^ b'z' as i64
}

#[vectorize]
fn limits(x: f32) -> f32 {
    if x.is_nan() { f32::MAX } else if x > 1e30 { f32::INFINITY } else if x < -1e30 { f32::MIN_POSITIVE } else { f32::EPSILON + x }
}

#[vectorize]
fn integer_limits(x: i8) -> i64 {
    i64::from(x) + i64::from(i8::MAX) * i64::from(u32::MAX) - i64::from(i32::MIN) + i64::from(u16::BITS)
}

#[vectorize]
fn to_origin(x: f64, y: f64) -> f64 {
    (x - ORIGIN.0).hypot(y - ORIGIN.1)
}

#[vectorize]
fn mixed_precision(a: f32, b: f64) -> (f32, f64) {
    let product = a as f64 * b;
    (product as f32 + a, product + f64::from(a * a))
}

#[vectorize]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c) - (a * b + c)
}

#[vectorize]
fn powers(x: f64, n: i32) -> f64 {
    x.powi(n % 16) + x.powi(2) * x.powi(-3)
}

#[vectorize]
fn integer_power(x: i32, n: u32) -> (i32, u64) {
    (x.pow(n % 40), (x as u64).pow(3).wrapping_pow(n & 3))
}

#[vectorize]
fn roundings(x: f32) -> f32 {
    x.floor() + x.ceil() * 2.0 + x.round() * 4.0 + x.trunc() * 8.0 + x.fract() + x.round_ties_even() * 16.0
}

#[vectorize]
fn euclid(a: i32, b: i32) -> i32 {
    a.rem_euclid(b) + a.div_euclid(b) * 3
}

#[vectorize]
fn float_remainder(a: f32, b: f32) -> f32 {
    a % b + a.rem_euclid(b)
}

#[vectorize]
fn bits(x: f32) -> u32 {
    f32::from_bits(x.to_bits() & 0x7fff_ffff).to_bits().swap_bytes()
}

#[vectorize]
fn fast_inverse_root(x: f32) -> f32 {
    let guess = f32::from_bits(0x5f37_59df - (x.to_bits() >> 1));
    guess * (1.5 - 0.5 * x * guess * guess)
}

#[vectorize]
fn qualified(a: f32, b: f32) -> f32 {
    f32::max(a, b) + 1.0 - f32::mul_add(a, 2.0, b)
}

#[vectorize]
fn isqrt_both(a: u64) -> u64 {
    let root = a.isqrt();
    root * root + root
}

#[vectorize]
fn ilogs(a: u32) -> u32 {
    a.ilog2() * 100 + a.ilog10() + a.leading_zeros()
}

#[vectorize]
fn many_results(a: i32) -> (i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f32, f64, bool) {
    (
        a as i8, a as u8, a as i16, a as u16, a, a as u32, a as i64, a as u64, a as isize, a as usize, a as f32, a as f64,
        a > 0,
    )
}

#[vectorize]
fn names_of_c(int: i32, float: f32, register: u32, asm: bool) -> f32 {
    let double = float * 2.0;
    let signed = int as f32;
    let auto = register as f32;
    let template = if asm { 1.0 } else { -1.0 };
    double + signed * auto - template
}

#[vectorize]
fn sqrt(sin: f32, cos: f32) -> f32 {
    let exp = sin * cos;
    exp.abs().sqrt() + exp
}

#[vectorize]
fn long_chain(x: f32) -> f32 {
    x.abs().sqrt().sin().cos().tan().atan().exp().ln().abs().cbrt().exp2().log2().sinh().asinh().tanh()
}

#[device]
fn step(state: (u32, u32), flag: bool) -> (u32, u32) {
    let (a, b) = state;
    if flag { (b, a.wrapping_add(b)) } else { (a ^ b, a) }
}

#[vectorize]
fn tuples(seed: u32) -> u32 {
    let mut state = (seed, 1);
    for i in 0..10 {
        state = step(state, i % 3 == 0);
        state.0 += i;
    }
    let ((a, b), c) = (state, seed);
    a ^ b.rotate_left(5) ^ c
}

#[vectorize]
fn nested_tuples(a: i32, b: f32) -> (f32, i32) {
    let pair = ((a, b), [b, 1.0], (a > 0,));
    let ((x, y), [first, second], (positive,)) = pair;
    if positive { (y * first, x) } else { (second - pair.0.1, pair.0.0 + 1) }
}

#[vectorize]
fn endless_until(n: u32) -> u32 {
    let mut x = n | 1;
    let mut rounds = 0;
    loop {
        x = x * 5 + 1;
        rounds += 1;
        if x % 7 == 0 || rounds == 1000 {
            break;
        }
    }
    rounds
}

#[vectorize]
fn many_passes(n: u8) -> u64 {
    let mut x = n as u64;
    let mut i = 0u64;
    while i < 70_000 {
        x = x.rotate_left(3) ^ i;
        i += 1;
    }
    x
}
