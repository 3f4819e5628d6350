//! The incomplete gamma and beta functions, and the distributions that they give, one number at a time, in code that runs on every
//! device.
// Long because: half of it is one table of numbers.

#![expect(
    clippy::manual_range_contains,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::nonminimal_bool,
    reason = "device code has comparisons and loops like these; of NaN they are false"
)]

use super::errors::{erfc, erfcx};
use super::gammas::{beta, beta_gap, gamma, log_1p_less, log_beta, log_gamma_1p, stirling_gap};
use warpcell_macros::device;

/// The coefficients of Temme's uniform expansion ("The asymptotic expansion of the incomplete gamma functions", 1979): those of
/// `η^n a^-k` at `24 k + n`, by the recurrence in the NIST Digital Library, 8.12.
const UNIFORM: [f64; 384] = [
    -0.3333333333333333,
    0.08333333333333333,
    -0.014814814814814815,
    0.0011574074074074073,
    0.0003527336860670194,
    -0.0001787551440329218,
    3.919263178522438e-05,
    -2.185448510679992e-06,
    -1.85406221071516e-06,
    8.296711340953087e-07,
    -1.7665952736826078e-07,
    6.707853543401498e-09,
    1.0261809784240309e-08,
    -4.382036018453353e-09,
    9.14769958223679e-10,
    -2.5514193994946248e-11,
    -5.830772132550426e-11,
    2.4361948020667415e-11,
    -5.0276692801141755e-12,
    1.1004392031956135e-13,
    3.371763262400985e-13,
    -1.392388722418162e-13,
    2.8534893807047445e-14,
    -5.139111834242572e-16,
    -0.001851851851851852,
    -0.003472222222222222,
    0.0026455026455026454,
    -0.0009902263374485596,
    0.00020576131687242798,
    -4.018775720164609e-07,
    -1.8098550334489977e-05,
    7.64916091608111e-06,
    -1.6120900894563446e-06,
    4.647127802807434e-09,
    1.378633446915721e-07,
    -5.752545603517705e-08,
    1.1951628599778148e-08,
    -1.7543241719747647e-11,
    -1.0091543710600413e-09,
    4.162792991842583e-10,
    -8.56390702649298e-11,
    6.067215101604758e-14,
    7.1624989648114856e-12,
    -2.933186643771437e-12,
    5.996696365683689e-13,
    -2.1671786527323313e-16,
    -4.978339972369262e-14,
    2.0291628823713425e-14,
    0.004133597883597883,
    -0.0026813271604938273,
    0.0007716049382716049,
    2.0093878600823047e-06,
    -0.0001073665322636516,
    5.2923448829120125e-05,
    -1.2760635188618728e-05,
    3.423578734096138e-08,
    1.3721957309062934e-06,
    -6.298992138380055e-07,
    1.4280614206064242e-07,
    -2.0477098421990866e-10,
    -1.409252991086752e-08,
    6.228974084922022e-09,
    -1.3670488396617114e-09,
    9.428356159014678e-13,
    1.2872252400089318e-10,
    -5.5645956134363323e-11,
    1.197593554636698e-11,
    -4.1689782251838634e-15,
    -1.0940640427884595e-12,
    4.662239946390136e-13,
    -9.905105763906907e-14,
    1.8931876768373515e-17,
    0.0006494341563786008,
    0.00022947209362139917,
    -0.0004691894943952557,
    0.00026772063206283885,
    -7.561801671883977e-05,
    -2.396505113867297e-07,
    1.1082654115347302e-05,
    -5.6749528269915965e-06,
    1.4230900732435883e-06,
    -2.7861080291528143e-11,
    -1.6958404091930278e-07,
    8.099464905388083e-08,
    -1.9111168485973655e-08,
    2.3928620439808118e-12,
    2.0620131815488797e-09,
    -9.460496661855133e-10,
    2.1541049775774907e-10,
    -1.388823336813903e-14,
    -2.1894761681963938e-11,
    9.790998951171684e-12,
    -2.178219188018096e-12,
    6.208819573407901e-17,
    2.126978363279737e-13,
    -9.344688791517433e-14,
    -0.0008618882909167117,
    0.0007840392217200666,
    -0.0002990724803031902,
    -1.4638452578843418e-06,
    6.641498215465122e-05,
    -3.968365047179435e-05,
    1.1375726970678419e-05,
    2.507497226237533e-10,
    -1.6954149536558305e-06,
    8.907507532205309e-07,
    -2.292934834000805e-07,
    2.956794137544049e-11,
    2.8865829742708783e-08,
    -1.4189739437803219e-08,
    3.4463580499464896e-09,
    -2.3024517174528067e-13,
    -3.9409233028046403e-10,
    1.86023389685045e-10,
    -4.356323005056618e-11,
    1.278600101629623e-15,
    4.67927502665792e-12,
    -2.149246470613483e-12,
    4.908815614809652e-13,
    -6.33859148489156e-18,
    -0.00033679855336635813,
    -6.972813758365857e-05,
    0.0002772753244959392,
    -0.00019932570516188847,
    6.797780477937208e-05,
    1.419062920643967e-07,
    -1.3594048189768693e-05,
    8.018470256334202e-06,
    -2.291481176508095e-06,
    -3.252473551298454e-10,
    3.4652846491085265e-07,
    -1.8447187191171344e-07,
    4.8240967037894184e-08,
    -1.7989466721743514e-14,
    -6.306194500013523e-09,
    3.162417628774568e-09,
    -7.840924253697429e-10,
    5.192679165254041e-15,
    9.358944242306784e-11,
    -4.513426216163278e-11,
    1.0799129993116828e-11,
    -3.661886712685252e-17,
    -1.210902069055155e-12,
    5.680743584990564e-13,
    0.0005313079364639922,
    -0.0005921664373536939,
    0.0002708782096718045,
    7.902353232660328e-07,
    -8.153969367561969e-05,
    5.61168275310625e-05,
    -1.8329116582843375e-05,
    -3.0796134506033047e-09,
    3.465155368803609e-06,
    -2.0291327396058603e-06,
    5.788792863149004e-07,
    2.338630673826657e-13,
    -8.828600746330484e-08,
    4.7435958880408125e-08,
    -1.2545415020710383e-08,
    8.649648858010293e-14,
    1.6846058979264062e-09,
    -8.575492823577594e-10,
    2.1598224929232125e-10,
    -7.613230520476153e-16,
    -2.6639822008536144e-11,
    1.3065700536611057e-11,
    -3.1799163902367977e-12,
    4.710976121367431e-18,
    0.00034436760689237765,
    5.171790908260592e-05,
    -0.00033493161081142234,
    0.0002812695154763237,
    -0.00010976582244684731,
    -1.2741009095484485e-07,
    2.7744451511563645e-05,
    -1.8263488805711332e-05,
    5.7876949497350525e-06,
    4.93875893393627e-10,
    -1.0595367014026043e-06,
    6.166714376110408e-07,
    -1.7562973359060463e-07,
    -1.297447328701544e-12,
    2.695423606288966e-08,
    -1.4578352908731272e-08,
    3.887645959386175e-09,
    -3.881002251019412e-17,
    -5.327994173877286e-10,
    2.7437977643314844e-10,
    -6.995796092070568e-11,
    2.589986387486848e-17,
    8.856689099669639e-12,
    -4.403168815871311e-12,
    -0.0006526239185953094,
    0.0008394987206720873,
    -0.000438297098541721,
    -6.969091458420552e-07,
    0.00016644846642067547,
    -0.00012783517679769218,
    4.629953263691304e-05,
    4.557909867922708e-09,
    -1.0595271125805195e-05,
    6.783342904865167e-06,
    -2.1075476666258803e-06,
    -1.7213731432817144e-11,
    3.773587741611098e-07,
    -2.1867506700122867e-07,
    6.220228804018927e-08,
    6.597703826733e-16,
    -9.590386497425686e-09,
    5.213214492280807e-09,
    -1.3991589583935709e-09,
    5.382058999060575e-16,
    1.9484714275467745e-10,
    -1.0127287556389682e-10,
    2.6077347197254926e-11,
    -5.090418699993299e-18,
    -0.0005967612901927463,
    -7.204895416020011e-05,
    0.0006782308837667328,
    -0.0006401475260262758,
    0.00027750107634328704,
    1.819700838046515e-07,
    -8.479507117068503e-05,
    6.105192082501531e-05,
    -2.1073920183404862e-05,
    -8.858589014125599e-10,
    4.5284535953805374e-06,
    -2.8427815022504407e-06,
    8.708234177864641e-07,
    3.6886101871706966e-12,
    -1.534469519070206e-07,
    8.862466778790695e-08,
    -2.5184812301826817e-08,
    -1.0225912098215092e-14,
    3.896947075815478e-09,
    -2.1267304792235634e-09,
    5.737013552805138e-10,
    -1.8877498501697116e-19,
    -8.093153869465787e-11,
    4.23827232834492e-11,
    0.0013324454494800656,
    -0.0019144384985654776,
    0.0011089369134596636,
    9.9324041226423e-07,
    -0.0005087450129309319,
    0.00042735056665392886,
    -0.00016858853767910798,
    -8.1301893922785e-09,
    4.5284402370562144e-05,
    -3.127053674781734e-05,
    1.044986828530338e-05,
    4.8435226265680926e-11,
    -2.148256587345626e-06,
    1.329369701097492e-06,
    -4.029569309210103e-07,
    -1.756787766632329e-13,
    7.014504316366825e-08,
    -4.040787734999483e-08,
    1.1474026743371964e-08,
    3.964274685356394e-18,
    -1.7804938269892715e-09,
    9.748026254873165e-10,
    -2.6405338676507616e-10,
    5.79487516340376e-18,
    0.001579727660730835,
    0.00016251626278391583,
    -0.0020633421035543276,
    0.00213896861856891,
    -0.0010108559391263003,
    -3.99127055299192e-07,
    0.0003623502508476469,
    -0.00028143901463712157,
    0.00010449513336495887,
    2.12114184918303e-09,
    -2.5779417251947842e-05,
    1.7281818956040464e-05,
    -5.641377387290428e-06,
    -1.1024320105776174e-11,
    1.1223224418895174e-06,
    -6.869339637952674e-07,
    2.0653236975414888e-07,
    4.6714772409838506e-14,
    -3.5609886164949055e-08,
    2.0470855345905963e-08,
    -5.809173863328336e-09,
    -1.3328212875828647e-16,
    9.035460439133513e-10,
    -4.959878251733084e-10,
    -0.004072512119514016,
    0.00640336283380807,
    -0.004041016108167662,
    -2.1837328028662328e-06,
    0.002174044180125464,
    -0.001970044051841889,
    0.0008359546974796246,
    1.9445447567109655e-08,
    -0.000257793871204217,
    0.00019009987368139304,
    -6.769649993743896e-05,
    -1.4440629666426571e-10,
    1.5712512518742267e-05,
    -1.0304008744776894e-05,
    3.304517767401387e-06,
    7.982976024232571e-13,
    -6.4097794149313e-07,
    3.8894624761300054e-07,
    -1.161834764494887e-07,
    -2.8168086305964423e-15,
    1.9878012911297094e-08,
    -1.1407719956357511e-08,
    3.2355857064185554e-09,
    4.1759462466484876e-20,
    -0.0059475779383993,
    -0.0005401647678926045,
    0.00879104135507679,
    -0.009857631558785612,
    0.005013469503102154,
    1.2807521786221875e-06,
    -0.0020626019342754685,
    0.0017109128573523059,
    -0.000676953127141338,
    -6.901154567656214e-09,
    0.00018855128143995903,
    -0.0001339521566349197,
    4.626318303352804e-05,
    4.003423061332135e-11,
    -1.0255652921494033e-05,
    6.612086372797651e-06,
    -2.0913022027253007e-06,
    -2.095177564960382e-13,
    3.975602904199325e-07,
    -2.395621197881589e-07,
    7.118288338214586e-08,
    8.925574871713252e-16,
    -1.2101547235064677e-08,
    6.935061824833439e-09,
    0.01740202778752271,
    -0.02952788094569912,
    0.020045875571402798,
    7.0289515966903405e-06,
    -0.012375421071343148,
    0.011976293444235255,
    -0.0054156038466518525,
    -6.329089339641862e-08,
    0.0018855118129005065,
    -0.001473473274825001,
    0.0005551581009770838,
    5.240683441255066e-10,
    -0.00014357913535784835,
    9.91812932249433e-05,
    -3.346083474947831e-05,
    -3.5755837291098967e-12,
    7.1560851960630075e-06,
    -4.551680262815553e-06,
    1.4236576649271474e-06,
    1.8803149079275236e-14,
    -2.662340389892921e-07,
    1.5950642189595716e-07,
    -4.718751467384107e-08,
    -6.510781264821694e-17,
    0.03024912416090589,
    0.0024817436002649977,
    -0.049939134373457025,
    0.05991564300930787,
    -0.03248320760162339,
    -5.721296865210344e-06,
    0.015085251778569354,
    -0.013261324005088445,
    0.0055515262632426145,
    3.026318225703001e-08,
    -0.0017229548406756724,
    0.0012893570099929638,
    -0.00046845138348319875,
    -1.8302599378930445e-10,
    0.00011449739014822654,
    -7.737856522124447e-05,
    2.5625836246985202e-05,
    1.0766165332658074e-12,
    -5.324680928242262e-06,
    3.3496348630644643e-06,
    -1.038125312868401e-06,
    -5.608908533478749e-15,
    1.9150821930676722e-07,
    -1.1418365800203775e-07,
];

