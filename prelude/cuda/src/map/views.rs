//! What the arrays of a call have in common: views of one array, such as the neighbours of a stencil, whose elements a thread reads once.

use super::super::axes::Axis;
use super::super::codegen::{Place, Tiles};
use super::SIDES;
use warpcell_base::dtype::DType;

/// Views of one group are so many rows and columns apart at most: a thread keeps all that is between them.
const APART: isize = 4;
/// An array whose rows are nearer to each other may lie anywhere.
const LEAST_PITCH: isize = 16;

/// An array that may be a view of the same array as others are.
#[derive(Clone, Copy)]
struct View {
    number: usize,
    address: u64,
    dtype: DType,
    /// From the first of its group.
    row: isize,
    column: isize,
}

/// What is known of some arrays, of which the last `outs` are written: their addresses and types, and their axes, two at least.
pub(super) fn tiles(axes: &[Axis<SIDES>], arrays: Vec<(u64, Option<DType>)>, outs: usize) -> Tiles {
    let inputs = arrays.len() - outs;
    let mut groups: Vec<Vec<View>> = Vec::new();
    for (number, &(address, dtype)) in arrays.iter().enumerate().take(inputs) {
        let Some(dtype) = dtype.filter(|_| has_neighbours(axes, number)) else { continue };
        let alone = View { number, address, dtype, row: 0, column: 0 };
        let mut joined = groups.iter_mut().filter_map(|group| beside(axes, group, alone).map(|view| (group, view)));
        match joined.next() {
            Some((group, view)) => group.push(view),
            None => groups.push(vec![alone]),
        }
    }
    let is_moved = |group: &Vec<View>| group.iter().any(|view| (view.row, view.column) != (0, 0));
    if !groups.iter().any(is_moved) {
        return Tiles::default();
    }
    let is_even = |number: usize| axes[1..].iter().all(|axis| axis.strides[number] % 2 == 0);
    let mut tiles = Tiles::default();
    if axes[0].length.is_multiple_of(2) && groups.iter().all(|group| is_even(group[0].number)) {
        tiles.columns = 2;
    }
    for (group, views) in (0..).zip(&groups) {
        let least = |of: fn(&View) -> isize| views.iter().map(of).min().unwrap_or(0);
        let (row, mut column) = (least(|view| view.row), least(|view| view.column));
        if tiles.columns == 2 {
            // Packs begin at multiples of their size.
            let View { address, dtype, column: own, .. } = views[0];
            let at = (address / dtype.size() as u64) as isize + column - own;
            column -= at & 1;
        }
        for view in views {
            let (row, column) = ((view.row - row) as u8, (view.column - column) as u8);
            tiles.places[view.number] = Place::Of { group, row, column };
        }
    }
    for (number, &(address, dtype)) in arrays.iter().enumerate().skip(inputs) {
        let size = dtype.map_or(1, DType::size) * tiles.columns;
        let fits = tiles.columns == 1 || (is_even(number) && address.is_multiple_of(size as u64));
        if has_neighbours(axes, number) && fits {
            tiles.places[number] = Place::Packs;
        }
    }
    tiles
}

/// Whether an array's neighbours along the innermost axis lie side by side, and it has rows.
fn has_neighbours(axes: &[Axis<SIDES>], number: usize) -> bool {
    axes[0].strides[number] == 1 && axes[1].strides[number] >= LEAST_PITCH
}

/// An array as a member of a group, if it is a view of the same array, and near enough to all others.
fn beside(axes: &[Axis<SIDES>], group: &[View], view: View) -> Option<View> {
    let first = group[0];
    let size = view.dtype.size() as i64;
    let bytes = view.address.wrapping_sub(first.address) as i64;
    let is_same = view.dtype == first.dtype
        && bytes % size == 0
        && view.address.is_multiple_of(size as u64)
        && axes.iter().all(|axis| axis.strides[view.number] == axis.strides[first.number]);
    if !is_same {
        return None;
    }
    let (elements, pitch) = ((bytes / size) as isize, axes[1].strides[first.number]);
    let row = (elements + pitch / 2).div_euclid(pitch);
    let found = View { row, column: elements - row * pitch, ..view };
    let is_near = |other: &View| (other.row - found.row).abs() <= APART && (other.column - found.column).abs() <= APART;
    group.iter().all(is_near).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Axes of arrays with these strides, and of a result of rows without gaps.
    fn axes(lengths: [usize; 2], pitches: &[isize]) -> Vec<Axis<SIDES>> {
        let strides = |of: &dyn Fn(isize) -> isize, own: isize| {
            let mut strides = [0; SIDES];
            pitches.iter().enumerate().for_each(|(number, &pitch)| strides[number] = of(pitch));
            strides[pitches.len()] = own;
            strides
        };
        vec![
            Axis { length: lengths[0], strides: strides(&|_| 1, 1) },
            Axis { length: lengths[1], strides: strides(&|pitch| pitch, lengths[0] as isize) },
        ]
    }

    fn places(lengths: [usize; 2], pitch: isize, moved: &[(isize, isize)], start: u64) -> (usize, Vec<Place>) {
        let of = |&(row, column): &(isize, isize)| start.wrapping_add_signed((4 * (row * pitch + column)) as i64);
        let arrays = moved.iter().map(of).chain([1 << 30]).map(|address| (address, Some(DType::F32))).collect();
        let tiles = tiles(&axes(lengths, &vec![pitch; moved.len()]), arrays, 1);
        (tiles.columns, tiles.places[..=moved.len()].to_vec())
    }

    fn of(row: u8, column: u8) -> Place {
        Place::Of { group: 0, row, column }
    }

    #[test]
    fn neighbours_of_a_stencil_are_one_group() {
        let cross = [(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)];
        let found = [of(1, 1), of(0, 1), of(2, 1), of(1, 0), of(1, 2), Place::Packs];
        assert_eq!(places([8192, 8192], 8194, &cross, 1 << 20), (2, found.to_vec()));
        // Packs begin a column before.
        let found = [of(1, 2), of(0, 2), of(2, 2), of(1, 1), of(1, 3), Place::Packs];
        assert_eq!(places([8192, 8192], 8194, &cross, (1 << 20) + 4), (2, found.to_vec()));
        // Rows of odd lengths, and of odd distances.
        let found = [of(1, 1), of(0, 1), of(2, 1), of(1, 0), of(1, 2), Place::Packs];
        assert_eq!(places([8191, 8192], 8194, &cross, 1 << 20), (1, found.to_vec()));
        assert_eq!(places([8192, 8192], 8195, &cross, (1 << 20) + 4), (1, found.to_vec()));
    }

    #[test]
    fn what_is_far_apart_is_another_group() {
        let group = |group, row, column| Place::Of { group, row, column };
        let (columns, found) = places([64, 64], 100, &[(0, 0), (0, 1), (5, 0), (5, 1), (0, 8)], 1 << 20);
        let groups = [group(0, 0, 0), group(0, 0, 1), group(1, 0, 0), group(1, 0, 1), group(2, 0, 0), Place::Packs];
        assert_eq!((columns, &found[..]), (2, &groups[..]));
        let tiles = tiles(&axes([64, 64], &[100, 100]), vec![(4096, Some(DType::F32)); 3], 1);
        assert_eq!(tiles, Tiles::default(), "one array twice has nothing to share");
    }
}
