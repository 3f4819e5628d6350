//! Factorisations of matrices on CUDA, by cuSOLVER, and by cuBLAS for many small ones; the rest is in
//! `kernels/factorisations.cu`. Small ones have kernels of their own ([`small`]).
//!
//! The libraries take matrices by columns, and work in place. So each is copied once, by columns where that matters, and what is
//! asked for by rows is copied back; for the eigenvalues of symmetric matrices rows do as well. By rows a Hermitian matrix is its own
//! conjugate, so its eigenvectors would not be right.
//!
//! Whether a matrix has a result, the device knows ([`Found`]): the host waits for that, or a kernel reports it later.

use super::{Compiled, CudaAllocation, CudaBackend, Program, address_of, blocks, kernels, memory_of, source_of};
use std::sync::Arc;
use warpcell_base::backend::factorisations::{Factorisation, Factorisations, Fault, FaultCheck, SvdOutputs, Triangle};
use warpcell_base::backend::{Allocation, Layout, View};
use warpcell_base::dtype::{DType, Scalar};
use warpcell_base::error::Result;
use warpcell_driver::checks::Asked;
use warpcell_driver::context::Device;
use warpcell_driver::cusolver::{Session, SingularVectors, Solver, Stack, Statuses, cuComplex, cuDoubleComplex};
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory::DeviceMemory;
use warpcell_driver::module::Function;
use warpcell_driver::staging;

mod small;

const SOURCE: &str =
    concat!(include_str!("../kernels/factorisations.cuh"), "#line 1\n", include_str!("../kernels/factorisations.cu"));
const THREADS: usize = 256;
const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];
/// Matrices with no more rows are factorised all at once, larger ones one after the other.
const MOST_TOGETHER: usize = 256;
/// Singular vectors of as many columns at least are found by the polar decomposition.
const POLAR: usize = 64;
/// Smaller general matrices the host is quicker with.
const GENERAL: usize = 256;

pub(super) struct Factorise {
    device: Arc<Device>,
    solver: Solver,
    /// For each of [`DTYPES`].
    kernels: [Compiled<Kernels>; DTYPES.len()],
    small: small::Small,
}

kernels! {
    struct Kernels {
        triangle = c"triangle",
        identity = c"identity",
        exchanged_identity = c"exchanged_identity",
        determinants = c"determinants",
        find_nan = c"find_nan",
        find_not_finite = c"find_not_finite",
        clear_found = c"clear_found",
        spread_nan = c"spread_nan",
        positive_diagonals = c"positive_diagonals",
        report_statuses = c"report_statuses",
        addresses = c"addresses",
        pairs = c"vectors_of_pairs",
    }
}

/// `Strides` in the kernels' source.
#[repr(C)]
#[derive(Clone, Copy)]
struct Strides([i64; 3]);

/// A stack of matrices for work.
struct Scratch {
    allocation: Arc<dyn Allocation>,
    layout: Layout,
    dtype: DType,
}

impl Scratch {
    fn view(&self) -> View<'_> {
        View { allocation: &self.allocation, layout: &self.layout, dtype: self.dtype }
    }
}

/// What an LU factorisation leaves beside the matrices.
struct Lu {
    matrices: Stack,
    pivots: DeviceMemory,
    statuses: Statuses,
    /// Of the matrices, if they were factorised all at once.
    addresses: Option<DeviceMemory>,
}

/// Where it stands whether there are faults.
enum Found {
    /// It is known.
    Known(Option<Fault>),
    /// On the device, a status for each matrix; and for each another number than 0 if it is not finite, where that was looked for.
    Statuses(Statuses, Option<DeviceMemory>),
    /// On the device, the first fault of all.
    First(small::First),
}

/// No faults, or none that there could be.
const NONE: Found = Found::Known(None);