/// `x^a`: of a small whole number or a half more by products.
#[device(elsewhere(x.powf(a)))]
#[inline(never)]
fn power(x: f64, a: f64) -> f64 {
    let whole = a.floor();
    let rest = a - whole;
    if !(a >= 0.0 && a < 32.0 && (rest == 0.0 || rest == 0.5)) {
        return x.powf(a);
    }
    let mut value = if rest == 0.5 { x.sqrt() } else { 1.0 };
    let mut square = x;
    let mut count = whole as i32;
    while count > 0 {
        if count % 2 == 1 {
            value *= square;
        }
        square *= square;
        count /= 2;
    }
    value
}

/// What the incomplete gamma functions need of `a` alone: `Γ(a + 1)` of a number up to 30.
pub(super) fn gamma_of_shape(a: f64) -> f64 {
    if a >= 0.0 && a < 30.0 { gamma(a + 1.0) } else { 0.0 }
}

/// What is known, or else `Γ(a + 1)`. Nothing is known on a GPU, whose compiler leaves the argument out then.
#[device(elsewhere(gamma(a + 1.0)))]
fn known_or_gamma(known: f64, a: f64) -> f64 {
    if known > 0.0 { known } else { gamma(a + 1.0) }
}

/// `x^a exp(-x) / Γ(a + 1)`, with what [`gamma_of_shape`] gives, or with 0 if that is not known.
#[device]
#[inline(never)]
fn gamma_weight(a: f64, x: f64, known: f64) -> f64 {
    if a < 30.0 {
        if x < 700.0 && (x > 1e-9 || a < 1.0) {
            return power(x, a) * (-x).exp() / known_or_gamma(known, a);
        }
        return (a * x.ln() - x - known_or_gamma(known, a).ln()).exp();
    }
    let away = (x - a) / a;
    let size = (std::f64::consts::TAU * a).sqrt();
    if (away > -0.4 && away < 0.6) || a > 300.0 {
        let exponent = if away < -0.4 { a * ((x / a).ln() - away) } else { a * log_1p_less(away) };
        return (exponent - stirling_gap(a)).exp() / size;
    }
    // The power, and what its base loses by rounding.
    let ratio = x / a;
    let lost = -ratio.mul_add(a, -x) / x;
    // Half of the power twice: the whole one may be too small.
    let half = ratio.powf(0.5 * a);
    half * ((a - x - stirling_gap(a) + a * lost).exp() / size) * half
}

