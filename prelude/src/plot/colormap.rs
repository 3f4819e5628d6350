//! Colour maps: from a number between 0 and 1 to a colour.
//!
//! viridis, plasma, inferno and magma are those of matplotlib (CC0, by Nathaniel J. Smith, Stéfan van der Walt and, for
//! viridis, Eric Firing; <https://bids.github.io/colormap/>). The tables hold 33 equidistant colours of matplotlib's
//! 256; what is interpolated between them differs from the full table by at most 3 of 255.
//!
//! Diverging maps: "coolwarm" is 33 colours computed by the method of K. Moreland, "Diverging color maps for scientific
//! visualization" (2009), from his blue (59, 76, 192) to his red (180, 4, 38). "RdBu" is the scheme of this name with 11 colours of
//! ColorBrewer 2.0 by Cynthia Brewer (<https://colorbrewer2.org>, Apache-2.0).

use crate::error::{Error, Result};

/// Red, green and blue.
pub(super) type Rgb = [u8; 3];

/// What shows that there is no number: NaN.
pub(super) const MISSING: Rgb = [0x9e, 0x9e, 0x9e];

/// A colour map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colormap {
    colors: &'static [u32],
    reversed: bool,
}

/// All maps by name; each is also there reversed, with `_r` after its name.
const COLORMAPS: [(&str, &[u32]); 7] = [
    ("viridis", &VIRIDIS),
    ("plasma", &PLASMA),
    ("inferno", &INFERNO),
    ("magma", &MAGMA),
    ("coolwarm", &COOLWARM),
    ("RdBu", &RDBU),
    ("gray", &[0x000000, 0xffffff]),
];

impl Default for Colormap {
    fn default() -> Colormap {
        Colormap { colors: &VIRIDIS, reversed: false }
    }
}

