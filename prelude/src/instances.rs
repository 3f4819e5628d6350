//! Instances of generic functions, for the types that notebooks use most: compiled here once, and so not in every cell.
//!
//! With `-Zshare-generics` (see `prelude/dylib.toml`) a cell calls the instance that it finds here, unless the function
//! is `#[inline]` or takes a closure of the cell's own. Nothing calls the functions of this module: that they are public
//! makes the compiler emit them, and with them all that they use. What to add here, `-Zprint-mono-items=yes` tells,
//! which lists what a cell instantiates by itself.

pub mod device;

use crate::cell::{EvcxrDisplay, VariableStore};
use ndarray::{
    Array, Array1, Array2, ArrayView, ArrayViewMut, Axis, Dimension, Ix1, Ix2, Ix3, IxDyn, RemoveAxis, SliceInfoElem,
};
use std::collections::{HashMap, HashSet};
use std::fmt::{Debug, Display, Formatter, LowerExp};
use std::hash::Hash;
use std::hint::black_box;

/// A variable of this type between cells.
fn variable<T: 'static>(store: &mut VariableStore, value: T) {
    black_box(store.check_variable::<T>(""));
    let old = store.take_variable::<T>("");
    store.keep_variable("", old);
    store.put_variable("", value);
}

/// A variable that can be shown and copied.
fn shown<T: Debug + Clone + 'static>(store: &mut VariableStore, value: T, formatter: &mut Formatter<'_>) {
    value.evcxr_display();
    <&T as EvcxrDisplay>::evcxr_display(&&value);
    black_box(value.fmt(formatter)).ok();
    black_box(value.clone());
    variable(store, value);
}

/// A vector, and the slice behind it.
fn vector<T: Debug + Clone + 'static>(store: &mut VariableStore, mut values: Vec<T>, formatter: &mut Formatter<'_>) {
    values.push(values[0].clone());
    values.reserve(1);
    values.truncate(1);
    values.extend_from_slice(&values.clone());
    values.insert(0, values[0].clone());
    black_box(values.remove(0));
    black_box(values.to_vec());
    black_box(values.as_slice().fmt(formatter)).ok();
    black_box(vec![values[0].clone(); 3]);
    black_box(values.iter().collect::<Vec<&T>>());
    shown(store, vec![values.clone()], formatter);
    shown(store, values.first().cloned(), formatter);
    shown(store, values, formatter);
}