/// The part below `x` by its power series.
#[device]
#[inline(never)]
fn gamma_series(a: f64, x: f64, known: f64) -> f64 {
    let weight = gamma_weight(a, x, known);
    if weight == 0.0 {
        return 0.0;
    }
    let (mut sum, mut term, mut place) = (1.0, 1.0, a);
    let mut steps = 0;
    while term > 1e-17 * sum && steps < 2000 {
        place += 1.0;
        term *= x / place;
        sum += term;
        steps += 1;
    }
    sum * weight
}

/// The part above a small `x`: a sum where nothing cancels.
#[device]
#[inline(never)]
fn gamma_small(a: f64, x: f64) -> f64 {
    let (mut factor, mut sum, mut n) = (1.0, 0.0, 1.0);
    while n < 100.0 {
        factor *= -x / n;
        let term = factor * (a / (a + n));
        sum += term;
        if term.abs() <= 1e-17 * sum.abs() {
            break;
        }
        n += 1.0;
    }
    let log = a * x.ln() - log_gamma_1p(a);
    -(log.exp_m1() + log.exp() * sum)
}

/// The number, or one near 0 in the place of 0: Lentz's scheme divides by it.
#[device]
fn not_zero(x: f64) -> f64 {
    if x.abs() < 1e-300 { 1e-300 } else { x }
}