/// Calls a method of a session for the dtype, of floats or complex numbers.
macro_rules! for_field {
    ($dtype:expr, $session:ident.$method:ident($($argument:expr),* $(,)?)) => {
        match $dtype {
            // SAFETY: the stacks are those of contiguous views or scratch, and so lie in live allocations; the rest is as the
            // backend's contract says.
            DType::F32 => unsafe { $session.$method::<f32>($($argument),*) },
            // SAFETY: as above.
            DType::C64 => unsafe { $session.$method::<cuComplex>($($argument),*) },
            // SAFETY: as above.
            DType::C128 => unsafe { $session.$method::<cuDoubleComplex>($($argument),*) },
            // SAFETY: as above.
            _ => unsafe { $session.$method::<f64>($($argument),*) },
        }
    };
}

/// The number of matrices, of their rows and of their columns.
fn lengths(view: View<'_>) -> (usize, usize, usize) {
    let &[count, rows, columns] = &view.layout.shape[..] else { unreachable!("a stack of matrices has three axes") };
    (count, rows, columns)
}

fn strides(view: View<'_>) -> Strides {
    let &[step, down, right] = &view.layout.strides[..] else { unreachable!("a stack of matrices has three axes") };
    Strides([step as i64, down as i64, right as i64])
}

/// The layout with rows and columns exchanged.
fn transposed(layout: &Layout) -> Layout {
    let mut layout = layout.clone();
    layout.shape.swap(1, 2);
    layout.strides.swap(1, 2);
    layout
}

/// What the library is told of a contiguous stack: its rows are what the library calls columns.
fn by_columns(view: View<'_>) -> Result<Stack> {
    let (count, columns, rows) = lengths(view);
    Ok(Stack { address: address_of(view)?, rows, columns, count })
}

impl Factorise {
    pub fn new(device: &Arc<Device>) -> Factorise {
        Factorise {
            device: device.clone(),
            solver: Solver::new(device),
            kernels: Default::default(),
            small: Default::default(),
        }
    }

    fn kernels(&self, dtype: DType) -> Result<&Kernels> {
        let at = DTYPES.iter().position(|&other| other == dtype).expect("a type of matrices that are factorised");
        self.kernels[at].get(&self.device, || program(dtype))
    }

    /// The addresses of the matrices of a stack.
    fn addresses(&self, dtype: DType, stack: Stack) -> Result<DeviceMemory> {
        let memory = DeviceMemory::new(&self.device, stack.count * size_of::<u64>())?;
        let (out, start, count) = (memory.address(), stack.address, stack.count as i64);
        let bytes = (stack.rows * stack.columns * dtype.size()) as u64;
        let grid = blocks("a factorisation", stack.count, THREADS)?;
        let mut arguments = arguments![out, start, bytes, count];
        // SAFETY: the module is in `self`; the arguments are those of `addresses`, and `memory` has room for them all.
        unsafe {
            launch(&self.device, self.kernels(dtype)?.addresses, (grid, 1), THREADS as u32, &mut arguments)?;
        }
        Ok(memory)
    }

    /// Queues a kernel that looks at all elements of the matrices, and gives what it writes: a number for each matrix, which begins
    /// as 0.
    fn marks(&self, kernel: Function, a: Stack) -> Result<DeviceMemory> {
        let found = DeviceMemory::new(&self.device, a.count * size_of::<i32>())?;
        found.set_bytes(0)?;
        self.over_matrices(kernel, a, &found)?;
        Ok(found)
    }

    /// Queues a kernel for all elements of the matrices, with a number for each of them.
    fn over_matrices(&self, kernel: Function, a: Stack, found: &DeviceMemory) -> Result<()> {
        let (matrices, size, found) = (a.address, (a.rows * a.columns) as i64, found.address());
        let each = (a.rows * a.columns).div_ceil(THREADS * 16).clamp(1, 1024) as u32;
        let grid = (blocks("a factorisation", a.count, 1)?, each);
        let mut arguments = arguments![matrices, size, found];
        // SAFETY: the module is in `self`; the arguments are those of `find_nan` and its like; the matrices lie one after the other
        // in live memory, and there is a number for each.
        unsafe { launch(&self.device, kernel, grid, THREADS as u32, &mut arguments) }
    }

