//! How a call with keywords is read. See the head of [`keywords`](super).
//!
//! These are declarative macros because rust-analyzer expands only these: so a variable made by such a call has a type.

/// Defines `__keywords!`, which needs one rule for each keyword, and one for each name of a value that is needed: a macro compares words
/// only with words in its rules.
macro_rules! reader {
    ($d:tt [$($key:tt)*] [$($needed:tt)*]) => {
        /// Reads a call with keywords: its values by position, then its keywords in the order of the table.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! __keywords {
            // All is read. Now each keyword of the table is looked up.
            (@read $d row:tt [] $d positional:tt $d values:tt $d given:tt $d all:tt;) => {
                $crate::__keywords! { @known $d row $d given $d values $d all }
            };
            // As if it were not there.
            (@read $d row:tt $d needed:tt $d positional:tt $d values:tt [$d($d given:tt)*] $d all:tt;
             $d key:ident = None $d(, $d($d rest:tt)*)?) => {
                $crate::__keywords! {
                    @read $d row $d needed $d positional $d values [$d($d given)* { $d key }] $d all; $d($d($d rest)*)?
                }
            };
            (@read $d row:tt $d needed:tt $d positional:tt $d values:tt [$d($d given:tt)*] $d all:tt;
             dtype = $d type:ty $d(, $d($d rest:tt)*)?) => {
                $crate::__keywords! {
                    @read $d row $d needed $d positional $d values [$d($d given)* { dtype $d type }] $d all;
                    $d($d($d rest)*)?
                }
            };
            // A value that is one token stays one: words are compared, as `true` or `"same"`.
            (@read $d row:tt $d needed:tt $d positional:tt $d values:tt [$d($d given:tt)*] $d all:tt;
             $d key:ident = $d value:tt $d(, $d($d rest:tt)*)?) => {
                $crate::__keywords! {
                    @read $d row $d needed $d positional $d values [$d($d given)* { $d key $d value }] $d all;
                    $d($d($d rest)*)?
                }
            };
            (@read $d row:tt $d needed:tt $d positional:tt $d values:tt [$d($d given:tt)*] $d all:tt;
             $d key:ident = $d value:expr $d(, $d($d rest:tt)*)?) => {
                $crate::__keywords! {
                    @read $d row $d needed $d positional $d values [$d($d given)* { $d key $d value }] $d all;
                    $d($d($d rest)*)?
                }
            };
            // `[…]`, `(&a, &b)` and `&[…]` stay the tokens that they are.
            (@read $d row:tt [$d first:tt $d($d needed:tt)*] $d positional:tt [$d($d values:tt)*] $d given:tt $d all:tt;
             $d value:tt $d(, $d($d rest:tt)*)?) => {
                $crate::__keywords! {
                    @read $d row [$d($d needed)*] $d positional [$d($d values)* ($d value)] $d given $d all;
                    $d($d($d rest)*)?
                }
            };
            (@read $d row:tt [$d first:tt $d($d needed:tt)*] $d positional:tt [$d($d values:tt)*] $d given:tt $d all:tt;
             & $d value:tt $d(, $d($d rest:tt)*)?) => {
                $crate::__keywords! {
                    @read $d row [$d($d needed)*] $d positional [$d($d values)* (&$d value)] $d given $d all;
                    $d($d($d rest)*)?
                }
            };
            (@read $d row:tt [$d first:tt $d($d needed:tt)*] $d positional:tt [$d($d values:tt)*] $d given:tt $d all:tt;
             $d value:expr $d(, $d($d rest:tt)*)?) => {
                $crate::__keywords! {
                    @read $d row [$d($d needed)*] $d positional [$d($d values)* ($d value)] $d given $d all;
                    $d($d($d rest)*)?
                }
            };
            (@read $d row:tt [] [$d first:tt $d($d positional:tt)*] $d values:tt [$d($d given:tt)*] $d all:tt;
             $d value:tt $d(, $d($d rest:tt)*)?) => {
                $crate::__keywords! {
                    @read $d row [] [$d($d positional)*] $d values [$d($d given)* { $d first $d value }] $d all;
                    $d($d($d rest)*)?
                }
            };
            (@read $d row:tt [] [$d first:tt $d($d positional:tt)*] $d values:tt [$d($d given:tt)*] $d all:tt;
             $d value:expr $d(, $d($d rest:tt)*)?) => {
                $crate::__keywords! {
                    @read $d row [] [$d($d positional)*] $d values [$d($d given)* { $d first $d value }] $d all;
                    $d($d($d rest)*)?
                }
            };
            // Values that are needed may be given by name, too: `sigma = 2`. Those by position come first.
            (@read $d row:tt $d needed:tt $d positional:tt $d values:tt $d given:tt $d all:tt;) => {
                $crate::__keywords! { @need $d row $d needed $d values $d given [] $d all }
            };
            (@read [$d signature:tt $d known:tt $d call:tt] $d needed:tt $d positional:tt $d values:tt $d given:tt
             [$d($d all:tt)*]; $d($d rest:tt)*) => {
                $crate::registry::wrong_call! { $d signature $d($d all)* }
            };
            (@need $d row:tt [] $d values:tt [$d($d given:tt)*] [$d($d passed:tt)*] $d all:tt) => {
                $crate::__keywords! { @known $d row [$d($d passed)* $d($d given)*] $d values $d all }
            };
            $(
                (@need $d row:tt [$needed $d($d more:tt)*] [$d($d values:tt)*] [{ $needed $d($d value:tt)+ } $d($d given:tt)*]
                 [$d($d passed:tt)*] $d all:tt) => {
                    $crate::__keywords! {
                        @need $d row [$d($d more)*] [$d($d values)* ($d($d value)+)] [$d($d passed)* $d($d given)*] [] $d all
                    }
                };
            )*
            (@need $d row:tt $d needed:tt $d values:tt [$d first:tt $d($d given:tt)*] [$d($d passed:tt)*] $d all:tt) => {
                $crate::__keywords! { @need $d row $d needed $d values [$d($d given)*] [$d($d passed)* $d first] $d all }
            };
            // It is not given.
            (@need [$d signature:tt $d known:tt $d call:tt] $d needed:tt $d values:tt [] $d passed:tt [$d($d all:tt)*]) => {
                $crate::registry::wrong_call! { $d signature $d($d all)* }
            };

            (@known [$d signature:tt $d known:tt $d call:tt] $d given:tt $d values:tt $d all:tt) => {
                $crate::__keywords! { @find $d signature $d call $d known $d given [] $d values [] $d all }
            };
            // `axis = None` is all elements, along one axis, where the default is another axis.
            (@find $d signature:tt [flat $d($d paths:tt)*] [{ axis $d($d default:tt)* } $d($d known:tt)*]
             [{ axis } $d($d given:tt)*] [$d($d passed:tt)*] $d values:tt [$d($d found:tt)*] $d all:tt) => {
                $crate::__keywords! {
                    @find $d signature [flat $d($d paths)*] [$d($d known)*] [$d($d passed)* $d($d given)*] [] $d values
                    [$d($d found)* { axis None }] $d all
                }
            };
            // The keyword that comes next in the table is given here.
            $(
                (@find $d signature:tt $d call:tt [{ $key $d($d default:tt)* } $d($d known:tt)*]
                 [{ $key $d($d value:tt)+ } $d($d given:tt)*] [$d($d passed:tt)*] $d values:tt [$d($d found:tt)*] $d all:tt) => {
                    $crate::__keywords! {
                        @find $d signature $d call [$d($d known)*] [$d($d passed)* $d($d given)*] [] $d values
                        [$d($d found)* { $key $d($d value)+ }] $d all
                    }
                };
                (@find $d signature:tt $d call:tt [{ $key $d($d default:tt)* } $d($d known:tt)*]
                 [{ $key } $d($d given:tt)*] [$d($d passed:tt)*] $d values:tt [$d($d found:tt)*] $d all:tt) => {
                    $crate::__keywords! {
                        @find $d signature $d call [$d($d known)*] [$d($d passed)* $d($d given)*] [] $d values
                        [$d($d found)* { $key $d($d default)* }] $d all
                    }
                };
            )*
            (@find $d signature:tt $d call:tt $d known:tt [$d first:tt $d($d given:tt)*] [$d($d passed:tt)*] $d values:tt
             $d found:tt $d all:tt) => {
                $crate::__keywords! {
                    @find $d signature $d call $d known [$d($d given)*] [$d($d passed)* $d first] $d values $d found $d all
                }
            };
            // It is not given.
            (@find $d signature:tt $d call:tt [$d first:tt $d($d known:tt)*] [] $d passed:tt $d values:tt
             [$d($d found:tt)*] $d all:tt) => {
                $crate::__keywords! {
                    @find $d signature $d call [$d($d known)*] $d passed [] $d values [$d($d found)* $d first] $d all
                }
            };
            (@find $d signature:tt [$d kind:tt $d($d call:tt)*] [] [] [] $d values:tt [$d($d found:tt)*] [$d($d all:tt)*]) => {
                $crate::__call! { $d kind [$d signature $d($d all)*] [$d($d call)*] $d values $d($d found)* }
            };
            // What is left is not in the table, or is there twice.
            (@find $d signature:tt $d call:tt [] [] $d left:tt $d values:tt $d found:tt [$d($d all:tt)*]) => {
                $crate::registry::wrong_call! { $d signature $d($d all)* }
            };
        }
    };
}