/// The part above `x` by Legendre's continued fraction, with Lentz's scheme.
#[device]
#[inline(never)]
fn gamma_fraction(a: f64, x: f64, known: f64) -> f64 {
    let weight = gamma_weight(a, x, known) * a;
    if weight == 0.0 {
        return 0.0;
    }
    let mut b = x + 1.0 - a;
    let mut c = 1e300;
    let mut d = 1.0 / b;
    let mut value = d;
    let mut n = 1.0;
    while n < 2000.0 {
        let numerator = -n * (n - a);
        b += 2.0;
        d = not_zero(numerator * d + b);
        c = not_zero(b + numerator / c);
        d = 1.0 / d;
        let change = c * d;
        value *= change;
        if (change - 1.0).abs() < 2e-16 {
            break;
        }
        n += 1.0;
    }
    value * weight
}

/// The part on one side of `x`, where `x` is near a large `a`: below for a `side` of -1, above for 1.
#[device]
#[inline(never)]
fn gamma_uniform(a: f64, x: f64, side: f64) -> f64 {
    let away = (x - a) / a;
    let square = -2.0 * log_1p_less(away);
    let eta = square.max(0.0).sqrt().copysign(away);
    let scaled = side * eta * (0.5 * a).sqrt();
    let density = (-0.5 * a * square).exp();
    let main = if scaled > 0.0 { 0.5 * erfcx(scaled) * density } else { 0.5 * erfc(scaled) };
    let mut sum = 0.0;
    let mut power = 1.0;
    for k in 0..16 {
        let mut part = 0.0;
        for n in 0..24 {
            part = part * eta + UNIFORM[24 * k + 24 - 1 - n];
        }
        let term = part * power;
        sum += term;
        if term.abs() < 1e-17 * sum.abs() {
            break;
        }
        power /= a;
    }
    main + side * sum * density / (std::f64::consts::TAU * a).sqrt()
}