    /// Queues LU with row exchanges, in place.
    fn lu(&self, session: &Session<'_>, dtype: DType, a: Stack) -> Result<Lu> {
        let statuses = Statuses::new(&self.device, a.count)?;
        let pivots = DeviceMemory::new(&self.device, a.count * a.rows.min(a.columns) * size_of::<i32>())?;
        let found = self.marks(self.kernels(dtype)?.find_nan, a)?;
        let (lu, found_address, matrices) = (a.address, found.address(), blocks("lu", a.count, 1)?);
        let are_together = a.count > 1 && a.rows <= MOST_TOGETHER && a.rows == a.columns;
        let addresses = are_together.then(|| self.addresses(dtype, a)).transpose()?;
        if let Some(addresses) = &addresses {
            for_field!(dtype, session.lu_together(a, addresses.address(), pivots.address(), &statuses))?;
        } else {
            for_field!(dtype, session.lu(a, pivots.address(), &statuses))?;
        }
        let (rows, columns) = (a.rows as i64, a.columns as i64);
        let (pivots_address, statuses_address) = (pivots.address(), statuses.address());
        let mut arguments = arguments![lu, pivots_address, statuses_address, found_address, rows, columns];
        // SAFETY: the module is in `self`; the arguments are those of `spread_nan`; the matrices lie by columns in live memory, with
        // `min(rows, columns)` pivots and a status for each.
        unsafe {
            launch(&self.device, self.kernels(dtype)?.spread_nan, (matrices, 1), THREADS as u32, &mut arguments)?;
        }
        Ok(Lu { matrices: a, pivots, statuses, addresses })
    }

    /// Queues the solutions of `a[i] x = b[i]`, in place of `b`.
    fn solve(&self, session: &Session<'_>, dtype: DType, lu: &Lu, b: Stack) -> Result<()> {
        if let Some(factors) = &lu.addresses {
            let right = self.addresses(dtype, b)?;
            let addresses = [factors.address(), right.address()];
            for_field!(dtype, session.solve_together(lu.matrices, lu.pivots.address(), b, addresses))
        } else {
            for_field!(dtype, session.solve(lu.matrices, lu.pivots.address(), b))
        }
    }

    /// Queues identity matrices into a contiguous stack.
    fn identity(&self, out: View<'_>) -> Result<()> {
        let (size, n) = (out.layout.size(), out.layout.shape[2] as i64);
        let grid = blocks("inv", size, THREADS)?;
        let (target, size) = (address_of(out)?, size as i64);
        let mut arguments = arguments![target, size, n];
        // SAFETY: the module is in `self`; the arguments are those of `identity`, and the view has `size` elements.
        unsafe { launch(&self.device, self.kernels(out.dtype)?.identity, (grid, 1), THREADS as u32, &mut arguments) }
    }
}

impl Factorise {
    /// Queues identity matrices, by columns, after the row exchanges of some factors, into a contiguous stack of zeros.
    fn exchanged_identity(&self, out: View<'_>, lu: &Lu) -> Result<()> {
        let (count, n, _) = lengths(out);
        let (target, pivots, rows) = (address_of(out)?, lu.pivots.address(), n as i64);
        let grid = (blocks("inv", n, THREADS)?, blocks("inv", count, 1)?);
        let mut arguments = arguments![target, pivots, rows];
        // SAFETY: the module is in `self`; the arguments are those of `exchanged_identity`; there are `n` pivots for each matrix.
        unsafe {
            launch(&self.device, self.kernels(out.dtype)?.exchanged_identity, grid, THREADS as u32, &mut arguments)
        }
    }
}

impl CudaBackend {
    fn scratch(&self, dtype: DType, shape: [usize; 3]) -> Result<Scratch> {
        let bytes = shape.iter().product::<usize>() * dtype.size();
        let allocation: Arc<dyn Allocation> = Arc::new(CudaAllocation(DeviceMemory::new(&self.device, bytes)?));
        Ok(Scratch { allocation, layout: Layout::contiguous(&shape), dtype })
    }