/// An array of any element type.
fn array<T, D>(store: &mut VariableStore, array: Array<T, D>, formatter: &mut Formatter<'_>)
where
    T: Debug + Display + Clone + Default + PartialEq + 'static,
    D: Dimension + 'static,
{
    let view: ArrayView<'_, T, D> = array.view();
    black_box(Debug::fmt(&view, formatter)).ok();
    black_box(Display::fmt(&view, formatter)).ok();
    black_box(view.to_owned());
    view.evcxr_display();
    black_box(view.t().to_owned());
    black_box(view == array.view());
    black_box(Display::fmt(&array, formatter)).ok();
    black_box(array == array.clone());
    black_box(array.iter().cloned().collect::<Vec<T>>());
    for value in &array {
        black_box(value);
    }
    let mut changed: Array<T, D> = Array::from_elem(array.raw_dim(), T::default());
    changed.fill(T::default());
    changed.assign(&array);
    for value in &mut changed {
        *value = T::default();
    }
    let mut view: ArrayViewMut<'_, T, D> = changed.view_mut();
    view.fill(T::default());
    view.assign(&array);
    black_box(changed.into_dyn());
    black_box(array.clone().into_raw_vec_and_offset());
    shown(store, array, formatter);
}

/// Shapes of an array that has at least one axis.
fn axes<T, D>(array: &Array<T, D>, slice: &[SliceInfoElem])
where
    T: Clone + Default,
    D: RemoveAxis,
{
    black_box(array.index_axis(Axis(0), 0).to_owned());
    black_box(array.select(Axis(0), &[0]));
    for part in array.axis_iter(Axis(0)) {
        black_box(part.to_owned());
    }
    black_box(array.view().slice_each_axis(|_| ndarray::Slice::from(..)));
    black_box(ndarray::concatenate(Axis(0), &[array.view()])).ok();
    black_box(slice);
}

/// Slices, indices and reshaping of vectors and matrices.
fn plane<T: Clone + Default>(vector: &Array1<T>, matrix: &Array2<T>) {
    black_box(Array1::from_vec(vector.to_vec()));
    black_box(vector.slice(ndarray::s![1..3]).to_owned());
    black_box(matrix.slice(ndarray::s![1..3, ..]).to_owned());
    black_box(matrix.slice(ndarray::s![1..3, 1..3]).to_owned());
    black_box(matrix.slice(ndarray::s![0, ..]).to_owned());
    black_box(matrix.slice(ndarray::s![.., 0]).to_owned());
    black_box(matrix.row(0).to_owned());
    black_box(matrix.column(0).to_owned());
    black_box(matrix.diag().to_owned());
    for row in matrix.rows() {
        black_box(row.to_vec());
    }
    for row in matrix.outer_iter() {
        black_box(row.to_vec());
    }
    black_box((&vector[3], &matrix[[1, 2]], &matrix[(1, 2)]));
    black_box(Array2::from_shape_vec((2, 2), vector.to_vec())).ok();
    black_box(Array2::<T>::default((2, 2)));
    black_box(Array1::<T>::default(2));
    black_box(vector.clone().into_shape_with_order((2, 2))).ok();
    black_box(matrix.clone().into_shape_with_order(4)).ok();
    black_box(matrix.flatten().to_vec());
    black_box(ndarray::stack(Axis(0), &[vector.view()])).ok();
    black_box(matrix.t().to_owned());
    black_box(Array2::from_elem((2, 2), T::default()));
    black_box(Array1::from_elem(2, T::default()));
}

/// Maps and sets.
fn map<K, V>(store: &mut VariableStore, key: K, value: V, formatter: &mut Formatter<'_>)
where
    K: Hash + Eq + Clone + Debug + 'static,
    V: Clone + Debug + 'static,
{
    let mut map: HashMap<K, V> = HashMap::new();
    map.insert(key.clone(), value.clone());
    *map.entry(key.clone()).or_insert(value.clone()) = value.clone();
    black_box(map.get(&key).cloned());
    black_box(map.get_mut(&key).cloned());
    black_box((map.contains_key(&key), map.len(), map.keys().cloned().collect::<Vec<K>>()));
    black_box((map.values().cloned().collect::<Vec<V>>(), map.clone().into_iter().collect::<Vec<(K, V)>>()));
    black_box(map.clone().into_iter().collect::<HashMap<K, V>>());
    black_box(map.remove(&key));
    let mut set: HashSet<K> = HashSet::new();
    black_box((set.insert(key.clone()), set.contains(&key), set.iter().cloned().collect::<HashSet<K>>()));
    shown(store, set, formatter);
    shown(store, map, formatter);
}

/// Strings.
fn text(text: &str) {
    let words: Vec<&str> = text.split(' ').collect();
    let owned: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    black_box((words.join(" "), words.concat(), owned.join(" "), owned.concat()));
    black_box((text.chars().rev().collect::<String>(), text.chars().collect::<Vec<char>>(), text.lines().count()));
    black_box((text.replace('a', "b"), text.replace("a", "b"), text.contains('a'), text.contains("a")));
    black_box((text.find('a'), text.find("a"), text.starts_with("a"), text.split("a").collect::<Vec<&str>>()));
    black_box((text.parse::<i32>().ok(), text.parse::<f64>().ok(), text.parse::<usize>().ok()));
}

macro_rules! operator {
    ($array:ident, $other:ident, $scalar:ident, $($sign:tt $assign:tt)*) => {$(
        black_box(&$array $sign &$other);
        black_box(&$array $sign $other.clone());
        black_box($array.clone() $sign &$other);
        black_box($array.clone() $sign $other.clone());
        black_box(&$array $sign $scalar);
        black_box($array.clone() $sign $scalar);
        black_box($scalar $sign &$array);
        black_box($scalar $sign $array.clone());
        $array $assign &$other;
        $array $assign $scalar;
        black_box(&$array.view() $sign &$other.view());
        black_box(&$array $sign &$other.view());
    )*};
}

macro_rules! numbers {
    ($($type:ident $name:ident: $($number:ident)*;)*) => {$(
        /// Arrays and variables of one number type.
        pub fn $name(
            store: &mut VariableStore,
            arrays: (Array1<$type>, Array2<$type>, Array<$type, Ix3>, Array<$type, IxDyn>),
            formatter: &mut Formatter<'_>,
        ) {
            let (vector, matrix, cube, dynamic) = arrays;
            shown(store, vector[0], formatter);
            shown(store, (vector[0], vector[1]), formatter);
            self::vector(store, vector.to_vec(), formatter);
            plane(&vector, &matrix);
            $(numbers!(@$number $type, vector, matrix, cube, dynamic, formatter);)*
            axes(&vector, &[]);
            axes(&matrix, &[]);
            array(store, vector, formatter);
            array(store, matrix, formatter);
            array(store, cube, formatter);
            array(store, dynamic, formatter);
        }
    )*};
    (@arithmetic $type:ident, $vector:ident, $matrix:ident, $cube:ident, $dynamic:ident, $formatter:ident) => {
        let scalar = $vector[0];
        let (mut left, right) = ($vector.clone(), $vector.clone());
        operator!(left, right, scalar, + += - -= * *= / /=);
        black_box((left.sum(), left.product(), left.dot(&right), left.view().sum(), $matrix.dot(&left)));
        black_box((left.sum_axis(Axis(0)), -&left, -left.clone(), Array1::<$type>::zeros(3), Array1::<$type>::ones(3)));
        black_box((left.iter().sum::<$type>(), left.iter().copied().sum::<$type>(), left.cumprod(Axis(0))));
        let (mut left, right) = ($matrix.clone(), $matrix.clone());
        operator!(left, right, scalar, + += - -= * *= / /=);
        black_box((left.sum(), left.product(), left.dot(&right), left.dot(&right.t()), left.view().sum()));
        black_box((left.sum_axis(Axis(0)), -&left, -left.clone(), Array2::<$type>::zeros((3, 3))));
        black_box((Array2::<$type>::ones((3, 3)), Array2::<$type>::eye(3), Array2::from_diag(&$vector)));
        black_box((&left + &$vector, &left - &$vector, &left * &$vector, &left / &$vector));
        black_box((&left + &right.t(), &left - &right.t(), &left * &right.t(), &left.mean()));
        black_box((&$cube + &$cube, &$cube * &$cube, $cube.sum(), Array::<$type, Ix3>::zeros((1, 2, 3))));
        black_box((&$dynamic + &$dynamic, &$dynamic - &$dynamic, &$dynamic * scalar, $dynamic.sum()));
        black_box((Array::<$type, IxDyn>::zeros(IxDyn(&[2])), $dynamic.clone().into_dimensionality::<Ix2>().ok()));
        black_box($dynamic.clone().into_dimensionality::<Ix1>()).ok();
    };
    (@float $type:ident, $vector:ident, $matrix:ident, $cube:ident, $dynamic:ident, $formatter:ident) => {
        black_box((Array1::<$type>::linspace(0.0, 1.0, 5), Array1::<$type>::range(0.0, 1.0, 0.5)));
        black_box(($vector.mean(), $vector.std(0.0), $vector.var(0.0), $matrix.mean(), $matrix.std(0.0)));
        black_box(($matrix.mean_axis(Axis(0)), $matrix.std_axis(Axis(0), 0.0), $matrix.var_axis(Axis(0), 0.0)));
        black_box((LowerExp::fmt(&$vector, $formatter), LowerExp::fmt(&$matrix, $formatter))).0.ok();
        numbers!(@map $vector, exp ln sqrt sin cos tan tanh abs floor ceil round);
        numbers!(@map $matrix, exp ln sqrt sin cos tan tanh abs floor ceil round);
        black_box(($vector.powi(2), $matrix.powi(2), $vector.powf(0.5), $matrix.powf(0.5)));
        black_box(($vector.iter().copied().fold($type::MIN, $type::max), $vector.iter().copied().fold($type::MAX, $type::min)));
        black_box(($matrix.iter().copied().fold($type::MIN, $type::max), $matrix.iter().copied().fold($type::MAX, $type::min)));
        black_box($vector.iter().copied().fold($type::NEG_INFINITY, $type::max));
        black_box($matrix.iter().copied().fold($type::NEG_INFINITY, $type::max));
    };
    (@map $array:ident, $($function:ident)*) => {$(
        black_box($array.$function());
    )*};
}
numbers! {
    f32 of_f32: arithmetic float;
    f64 of_f64: arithmetic float;
    i32 of_i32: arithmetic;
    i64 of_i64: arithmetic;
    u8 of_u8: ;
}

/// Variables and arrays of the remaining types.
pub fn of_others(store: &mut VariableStore, formatter: &mut Formatter<'_>) {
    shown(store, true, formatter);
    shown(store, 'c', formatter);
    shown(store, 1u32, formatter);
    shown(store, 1u64, formatter);
    shown(store, 1usize, formatter);
    shown(store, "text", formatter);
    shown(store, String::new(), formatter);
    vector(store, vec![1usize], formatter);
    vector(store, vec![1u64], formatter);
    vector(store, vec![true], formatter);
    vector(store, vec!['c'], formatter);
    vector(store, vec![""], formatter);
    vector(store, vec![String::new()], formatter);
    vector(store, vec![(1.0f64, 1.0f64)], formatter);
    array(store, Array1::from_elem(1, true), formatter);
    array(store, Array2::from_elem((1, 1), true), formatter);
    array(store, Array1::from_elem(1, 1usize), formatter);
    array(store, Array2::from_elem((1, 1), 1usize), formatter);
    map(store, String::new(), 1i32, formatter);
    map(store, String::new(), 1usize, formatter);
    map(store, String::new(), 1.0f64, formatter);
    map(store, String::new(), String::new(), formatter);
    map(store, "", 1i32, formatter);
    map(store, "", 1usize, formatter);
    map(store, "", 1.0f64, formatter);
    map(store, 'c', 1usize, formatter);
    map(store, 1i32, 1i32, formatter);
    text("a b");
}