/// Whether the uniform expansion is exact.
#[device]
fn is_near(a: f64, x: f64) -> bool {
    let away = (x - a).abs() / a;
    (a > 30.0 && away < 0.3) || (a > 200.0 && away < 4.5 / a.sqrt())
}

/// What both parts give without a computation: the part below `x`; -1 if there is no such case.
#[device]
#[inline(never)]
fn simple_part(a: f64, x: f64) -> f64 {
    if a.is_nan() || x.is_nan() || a < 0.0 || x < 0.0 || (a == 0.0 && x == 0.0) {
        return f64::NAN;
    }
    if a == 0.0 {
        return 1.0;
    }
    if x == 0.0 {
        return 0.0;
    }
    if a.is_infinite() {
        return if x.is_infinite() { f64::NAN } else { 0.0 };
    }
    if x.is_infinite() { 1.0 } else { -1.0 }
}

#[device]
pub(super) fn gammainc(a: f64, x: f64) -> f64 {
    gammainc_by(a, x, 0.0)
}

#[device]
#[inline(never)]
pub(super) fn gammainc_by(a: f64, x: f64, known: f64) -> f64 {
    let simple = simple_part(a, x);
    if simple.is_nan() || simple >= 0.0 {
        return simple;
    }
    if is_near(a, x) {
        return gamma_uniform(a, x, -1.0);
    }
    if x > 1.0 && x > a + 1.5 { 1.0 - gamma_fraction(a, x, known) } else { gamma_series(a, x, known) }
}