    /// A copy by columns, with room for `columns` of them in each matrix.
    fn columns(&self, x: View<'_>, columns: usize) -> Result<Scratch> {
        let (count, m, n) = lengths(x);
        let scratch = self.scratch(x.dtype, [count, columns, m])?;
        let mut layout = transposed(&scratch.layout);
        layout.shape[2] = n;
        self.elementwise.copy(x, View { layout: &layout, ..scratch.view() })?;
        Ok(scratch)
    }

    /// A copy by rows.
    fn rows(&self, x: View<'_>) -> Result<Scratch> {
        let (count, m, n) = lengths(x);
        let scratch = self.scratch(x.dtype, [count, m, n])?;
        self.elementwise.copy(x, scratch.view())?;
        Ok(scratch)
    }

    /// Copies matrices that lie by columns, the first of them, to a view.
    fn copy_back(&self, scratch: &Scratch, out: View<'_>) -> Result<()> {
        let mut layout = transposed(&scratch.layout);
        layout.shape.clone_from(&out.layout.shape);
        self.elementwise.copy(View { layout: &layout, ..scratch.view() }, out)
    }

    /// See [`Factorisations::triangle`]; the checks are followed already, or of no matter.
    fn copy_triangle(&self, x: View<'_>, part: Triangle, out: View<'_>) -> Result<()> {
        let (_, rows, columns) = lengths(x);
        let (size, rows, columns) = (x.layout.size() as i64, rows as i64, columns as i64);
        let (address, target, from, to) = (source_of(x)?, address_of(out)?, strides(x), strides(out));
        let part = match part {
            Triangle::Upper => 0i32,
            Triangle::Lower => 1,
            Triangle::UnitLower => 2,
        };
        let grid = blocks("a triangle", size as usize, THREADS)?;
        let mut arguments = arguments![address, target, size, rows, columns, from, to, part];
        let function = self.factorise.kernels(x.dtype)?.triangle;
        // SAFETY: the module is in `self`; the arguments are those of `triangle`, whose elements all lie in the views.
        unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) }
    }
}

impl Factorisations for CudaBackend {
    fn can_factorise(&self) -> Result<()> {
        self.factorise.solver.present()
    }

    fn finds_eigenvalues(&self, rows: usize) -> bool {
        rows >= GENERAL && self.factorise.solver.has_general()
    }

    fn finds_least_squares(&self) -> bool {
        false
    }

    fn least_squares(&self, _: [View<'_>; 2], _: f64, _: &[View<'_>]) -> Result<Option<Fault>> {
        unreachable!("nobody asks a device for it")
    }

    fn triangle(&self, x: View<'_>, part: Triangle, out: View<'_>) -> Result<()> {
        self.follow_checks(|see| {
            see(x, false);
            see(out, true);
        })?;
        self.copy_triangle(x, part, out)
    }

    fn lu(&self, x: View<'_>, packed: View<'_>) -> Result<Vec<usize>> {
        self.know_checks();
        let (count, m, n) = lengths(x);
        let scratch = self.columns(x, n)?;
        let session = self.factorise.solver.session()?;
        let Lu { pivots, statuses, .. } = self.factorise.lu(&session, x.dtype, by_columns(scratch.view())?)?;
        drop(session);
        self.copy_back(&scratch, packed)?;
        // A pivot of 0 is not a fault here.
        statuses.read(&self.device)?;
        let each = m.min(n);
        let mut bytes = vec![0; count * each * size_of::<i32>()];
        // SAFETY: the block has as many bytes.
        unsafe { staging::download(&self.device, pivots.address(), &mut bytes)? };
        let mut orders = Vec::with_capacity(count * m);
        for pivots in bytes.as_chunks::<4>().0.chunks(each) {
            let start = orders.len();
            orders.extend(0..m);
            for (row, &pivot) in pivots.iter().enumerate() {
                // From 1, and below `m` in any case.
                let other = (i32::from_ne_bytes(pivot) as usize).clamp(1, m) - 1;
                orders.swap(start + row, start + other);
            }
        }
        Ok(orders)
    }

