//! What a call with keywords becomes when it is read: one rule or a few for each kind of row of the table.
// Long because: it is one macro.

/// `kind [signature and all that was given] [path of the function] [(value)…] {keyword value}…`
#[doc(hidden)]
#[macro_export]
macro_rules! __call {
    // The keywords are arguments, in the order of the table.
    (call [$signature:tt $($all:tt)*] [$($path:tt)+] [$(($value:expr))*] $({ $key:tt $($given:tt)+ })*) => {
        $($path)+($($value,)* $($crate::__word!($key $($given)+)),*)
    };
    // Along an axis; all elements along one axis where it is `None`. Every kind of sorting gives the same.
    (flat $all:tt $paths:tt $values:tt $axis:tt { dtype }) => { $crate::__call!(flat $all $paths $values $axis) };
    (flat $all:tt $paths:tt $values:tt $axis:tt { dtype $dtype:ty }) => {
        $crate::__call!(flat $all $paths $values $axis).astype::<$dtype>()
    };
    (flat $all:tt $paths:tt $values:tt $axis:tt { kind $kind:tt } { stable $stable:literal }) => {
        $crate::__call!(flat $all $paths $values $axis { kind $kind })
    };
    (flat $all:tt $paths:tt $values:tt $axis:tt { kind "stable" }) => { $crate::__call!(flat $all $paths $values $axis) };
    (flat $all:tt $paths:tt $values:tt $axis:tt { kind "quicksort" }) => { $crate::__call!(flat $all $paths $values $axis) };
    (flat $all:tt $paths:tt $values:tt $axis:tt { kind "mergesort" }) => { $crate::__call!(flat $all $paths $values $axis) };
    (flat $all:tt $paths:tt $values:tt $axis:tt { kind "heapsort" }) => { $crate::__call!(flat $all $paths $values $axis) };
    (flat $all:tt $paths:tt $values:tt $axis:tt { kind "introselect" }) => { $crate::__call!(flat $all $paths $values $axis) };
    (flat $all:tt $paths:tt $values:tt $axis:tt { kind $word:literal }) => {
        $crate::registry::wrong_word! { kind ["stable" "quicksort" "mergesort" "heapsort"] $word }
    };
    (flat $all:tt [$along:path, $whole:path] [(($($array:expr),+ $(,)?))] { axis None }) => { $whole([$($array),+]) };
    (flat $all:tt [$along:path, $whole:path] [$(($value:expr))*] { axis None }) => { $whole($($value),*) };
    (flat $all:tt [$along:path, $whole:path] [(($($array:expr),+ $(,)?))] { axis $axis:expr }) => {
        $along([$($array),+], $axis)
    };
    (flat $all:tt [$along:path, $whole:path] [$(($value:expr))*] { axis $axis:expr }) => { $along($($value,)* $axis) };
    // With more before or behind the array.
    (ends $all:tt [$plain:path, $with:path] [($a:expr)] { n $n:expr } { axis $axis:expr } { prepend } { append }) => {
        $plain($a, $n, $axis)
    };
    (ends $all:tt [$plain:path, $with:path] [($a:expr)] { n $n:expr } { axis $axis:expr }
     { prepend $($prepend:tt)* } { append $($append:tt)* }) => {
        $with($a, $n, $axis, $crate::__call!(@end $($prepend)*), $crate::__call!(@end $($append)*))
    };
    (@end) => { ::core::option::Option::None };
    (@end $end:expr) => { ::core::option::Option::Some($crate::keywords::end($end)) };
    // Numbers of any type are an `f64`.
    (covariance $all:tt $path:tt $m:tt $y:tt $rowvar:tt $bias:tt $ddof:tt $fweights:tt $aweights:tt { dtype }) => {
        $crate::__call!(covariance $all $path $m $y $rowvar $bias $ddof $fweights $aweights)
    };
    (covariance $all:tt $path:tt $m:tt $y:tt $rowvar:tt $bias:tt $ddof:tt $fweights:tt $aweights:tt { dtype $dtype:ty }) => {
        $crate::__call!(covariance $all $path $m $y $rowvar $bias $ddof $fweights $aweights).astype::<$dtype>()
    };
    (correlation $all:tt $path:tt $values:tt $y:tt $rowvar:tt { dtype }) => {
        $crate::__call!(options $all $path $values $y $rowvar)
    };
    (correlation $all:tt $path:tt $values:tt $y:tt $rowvar:tt { dtype $dtype:ty }) => {
        $crate::__call!(options $all $path $values $y $rowvar).astype::<$dtype>()
    };
    (covariance $all:tt [$path:path] [($m:expr)] { y $($y:tt)* } { rowvar $($rowvar:tt)* } { bias $($bias:tt)* }
     { ddof $($ddof:tt)* } { fweights $($fweights:tt)* } { aweights $($aweights:tt)* }) => {
        $path(
            $m, $crate::__call!(@option y $($y)*), $crate::__call!(@option rowvar $($rowvar)*),
            $crate::__call!(@option bias $($bias)*), $crate::__call!(@number $($ddof)*),
            $crate::__call!(@option fweights $($fweights)*), $crate::__call!(@option aweights $($aweights)*)
        )
    };
    (@number) => { ::core::option::Option::None };
    (@number $number:expr) => { ::core::option::Option::Some(($number) as f64) };
    // The function without keywords if none is given.
    (given_or $all:tt [$plain:path, $with:path] [$(($value:expr))*] $({ $key:tt })*) => { $plain($($value),*) };
    (given_or $all:tt [$plain:path, $with:path] $values:tt $($others:tt)*) => {
        $crate::__call!(options $all [$with] $values $($others)*)
    };
    // A number of one diagonal, an array of those of two axes.
    (trace $all:tt $paths:tt $a:tt $offset:tt $axis1:tt $axis2:tt { dtype }) => {
        $crate::__call!(trace $all $paths $a $offset $axis1 $axis2)
    };
    (trace $all:tt $paths:tt $a:tt $offset:tt $axis1:tt $axis2:tt { dtype $dtype:ty }) => {
        $crate::__call!(
            trace $all [$crate::keywords::trace_as::<$dtype, _>, $crate::keywords::traces_as::<$dtype, _>] $a $offset $axis1 $axis2
        )
    };
    (trace $all:tt [$one:path, $many:path] [($a:expr)] { offset $offset:expr } { axis1 } { axis2 }) => { $one($a, $offset) };
    (trace $all:tt $paths:tt $a:tt $offset:tt { axis1 } $axis2:tt) => {
        $crate::__call!(trace $all $paths $a $offset { axis1 0 } $axis2)
    };
    (trace $all:tt $paths:tt $a:tt $offset:tt $axis1:tt { axis2 }) => {
        $crate::__call!(trace $all $paths $a $offset $axis1 { axis2 1 })
    };
    (trace $all:tt [$one:path, $many:path] [($a:expr)] { offset $offset:expr } { axis1 $axis1:expr } { axis2 $axis2:expr }) => {
        $many($a, $offset, $axis1, $axis2)
    };
    // What indices that are out of range mean.
    (outside $all:tt [$plain:path, $with:path] [($a:expr) ($b:expr)] { mode "raise" }) => { $plain($a, $b) };
    (outside $all:tt [$plain:path, $with:path] [($a:expr) ($b:expr)] { mode "wrap" }) => { $with($a, $b, true) };
    (outside $all:tt [$plain:path, $with:path] [($a:expr) ($b:expr)] { mode "clip" }) => { $with($a, $b, false) };
    (outside $all:tt $paths:tt $values:tt { mode $word:literal }) => {
        $crate::registry::wrong_word! { mode ["raise" "wrap" "clip"] $word }
    };
    (take $all:tt [$whole:path, $along:path] $values:tt { axis $($axis:tt)? } { mode "raise" }) => {
        $crate::__call!(along $all [$whole, $along] $values { axis $($axis)? })
    };
    (take $all:tt $paths:tt [($a:expr) ($indices:expr)] { axis $($axis:tt)? } { mode "wrap" }) => {
        $crate::keywords::take_outside($a, $indices, $crate::__call!(@option axis $($axis)?), true)
    };
    (take $all:tt $paths:tt [($a:expr) ($indices:expr)] { axis $($axis:tt)? } { mode "clip" }) => {
        $crate::keywords::take_outside($a, $indices, $crate::__call!(@option axis $($axis)?), false)
    };
    (take $all:tt $paths:tt $values:tt $axis:tt { mode $word:literal }) => {
        $crate::registry::wrong_word! { mode ["raise" "wrap" "clip"] $word }
    };
    // The place along an axis, which the result may keep.
    (places $all:tt $paths:tt $values:tt $axis:tt { keepdims false }) => {
        $crate::__call!(along $all $paths $values $axis)
    };
    (places $all:tt [$whole:path, $along:path] [($a:expr)] { axis } { keepdims true }) => {
        match $a { a => $crate::keywords::place_of_all(a, $whole(a)) }
    };
    (places $all:tt [$whole:path, $along:path] [($a:expr)] { axis $axis:expr } { keepdims true }) => {
        match $axis { axis => $along($a, axis).expand_dims(axis) }
    };
    // NumPy's `correction` is `ddof` under the name of the array API.
    (deviation $all:tt $whole:tt $values:tt $axis:tt $dtype:tt $keepdims:tt $ddof:tt $where:tt { correction }) => {
        $crate::__call!(reduction $all $whole $values $axis $dtype $keepdims $ddof $where)
    };
    (deviation $all:tt $whole:tt $values:tt $axis:tt $dtype:tt $keepdims:tt { ddof } $where:tt { correction $($ddof:tt)+ }) => {
        $crate::__call!(reduction $all $whole $values $axis $dtype $keepdims { ddof $($ddof)+ } $where)
    };
    (searched $all:tt [$plain:path, $with:path] [($a:expr) ($v:expr)] { side $($side:tt)+ } { sorter }) => {
        $plain($a, $v, $crate::__word!(side $($side)+))
    };
    (searched $all:tt [$plain:path, $with:path] [($a:expr) ($v:expr)] { side $($side:tt)+ } { sorter $sorter:expr }) => {
        $with($a, $v, $crate::__word!(side $($side)+), $sorter)
    };
    // What is known of the matrix changes nothing of the result.
    (ranked $all:tt [$path:path] $a:tt { tol $($tol:tt)* } { hermitian $hermitian:literal } { rtol $($rtol:tt)* }) => {
        $crate::__call!(@ranked [$path] $a ($crate::__call!(@number $($tol)*)) ($crate::__call!(@number $($rtol)*)))
    };
    (@ranked [$path:path] [($a:expr)] ($tol:expr) ($rtol:expr)) => { $path($a, $tol, $rtol) };
    (pinv $all:tt [$plain:path, $with:path] [($a:expr)] { rcond } { hermitian $hermitian:literal } { rtol }) => { $plain($a) };
    (pinv $all:tt [$plain:path, $with:path] [($a:expr)] { rcond $bound:expr } { hermitian $hermitian:literal } { rtol }) => {
        $with($a, $bound)
    };
    (pinv $all:tt [$plain:path, $with:path] [($a:expr)] { rcond } { hermitian $hermitian:literal } { rtol $bound:expr }) => {
        $with($a, $bound)
    };
    (svd $all:tt $path:tt $a:tt $full:tt $uv:tt { hermitian $hermitian:literal }) => {
        $crate::__call!(svd $all $path $a $full $uv)
    };
    (svd $all:tt [$path:path] [($a:expr)] { full_matrices $full:expr } { compute_uv true }) => { $path($a, $full) };
    (svd $all:tt [$path:path] [($a:expr)] $full:tt { compute_uv false }) => { $crate::linalg::svdvals($a) };
    (cholesky $all:tt [$lower:path, $upper:path] [($a:expr)] { upper false }) => { $lower($a) };
    (cholesky $all:tt [$lower:path, $upper:path] [($a:expr)] { upper true }) => { $upper($a) };
    // Common elements, perhaps with their places.
    (common $all:tt [$plain:path, $places:path] [$(($value:expr))*] { assume_unique $assume:literal } { return_indices false }) => {
        $plain($($value),*)
    };
    (common $all:tt [$plain:path, $places:path] [$(($value:expr))*] { assume_unique $assume:literal } { return_indices true }) => {
        $places($($value),*)
    };
    (common $all:tt [$plain:path] [$(($value:expr))*] { assume_unique $assume:literal }) => { $plain($($value),*) };
    (isin $all:tt [$path:path] [$(($value:expr))*] { assume_unique $assume:literal } { invert $invert:expr } { kind $kind:literal }) => {
        $path($($value,)* $invert)
    };
    // As many grids as arrays are given.
    (meshgrid $all:tt [$two:path, $($more:path),*] [($x:expr) ($y:expr)] { x3 } { x4 } { indexing $indexing:expr } { sparse $sparse:expr }) => {
        $two($x, $y, $indexing, $sparse)
    };
    (meshgrid $all:tt [$two:path, $three:path, $four:path] [($x:expr) ($y:expr)] { x3 $z:expr } { x4 } { indexing $indexing:expr } { sparse $sparse:expr }) => {
        $three($x, $y, $z, $indexing, $sparse)
    };
    (meshgrid $all:tt [$two:path, $three:path, $four:path] [($x:expr) ($y:expr)] { x3 $z:expr } { x4 $w:expr } { indexing $indexing:expr } { sparse $sparse:expr }) => {
        $four($x, $y, $z, $w, $indexing, $sparse)
    };
    (trimmed $all:tt [$plain:path, $along:path] [($a:expr)] { trim $ends:expr } { axis }) => { $plain($a, $ends) };
    (trimmed $all:tt [$plain:path, $along:path] [($a:expr)] { trim $ends:expr } { axis $axis:expr }) => { $along($a, $ends, $axis) };
    // The coefficients, and what belongs to the fit or how sure they are.
    (polyfit $all:tt [$plain:path, $full:path, $cov:path] $values:tt $rcond:tt { full false } $w:tt { cov false }) => {
        $crate::__call!(options $all [$plain] $values $rcond $w)
    };
    (polyfit $all:tt [$plain:path, $full:path, $cov:path] $values:tt $rcond:tt { full true } $w:tt { cov $cov_given:tt }) => {
        $crate::__call!(options $all [$full] $values $rcond $w)
    };
    (polyfit $all:tt [$plain:path, $full:path, $cov:path] $values:tt $rcond:tt { full false } $w:tt { cov true }) => {
        $crate::__call!(options $all [$cov] $values $rcond $w { scaled true })
    };
    (polyfit $all:tt [$plain:path, $full:path, $cov:path] $values:tt $rcond:tt { full false } $w:tt { cov "unscaled" }) => {
        $crate::__call!(options $all [$cov] $values $rcond $w { scaled false })
    };
    (indices $all:tt [$path:path] [($shape:expr)] { dtype } { sparse true }) => { $crate::keywords::open_indices($shape) };
    (indices $all:tt $path:tt $shape:tt $dtype:tt { sparse false }) => {
        $crate::__call!(converted $all $path $shape $dtype)
    };
    // As `call`, where words are values of the function.
    (plain $all:tt [$($path:tt)+] [$(($value:expr))*] $({ $key:tt $($given:tt)+ })*) => {
        $($path)+($($value,)* $($($given)+),*)
    };
    // The element type is the function's.
    (typed $all:tt [$($path:tt)+] [$(($value:expr))*] { dtype $dtype:ty } $({ $key:tt $($given:tt)+ })*) => {
        $($path)+::<$dtype>($($value,)* $($crate::__word!($key $($given)+)),*)
    };
    // A table of a text file, or its columns with names.
    (text $all:tt [$options:path, $plain:path, $named:path] [($file:expr)] { dtype $dtype:ty } $({ $key:ident $($given:tt)+ })*) => {
        $crate::__call!(@text [$options, $plain, $named] [($file)] [$dtype] [] $({ $key $($given)+ })*)
    };
    (@text $paths:tt $file:tt $dtype:tt [$($read:tt)*] { unpack $unpack:expr } { names $($names:tt)+ }) => {
        $crate::__call!(@text $paths $file $dtype ($($read)*) $unpack, $($names)+)
    };
    (@text $paths:tt $file:tt $dtype:tt [$($read:tt)*] { $key:ident $($given:tt)+ } $($others:tt)+) => {
        $crate::__call!(@text $paths $file $dtype [$($read)* $($given)+,] $($others)+)
    };
    (@text [$options:path, $plain:path, $named:path] [($file:expr)] [$dtype:ty] ($($read:tt)*) $unpack:expr, false) => {
        { let table: $crate::DeviceArray<$dtype> = $plain($file, &$options($($read)*), $unpack); table }
    };
    (@text [$options:path, $plain:path, $named:path] [($file:expr)] [$dtype:ty] ($($read:tt)*) $unpack:expr, true) => {
        { let table: $crate::NamedColumns<$dtype> = $named($file, &$options($($read)*), &[]); table }
    };
    (@text [$options:path, $plain:path, $named:path] [($file:expr)] [$dtype:ty] ($($read:tt)*) $unpack:expr, $names:expr) => {
        { let table: $crate::NamedColumns<$dtype> = $named($file, &$options($($read)*), &$names); table }
    };
    // The result is converted to the element type.
    (converted $all:tt $path:tt $values:tt { dtype } $($others:tt)*) => {
        $crate::__call!(call $all $path $values $($others)*)
    };
    (converted $all:tt $path:tt $values:tt { dtype $dtype:ty } $($others:tt)*) => {
        $crate::__call!(call $all $path $values $($others)*).astype::<$dtype>()
    };
    // The array is converted to the element type.
    (cast $all:tt [$path:path] [($a:expr)] { dtype }) => { $path($a) };
    (cast $all:tt [$path:path] [($a:expr)] { dtype $dtype:ty }) => { $path(&$crate::keywords::as_type::<$dtype, _>($a)) };
    // A running sum or product: along an axis, or of all elements.
    (running $all:tt [$whole:path, $along:path] [($a:expr)] { axis } { dtype }) => { $whole($a) };
    (running $all:tt [$whole:path, $along:path] [($a:expr)] { axis $axis:expr } { dtype }) => { $along($a, $axis) };
    (running $all:tt $paths:tt [($a:expr)] $axis:tt { dtype $dtype:ty }) => {
        $crate::keywords::as_type::<$dtype, _>(
            &$crate::__call!(running $all $paths [(&$crate::keywords::as_type::<$dtype, _>($a))] $axis { dtype })
        )
    };
    // Lengths along all axes, along those that are given, or along as many of the last ones.
    (axes $all:tt [$path:path] [($a:expr)] { s } { axes } $norm:tt) => {
        match $a {
            a => $crate::__call!(axes $all [$path] [(a)] { s } { axes ($crate::keywords::axes_of_all(a)) } $norm),
        }
    };
    (axes $all:tt [$path:path] [($a:expr)] { s } { axes $axes:expr } { norm $($norm:tt)+ }) => {
        $path($a, ::core::option::Option::None, $axes, $crate::__word!(norm $($norm)+))
    };
    (axes $all:tt [$path:path] $a:tt { s $s:expr } { axes } $norm:tt) => {
        match $crate::keywords::lengths($s) {
            s => $crate::__call!(axes $all [$path] $a { s (s.clone()) } { axes ($crate::keywords::last_axes(s.len())) } $norm),
        }
    };
    (axes $all:tt [$path:path] [($a:expr)] { s $s:expr } { axes $axes:expr } { norm $($norm:tt)+ }) => {
        $path(
            $a, ::core::option::Option::Some(&$crate::keywords::lengths($s)[..]), $axes, $crate::__word!(norm $($norm)+)
        )
    };
    // Along all axes, or along some.
    (convolved $all:tt [$whole:path, $along:path] $values:tt $mode:tt { axes }) => {
        $crate::__call!(call $all [$whole] $values $mode)
    };
    (convolved $all:tt [$whole:path, $along:path] $values:tt $mode:tt { axes $axes:expr }) => {
        $crate::__call!(call $all [$along] $values $mode { axes $axes })
    };
    // A type, and lengths and axes that need not be given.
    (waves $all:tt [$path:path] [($x:expr)] { type $kind:expr } $s:tt $axes:tt { norm $($norm:tt)+ } { orthogonalize $also:expr }) => {
        $path(
            $x, $kind, $crate::__call!(@lengths $s), $crate::__call!(@axes $axes), $crate::__word!(norm $($norm)+), $also
        )
    };
    (@lengths { s }) => { ::core::option::Option::None };
    (@lengths { s $s:expr }) => { ::core::option::Option::Some($crate::keywords::lengths($s)) };
    (@axes { axes }) => { ::core::option::Option::None };
    (@axes { axes $axes:expr }) => { ::core::option::Option::Some($crate::IntoAxes::into_axes($axes)) };
    (eigh $all:tt [$path:path] [($a:expr)] { UPLO "L" }) => { $path($a) };
    (eigh $all:tt [$path:path] [($a:expr)] { UPLO "U" }) => { $path(&$crate::keywords::adjoint($a)) };
    (eigh $all:tt $path:tt $a:tt { UPLO $word:literal }) => {
        $crate::registry::wrong_word! { UPLO ["L" "U"] $word }
    };
    // The device is that of the array, and so is the shape unless it is given.
    (like $all:tt $path:tt $values:tt $dtype:tt { shape }) => { $crate::__call!(like $all $path $values $dtype) };
    (like $all:tt $path:tt [($a:expr)] $dtype:tt { shape $shape:expr }) => {
        $crate::__call!(like $all $path [(&$crate::keywords::empty_in($a, $shape))] $dtype)
    };
    (like $all:tt [$like:path] [($a:expr)] { dtype }) => { $like($a) };
    (like $all:tt [$like:path] [($a:expr)] { dtype $dtype:ty }) => {
        $like(&$crate::keywords::empty_as::<$dtype, _>($a))
    };
    (qr $all:tt [] [($a:expr)] { mode "reduced" }) => { $crate::linalg::qr($a) };
    (qr $all:tt [] [($a:expr)] { mode "complete" }) => { $crate::linalg::qr_complete($a) };
    (qr $all:tt [] [($a:expr)] { mode "r" }) => { $crate::linalg::qr_r($a) };
    (qr $all:tt [] $a:tt { mode $word:literal }) => {
        $crate::registry::wrong_word! { mode ["reduced" "complete" "r"] $word }
    };
    // Of one bound, which is the end, or of two.
    (integers $all:tt $path:tt $low:tt $high:tt $size:tt { dtype $dtype:ty } $endpoint:tt) => {
        $crate::__call!(integers $all $path $low $high $size { dtype } $endpoint).astype::<$dtype>()
    };
    (integers $all:tt $path:tt [($end:expr)] { high } $size:tt { dtype } $endpoint:tt) => {
        $crate::__call!(integers $all $path [(0)] { high $end } $size { dtype } $endpoint)
    };
    (integers $all:tt [$path:path] [($low:expr)] { high $high:expr } { size $($size:tt)+ } { dtype } { endpoint false }) => {
        $path($low..$high, $($size)+)
    };
    (integers $all:tt [$path:path] [($low:expr)] { high $high:expr } { size $($size:tt)+ } { dtype } { endpoint true }) => {
        $path($low..=$high, $($size)+)
    };
    (randint $all:tt $path:tt $low:tt $high:tt $size:tt { dtype $dtype:ty }) => {
        $crate::__call!(randint $all $path $low $high $size { dtype }).astype::<$dtype>()
    };
    (randint $all:tt [$path:path] [($end:expr)] { high } { size $($size:tt)+ } { dtype }) => { $path(0, $end, $($size)+) };
    (randint $all:tt [$path:path] [($low:expr)] { high $high:expr } { size $($size:tt)+ } { dtype }) => {
        $path($low, $high, $($size)+)
    };
    // As `call`, but words are those of the function.
    (given $all:tt [$($path:tt)+] [$(($value:expr))*] $({ $key:tt $($given:tt)+ })*) => {
        $($path)+($($value,)* $($($given)+),*)
    };
    // The element type is the function's, wherever the keyword stands.
    (sparse $all:tt [$($path:tt)+] [$(($value:expr))*] { n $n:expr } { k $k:expr } { dtype $dtype:ty } { format $format:expr }) => {
        $($path)+::<$dtype>($($value,)* $n, $k, $format)
    };
    (sparse $all:tt [$($path:tt)+] [$(($value:expr))*] { density $density:expr } { format $format:expr } { dtype $dtype:ty }) => {
        $($path)+::<$dtype>($($value,)* $density, $format)
    };
    // With vectors, or the values only. Six options stand before the keyword that says so.
    (spectrum $all:tt [$with:path, $values:path] $a:tt $k:tt $l:tt $m:tt $n:tt $o:tt $p:tt { $key:tt true }) => {
        $crate::__call!(options $all [$with] $a $k $l $m $n $o $p)
    };
    (spectrum $all:tt [$with:path, $values:path] $a:tt $k:tt $l:tt $m:tt $n:tt $o:tt $p:tt { $key:tt false }) => {
        $crate::__call!(options $all [$values] $a $k $l $m $n $o $p)
    };
    // A filter, in the form that is asked for.
    (design $all:tt [$ba:path, $zpk:path, $sos:path] $values:tt $btype:tt $analog:tt { output "ba" } $fs:tt) => {
        $crate::__call!(given $all [$ba] $values $btype $analog $fs)
    };
    (design $all:tt [$ba:path, $zpk:path, $sos:path] $values:tt $btype:tt $analog:tt { output "zpk" } $fs:tt) => {
        $crate::__call!(given $all [$zpk] $values $btype $analog $fs)
    };
    (design $all:tt [$ba:path, $zpk:path, $sos:path] $values:tt $btype:tt $analog:tt { output "sos" } $fs:tt) => {
        $crate::__call!(given $all [$sos] $values $btype $analog $fs)
    };
    (design $all:tt $paths:tt $values:tt $btype:tt $analog:tt { output $word:literal } $fs:tt) => {
        $crate::registry::wrong_word! { output ["ba" "zpk" "sos"] $word }
    };
    // A filter from zeros, or from a state: then the result has the state at the end, too.
    (filtered $all:tt [$plain:path, $from:path] $values:tt $axis:tt { zi }) => {
        $crate::__call!(given $all [$plain] $values $axis)
    };
    (filtered $all:tt [$plain:path, $from:path] $values:tt $axis:tt { zi $zi:expr }) => {
        $crate::__call!(given $all [$from] $values $axis { zi $zi })
    };
    // Without things that are taken again, or with them.
    (repeated $all:tt [$plain:path, $again:path] [$(($value:expr))*] { repetition false }) => { $plain($($value),*) };
    (repeated $all:tt [$plain:path, $again:path] [$(($value:expr))*] { repetition true }) => { $again($($value),*) };
    // The entropy of one distribution, or relative to another one.
    (entropy $all:tt [$plain:path, $relative:path] $values:tt { qk } $base:tt $axis:tt) => {
        $crate::__call!(given $all [$plain] $values $base $axis)
    };
    (entropy $all:tt [$plain:path, $relative:path] $values:tt { qk $($qk:tt)+ } $base:tt $axis:tt) => {
        $crate::__call!(given $all [$relative] $values { qk $($qk)+ } $base $axis)
    };
    // Counts that are expected to be equal, or those that are given.
    (counts $all:tt [$plain:path, $with:path] [($observed:expr)] { f_exp } { ddof 0 }) => { $plain($observed) };
    (counts $all:tt [$plain:path, $with:path] $values:tt { f_exp $($expected:tt)+ } $ddof:tt) => {
        $crate::__call!(given $all [$with] $values { f_exp $($expected)+ } $ddof)
    };
    // With the gradient, or with differences.
    (minimize $all:tt [$plain:path, $with:path] $values:tt { jac } $($others:tt)*) => {
        $crate::__call!(given $all [$plain] $values $($others)*)
    };
    (minimize $all:tt [$plain:path, $with:path] [($fun:expr) ($x0:expr)] { jac $jac:expr } $({ $key:tt $($given:tt)+ })*) => {
        $with($fun, $x0, $jac, $($($given)+),*)
    };
    (bounded $all:tt [$plain:path, $with:path] $values:tt { bounds } $($others:tt)*) => {
        $crate::__call!(given $all [$plain] $values $($others)*)
    };
    (bounded $all:tt [$plain:path, $with:path] $values:tt $bounds:tt $($others:tt)*) => {
        $crate::__call!(given $all [$with] $values $bounds $($others)*)
    };
    (fit $all:tt [$plain:path, $with:path] [$(($value:expr))*] { sigma } { absolute_sigma false }) => { $plain($($value),*) };
    (fit $all:tt [$plain:path, $with:path] $values:tt { sigma $($sigma:tt)+ } $absolute:tt) => {
        $crate::__call!(given $all [$with] $values { sigma $($sigma)+ } $absolute)
    };
    (newton $all:tt [$plain:path, $with:path] $values:tt { fprime } $($others:tt)*) => {
        $crate::__call!(given $all [$plain] $values $($others)*)
    };
    (newton $all:tt [$plain:path, $with:path] $values:tt $fprime:tt $($others:tt)*) => {
        $crate::__call!(given $all [$with] $values $fprime $($others)*)
    };
    (choice $all:tt [$plain:path, $with:path] $values:tt $size:tt $replace:tt { p }) => {
        $crate::__call!(call $all [$plain] $values $size $replace)
    };
    (choice $all:tt [$plain:path, $with:path] $values:tt $size:tt $replace:tt { p $($p:tt)+ }) => {
        $crate::__call!(call $all [$with] $values $size $replace { p $($p)+ })
    };
    // All keywords are options: those that are not given are `None`. An element type is that of the array and of the result.
    (options $all:tt $path:tt [($a:expr)] { dtype } $($others:tt)*) => {
        $crate::__call!(options $all $path [($a)] $($others)*)
    };
    (options $all:tt $path:tt [($a:expr)] { dtype $dtype:ty } $($others:tt)*) => {
        $crate::__call!(options $all $path [(&$crate::keywords::astype::<$dtype, _>($a))] $($others)*).astype::<$dtype>()
    };
    (options $all:tt [$path:path] [$(($value:expr))*] $({ $key:tt $($given:tt)* })*) => {
        $path($($value,)* $($crate::__call!(@option $key $($given)*)),*)
    };
    // Along one axis there is one derivative. Axes in parentheses or brackets are several.
    (gradient $all:tt [$every:path] [($f:expr)] { spacing $spacing:expr } { axis } { edge_order $order:expr }) => {
        $every($f, $spacing, $order)
    };
    (gradient $all:tt $every:tt [($f:expr)] { spacing $spacing:expr } { axis ($($axis:tt)*) } { edge_order $order:expr }) => {
        $crate::keywords::gradient_axes($f, $spacing, ($($axis)*), $order)
    };
    (gradient $all:tt $every:tt [($f:expr)] { spacing $spacing:expr } { axis [$($axis:tt)*] } { edge_order $order:expr }) => {
        $crate::keywords::gradient_axes($f, $spacing, [$($axis)*], $order)
    };
    (gradient $all:tt $every:tt [($f:expr)] { spacing $spacing:expr } { axis $axis:expr } { edge_order $order:expr }) => {
        $crate::keywords::gradient_along($f, $spacing, $axis, $order)
    };
    // A function with one more argument along an axis: `[for all elements, along an axis]`.
    (along $all:tt [$whole:path, $along:path] [$(($value:expr))*] { $key:tt }) => { $whole($($value),*) };
    (along $all:tt [$whole:path, $along:path] [$(($value:expr))*] { $key:tt $axis:expr }) => {
        $along($($value,)* $axis)
    };
    (arange $all:tt [$path:path] [($start:expr)] { stop } { step } { dtype }) => { $path($start) };
    (arange $all:tt [$path:path] [($start:expr)] { stop $stop:expr } { step } { dtype }) => { $path($start..$stop) };
    (arange $all:tt [$path:path] [($start:expr)] { stop $stop:expr } { step $step:expr } { dtype }) => {
        $path(($start, $stop, $step))
    };
    (arange $all:tt $path:tt $start:tt $stop:tt $step:tt { dtype $dtype:ty }) => {
        $crate::__call!(arange $all $path $start $stop $step { dtype }).astype::<$dtype>()
    };
    // The values of an array stand in brackets, with or without `&`.
    (array $all:tt $path:tt $values:tt $dtype:tt { ndmin 0 }) => { $crate::__call!(array $all $path $values $dtype) };
    (array $all:tt $path:tt $values:tt $dtype:tt { ndmin $ndmin:expr }) => {
        $crate::keywords::at_least(&$crate::__call!(array $all $path $values $dtype), $ndmin)
    };
    (array $all:tt $path:tt [(& $values:tt)] $dtype:tt) => { $crate::__call!(array $all $path [($values)] $dtype) };
    (array $all:tt [$path:path] [($values:expr)] { dtype }) => { $path(&$values) };
    (array $all:tt [$path:path] [($values:expr)] { dtype $dtype:ty }) => { $path(&$values).astype::<$dtype>() };
    (full_like $all:tt $path:tt $values:tt $dtype:tt { shape }) => { $crate::__call!(full_like $all $path $values $dtype) };
    (full_like $all:tt $path:tt [($a:expr) $value:tt] $dtype:tt { shape $shape:expr }) => {
        $crate::__call!(full_like $all $path [(&$crate::keywords::empty_in($a, $shape)) $value] $dtype)
    };
    (full_like $all:tt [$path:path] [($a:expr) ($value:expr)] { dtype }) => { $path($a, $value) };
    (full_like $all:tt [$path:path] [($a:expr) ($value:expr)] { dtype $dtype:ty }) => {
        $path(&$crate::keywords::empty_as::<$dtype, _>($a), $value)
    };
    (full $all:tt [$path:path] [($shape:expr) ($value:expr)] { dtype }) => { $path($shape, $value) };
    (full $all:tt [$path:path] [($shape:expr) ($value:expr)] { dtype $dtype:ty }) => {
        $crate::keywords::full::<$dtype, _>($shape, $value)
    };
    // As many columns as rows, unless it is said.
    (square $all:tt [$($path:tt)+] [($n:expr)] { M } { k $k:expr } { dtype $dtype:ty }) => {
        match $n { n => $($path)+::<$dtype>(n, n, $k) }
    };
    (square $all:tt [$($path:tt)+] [($n:expr)] { M $m:expr } { k $k:expr } { dtype $dtype:ty }) => {
        $($path)+::<$dtype>($n, $m, $k)
    };
    (square $all:tt [$path:path] [($n:expr)] { k $k:expr } { m }) => { match $n { n => $path(n, $k, n) } };
    (square $all:tt [$path:path] [($n:expr)] { k $k:expr } { m $m:expr }) => { $path($n, $k, $m) };
    (square $all:tt [$path:path] [($x:expr)] { N } { increasing $increasing:expr }) => {
        match $x { x => $path(x, $crate::keywords::size(x), $increasing) }
    };
    (square $all:tt [$path:path] [($x:expr)] { N $n:expr } { increasing $increasing:expr }) => {
        $path($x, $n, $increasing)
    };
    (choose $all:tt [] [($a:expr) ($choices:expr)] { mode "raise" }) => { $crate::choose($a, $choices) };
    (choose $all:tt [] [($a:expr) ($choices:expr)] { mode "wrap" }) => { $crate::keywords::choose_wrapped($a, $choices) };
    (choose $all:tt [] [($a:expr) ($choices:expr)] { mode "clip" }) => { $crate::keywords::choose_clipped($a, $choices) };
    (choose $all:tt [] $values:tt { mode $word:literal }) => {
        $crate::registry::wrong_word! { mode ["raise" "wrap" "clip"] $word }
    };
    (put $all:tt [] [($a:expr) ($indices:expr) ($values:expr)] { mode "raise" }) => { $crate::put($a, $indices, $values) };
    (put $all:tt [] [($a:expr) ($indices:expr) ($values:expr)] { mode "wrap" }) => {
        $crate::keywords::put_wrapped($a, $indices, $values)
    };
    (put $all:tt [] [($a:expr) ($indices:expr) ($values:expr)] { mode "clip" }) => {
        $crate::keywords::put_clipped($a, $indices, $values)
    };
    (put $all:tt [] $values:tt { mode $word:literal }) => {
        $crate::registry::wrong_word! { mode ["raise" "wrap" "clip"] $word }
    };
    // Counts, or what weights and densities give.
    (histogram $all:tt [$plain:path, $with:path] $values:tt $bins:tt $range:tt { density false } { weights }) => {
        $crate::__call!(call $all [$plain] $values $bins $range)
    };
    (histogram $all:tt [$plain:path, $with:path] $values:tt $bins:tt $range:tt { density $density:expr } { weights }) => {
        $crate::__call!(
            call $all [$with] $values $bins $range { density $density }
            { weights (::core::option::Option::None::<&$crate::DeviceArray<f64>>) }
        )
    };
    (histogram $all:tt [$plain:path, $with:path] $values:tt $bins:tt $range:tt { density $density:expr } { weights $weights:expr }) => {
        $crate::__call!(
            call $all [$with] $values $bins $range { density $density } { weights (::core::option::Option::Some($weights)) }
        )
    };
    (poly1d $all:tt [] [($c:expr)] { r false } { variable $variable:expr }) => {
        $crate::poly1d($c).with_variable($variable)
    };
    (poly1d $all:tt [] [($r:expr)] { r true } { variable $variable:expr }) => {
        $crate::Poly1d::from_roots($r).with_variable($variable)
    };
    (powers $all:tt $path:tt $values:tt $num:tt $endpoint:tt { dtype } $($base:tt)?) => {
        $crate::__call!(call $all $path $values $num $endpoint $($base)?)
    };
    (powers $all:tt $path:tt $values:tt $num:tt $endpoint:tt { dtype $dtype:ty } $($base:tt)?) => {
        $crate::__call!(call $all $path $values $num $endpoint $($base)?).astype::<$dtype>()
    };
    // With the distance of the numbers.
    (spaced $all:tt $path:tt [($start:expr) ($stop:expr)] { num $num:expr } { endpoint $endpoint:expr } { retstep true } $dtype:tt $axis:tt) => {
        match ($start, $stop, $num, $endpoint) {
            (start, stop, num, endpoint) => (
                $crate::__call!(spaced $all $path [(start) (stop)] { num num } { endpoint endpoint } { retstep false } $dtype $axis),
                $crate::keywords::step_of(start, stop, num, endpoint),
            ),
        }
    };
    (spaced $all:tt $path:tt $values:tt $num:tt $endpoint:tt { retstep false } { dtype } $axis:tt) => {
        $crate::__call!(call $all $path $values $num $endpoint $axis)
    };
    (spaced $all:tt $path:tt $values:tt $num:tt $endpoint:tt { retstep false } { dtype $dtype:ty } $axis:tt) => {
        $crate::__call!(call $all $path $values $num $endpoint $axis).astype::<$dtype>()
    };
    // Arrays in a tuple, as NumPy's users write them, or in brackets.
    (list $all:tt $path:tt $values:tt $axis:tt { dtype }) => { $crate::__call!(list $all $path $values $axis) };
    (list $all:tt $path:tt $values:tt $axis:tt { dtype $dtype:ty }) => {
        $crate::__call!(list $all $path $values $axis).astype::<$dtype>()
    };
    (list $all:tt $path:tt $values:tt { dtype $dtype:ty }) => {
        $crate::__call!(list $all $path $values { dtype }).astype::<$dtype>()
    };
    (list $all:tt [$path:path] [(($($array:expr),+ $(,)?))] { dtype }) => { $path([$($array),+]) };
    (list $all:tt [$path:path] [($arrays:expr)] { dtype }) => { $path($arrays) };
    (list $all:tt [$path:path] [(($($array:expr),+ $(,)?))] { axis $axis:expr }) => { $path([$($array),+], $axis) };
    (list $all:tt [$path:path] [($arrays:expr)] { axis $axis:expr }) => { $path($arrays, $axis) };
    // What is put around an array. Arguments that the mode does not have are refused.
    (pad $all:tt [] $values:tt $mode:tt { constant_values 0 } { end_values 0 } { stat_length } { reflect_type "even" }) => {
        $crate::__call!(@pad $values $mode)
    };
    (pad $all:tt [] [($a:expr) ($width:expr)] { mode "constant" } { constant_values $values:expr } { end_values 0 } { stat_length } { reflect_type "even" }) => {
        $crate::keywords::pad_constants($a, $width, $values)
    };
    (pad $all:tt [] [($a:expr) ($width:expr)] { mode "linear_ramp" } { constant_values 0 } { end_values $values:expr } { stat_length } { reflect_type "even" }) => {
        $crate::keywords::pad_ramps($a, $width, $values)
    };
    (pad $all:tt [] [($a:expr) ($width:expr)] { mode "maximum" } { constant_values 0 } { end_values 0 } { stat_length $length:expr } { reflect_type "even" }) => {
        $crate::keywords::pad_statistic($a, $width, $crate::keywords::Statistic::Maximum, $length)
    };
    (pad $all:tt [] [($a:expr) ($width:expr)] { mode "mean" } { constant_values 0 } { end_values 0 } { stat_length $length:expr } { reflect_type "even" }) => {
        $crate::keywords::pad_statistic($a, $width, $crate::keywords::Statistic::Mean, $length)
    };
    (pad $all:tt [] [($a:expr) ($width:expr)] { mode "median" } { constant_values 0 } { end_values 0 } { stat_length $length:expr } { reflect_type "even" }) => {
        $crate::keywords::pad_statistic($a, $width, $crate::keywords::Statistic::Median, $length)
    };
    (pad $all:tt [] [($a:expr) ($width:expr)] { mode "minimum" } { constant_values 0 } { end_values 0 } { stat_length $length:expr } { reflect_type "even" }) => {
        $crate::keywords::pad_statistic($a, $width, $crate::keywords::Statistic::Minimum, $length)
    };
    (pad $all:tt [] [($a:expr) ($width:expr)] { mode "reflect" } { constant_values 0 } { end_values 0 } { stat_length } { reflect_type "odd" }) => {
        $crate::keywords::pad_turned($a, $width, false)
    };
    (pad $all:tt [] [($a:expr) ($width:expr)] { mode "symmetric" } { constant_values 0 } { end_values 0 } { stat_length } { reflect_type "odd" }) => {
        $crate::keywords::pad_turned($a, $width, true)
    };
    (@pad [($a:expr) ($width:expr)] { mode "constant" }) => {
        $crate::pad($a, $width, $crate::Pad::Constant(::core::default::Default::default()))
    };
    (@pad [($a:expr) ($width:expr)] { mode "linear_ramp" }) => {
        $crate::pad($a, $width, $crate::Pad::LinearRamp(::core::default::Default::default()))
    };
    (@pad [($a:expr) ($width:expr)] { mode "edge" }) => { $crate::pad($a, $width, $crate::Pad::Edge) };
    (@pad [($a:expr) ($width:expr)] { mode "empty" }) => { $crate::pad($a, $width, $crate::Pad::Empty) };
    (@pad [($a:expr) ($width:expr)] { mode "maximum" }) => { $crate::pad($a, $width, $crate::Pad::Maximum) };
    (@pad [($a:expr) ($width:expr)] { mode "mean" }) => { $crate::pad($a, $width, $crate::Pad::Mean) };
    (@pad [($a:expr) ($width:expr)] { mode "median" }) => { $crate::pad($a, $width, $crate::Pad::Median) };
    (@pad [($a:expr) ($width:expr)] { mode "minimum" }) => { $crate::pad($a, $width, $crate::Pad::Minimum) };
    (@pad [($a:expr) ($width:expr)] { mode "reflect" }) => { $crate::pad($a, $width, $crate::Pad::Reflect) };
    (@pad [($a:expr) ($width:expr)] { mode "symmetric" }) => { $crate::pad($a, $width, $crate::Pad::Symmetric) };
    (@pad [($a:expr) ($width:expr)] { mode "wrap" }) => { $crate::pad($a, $width, $crate::Pad::Wrap) };
    (@pad $values:tt { mode $word:literal }) => {
        $crate::registry::wrong_word! {
            mode ["constant" "edge" "empty" "linear_ramp" "maximum" "mean" "median" "minimum" "reflect" "symmetric" "wrap"] $word
        }
    };
    (plane $all:tt [$path:path] [($image:expr) ($kernel:expr)] { mode $($mode:tt)+ } { boundary "fill" } { fillvalue $value:expr }) => {
        $path($image, $kernel, $crate::__word!(mode $($mode)+), $crate::Boundary::Fill($value))
    };
    (plane $all:tt [$path:path] [($image:expr) ($kernel:expr)] { mode $($mode:tt)+ } { boundary "wrap" } $value:tt) => {
        $path($image, $kernel, $crate::__word!(mode $($mode)+), $crate::Boundary::Wrap)
    };
    (plane $all:tt [$path:path] [($image:expr) ($kernel:expr)] { mode $($mode:tt)+ } { boundary "symm" } $value:tt) => {
        $path($image, $kernel, $crate::__word!(mode $($mode)+), $crate::Boundary::Symmetric)
    };
    (plane $all:tt $path:tt $values:tt $mode:tt { boundary $word:literal } $value:tt) => {
        $crate::registry::wrong_word! { boundary ["fill" "wrap" "symm"] $word }
    };
    // The distinct elements, or parts along an axis, and what is asked for, in NumPy's order. They are always sorted.
    (unique $all:tt [] $a:tt $index:tt $inverse:tt $counts:tt $axis:tt { sorted $sorted:literal }) => {
        $crate::__call!(unique $all [] $a $index $inverse $counts $axis)
    };
    (unique $all:tt [] [($a:expr)] { return_index false } { return_inverse false } { return_counts false } { axis }) => {
        $crate::unique($a)
    };
    (unique $all:tt [] [($a:expr)] { return_index false } { return_inverse true } { return_counts false } { axis }) => {
        $crate::unique_inverse($a)
    };
    (unique $all:tt [] [($a:expr)] { return_index false } { return_inverse false } { return_counts true } { axis }) => {
        $crate::unique_counts($a)
    };
    (unique $all:tt [] [($a:expr)] { return_index $index:tt } { return_inverse $inverse:tt } { return_counts $counts:tt } { axis }) => {
        match $crate::unique_all($a) { found => $crate::__call!(@distinct $all found $index $inverse $counts) }
    };
    (unique $all:tt [] [($a:expr)] { return_index $index:tt } { return_inverse $inverse:tt } { return_counts $counts:tt } { axis $axis:expr }) => {
        match $crate::keywords::unique_along($a, $axis) { found => $crate::__call!(@distinct $all found $index $inverse $counts) }
    };
    (@distinct $all:tt $found:ident false false false) => { $found.0 };
    (@distinct $all:tt $found:ident true false false) => { ($found.0, $found.1) };
    (@distinct $all:tt $found:ident false true false) => { ($found.0, $found.2) };
    (@distinct $all:tt $found:ident false false true) => { ($found.0, $found.3) };
    (@distinct $all:tt $found:ident true true false) => { ($found.0, $found.1, $found.2) };
    (@distinct $all:tt $found:ident true false true) => { ($found.0, $found.1, $found.3) };
    (@distinct $all:tt $found:ident false true true) => { ($found.0, $found.2, $found.3) };
    (@distinct $all:tt $found:ident true true true) => { $found };
    (@distinct [$signature:tt $($all:tt)*] $($others:tt)*) => { $crate::registry::wrong_call! { $signature $($all)* } };
    (bincount $all:tt [] [($a:expr)] { weights } { minlength $minlength:expr }) => {
        $crate::bincount_with($a, $minlength)
    };
    (bincount $all:tt [] [($a:expr)] { weights $weights:expr } { minlength $minlength:expr }) => {
        $crate::bincount_weighted($a, $weights, $minlength)
    };

    // Without weights.
    (levels $all:tt [$one:path, $two:path, $three:path, $four:path, $($weighted:path),*] $values:tt $axis:tt $method:tt $keepdims:tt { weights }) => {
        $crate::__call!(levels $all [$one, $two, $three, $four] $values $axis $method $keepdims)
    };
    (levels $all:tt [$one:path, $two:path, $three:path, $four:path, $of_all:path, $along:path] [($a:expr) ($q:expr)] { axis } { method $method:expr } { keepdims $(false)? } { weights $weights:expr }) => {
        $of_all($a, $q, $method, $weights)
    };
    (levels $all:tt [$one:path, $two:path, $three:path, $four:path, $of_all:path, $along:path] [($a:expr) ($q:expr)] { axis } { method $method:expr } { keepdims true } { weights $weights:expr }) => {
        $along($a, $q, $crate::keywords::every_axis(true), $method, $weights)
    };
    (levels $all:tt $paths:tt $values:tt { axis $axis:expr } $method:tt { keepdims } $weights:tt) => {
        $crate::__call!(levels $all $paths $values { axis $axis } $method { keepdims false } $weights)
    };
    (levels $all:tt [$one:path, $two:path, $three:path, $four:path, $of_all:path, $along:path] [($a:expr) ($q:expr)] { axis $axis:expr } { method $method:expr } { keepdims $keepdims:expr } { weights $weights:expr }) => {
        $along($a, $q, $crate::keywords::axes($axis, $keepdims), $method, $weights)
    };
    // One level gives a number or an array, several give an array with an axis for the levels in front.
    (levels $all:tt [$whole:path, $along:path, $($by:path),+] $values:tt $axis:tt { method "linear" } $keepdims:tt) => {
        $crate::__call!(levels $all [$whole, $along] $values $axis $keepdims)
    };
    (levels $all:tt [$whole:path, $along:path, $whole_by:path, $by:path] [($a:expr) ($q:expr)] { axis } { method $method:expr } { keepdims $(false)? }) => {
        $whole_by($a, $q, $method)
    };
    (levels $all:tt [$whole:path, $along:path, $whole_by:path, $by:path] [($a:expr) ($q:expr)] { axis } { method $method:expr } { keepdims true }) => {
        $by($a, $q, $crate::keywords::every_axis(true), $method)
    };
    (levels $all:tt [$whole:path, $along:path, $whole_by:path, $by:path] [($a:expr) ($q:expr)] { axis $axis:expr } { method $method:expr } { keepdims }) => {
        $by($a, $q, $crate::keywords::axes($axis, false), $method)
    };
    (levels $all:tt [$whole:path, $along:path, $whole_by:path, $by:path] [($a:expr) ($q:expr)] { axis $axis:expr } { method $method:expr } { keepdims $keepdims:expr }) => {
        $by($a, $q, $crate::keywords::axes($axis, $keepdims), $method)
    };
    (levels $all:tt [$whole:path, $along:path] [($a:expr) ($q:expr)] { axis } { keepdims $(false)? }) => { $whole($a, $q) };
    (levels $all:tt [$whole:path, $along:path] [($a:expr) ($q:expr)] { axis } { keepdims true }) => {
        $along($a, $q, $crate::keywords::every_axis(true))
    };
    (levels $all:tt [$whole:path, $along:path] [($a:expr) ($q:expr)] { axis $axis:expr } { keepdims }) => {
        $along($a, $q, $crate::keywords::axes($axis, false))
    };
    (levels $all:tt [$whole:path, $along:path] [($a:expr) ($q:expr)] { axis $axis:expr } { keepdims $keepdims:expr }) => {
        $along($a, $q, $crate::keywords::axes($axis, $keepdims))
    };
    (average $all:tt $whole:tt $values:tt $axis:tt $weights:tt { returned false } $keepdims:tt) => {
        $crate::__call!(reduction $all $whole $values $axis $keepdims $weights)
    };
    // With the sums of the weights. Both need what is given, which is computed once.
    (average $all:tt $whole:tt [($a:expr)] $axis:tt { weights } { returned true } $keepdims:tt) => {
        match $a { a => $crate::__call!(@average $all $whole [(a)] $axis { weights } $keepdims) }
    };
    (average $all:tt $whole:tt [($a:expr)] $axis:tt { weights $weights:expr } { returned true } $keepdims:tt) => {
        match ($a, $weights) {
            (a, weights) => $crate::__call!(@average $all $whole [(a)] $axis { weights weights } $keepdims),
        }
    };
    (@average $all:tt $whole:tt $values:tt { axis } $weights:tt $keepdims:tt) => {
        $crate::__call!(@sums $all $whole $values { axis } $weights $keepdims)
    };
    (@average $all:tt $whole:tt $values:tt { axis $axis:expr } $weights:tt { keepdims }) => {
        match $crate::keywords::list_of_axes($axis) {
            axis => $crate::__call!(@sums $all $whole $values { axis (&axis) } $weights { keepdims }),
        }
    };
    (@average $all:tt $whole:tt $values:tt { axis $axis:expr } $weights:tt { keepdims $keepdims:expr }) => {
        match ($crate::keywords::list_of_axes($axis), $keepdims) {
            (axis, keepdims) => $crate::__call!(@sums $all $whole $values { axis (&axis) } $weights { keepdims keepdims }),
        }
    };
    (@sums [($name:ident $($s:tt)*) $($all:tt)*] $whole:tt $values:tt $axis:tt $weights:tt $keepdims:tt) => {
        (
            $crate::__call!(reduction [($name $($s)*) $($all)*] $whole $values $axis $keepdims $weights),
            $crate::__call!(reduction [(sums_of_weights $($s)*) $($all)*] [$crate::keywords::count_of] $values $axis $keepdims $weights),
        )
    };
    (norm $all:tt $whole:tt $values:tt { ord } { axis } { keepdims }) => {
        $crate::__call!(reduction $all $whole $values { axis } { dtype } { keepdims })
    };
    (norm $all:tt $whole:tt $values:tt { ord $($ord:tt)? } $axis:tt $keepdims:tt) => {
        $crate::__call!(norm $all $whole $values $axis $keepdims { ord $($ord)? })
    };
    (norm $all:tt $whole:tt $values:tt { axis $($axis:tt)? } { keepdims $($keepdims:tt)? } { ord }) => {
        $crate::__call!(norm $all $whole $values { axis $($axis)? } { keepdims $($keepdims)? } { ord () })
    };
    (norm $all:tt $whole:tt $values:tt { axis $($axis:tt)? } { keepdims $($keepdims:tt)? } { ord $ord:tt }) => {
        $crate::__call!(
            reduction $all $whole $values { axis $($axis)? } { dtype } { keepdims $($keepdims)? } { ord $ord }
        )
    };
    // Reductions. First: which axes, and whether the result keeps them.
    (reduction $all:tt $whole:tt $values:tt { axis $($axis:tt)? } { keepdims $($keepdims:tt)? } $($others:tt)*) => {
        $crate::__call!(
            reduction $all $whole $values { axis $($axis)? } { dtype } { keepdims $($keepdims)? } $($others)*
        )
    };
    (reduction $all:tt $whole:tt $values:tt { axis } $dtype:tt { keepdims false } $($others:tt)*) => {
        $crate::__call!(reduction $all $whole $values { axis } $dtype { keepdims } $($others)*)
    };
    // Nothing is given: the function without keywords.
    (reduction $all:tt [$whole:path] [$(($value:expr))*] { axis } { dtype } { keepdims } $({ $key:tt })*) => {
        $whole($($value),*)
    };
    (reduction [($name:ident $($s:tt)*) $($all:tt)*] $whole:tt $values:tt
     { axis } { dtype $($dtype:tt)* } { keepdims } $($others:tt)*) => {
        $crate::__call!(@reduce $name $values ($crate::keywords::every_axis(false)) [$($dtype)*] $($others)*).item()
    };
    (reduction [($name:ident $($s:tt)*) $($all:tt)*] $whole:tt $values:tt
     { axis } { dtype $($dtype:tt)* } { keepdims true } $($others:tt)*) => {
        $crate::__call!(@reduce $name $values ($crate::keywords::every_axis(true)) [$($dtype)*] $($others)*)
    };
    (reduction [($name:ident $($s:tt)*) $($all:tt)*] $whole:tt $values:tt
     { axis $axis:expr } { dtype $($dtype:tt)* } { keepdims } $($others:tt)*) => {
        $crate::__call!(@reduce $name $values ($crate::keywords::axes($axis, false)) [$($dtype)*] $($others)*)
    };
    (reduction [($name:ident $($s:tt)*) $($all:tt)*] $whole:tt $values:tt
     { axis $axis:expr } { dtype $($dtype:tt)* } { keepdims $keepdims:expr } $($others:tt)*) => {
        $crate::__call!(@reduce $name $values ($crate::keywords::axes($axis, $keepdims)) [$($dtype)*] $($others)*)
    };
    // Then: the element type.
    (@reduce $name:ident [($a:expr) $($values:tt)*] $axes:tt [$dtype:ty] $($others:tt)*) => {
        $crate::__call!(
            @reduce $name [(&$crate::keywords::astype::<$dtype, _>($a)) $($values)*] $axes [] $($others)*
        ).astype::<$dtype>()
    };
    (@reduce $name:ident [$(($value:expr))*] ($axes:expr) [] $({ $($other:tt)+ })*) => {
        $crate::keywords::$name($($value,)* $axes $(, $crate::__call!(@option $($other)+))*)
    };
    (@option ddof) => { 0.0 };
    (@option ddof $($ddof:tt)+) => { ($($ddof)+) as f64 };
    (@option ord $($ord:tt)+) => { $($ord)+ };
    (@option $key:tt) => { ::core::option::Option::None };
    (@option $key:tt $($value:tt)+) => { ::core::option::Option::Some($($value)+) };

    ($kind:tt [$signature:tt $($all:tt)*] $($others:tt)*) => {
        $crate::registry::wrong_call! { $signature $($all)* }
    };
}

/// Defines `__word!`: what NumPy's words for the value of a keyword stand for here.
macro_rules! words {
    ($d:tt $($key:tt { $($word:tt => $($value:ident)::+),* })*) => {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! __word {
            $(
                $(($key $word) => { $crate::$($value)::+ };)*
                ($key $d word:literal) => {
                    $crate::registry::wrong_word! { $key [$($word)*] $d word }
                };
            )*
            ($d key:tt $d($d value:tt)+) => { $d($d value)+ };
        }
    };
}
words! { $
    side { "left" => Side::Left, "right" => Side::Right }
    right { false => Side::Left, true => Side::Right }
    mode { "full" => Mode::Full, "same" => Mode::Same, "valid" => Mode::Valid }
    norm {
        "backward" => fft::Norm::Backward, "ortho" => fft::Norm::Ortho,
        "forward" => fft::Norm::Forward
    }
}