#[device]
pub(super) fn gammaincc(a: f64, x: f64) -> f64 {
    gammaincc_by(a, x, 0.0)
}

#[device]
#[inline(never)]
pub(super) fn gammaincc_by(a: f64, x: f64, known: f64) -> f64 {
    let simple = simple_part(a, x);
    if simple.is_nan() || simple >= 0.0 {
        return 1.0 - simple;
    }
    if is_near(a, x) {
        return gamma_uniform(a, x, 1.0);
    }
    if x > 1.1 {
        let below = x < a + if a > 1.0 { 1.5 } else { 0.0 };
        return if below { 1.0 - gamma_series(a, x, known) } else { gamma_fraction(a, x, known) };
    }
    let below = if x <= 0.5 { -0.4 / x.ln() < a } else { x * 1.1 < a };
    if below { 1.0 - gamma_series(a, x, known) } else { gamma_small(a, x) }
}

/// What the incomplete beta functions need of `a` and `b` alone: the beta function where it is neither too small nor too large.
pub(super) fn beta_of_shape(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 && (a + b < 170.0 || a.min(b) < 1e-3) { beta(a, b) } else { 0.0 }
}

/// What is known, or else the beta function; on a GPU as above.
#[device(elsewhere(beta(a, b)))]
fn known_or_beta(known: f64, a: f64, b: f64) -> f64 {
    if known > 0.0 { known } else { beta(a, b) }
}

/// `x^a y^b / B(a, b)`, where `y` is `1 - x`, with what [`beta_of_shape`] gives, or with 0 if that is not known.
#[device]
#[inline(never)]
fn beta_weight(a: f64, b: f64, x: f64, y: f64, known: f64) -> f64 {
    if a >= 10.0 && b >= 10.0 {
        // As in TOMS 708 (DiDonato and Morris, 1992): the large terms cancel before they are rounded.
        let away = if a > b { (a + b) * y - b } else { a - (a + b) * x };
        let size = (b * (a / (a + b)) / std::f64::consts::TAU).sqrt();
        if away.abs() < 0.4 * a && away.abs() < 0.4 * b {
            return (a * log_1p_less(-away / a) + b * log_1p_less(away / b) - beta_gap(a, b)).exp() * size;
        }
        let (ratio, other) = (x / (a / (a + b)), y / (b / (a + b)));
        if a.max(b) < 300.0 {
            return ratio.powf(a) * other.powf(b) * (-beta_gap(a, b)).exp() * size;
        }
        return (a * ratio.ln() + b * other.ln() - beta_gap(a, b)).exp() * size;
    }
    if a + b < 100.0 && x > 1e-3 && y > 1e-3 {
        return power(x, a) * power(y, b) / known_or_beta(known, a, b);
    }
    let log_x = if x > 0.5 { (-y).ln_1p() } else { x.ln() };
    let log_y = if y > 0.5 { (-x).ln_1p() } else { y.ln() };
    if a.min(b) < 1e-3 {
        return (a * log_x + b * log_y).exp() / known_or_beta(known, a, b);
    }
    (a * log_x + b * log_y - log_beta(a, b)).exp()
}