    fn reports_later(&self) -> bool {
        true
    }

    fn factorise(
        &self,
        what: Factorisation,
        inputs: &[View<'_>],
        outputs: &[View<'_>],
        later: Option<FaultCheck>,
    ) -> Result<Option<Fault>> {
        let (x, out, second) = (inputs[0], outputs[0], outputs.get(1).copied());
        let found = match what {
            Factorisation::Determinants => self.determinants(x, out),
            Factorisation::Inverses => self.inverses(x, out),
            Factorisation::Solve => self.solve(x, inputs[1], out),
            Factorisation::Qr => self.qr(x, second, out),
            Factorisation::Cholesky => self.cholesky(x, out),
            Factorisation::Eigh => self.eigh(x, out, second, later.is_some()),
            Factorisation::Eig => self.eig(x, out, second),
            Factorisation::Svd => self.svd(x, out, second.map(|u| SvdOutputs { u, vh: outputs[2] })),
        }?;
        if let Some(later) = later
            && !matches!(found, Found::Known(_))
        {
            return self.report_later(&found, x.dtype, later, inputs, outputs).map(|()| None);
        }
        self.follow_checks(|see| {
            inputs.iter().for_each(|&input| see(input, false));
            outputs.iter().for_each(|&output| see(output, true));
        })?;
        match found {
            Found::Known(fault) => Ok(fault),
            Found::Statuses(statuses, _) => statuses.read(&self.device),
            Found::First(first) => first.read(&self.device),
        }
    }
}

/// What [`Factorisations::factorise`] does.
impl CudaBackend {
    /// Queues a kernel that reports the first fault, and says that the outputs depend on that.
    fn report_later(
        &self,
        found: &Found,
        dtype: DType,
        later: FaultCheck,
        inputs: &[View<'_>],
        outputs: &[View<'_>],
    ) -> Result<()> {
        // While it is held, no round of checks ends.
        let check = self.device.begin_check(Asked::Factors(later))?;
        let mut set = check.set;
        for input in inputs {
            set |= self.device.checks_of(memory_of(input.allocation)?)?;
        }
        for output in outputs {
            self.device.add_checks(memory_of(output.allocation)?, set);
        }
        let (report, call) = (check.report, check.call);
        match found {
            Found::Known(_) => Ok(()),
            Found::Statuses(statuses, not_finite) => {
                let (address, count) = (statuses.address(), statuses.count() as i64);
                let not_finite = not_finite.as_ref().map_or(0, DeviceMemory::address);
                let mut arguments = arguments![address, not_finite, count, report, call];
                let kernel = self.factorise.kernels(dtype)?.report_statuses;
                // SAFETY: the module is in `self`; the arguments are those of `report_statuses`, with a status for each matrix, and
                // another number or none; a report has room at its address.
                unsafe { launch(&self.device, kernel, (1, 1), THREADS as u32, &mut arguments) }
            }
            Found::First(first) => self.report_first(first, dtype, report, call),
        }
    }

    fn determinants(&self, x: View<'_>, out: View<'_>) -> Result<Found> {
        if CudaBackend::are_small(x) {
            return self.small_determinants(x, out).map(|()| NONE);
        }
        let (count, n, _) = lengths(x);
        let scratch = self.columns(x, n)?;
        let a = by_columns(scratch.view())?;
        let session = self.factorise.solver.session()?;
        let Lu { pivots, statuses, .. } = self.factorise.lu(&session, x.dtype, a)?;
        let (lu, pivots_address, statuses_address) = (a.address, pivots.address(), statuses.address());
        let (grid, n, count, target) = (blocks("det", count, 1)?, n as i64, count as i64, address_of(out)?);
        let mut arguments = arguments![lu, pivots_address, statuses_address, n, count, target];
        let function = self.factorise.kernels(x.dtype)?.determinants;
        // SAFETY: the module is in `self`; the arguments are those of `determinants`; there are `n` pivots and a status for each
        // matrix, and three numbers in `out`.
        unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments)? };
        Ok(NONE)
    }

    fn inverses(&self, x: View<'_>, out: View<'_>) -> Result<Found> {
        if CudaBackend::are_small(x) {
            return self.small_inverses(x, out).map(Found::First);
        }
        // By rows the factors would be the transpose's, of which a pivot need not be 0 where one of the matrix's is. To solve for
        // the transpose of the identity takes the library longer than a copy.
        let (count, n, _) = lengths(x);
        let (scratch, inverses) = (self.columns(x, n)?, self.scratch(x.dtype, [count, n, n])?);
        let session = self.factorise.solver.session()?;
        let lu = self.factorise.lu(&session, x.dtype, by_columns(scratch.view())?)?;
        let right = by_columns(inverses.view())?;
        if lu.addresses.is_some() {
            self.factorise.identity(inverses.view())?;
            self.factorise.solve(&session, x.dtype, &lu, right)?;
        } else {
            // cuSOLVER's solution by factors takes longer than cuBLAS's by two triangles.
            self.elementwise.fill(Scalar::zero(x.dtype), inverses.view())?;
            self.factorise.exchanged_identity(inverses.view(), &lu)?;
            for_field!(x.dtype, session.solve_triangles(lu.matrices, right))?;
        }
        drop(session);
        self.copy_back(&inverses, out)?;
        Ok(Found::Statuses(lu.statuses, None))
    }

    fn solve(&self, x: View<'_>, b: View<'_>, out: View<'_>) -> Result<Found> {
        let (count, n, k) = lengths(b);
        if k == 1 && CudaBackend::are_small(x) {
            return self.small_solutions(x, b, out).map(Found::First);
        }
        let scratch = self.columns(x, n)?;
        let a = by_columns(scratch.view())?;
        let session = self.factorise.solver.session()?;
        let lu = self.factorise.lu(&session, x.dtype, a)?;
        if k == 1 {
            // A column lies as its rows do.
            self.elementwise.copy(b, out)?;
            let right = Stack { address: address_of(out)?, rows: n, columns: 1, count };
            self.factorise.solve(&session, x.dtype, &lu, right)?;
        } else {
            let right = self.columns(b, k)?;
            self.factorise.solve(&session, x.dtype, &lu, by_columns(right.view())?)?;
            self.copy_back(&right, out)?;
        }
        drop(session);
        Ok(Found::Statuses(lu.statuses, None))
    }

    fn qr(&self, x: View<'_>, q: Option<View<'_>>, r: View<'_>) -> Result<Found> {
        let (_, m, n) = lengths(x);
        let wanted = q.map_or(0, |q| q.layout.shape[2]);
        let scratch = self.columns(x, n.max(wanted))?;
        let session = self.factorise.solver.session()?;
        let a = by_columns(scratch.view())?;
        let reflections = for_field!(x.dtype, session.reflect(a, n, wanted))?;
        let mut upper = transposed(&scratch.layout);
        upper.shape.clone_from(&r.layout.shape);
        debug_assert!(upper.shape[1] <= m && upper.shape[2] == n);
        self.copy_triangle(View { layout: &upper, ..scratch.view() }, Triangle::Upper, r)?;
        let Some(q) = q else { return Ok(NONE) };
        for_field!(x.dtype, session.orthogonal(a, n, wanted, &reflections))?;
        self.copy_back(&scratch, q).map(|()| NONE)
    }

    fn cholesky(&self, x: View<'_>, out: View<'_>) -> Result<Found> {
        let (count, n, _) = lengths(x);
        if CudaBackend::are_small(x) {
            return self.small_cholesky(x, out).map(Found::First);
        }
        // By columns: for lower triangles the library takes little more than half of the time that it takes for upper ones, which
        // those of a matrix by rows are to it.
        let scratch = self.scratch(x.dtype, [count, n, n])?;
        let (turned, a) = (transposed(&scratch.layout), by_columns(scratch.view())?);
        let factors = View { layout: &turned, ..scratch.view() };
        self.copy_triangle(x, Triangle::Lower, factors)?;
        let session = self.factorise.solver.session()?;
        let statuses = Statuses::new(&self.device, count)?;
        if count > 1 && n <= MOST_TOGETHER {
            let addresses = self.factorise.addresses(x.dtype, a)?;
            for_field!(x.dtype, session.cholesky_together(a, addresses.address(), &statuses))?;
        } else {
            for_field!(x.dtype, session.cholesky(a, &statuses))?;
        }
        drop(session);
        self.copy_triangle(factors, Triangle::Lower, out)?;
        let (grid, n, factors, status) = (blocks("cholesky", count, 1)?, n as i64, a.address, statuses.address());
        let mut arguments = arguments![factors, n, status];
        let function = self.factorise.kernels(x.dtype)?.positive_diagonals;
        // SAFETY: the module is in `self`; the arguments are those of `positive_diagonals`, with a status for each matrix.
        unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments)? };
        Ok(Found::Statuses(statuses, None))
    }