reader! { $ [
    Fs M N NFFT UPLO a absolute_sigma alpha alternative analog antisymmetric append assume_sorted assume_unique atol
    average aweights axes axis axis1 axis2 axisa axisb axisc base bc_type bias bins bitorder border_value boundary
    bounds bounds_error bp bracket btol btype bw bwr center comments compute_uv conlim constant_values copy
    correction count cov cval d damp ddof decimals default deg degree delimiter delta density deriv detrend discont
    distance down dtype duty dx edge_order edgeitems end_values endpoint epsilon equal_nan equal_var exp_digits
    extrapolate f_exp fc fftbins fill_value filling_values fillvalue fisher floating_mean floatmode fmt footer
    footprint format fprime fractional freq_axis fs ftol ftype full full_matrices fweights grid_mode gtol header
    height hermitian high idx include_initial include_nyquist inclusive increasing ind indexing initial
    input_onesided invert iter_lim iterations jac k keepdims kernel kernel_size kind lam left length limits loc low
    lower lowerlimit m mask max_label max_line_width max_nfev max_rows maxiter mean method metric min_digits
    minlength mode mysize n names nan nbar ncv ndim ndmin neginf newline nfft nfreqs noise norm normalize normed
    noverlap nperseg num offset ord order origin origin1 origin2 orthogonalize output output_shape p pad_left
    pad_right padded padding padlen padtype pass_zero period phi plateau_size pos posinf precision prefilter prefix
    prepend prominence qk r radius range rcond real reflect_type rel_height repetition replace reshape restart
    retstep return_counts return_eigenvectors return_index return_indices return_inverse return_onesided
    return_singular_vectors returned right rng rowvar rtol s sampling scale scaling sep separator shape shift side
    sigma sign size skip_footer skip_header skiprows sll smoothing sorted sorter spacing sparse stable start
    stat_length state step stop structure structure2 suffix suppress_small sym taps tau tf32 threshold time_axis
    to_begin to_end tol trans trim truncate type unique unit_diagonal unpack up upper upperlimit use usecols v0
    variable vertex_zero w weights where which whole width window wlen worN wrap x x0 x3 x4 xtol y zero_phase zi
] [
    A M N Nx Wn X XA XB Zxx a a1 a2 alist alpha angle ar1 ar2 arr array arrays ary at axis b beta bins buffer c
    c_or_r choicelist choices comparator compare condition condlist coordinates cov csgraph cutoff d data data1
    data2 deg df dfden dfnum diagonals dimensions dims dln down dst element f f0 f1 f_obs file fill_value filt fname
    fp freq freqs fun func gain h im in1 in1_len in2 in2_len ind indices input iter k kappa keys kth left low
    lu_and_piv m matrix mean mode mu multi_index n nbad nbits ngood nonc nsample num number numtaps obj object
    offsets p p0 pad_width peaks percentile pk points poly polyorder proportiontocut pvals q rank repeats right rp
    rs sample scale scores sections shape shift sig sigma size sos src start std stop string structure structure1 t
    t1 target test_elements tup u up v val values volume weights window window_length window_shape x x0 x1 x2 xdata
    xi xp y ydata z zoom
] }