/// The part below `x` by its power series, for small `b x`.
#[device]
#[inline(never)]
fn beta_series(a: f64, b: f64, x: f64, known: f64) -> f64 {
    let (mut sum, mut term, mut n) = (0.0, 1.0, 1.0);
    while n < 3000.0 {
        term *= (n - b) / n * x;
        let part = term / (a + n);
        sum += part;
        if part.abs() < 1e-17 * (1.0 / a + sum).abs() {
            break;
        }
        n += 1.0;
    }
    let log = a * x.ln();
    let weight = if a + b < 170.0 && log > -700.0 {
        power(x, a) / known_or_beta(known, a, b)
    } else {
        (log - log_beta(a, b)).exp()
    };
    weight * (1.0 / a + sum)
}

/// The part below `x` by the continued fraction of DLMF 8.17.22, with Lentz's scheme.
#[device]
#[inline(never)]
fn beta_fraction(a: f64, b: f64, x: f64, y: f64, known: f64) -> f64 {
    let weight = beta_weight(a, b, x, y, known) / a;
    if weight == 0.0 {
        return 0.0;
    }
    let mut c = 1.0;
    let mut d = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    let mut m = 1.0;
    while m < 10000.0 {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = not_zero(1.0 + even * d);
        c = not_zero(1.0 + even / c);
        d = 1.0 / d;
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = not_zero(1.0 + odd * d);
        c = not_zero(1.0 + odd / c);
        d = 1.0 / d;
        let change = d * c;
        value *= change;
        if (change - 1.0).abs() < 2e-16 {
            break;
        }
        m += 1.0;
    }
    value * weight
}

/// The part below `x`, of which `y` is the complement to 1.
#[device]
fn beta_part(a: f64, b: f64, x: f64, y: f64) -> f64 {
    beta_part_by(a, b, x, y, 0.0)
}