    /// With `may_be_not_finite` matrices that are not are looked for, and replaced by zeros: over them the library need not come to an
    /// end.
    fn eigh(&self, x: View<'_>, values: View<'_>, vectors: Option<View<'_>>, may_be_not_finite: bool) -> Result<Found> {
        let is_complex = x.dtype.is_complex();
        let (mut scratch, mut not_finite) = (None, None);
        if may_be_not_finite || !is_complex {
            scratch = Some(self.rows(x)?);
        }
        if may_be_not_finite && let Some(rows) = &scratch {
            let (kernels, a) = (self.factorise.kernels(x.dtype)?, by_columns(rows.view())?);
            let found = self.factorise.marks(kernels.find_not_finite, a)?;
            self.factorise.over_matrices(kernels.clear_found, a, &found)?;
            not_finite = Some(found);
        }
        if is_complex {
            let (count, n, _) = lengths(x);
            let lower = self.scratch(x.dtype, [count, n, n])?;
            let from = scratch.as_ref().map_or(x, Scratch::view);
            self.copy_triangle(from, Triangle::Lower, View { layout: &transposed(&lower.layout), ..lower.view() })?;
            scratch = Some(lower);
        }
        let scratch = scratch.expect("one of both has made it");
        let session = self.factorise.solver.session()?;
        let a = by_columns(scratch.view())?;
        let statuses = Statuses::new(&self.device, a.count)?;
        for_field!(x.dtype, session.eigenvalues(a, is_complex, vectors.is_some(), address_of(values)?, &statuses))?;
        drop(session);
        if let Some(vectors) = vectors {
            self.copy_back(&scratch, vectors)?;
        }
        Ok(Found::Statuses(statuses, not_finite))
    }