impl Colormap {
    /// The map of that name.
    pub fn named(name: &str) -> Result<Colormap> {
        let (plain, reversed) = match name.strip_suffix("_r") {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let plain = if plain == "grey" { "gray" } else { plain };
        match COLORMAPS.iter().find(|(known, _)| *known == plain) {
            Some((_, colors)) => Ok(Colormap { colors, reversed }),
            None => {
                let reason = format!(
                    "there is no colour map {name:?}; use {}, or one of them reversed, such as \"gray_r\"",
                    COLORMAPS.map(|(known, _)| format!("{known:?}")).join(", ")
                );
                Err(Error::argument("Plot::cmap", reason))
            }
        }
    }

    /// The colour of a number; those outside of 0 to 1 get the colour of the end, NaN gets [`MISSING`].
    pub fn color(self, t: f64) -> Rgb {
        if t.is_nan() {
            return MISSING;
        }
        let t = t.clamp(0.0, 1.0);
        let position = if self.reversed { 1.0 - t } else { t } * (self.colors.len() - 1) as f64;
        let index = (position as usize).min(self.colors.len() - 2);
        let part = position - index as f64;
        let [low, high] = [self.colors[index], self.colors[index + 1]].map(|color| {
            let [_, red, green, blue] = color.to_be_bytes();
            [red, green, blue].map(f64::from)
        });
        // Rounded: they are not negative, and `round` is a call where the processor may be any.
        std::array::from_fn(|channel| (low[channel] + part * (high[channel] - low[channel]) + 0.5) as u8)
    }
}

#[rustfmt::skip]
const VIRIDIS: [u32; 33] = [
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b, 0x375a8d, 0x33638d,
    0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b, 0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b,
    0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c, 0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725,
];

#[rustfmt::skip]
const PLASMA: [u32; 33] = [
    0x0d0887, 0x220690, 0x310596, 0x3f049c, 0x4c02a1, 0x5901a5, 0x6600a7, 0x7201a8, 0x7e03a8, 0x8909a6, 0x9511a2,
    0x9f1a9c, 0xa92396, 0xb22c8e, 0xbb3587, 0xc33e80, 0xcb4778, 0xd25071, 0xd9596a, 0xe06263, 0xe66c5c, 0xeb7555,
    0xf07f4f, 0xf48a48, 0xf89441, 0xfb9f3a, 0xfdab33, 0xfeb72d, 0xfdc328, 0xfcd025, 0xf9dd25, 0xf5eb27, 0xf0f921,
];

#[rustfmt::skip]
const INFERNO: [u32; 33] = [
    0x000004, 0x040312, 0x0b0724, 0x150b37, 0x210c4a, 0x2e0a5a, 0x3c0965, 0x4a0c6b, 0x57106d, 0x63146e, 0x70196e,
    0x7d1e6d, 0x89226a, 0x962766, 0xa32b61, 0xaf315c, 0xbb3755, 0xc63e4d, 0xd14644, 0xdb4f3b, 0xe35932, 0xeb6528,
    0xf1711e, 0xf67f14, 0xf98d0a, 0xfb9c06, 0xfcab0f, 0xfbba1f, 0xf9ca32, 0xf5d949, 0xf2e865, 0xf3f586, 0xfcffa4,
];

#[rustfmt::skip]
const MAGMA: [u32; 33] = [
    0x000004, 0x030311, 0x0a0822, 0x130d33, 0x1d1146, 0x28115a, 0x36106a, 0x430f76, 0x50127c, 0x5d177f, 0x691c81,
    0x762181, 0x822681, 0x8f2a81, 0x9c2e7f, 0xa9327d, 0xb63779, 0xc33b75, 0xcf4170, 0xdb486a, 0xe65163, 0xee5c5e,
    0xf5695c, 0xf9785d, 0xfb8761, 0xfd9668, 0xfea571, 0xfeb47b, 0xfec387, 0xfed194, 0xfde0a2, 0xfceeb0, 0xfcfdbf,
];

#[rustfmt::skip]
const COOLWARM: [u32; 33] = [
    0x3b4cc0, 0x445acc, 0x4e68d7, 0x5875e1, 0x6282ea, 0x6c8ef1, 0x779af7, 0x82a5fb, 0x8db0fe, 0x98b9ff, 0xa3c2ff,
    0xaec9fd, 0xb8d0f9, 0xc2d5f4, 0xccd9ee, 0xd5dbe6, 0xdddddd, 0xe5d8d1, 0xecd3c6, 0xf1ccb9, 0xf5c4ad, 0xf7bba0,
    0xf7b194, 0xf7a687, 0xf49a7b, 0xf18d6f, 0xec7f63, 0xe57057, 0xde614c, 0xd55042, 0xcb3e38, 0xc0282f, 0xb40426,
];

#[rustfmt::skip]
const RDBU: [u32; 11] = [
    0x67001f, 0xb2182b, 0xd6604d, 0xf4a582, 0xfddbc7, 0xf7f7f7, 0xd1e5f0, 0x92c5de, 0x4393c3, 0x2166ac, 0x053061,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// From matplotlib 3:
    /// ```python
    /// [tuple(round(255 * c) for c in matplotlib.colormaps[name](t)[:3]) for t in (0, 0.25, 0.5, 0.75, 1)]
    /// ```
    #[test]
    fn colours_are_those_of_matplotlib() {
        for (name, expected) in [
            ("viridis", [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]),
            ("plasma", [[13, 8, 135], [126, 3, 168], [204, 71, 120], [248, 149, 64], [240, 249, 33]]),
            ("inferno", [[0, 0, 4], [87, 16, 110], [188, 55, 84], [249, 142, 9], [252, 255, 164]]),
            ("magma", [[0, 0, 4], [81, 18, 124], [183, 55, 121], [252, 137, 97], [252, 253, 191]]),
            ("coolwarm", [[59, 76, 192], [141, 176, 254], [221, 220, 220], [244, 154, 123], [180, 4, 38]]),
            ("RdBu", [[103, 0, 31], [228, 131, 104], [247, 247, 247], [107, 172, 208], [5, 48, 97]]),
        ] {
            let map = Colormap::named(name).unwrap();
            for (t, expected) in [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().zip(expected) {
                let color = map.color(t);
                let near = color.iter().zip(expected).all(|(&a, b): (_, i32)| (i32::from(a) - b).abs() <= 3);
                assert!(near, "{name} at {t}: {color:?}, not {expected:?}");
            }
        }
    }

    #[test]
    fn ends_and_missing_numbers() {
        let gray = Colormap::named("gray").unwrap();
        assert_eq!([-1.0, 0.0, 0.5, 1.0, f64::INFINITY].map(|t| gray.color(t)[0]), [0, 0, 128, 255, 255]);
        assert_eq!(gray.color(f64::NAN), MISSING);
        assert_eq!(Colormap::named("grey_r").unwrap().color(0.0), [255; 3]);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = Colormap::named("jet").unwrap_err().to_string();
        expect_test::expect![[r#"Plot::cmap: there is no colour map "jet"; use "viridis", "plasma", "inferno", "magma", "coolwarm", "RdBu", "gray", or one of them reversed, such as "gray_r""#]].assert_eq(&message);
    }
}
