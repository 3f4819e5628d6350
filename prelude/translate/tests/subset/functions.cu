// What the translator makes of functions.rs.
//
// Long by nature: it is generated.

namespace rust {

struct Tuple2_f32_i32 {
    f32 _0;
    i32 _1;
};
struct Tuple2_f32_f32 {
    f32 _0;
    f32 _1;
};
struct Tuple2_u8_i32 {
    u8 _0;
    i32 _1;
};
struct Array4_f32 {
    f32 at[4];
};
struct Array20_f32 {
    f32 at[20];
};
struct Array3_i32 {
    i32 at[3];
};
struct Array2_Array3_i32 {
    Array3_i32 at[2];
};
struct Array2_i32 {
    i32 at[2];
};
struct Tuple2_u8_bool {
    u8 _0;
    bool _1;
};
// struct Point {
//     x: f32,
//     y: f32,
//     tags: [i32; 2],
//     pair: (u8, bool),
struct Point {
    f32 x;
    f32 y;
    Array2_i32 tags;
    Tuple2_u8_bool pair;
};
// struct Wrapper(f32, Point);
struct Wrapper {
    f32 _0;
    Point _1;
};
struct Tuple3_i32_i32_i32 {
    i32 _0;
    i32 _1;
    i32 _2;
};
struct Array3_u8 {
    u8 at[3];
};
struct Tuple2_i32_bool {
    i32 _0;
    bool _1;
};
struct Array3_f32 {
    f32 at[3];
};
struct Tuple3_f32_i32_bool {
    f32 _0;
    i32 _1;
    bool _2;
};
struct Tuple0 {
};

constexpr f32 PI = 3.1415927f;
constexpr f32 E = 2.7182817f;

// fn lets(a: f32, b: i32) -> (f32, i32) {
__device__ inline Tuple2_f32_i32 lets(f32 a, i32 b) {
    // let mut x = a;
    f32 x = a;
    // x += 1.0;
    x += 1.0f;
    // let x = x * 2.0; // shadowed
    const f32 x_2 = x * 2.0f;
    // let ((p, _), q) = ((x, a), b + 1);
    const Tuple2_f32_f32 value = Tuple2_f32_f32{x_2, a};
    const i32 value_2 = i32_add(b, 1);
    const f32 p = value._0;
    const i32 q = value_2;
    // let y;
    f32 y;
    // y = p - 0.5;
    y = p - 0.5f;
    // let z: f32 = if y > 0.0 { y } else { -y };
    const f32 z = y > 0.0f ? y : -y;
    // let w = if z > 1.0 {
    f32 w;
    if (z > 1.0f) {
        // let t = z * z;
        const f32 t = z * z;
        // t + 1.0
        w = t + 1.0f;
    } else if (z > 0.5f) {
        // } else if z > 0.5 {
        // z
        w = z;
    } else {
        // 0.25
        w = 0.25f;
    }
    // (w, q)
    return Tuple2_f32_i32{w, q};
}

// fn loops(n: i32) -> i32 {
__device__ inline i32 loops(i32 n) {
    u32 passes = 0;
    // let mut sum = 0;
    i32 sum = 0;
    // for i in 0..n {
    for (i32 i = 0; i < n; ++i) {
        // sum += i;
        sum = i32_add(sum, i);
    }
    // for i in 0..=n {
    bool i_goes_on = 0 <= n;
    for (i32 i = 0; i_goes_on; i_goes_on = i < n, i = (i32)((u32)i + (u32)1)) {
        // sum += i;
        sum = i32_add(sum, i);
    }
    // for i in (0..n).rev() {
    for (i32 i = n; i > 0;) {
        --i;
        // sum -= i;
        sum = i32_sub(sum, i);
    }
    // for i in (0..=n).rev() {
    for (i32 i = n; i >= 0; --i) {
        // sum -= i * 2;
        sum = i32_sub(sum, i32_mul(i, 2));
    }
    // for i in (0..n).step_by(3) {
    bool i_goes_on_2 = 0 < n;
    for (i32 i = 0; i_goes_on_2; i_goes_on_2 = (u64)((u32)n - (u32)i) > 3, i = (i32)((u32)i + (u32)3)) {
        // if i == 5 {
        if (i == 5) {
            // continue;
            continue;
        }
        // sum += i;
        sum = i32_add(sum, i);
    }
    // for i in (1..=100).step_by(7) {
    for (i32 i = 1; i <= 100; i += 7) {
        // sum ^= i;
        sum ^= i;
    }
    // for i in (0..n).rev().step_by(2) {
    bool i_goes_on_3 = 0 < n;
    for (i32 i = (i32)((u32)n - (u32)1); i_goes_on_3; i_goes_on_3 = (u64)((u32)i - (u32)0) >= 2, i = (i32)((u32)i - (u32)2)) {
        // sum += i;
        sum = i32_add(sum, i);
    }
    // for _ in 0..10 {
    for (i32 pass = 0; pass < 10; ++pass) {
        // sum += 1;
        sum = i32_add(sum, 1);
    }
    // let mut k = 0;
    i32 k = 0;
    // while k < 10 && sum < 1000 {
    while (k < 10 && sum < 1000) {
        look_for_stop(passes, 2, 54);
        // k += 1;
        k = i32_add(k, 1);
        // sum += k;
        sum = i32_add(sum, k);
    }
    // let found = loop {
    i32 found;
    while (true) {
        look_for_stop(passes, 2, 58);
        // k += 1;
        k = i32_add(k, 1);
        // if k > 20 {
        if (k > 20) {
            // break k * 2;
            found = i32_mul(k, 2);
            break;
        }
    }
    // 'outer: for i in 0..5 {
    for (i32 i = 0; i < 5; ++i) {
        {
            // for j in 0..5 {
            for (i32 j = 0; j < 5; ++j) {
                // if j == i {
                if (j == i) {
                    // continue 'outer;
                    goto next_of_loop_11;
                }
                // if i + j > 6 {
                if (i + j > 6) {
                    // break 'outer;
                    goto end_of_loop_11;
                }
                // sum += j;
                sum = i32_add(sum, j);
            }
            // sum += 100;
            sum = i32_add(sum, 100);
        }
        next_of_loop_11:;
    }
    end_of_loop_11:;
    // let b = 'a: {
    i32 b;
    {
        // if sum > 10 {
        if (sum > 10) {
            // break 'a 1;
            b = 1;
            goto end_of_loop_13;
        }
        // 2
        b = 2;
    }
    end_of_loop_13:;
    // while {
    // k -= 1;
    // k > 3
    while (true) {
        look_for_stop(passes, 2, 82);
        bool value;
        {
            k = i32_sub(k, 1);
            value = k > 3;
        }
        if (!value) break;
        // sum += 1;
        sum = i32_add(sum, 1);
    }
    // sum + found + b
    return i32_add(i32_add(sum, found), b);
}

// fn matching(n: i32, b: bool, t: (u8, i32)) -> i32 {
__device__ inline i32 matching(i32 n, bool b, Tuple2_u8_i32 t) {
    // let a = match n {
    i32 a;
    if (n == 0) {
        // 0 => 1,
        a = 1;
    } else if (n == 1 || n == 2) {
        // 1 | 2 => 2,
        a = 2;
    } else if (n >= 3 && n <= 9) {
        // 3..=9 => 3,
        a = 3;
    } else if (n < 0) {
        // x if x < 0 => -x,
        const i32 x = n;
        a = i32_neg(x);
    } else if (n == 2147483647) {
        // i32::MAX => 7,
        a = 7;
    } else {
        // x => x / 2,
        const i32 x = n;
        a = x / 2;
    }
    // let c = match (b, n) {
    i32 c;
    if (b && n == 0) {
        // (true, 0) => 1,
        c = 1;
    } else if (b) {
        // (true, m) => {
        const i32 m = n;
        // let k = m * 2;
        const i32 k = i32_mul(m, 2);
        // k + 1
        c = i32_add(k, 1);
    } else {
        // (false, _) => 0,
        c = 0;
    }
    // let d = match t {
    i32 d;
    bool chosen = false;
    if (!chosen && t._0 <= 9 && t._1 >= 1) {
        // (0..=9, y @ 1..) => y,
        const i32 y = t._1;
        chosen = true;
        d = y;
    }
    if (!chosen) {
        // (_, y)
        // if {
        // let z = y * 2;
        // z > 4
        // } =>
        const i32 y = t._1;
        bool value;
        {
            const i32 z = i32_mul(y, 2);
            value = z > 4;
        }
        if (value) {
            chosen = true;
            {
                // 2
                d = 2;
            }
        }
    }
    if (!chosen) {
        // _ => 3,
        chosen = true;
        d = 3;
    }
    // if let 5 = n {
    if (n == 5) {
        // return 9;
        return 9;
    }
    // let e = matches!(n, 1..=5 if b);
    const bool e = n >= 1 && n <= 5 && b;
    // a + c + d + e as i32
    return i32_add(i32_add(i32_add(a, c), d), (i32)e);
}

// fn arrays(i: usize, x: f32) -> f32 {
__device__ inline f32 arrays(usize i, f32 x) {
    // let mut a = [0.0; 4];
    Array4_f32 a = Array4_f32{};
    // let b = [1.0, 2.0, x, 4.0];
    const Array4_f32 b = Array4_f32{{1.0f, 2.0f, x, 4.0f}};
    // a[i] = b[3 - i] + 1.0;
    a.at[checked_index(i, 4, 4, 132)] = b.at[checked_index(3ULL - i, 4, 4, 132)] + 1.0f;
    // a[1] += 2.0;
    a.at[1] += 2.0f;
    // let mut total = 0.0;
    f32 total = 0.0f;
    // for v in a {
    const Array4_f32 value = a;
    for (u32 index = 0; index < 4; ++index) {
        const f32 v = value.at[index];
        // total += v;
        total += v;
    }
    // for v in b.iter() {
    for (u32 index = 0; index < 4; ++index) {
        const f32 v = b.at[index];
        // total += v * 2.0;
        total += v * 2.0f;
    }
    // for (k, v) in b.iter().enumerate() {
    for (usize index = 0; index < 4; ++index) {
        const usize k = index;
        const f32 v = b.at[index];
        // total += *v * k as f32;
        total += v * (f32)k;
    }
    // for v in a.iter_mut() {
    for (u32 index = 0; index < 4; ++index) {
        f32 &v = a.at[index];
        // *v += 1.0;
        v += 1.0f;
    }
    // for v in &b {
    for (u32 index = 0; index < 4; ++index) {
        const f32 v = b.at[index];
        // total -= v;
        total -= v;
    }
    // for k in 0..a.len() {
    for (usize k = 0; k < 4; ++k) {
        // total += a[k] * b[k];
        total += a.at[k] * b.at[k];
    }
    // let big = [x; 20];
    Array20_f32 big;
    for (u32 index = 0; index < 20; ++index) big.at[index] = x;
    // let mut m = [[0i32; 3]; 2];
    Array2_Array3_i32 m;
    for (u32 index_2 = 0; index_2 < 2; ++index_2) m.at[index_2] = Array3_i32{};
    // m[1][2] = 5;
    m.at[1].at[2] = 5;
    // (m[0][0], m[0][1]) = (m[1][2], m[0][2]);
    const i32 value_2 = m.at[1].at[2];
    const i32 value_3 = m.at[0].at[2];
    m.at[0].at[0] = value_2;
    m.at[0].at[1] = value_3;
    // total + big[i] + m[1][2] as f32
    return total + big.at[checked_index(i, 20, 4, 157)] + (f32)m.at[1].at[2];
}

// fn ints(a: i32, b: u8, c: u64, d: i64, e: u16, s: u32) -> i64 {
__device__ inline i64 ints(i32 a, u8 b, u64 c, i64 d, u16 e, u32 s) {
    // let p = a + 3 * a - (a / 2) % 7;
    const i32 p = i32_sub(i32_add(a, i32_mul(3, a)), a / 2 % 7);
    // let q = a / (b as i32);
    const i32 q = i32_div(a, (i32)b, 5, 163);
    // let r = b.wrapping_add(200) & 0x0f | 3 ^ b;
    const u8 r = (u8_wrapping_add(b, 200) & 15) | (3 ^ b);
    // let t = c << 3 >> s;
    const u64 t = u64_shr(c << 3, s);
    // let u = d << s;
    const i64 u = i64_shl(d, s);
    // let v = e * e + e;
    const u16 v = (u16)((u16)((u32)e * e) + e);
    // let w = -a + !a;
    const i32 w = i32_add(i32_neg(a), ~a);
    // let x = !b;
    const u8 x = (u8)~b;
    // let y = (a as f32 * 1.5) as u8 as i64;
    const i64 y = (i64)u8_from_f32((f32)a * 1.5f);
    // let z = 3.7 as i32 + 1u8 as i32 + (b as i8) as i32 + true as i32 + -1i32;
    const i32 z = i32_add(i32_add(i32_add(i32_add(i32_from_f64(3.7), (i32)1), (i32)(i8)b), (i32)true), -1);
    // let mut k = a;
    i32 k = a;
    // k += 1;
    k = i32_add(k, 1);
    // k <<= 2;
    k = i32_shl(k, 2);
    // k /= 3;
    k = k / 3;
    // k %= 5;
    k = k % 5;
    // k *= k;
    k = i32_mul(k, k);
    // k -= 1;
    k = i32_sub(k, 1);
    // k &= 7;
    k &= 7;
    // k |= 1;
    k |= 1;
    // k ^= 3;
    k ^= 3;
    // k >>= s;
    k = i32_shr(k, s);
    // let mut l = b;
    u8 l = b;
    // l += 1;
    l = (u8)(l + 1);
    // l -= 2;
    l = (u8)(l - 2);
    // l *= 3;
    l = (u8)(l * 3);
    // p as i64
    // + q as i64
    // + r as i64
    // + t as i64
    // + u
    // + v as i64
    // + w as i64
    // + x as i64
    // + y
    // + z as i64
    // + k as i64
    // + l as i64
    // + i64::MIN
    // + (a.max(3).min(b as i32)) as i64
    // + 3000000000u32 as i64
    return i64_add(i64_add(i64_add(i64_add(i64_add(i64_add(i64_add(i64_add(i64_add(i64_add(i64_add(i64_add((i64)p + (i64)q + (i64)r, (i64)t), u), (i64)v), (i64)w), (i64)x), y), (i64)z), (i64)k), (i64)l), (-9223372036854775807LL - 1LL)), (i64)i32_min(i32_max(a, 3), (i32)b)), (i64)3000000000u);
}

// fn move_by(p: &mut Point, dx: f32) {
__device__ inline void move_by(Point &p, f32 dx) {
    // p.x += dx;
    p.x += dx;
    // p.tags[1] = 3;
    p.tags.at[1] = 3;
}

// fn swap_them(a: &mut f32, b: &mut f32) {
__device__ inline void swap_them(f32 &a, f32 &b) {
    // std::mem::swap(a, b);
    const f32 value = a;
    a = b;
    b = value;
    // let t = *a;
    const f32 t = a;
    // *a = *b;
    a = b;
    // *b = t;
    b = t;
}

// fn length(p: &Point) -> f32 {
__device__ inline f32 length(const Point &p) {
    // let Point { x, y, .. } = p;
    const f32 x = p.x;
    const f32 y = p.y;
    // (x * x + y * y).sqrt()
    return f32_sqrt(x * x + y * y);
}

// fn structs(x: f32) -> f32 {
__device__ inline f32 structs(f32 x) {
    // let mut p = Point { y: 2.0, x, tags: [1, 2], pair: (3, true) };
    Point p = Point{x, 2.0f, Array2_i32{{1, 2}}, Tuple2_u8_bool{3, true}};
    // move_by(&mut p, 1.5);
    move_by(p, 1.5f);
    // let q = Point { x: 0.0, ..p };
    const Point value = p;
    const Point q = Point{0.0f, value.y, value.tags, value.pair};
    // let w = Wrapper(1.0, q);
    const Wrapper w = Wrapper{1.0f, q};
    // let (mut a, mut b) = (w.0, w.1.y);
    f32 a = w._0;
    f32 b = w._1.y;
    // swap_them(&mut a, &mut b);
    swap_them(a, b);
    // let r = &mut a;
    f32 &r = a;
    // *r += 2.0;
    r += 2.0f;
    // length(&p) + length(&w.1) + a + b + p.pair.0 as f32 + if p.pair.1 { 1.0 } else { 0.0 }
    return length(p) + length(w._1) + a + b + (f32)p.pair._0 + (p.pair._1 ? 1.0f : 0.0f);
}

// fn order(a: i32, n: &mut i32) -> i32 {
__device__ inline i32 order(i32 a, i32 &n) {
    // *n += a;
    n = i32_add(n, a);
    // *n
    return n;
}

// fn sequence(x: i32) -> i32 {
__device__ inline i32 sequence(i32 x) {
    // let mut n = x;
    i32 n = x;
    // let s = n + order(1, &mut n) * n + {
    // n += 1;
    // n
    // } - order(2, &mut n);
    const i32 value_2 = n;
    const i32 value = order(1, n);
    const i32 value_4 = i32_add(value_2, i32_mul(value, n));
    i32 value_3;
    {
        n = i32_add(n, 1);
        value_3 = n;
    }
    const i32 value_5 = order(2, n);
    const i32 s = i32_sub(i32_add(value_4, value_3), value_5);
    // let t = (n, order(3, &mut n), n);
    const i32 value_7 = n;
    const i32 value_6 = order(3, n);
    const Tuple3_i32_i32_i32 t = Tuple3_i32_i32_i32{value_7, value_6, n};
    // let c = n > 3 && order(1, &mut n) > 5 || {
    // n -= 1;
    // n < 0
    bool value_8 = n > 3;
    if (value_8) {
        const i32 value_9 = order(1, n);
        value_8 = value_9 > 5;
    }
    bool value_9 = value_8;
    if (!value_9) {
        n = i32_sub(n, 1);
        value_9 = n < 0;
    }
    const bool c = value_9;
    // let mut arr = [n, n + 1];
    Array2_i32 arr = Array2_i32{{n, i32_add(n, 1)}};
    // arr[(n & 1) as usize] = order(1, &mut n);
    const i32 value_10 = order(1, n);
    arr.at[(usize)(n & 1)] = value_10;
    // order(5, &mut n);
    order(5, n);
    // s + t.0 + t.1 + t.2 + c as i32 + arr[0]
    return i32_add(i32_add(i32_add(i32_add(i32_add(s, t._0), t._1), t._2), (i32)c), arr.at[0]);
}

// fn failing(x: i32, y: i32, a: [u8; 3], i: usize) -> i32 {
__device__ inline i32 failing(i32 x, i32 y, Array3_u8 a, usize i) {
    // assert!(x > 0, "x is {}", x);
    if (!(x > 0)) {
        panicked(12, 271);
    }
    // assert_eq!(y, 3);
    if (!(y == 3)) {
        panicked(12, 272);
    }
    // debug_assert!(y != 9);
    if (!(y != 9)) {
        panicked(12, 273);
    }
    // if y == 7 {
    if (y == 7) {
        // panic!("no");
        panicked(12, 275);
    }
    // if y == 8 {
    if (y == 8) {
        // unreachable!()
        panicked(12, 278);
    }
    // x / y + x % y + a[i] as i32
    return x / y + x % y + (i32)a.at[checked_index(i, 3, 12, 280)];
}

__device__ inline bool less_Tuple2_f32_i32(const Tuple2_f32_i32 &a, const Tuple2_f32_i32 &b, bool if_equal) {
    if (a._0 != b._0) return a._0 < b._0;
    if (a._1 != b._1) return a._1 < b._1;
    return if_equal;
}

__device__ inline bool equal_Array3_u8(const Array3_u8 &a, const Array3_u8 &b) {
    for (u32 i = 0; i < 3; ++i) {
        if (a.at[i] != b.at[i]) return false;
    }
    return true;
}

__device__ inline bool equal_Tuple2_f32_i32(const Tuple2_f32_i32 &a, const Tuple2_f32_i32 &b) {
    if (!(a._0 == b._0)) return false;
    if (a._1 != b._1) return false;
    return true;
}

__device__ inline bool less_Array3_u8(const Array3_u8 &a, const Array3_u8 &b, bool if_equal) {
    for (u32 i = 0; i < 3; ++i) {
        if (a.at[i] != b.at[i]) return a.at[i] < b.at[i];
    }
    return if_equal;
}

__device__ inline bool equal_Tuple2_i32_bool(const Tuple2_i32_bool &a, const Tuple2_i32_bool &b) {
    if (a._0 != b._0) return false;
    if (a._1 != b._1) return false;
    return true;
}

// fn compares(a: (f32, i32), b: (f32, i32), c: [u8; 3], d: [u8; 3], x: f32) -> bool {
__device__ inline bool compares(Tuple2_f32_i32 a, Tuple2_f32_i32 b, Array3_u8 c, Array3_u8 d, f32 x) {
    // a < b && c == d || a != b && c >= d || x != x || (1, true) == (2, false) || (0.0..1.0).contains(&x)
    bool value = less_Tuple2_f32_i32(a, b, false);
    if (value) {
        value = equal_Array3_u8(c, d);
    }
    bool value_2 = value;
    if (!value_2) {
        bool value_3 = !equal_Tuple2_f32_i32(a, b);
        if (value_3) {
            value_3 = less_Array3_u8(d, c, true);
        }
        value_2 = value_3;
    }
    bool value_3 = value_2 || x != x;
    if (!value_3) {
        value_3 = equal_Tuple2_i32_bool(Tuple2_i32_bool{1, true}, Tuple2_i32_bool{2, false});
    }
    bool value_4 = value_3;
    if (!value_4) {
        value_4 = x >= 0.0f && x < 1.0f;
    }
    return value_4;
}

// fn names(float: f32, int: i32, r#type: u8, größe: f64, f32_add: i32) -> f64 {
__device__ inline f64 names(f32 float_, i32 int_, u8 type, f64 gru00f6u00dfe, i32 f32_add_) {
    u32 loop_passes = 0;
    // let double = float as f64;
    const f64 double_ = (f64)float_;
    // let value = double;
    const f64 value = double_;
    // let value = value + 1.0;
    const f64 value_2 = value + 1.0;
    // let passes = 1;
    const i32 passes = 1;
    // let names = passes;
    const i32 names_2 = passes;
    // while int == 12345678 {}
    while (int_ == 12345678) {
        look_for_stop(loop_passes, 14, 295);
    }
    // double + int as f64 + r#type as f64 + größe + value + names as f64 + f32_add as f64
    return double_ + (f64)int_ + (f64)type + gru00f6u00dfe + value_2 + (f64)names_2 + (f64)f32_add_;
}

// fn consts(x: f32) -> f32 {
__device__ inline f32 consts(f32 x) {
    // const N: usize = 3;
    const usize N = 3ULL;
    // const W: [f32; N] = [0.25, 0.5, 0.25];
    const Array3_f32 W = Array3_f32{{0.25f, 0.5f, 0.25f}};
    // const HALF: f32 = 1.0 / 2.0;
    const f32 HALF = 1.0f / 2.0f;
    // use std::f32::consts::PI;
    // let mut s = 0.0;
    f32 s = 0.0f;
    // for i in 0..N {
    for (usize i = 0; i < N; ++i) {
        // s += W[i] * x;
        s += W.at[i] * x;
    }
    // s * HALF * PI + f32::MAX.min(f32::EPSILON) + std::f32::consts::E + f32::NAN + f32::INFINITY * 1e-30
    return s * HALF * PI + f32_min(3.4028235e38f, 1.1920929e-7f) + E + f32_from_bits(0x7fc00000u) + f32_from_bits(0x7f800000u) * 1e-30f;
}

// fn sincos(x: f32, n: i32) -> (f32, i32, bool) {
__device__ inline Tuple3_f32_i32_bool sincos(f32 x, i32 n) {
    // let (s, c) = x.sin_cos();
    const Tuple2_f32_f32 value = f32_sin_cos<Tuple2_f32_f32>(x);
    const f32 s = value._0;
    const f32 c = value._1;
    // let (v, o) = n.overflowing_add(5);
    const Tuple2_i32_bool value_2 = i32_overflowing_add<Tuple2_i32_bool>(n, 5);
    const i32 v = value_2._0;
    const bool o = value_2._1;
    // (s.max(c).clamp(0.0, 1.0), v.pow(2).rem_euclid(7), o)
    return Tuple3_f32_i32_bool{f32_clamp(f32_max(s, c), 0.0f, 1.0f, 16, 316), i32_rem_euclid(i32_pow(v, 2u), 7, 16, 316), o};
}

// fn early(x: i32) -> i32 {
__device__ inline i32 early(i32 x) {
    u32 passes = 0;
    // if x > 3 {
    if (x > 3) {
        // return 1;
        return 1;
    }
    // match x {
    if (x == 0) {
        // 0 => return 5,
        return 5;
    } else if (x == 1) {
        // 1 => {}
    } else {
        // _ => {
        // return 6;
        return 6;
    }
    // loop {
    while (true) {
        look_for_stop(passes, 17, 331);
        // if x == 1 {
        if (x == 1) {
            // return 7;
            return 7;
        }
    }
}

// fn big(n: u64) -> u64 {
__device__ inline u64 big(u64 n) {
    u32 passes = 0;
    // let mut s = 0;
    u64 s = 0ULL;
    // for i in 0..n {
    for (u64 i = 0; i < n; ++i) {
        look_for_stop(passes, 18, 349);
        // s += i;
        s += i;
    }
    // for i in (0..=n).rev() {
    bool i_goes_on = true;
    for (u64 i = n; i_goes_on; i_goes_on = i > 0, i = (u64)((u64)i - (u64)1)) {
        look_for_stop(passes, 18, 352);
        // s ^= i;
        s ^= i;
    }
    // for j in 0..n as u32 {
    const u32 j_end = (u32)n;
    for (u32 j = 0; j < j_end; ++j) {
        // s += j as u64;
        s += (u64)j;
    }
    // s
    return s;
}

// fn unit(x: i32) {
__device__ inline void unit(i32 x) {
    // let y = x;
    const i32 y = x;
    // let () = ();
    // let u = ();
    [[maybe_unused]] const Tuple0 u = Tuple0{};
    // y;
    (void)y;
}

// fn all(x: f32, n: i32) -> f32 {
__device__ inline f32 all(f32 x, i32 n) {
    // let (w, q) = lets(x, n);
    const Tuple2_f32_i32 value = lets(x, n);
    const f32 w = value._0;
    const i32 q = value._1;
    // let mut sum = w + q as f32 + loops(n) as f32 + matching(n, x > 0.0, (3, n)) as f32;
    f32 sum = w + (f32)q + (f32)loops(n) + (f32)matching(n, x > 0.0f, Tuple2_u8_i32{3, n});
    // sum += arrays(n as usize, x) + ints(n, 3, 4, 5, 6, 7) as f32 + structs(x) + sequence(n) as f32;
    sum += arrays((usize)n, x) + (f32)ints(n, 3, 4ULL, 5LL, 6, 7u) + structs(x) + (f32)sequence(n);
    // sum += failing(n, 1, [1, 2, 3], 2) as f32;
    sum += (f32)failing(n, 1, Array3_u8{{1, 2, 3}}, 2ULL);
    // if compares((x, n), (x, 2), [1, 2, 3], [1, 2, 4], x) {
    if (compares(Tuple2_f32_i32{x, n}, Tuple2_f32_i32{x, 2}, Array3_u8{{1, 2, 3}}, Array3_u8{{1, 2, 4}}, x)) {
        // sum += names(x, n, 1, 2.0, 3) as f32;
        sum += (f32)names(x, n, 1, 2.0, 3);
    }
    // sum += consts(x) + sincos(x, n).0 + early(n) as f32 + big(n as u64) as f32;
    sum += consts(x) + sincos(x, n)._0 + (f32)early(n) + (f32)big((u64)n);
    // unit(n);
    // sum
    return sum;
}

} // namespace rust