    fn eig(&self, x: View<'_>, values: View<'_>, vectors: Option<View<'_>>) -> Result<Found> {
        let (count, n, columns) = lengths(x);
        if columns == n {
            let scratch = self.columns(x, n)?;
            let real = vectors.map(|_| self.scratch(x.dtype, [count, n, n])).transpose()?;
            let session = self.factorise.solver.session()?;
            let to = real.as_ref().map(|real| by_columns(real.view())).transpose()?;
            let (a, values) = (by_columns(scratch.view())?, address_of(values)?);
            let found = for_field!(x.dtype, session.general_eigenvalues(a, values, to))?;
            drop(session);
            let (Some(vectors), Some(real)) = (vectors, to) else { return Ok(Found::Known(found)) };
            let (size, rows, from, target) = ((count * n * n) as i64, n as i64, real.address, address_of(vectors)?);
            let grid = blocks("eig", count * n * n, THREADS)?;
            let mut arguments = arguments![from, values, target, size, rows];
            let function = self.factorise.kernels(x.dtype)?.pairs;
            // SAFETY: the module is in `self`; the arguments are those of `vectors_of_pairs`: as many real vectors as complex ones,
            // and an eigenvalue for each.
            unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments)? };
            return Ok(Found::Known(found));
        }
        // Of complex numbers, which lie as their parts do.
        let dtype = if x.dtype == DType::F32 { DType::C64 } else { DType::C128 };
        let of_complex = |view: View<'_>| Layout {
            offset: view.layout.offset / 2,
            ..Layout::contiguous(&[count, n, view.layout.shape[2] / 2])
        };
        let layout = of_complex(x);
        let scratch = self.columns(View { layout: &layout, dtype, ..x }, n)?;
        let right = vectors.map(|_| self.scratch(dtype, [count, n, n])).transpose()?;
        let session = self.factorise.solver.session()?;
        let to = right.as_ref().map(|right| by_columns(right.view())).transpose()?;
        let (a, values) = (by_columns(scratch.view())?, address_of(values)?);
        let found = for_field!(dtype, session.general_eigenvalues(a, values, to))?;
        drop(session);
        if let (Some(vectors), Some(right)) = (vectors, &right) {
            let layout = of_complex(vectors);
            self.copy_back(right, View { layout: &layout, dtype, ..vectors })?;
        }
        Ok(Found::Known(found))
    }

    fn svd(&self, x: View<'_>, values: View<'_>, vectors: Option<SvdOutputs<'_>>) -> Result<Found> {
        let (count, m, n) = lengths(x);
        let (dtype, values) = (x.dtype, address_of(values)?);
        let statuses = Statuses::new(&self.device, count)?;
        if let Some(SvdOutputs { u, vh }) = vectors
            && m >= n
            && n >= POLAR
            && !dtype.is_complex()
        {
            let (scratch, left) = (self.columns(x, n)?, self.scratch(dtype, [count, u.layout.shape[2], m])?);
            let a = by_columns(scratch.view())?;
            // Right vectors that lie by columns are what is asked for by rows.
            let to = [by_columns(left.view())?, by_columns(vh)?];
            let session = self.factorise.solver.session()?;
            let is_done = for_field!(dtype, session.singular_values_by_polar(a, values, to, &statuses))?;
            drop(session);
            if is_done {
                self.copy_back(&left, u)?;
                return Ok(NONE);
            }
        }
        if m < n {
            // By columns it is the transpose, which has no more columns than rows. Its factors are those of the matrix in
            // opposite order, transposed, and by columns they are what is asked for by rows; conjugated are those that must be.
            let scratch = self.rows(x)?;
            let session = self.factorise.solver.session()?;
            let vectors = match vectors {
                Some(SvdOutputs { u, vh }) => Some(SingularVectors { u: by_columns(vh)?, vt: by_columns(u)? }),
                None => None,
            };
            for_field!(dtype, session.singular_values(by_columns(scratch.view())?, values, vectors, &statuses))?;
        } else {
            let scratch = self.columns(x, n)?;
            let Some(SvdOutputs { u, vh }) = vectors else {
                let session = self.factorise.solver.session()?;
                for_field!(dtype, session.singular_values(by_columns(scratch.view())?, values, None, &statuses))?;
                drop(session);
                return Ok(Found::Statuses(statuses, None));
            };
            let left = self.scratch(dtype, [count, u.layout.shape[2], m])?;
            let right = self.scratch(dtype, [count, n, n])?;
            let vectors = SingularVectors { u: by_columns(left.view())?, vt: by_columns(right.view())? };
            let session = self.factorise.solver.session()?;
            let a = by_columns(scratch.view())?;
            for_field!(dtype, session.singular_values(a, values, Some(vectors), &statuses))?;
            drop(session);
            self.copy_back(&left, u)?;
            self.copy_back(&right, vh)?;
        }
        Ok(Found::Statuses(statuses, None))
    }
}

fn program(dtype: DType) -> Program {
    Program::new("factorisations.cu", SOURCE, &[("ELEMENT", dtype.cu_name())])
}

#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    DTYPES.map(program).into_iter().chain(small::programs()).collect()
}