/// As [`beta_part`], with what [`beta_of_shape`] gives.
#[device]
#[inline(never)]
fn beta_part_by(a: f64, b: f64, x: f64, y: f64, known: f64) -> f64 {
    if a.is_nan() || b.is_nan() || !(x >= 0.0 && x <= 1.0) || a < 0.0 || b < 0.0 {
        return f64::NAN;
    }
    if (a == 0.0 && b == 0.0) || (a.is_infinite() && b.is_infinite()) {
        return f64::NAN;
    }
    if a == 0.0 || b.is_infinite() {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    if b == 0.0 || a.is_infinite() {
        return if x < 1.0 { 0.0 } else { 1.0 };
    }
    if x == 0.0 || y == 0.0 {
        return x;
    }
    if b * x <= 1.0 && x <= 0.95 {
        return beta_series(a, b, x, known);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        let is_short = a * y <= 1.0 && y <= 0.95;
        let rest = if is_short { beta_series(b, a, y, known) } else { beta_fraction(b, a, y, x, known) };
        return 1.0 - rest;
    }
    beta_fraction(a, b, x, y, known)
}

#[device]
pub(super) fn betainc(a: f64, b: f64, x: f64) -> f64 {
    beta_part(a, b, x, 1.0 - x)
}

pub(super) fn betainc_by(a: f64, b: f64, x: f64, known: f64) -> f64 {
    beta_part_by(a, b, x, 1.0 - x, known)
}

pub(super) fn betaincc_by(a: f64, b: f64, x: f64, known: f64) -> f64 {
    beta_part_by(b, a, 1.0 - x, x, known)
}

#[device]
pub(super) fn betaincc(a: f64, b: f64, x: f64) -> f64 {
    beta_part(b, a, 1.0 - x, x)
}

#[device]
#[inline(never)]
pub(super) fn bdtr(k: f64, n: f64, p: f64) -> f64 {
    let (whole, count) = (k.floor(), n.floor());
    if !(p >= 0.0 && p <= 1.0) || !(whole >= 0.0) || !(count >= whole) {
        return f64::NAN;
    }
    if whole == count {
        return 1.0;
    }
    if whole == 0.0 {
        return ((count - whole) * (-p).ln_1p()).exp();
    }
    beta_part(count - whole, whole + 1.0, 1.0 - p, p)
}

#[device]
#[inline(never)]
pub(super) fn bdtrc(k: f64, n: f64, p: f64) -> f64 {
    let (whole, count) = (k.floor(), n.floor());
    if !(p >= 0.0 && p <= 1.0) || !(count >= whole) {
        return f64::NAN;
    }
    if whole < 0.0 {
        return 1.0;
    }
    if whole == count {
        return 0.0;
    }
    if whole == 0.0 {
        return -((count - whole) * (-p).ln_1p()).exp_m1();
    }
    beta_part(whole + 1.0, count - whole, p, 1.0 - p)
}

#[device]
pub(super) fn chdtr(v: f64, x: f64) -> f64 {
    gammainc(0.5 * v, 0.5 * x)
}

#[device]
pub(super) fn chdtrc(v: f64, x: f64) -> f64 {
    if x < 0.0 { 1.0 } else { gammaincc(0.5 * v, 0.5 * x) }
}

/// The share below `x` for a `side` of 0, above for 1.
#[device]
#[inline(never)]
fn f_part(a: f64, b: f64, x: f64, side: i32) -> f64 {
    if !(a > 0.0) || !(b > 0.0) || !(x >= 0.0) {
        return f64::NAN;
    }
    let large = a * x;
    if large.is_infinite() {
        return if side == 0 { 1.0 } else { 0.0 };
    }
    let below = large / (b + large);
    let above = b / (b + large);
    if side == 0 { beta_part(0.5 * a, 0.5 * b, below, above) } else { beta_part(0.5 * b, 0.5 * a, above, below) }
}

#[device]
pub(super) fn fdtr(a: f64, b: f64, x: f64) -> f64 {
    f_part(a, b, x, 0)
}

#[device]
pub(super) fn fdtrc(a: f64, b: f64, x: f64) -> f64 {
    f_part(a, b, x, 1)
}

#[device]
pub(super) fn gdtr(a: f64, b: f64, x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { gammainc(b, a * x) }
}

#[device]
pub(super) fn gdtrc(a: f64, b: f64, x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { gammaincc(b, a * x) }
}

#[device]
pub(super) fn pdtr(k: f64, m: f64) -> f64 {
    if !(k >= 0.0) || !(m >= 0.0) {
        return f64::NAN;
    }
    gammaincc(k.floor() + 1.0, m)
}

#[device]
pub(super) fn pdtrc(k: f64, m: f64) -> f64 {
    if !(k >= 0.0) || !(m >= 0.0) {
        return f64::NAN;
    }
    gammainc(k.floor() + 1.0, m)
}

#[device]
#[inline(never)]
pub(super) fn stdtr(df: f64, t: f64) -> f64 {
    if !(df > 0.0) || t.is_nan() {
        return f64::NAN;
    }
    let square = t * t;
    if df.is_infinite() {
        return 0.5 * erfc(-t * std::f64::consts::FRAC_1_SQRT_2);
    }
    if square.is_infinite() {
        return if t > 0.0 { 1.0 } else { 0.0 };
    }
    let near = square / (df + square);
    let far = df / (df + square);
    let tail = if square < 1.0 {
        0.5 - 0.5 * beta_part(0.5, 0.5 * df, near, far)
    } else {
        0.5 * beta_part(0.5 * df, 0.5, far, near)
    };
    if t > 0.0 { 1.0 - tail } else { tail }
}
