//! Rooflines: what a launch reaches, beside what its device can. [`roofline`].

use super::TraceReport;
use super::arithmetic::{TraceArithmetic, uncounted};
use super::occupancy::LaunchOccupancy;
use super::peaks::{Ceilings, ceilings};
use super::report::Counter;
use super::run;
use crate::array::{RawArray, assign};
use crate::device::{Device, Handle};
use crate::error::{Error, Result};
use crate::failures::Places;
use crate::fallible::fallible;
use crate::launch::{Kernel, KernelArguments, LaunchConfig, Ready, ready};
use crate::number::general;
use crate::plot::Plot;
use crate::raw_kernels::IntoDim3;
use crate::timing::ceiling::Flush;
use crate::timing::format;
use crate::timing::table::{Table, write_rich};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

fallible! {
    /// Launches a kernel as [`launch`](fn@crate::launch) does, and says how good that is: how long it takes, the bytes and the operations
    /// that a trace counts, what of it the device could do at best, and how many warps run at once. On a CUDA device, the value of the cell
    /// is a table and a **roofline**: over the operations for each byte, the operations a second. A slope is what memory allows, a
    /// flat part what arithmetic allows, and the launch is a point below.
    ///
    /// - The trace runs some blocks on the CPU, on copies of the arrays, and their counts stand for all blocks. These are the first block,
    ///   one in the middle and the last, or those of [`LaunchConfig::trace_blocks`]. What counts as an operation is said at
    ///   [`TraceArithmetic`]; the bytes are 32 for each sector. Caches may serve sectors that were read before, so there are two numbers: all
    ///   sectors that warps ask for, and those of a block counted once. The point in the plot is a line between both.
    /// - The time is the median of five launches between two events. Caches are filled with other data before each, and the arrays begin
    ///   each time as they were. In the end they have the results of one launch.
    /// - The ceilings are measured, once for each device: the bandwidth by a copy of arrays that are larger than the cache, the peaks of
    ///   `f32`, `f64` and `i32` by multiply-adds in registers.
    /// - The occupancy is that of the compiled program for this launch: see [`Roofline::occupancy`].
    ///
    /// Without a GPU there are the trace's numbers alone, and what is missing is named. In a notebook, operations are counted where the cell
    /// itself, or a function that it uses, names `roofline`.
    ///
    /// **Panics** as [`launch_traced`](crate::launch_traced()) does, and if a thread of the traced blocks fails.
    ///
    /// Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for multicore architectures", Communications of
    /// the ACM 52(4), 2009.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn axpy(a: f32, x: View<f32>, mut y: ViewMut<f32>) {
    ///     let i = global_idx().x;
    ///     y[i] += a * x[i];
    /// }
    ///
    /// let (x, mut y) = (gpu::ones::<f32>(4096), gpu::ones::<f32>(4096));
    /// let roofline = gpu::roofline(axpy, 16, 256, (2.0, &x, &mut y));
    /// assert_eq!(y.sum(), 3.0 * 4096.0);
    /// // Two operations for three numbers of four bytes, as three of 16 blocks tell.
    /// assert_eq!((roofline.arithmetic().single, roofline.arithmetic().bytes), (2 * 4096, 12 * 4096));
    /// println!("{roofline:?}");
    /// ```
    pub fn roofline, try_roofline<P, K: Kernel<P>, A: KernelArguments<P>>(
        kernel: K,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: A,
    ) -> Result<Roofline> {
        ready("roofline", LaunchConfig::new(grid, block), kernel, &arguments, of_launch)
    }

    /// As [`roofline`], with what a [`LaunchConfig`] says: which blocks are traced, dynamic shared memory, whether indices are checked.
    ///
    /// **Panics** as [`roofline`] does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn double(mut a: ViewMut<f64>) {
    ///     a[global_idx().x] *= 2.0;
    /// }
    ///
    /// let mut a = gpu::ones::<f64>(1024);
    /// let config = gpu::LaunchConfig::new(16, 64).trace_blocks([3]);
    /// let roofline = gpu::roofline_with(config, double, &mut a);
    /// assert_eq!((roofline.arithmetic().double, a.sum()), (1024, 2048.0));
    /// ```
    pub fn roofline_with, try_roofline_with<P, K: Kernel<P>, A: KernelArguments<P>>(
        config: LaunchConfig,
        kernel: K,
        arguments: A,
    ) -> Result<Roofline> {
        ready("roofline_with", config, kernel, &arguments, of_launch)
    }
}

/// How good a launch is, as [`roofline`] has found. As the value of a cell it shows itself as a table, and on a CUDA device as a plot.
#[derive(Clone)]
pub struct Roofline {
    kernel: &'static str,
    grid: [usize; 3],
    block: [usize; 3],
    device: Device,
    report: TraceReport,
    recorded: usize,
    blocks: usize,
    /// Whether the trace has met its limit.
    is_cut: bool,
    measured: Option<Measured>,
    notes: Vec<String>,
}

/// What only a GPU tells.
#[derive(Clone)]
struct Measured {
    seconds: f64,
    ceilings: Ceilings,
    occupancy: Option<LaunchOccupancy>,
}

/// Launches that are timed.
const LAUNCHES: usize = 5;

fn of_launch(ready: Ready<'_, '_>) -> Result<Roofline> {
    let handle = ready.place()?;
    let outcome = run::watch(&ready)?;
    if let Some(error) = outcome.error {
        return Err(error);
    }
    let kernel = ready.kernel;
    let (grid, block) = (ready.size.grid.map(|n| n as usize), ready.size.block.map(|n| n as usize));
    let places = Places::of(&kernel);
    let mut counter = Counter::new(&outcome.recording, &places, &outcome.arrays, block.iter().product());
    outcome.recording.blocks.iter().for_each(|block| counter.count(block));
    let lines: Vec<&str> = kernel.text.source.lines().collect();
    let report = counter.report(&lines, kernel.text.line, uncounted(&kernel));
    let mut notes = Vec::new();
    if !report.counts_arithmetic() {
        notes.push(
            "Operations are not counted, as the kernel was compiled in a cell that traces nothing: run the cell with the kernel again."
                .to_owned(),
        );
    }
    let measured = match handle.device {
        Device::Cpu => {
            ready.launch()?;
            notes.push(
                "The time, the ceilings of the device and with them the plot, and the occupancy with what limits it are shown only on a \
                 GPU."
                    .to_owned(),
            );
            None
        }
        _ => Some(measure(&ready, &handle)?),
    };
    Ok(Roofline {
        kernel: kernel.short_name(),
        grid,
        block,
        device: handle.device,
        report,
        recorded: outcome.recording.blocks.len(),
        blocks: outcome.grid.iter().product(),
        is_cut: outcome.recording.left_out > 0,
        measured,
        notes,
    })
}

/// Times the launch, which in the end has happened once.
fn measure(ready: &Ready<'_, '_>, handle: &Handle) -> Result<Measured> {
    let (operation, backend) = (ready.operation, &handle.backend);
    let before: Vec<(&RawArray, RawArray)> =
        ready.written().map(|array| Ok((array, array.copied(operation)?))).collect::<Result<_>>()?;
    let flush = Flush::new(handle)?;
    let mut times = Vec::with_capacity(LAUNCHES);
    // The first compiles the kernel.
    for round in 0..=LAUNCHES {
        if round > 0 {
            before.iter().try_for_each(|(array, saved)| assign(operation, array, saved))?;
        }
        flush.run()?;
        let start = backend.record()?;
        ready.launch()?;
        let end = backend.record()?;
        let seconds = backend.elapsed(&*start, &*end)?;
        if round > 0 {
            times.push(seconds);
        }
        if warpcell_base::interrupt::interrupted() {
            return Err(Error::Interrupted);
        }
    }
    times.sort_by(f64::total_cmp);
    let threads = ready.size.block.iter().map(|&length| length as usize).product();
    let occupancy = ready.residency()?.map(|found| LaunchOccupancy::of(&found, threads, ready.size.shared as usize));
    Ok(Measured { seconds: times[LAUNCHES / 2], ceilings: ceilings(operation, handle)?, occupancy })
}

impl Roofline {
    /// The operations of the launch, and the bytes that its warps ask for: those of the traced blocks, multiplied by the number of blocks
    /// for each of them.
    pub fn arithmetic(&self) -> TraceArithmetic {
        let TraceArithmetic { half, single, double, integer, bytes } = self.report.arithmetic();
        let all = |count: u64| self.of_all(count);
        TraceArithmetic {
            half: all(half),
            single: all(single),
            double: all(double),
            integer: all(integer),
            bytes: all(bytes),
        }
    }

    /// The bytes of the sectors that blocks ask for, each counted once for each block: as many as move if caches keep what a block has
    /// read.
    pub fn distinct_bytes(&self) -> u64 {
        self.of_all(self.report.distinct_bytes())
    }

    /// What the trace says of the traced blocks, line by line.
    pub fn report(&self) -> TraceReport {
        self.report.clone()
    }

    /// The time of a launch in seconds; none without a GPU.
    pub fn seconds(&self) -> Option<f64> {
        self.measured.as_ref().map(|measured| measured.seconds)
    }

    /// How many blocks run at once on a multiprocessor, and what limits that; none without a GPU, as only the compiled program tells.
    pub fn occupancy(&self) -> Option<&LaunchOccupancy> {
        self.measured.as_ref()?.occupancy.as_ref()
    }

    /// Bytes a second of a copy in the device's memory; none without a GPU, or where there was no room to measure it.
    pub fn copy_bandwidth(&self) -> Option<f64> {
        self.measured.as_ref()?.ceilings.bandwidth
    }

    /// Operations a second that the device computes at most, of the numbers that the kernel computes with: `f64` if there are such, `i32`
    /// if there are no floats, else `f32`. None without a GPU.
    pub fn peak(&self) -> Option<f64> {
        let Ceilings { single, double, integer, .. } = self.measured.as_ref()?.ceilings;
        Some(match self.report.arithmetic() {
            counted if counted.double > 0 => double,
            counted if counted.floating() == 0 => integer,
            _ => single,
        })
    }

    /// The roofline with the launch in it; none without a GPU, or if nothing is computed or read.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn square(mut a: ViewMut<f32>) {
    ///     let i = global_idx().x;
    ///     a[i] = a[i] * a[i];
    /// }
    ///
    /// let roofline = gpu::roofline(square, 4, 256, &mut gpu::ones::<f32>(1024));
    /// if let Some(plot) = roofline.plot() {
    ///     plot.title("My launch").show();
    /// }
    /// ```
    pub fn plot(&self) -> Option<Plot> {
        let (bandwidth, peak, seconds) = (self.copy_bandwidth()?, self.peak()?, self.seconds()?);
        let counted = self.arithmetic();
        let (operations, least, most) = (counted.main() as f64, self.distinct_bytes() as f64, counted.bytes as f64);
        if operations == 0.0 || least == 0.0 || self.is_cut {
            return None;
        }
        let (asked, once, reached) = (operations / most, operations / least, operations / seconds);
        let ridge = peak / bandwidth;
        let (left, right) = (asked.min(ridge) / 8.0, once.max(ridge) * 8.0);
        let in_billions = |value: f64| value / 1e9;
        let roof = [bandwidth * left, peak, peak].map(in_billions);
        let name = format!("memory {}, {} {}", format::bandwidth(bandwidth), self.kind(), self.rate(peak));
        let plot = Plot::new().xscale("log").yscale("log").grid(true).size(760, 420);
        let plot = plot.plot((&[left, ridge, right], &roof)).label(name).color("black");
        let reached = in_billions(reached);
        let plot = plot.plot((&[asked, once], &[reached, reached])).marker("o").color("tab:red");
        let plot = plot.label(format!("{}: {}", self.kernel, self.rate(reached * 1e9)));
        Some(plot.xlabel("operations for each byte").ylabel("10⁹ operations a second"))
    }

    /// A count of the traced blocks, for all blocks.
    fn of_all(&self, count: u64) -> u64 {
        let all = u128::from(count) * self.blocks as u128 / self.recorded.max(1) as u128;
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// The numbers that the peak is about.
    fn kind(&self) -> &'static str {
        match self.report.arithmetic() {
            counted if counted.double > 0 => "f64",
            counted if counted.floating() == 0 => "i32",
            _ => "f32",
        }
    }

    /// Operations a second.
    fn rate(&self, operations: f64) -> String {
        let units = [("T", 1e12), ("G", 1e9)];
        let (unit, size) = units.into_iter().find(|(_, size)| operations >= *size).unwrap_or(("M", 1e6));
        let of = if self.kind() == "i32" { "OP" } else { "FLOP" };
        format!("{} {unit}{of}/s", general(operations / size, 3))
    }

    fn head(&self) -> String {
        let times = |[x, y, z]: [usize; 3]| match [y, z] {
            [1, 1] => x.to_string(),
            [_, 1] => format!("({x}, {y})"),
            _ => format!("({x}, {y}, {z})"),
        };
        format!(
            "Roofline of `{}`, {} blocks of {} threads, on {}.",
            self.kernel,
            times(self.grid),
            times(self.block),
            self.device
        )
    }

    fn table(&self) -> Table {
        let mut table = Table::new(2, &["", ""]);
        let mut row = |name: &str, value: String| table.row(vec![name.to_owned(), value]);
        let counted = self.arithmetic();
        let (bytes, once) = (counted.bytes, self.distinct_bytes());
        if let Some(seconds) = self.seconds() {
            row("time", format!("{} (median of {LAUNCHES} launches, with cold caches)", format::time(seconds, 3)));
        }
        if self.report.counts_arithmetic() {
            row("operations", TraceArithmetic { bytes: 0, ..counted }.counts_text());
        }
        let same = if once == bytes { "" } else { "warps ask for " };
        let of_blocks = match once == bytes {
            true => String::new(),
            false => format!(", {} if each block gets a sector once", format::bytes(once)),
        };
        row("global memory", format!("{same}{}{of_blocks}", format::bytes(bytes)));
        if counted.main() > 0 && bytes > 0 {
            let per_byte = |bytes: u64| general(counted.main() as f64 / bytes as f64, 3);
            let range =
                if once == bytes { per_byte(bytes) } else { format!("{} to {}", per_byte(bytes), per_byte(once)) };
            row("arithmetic", format!("{range} operations of {} for each byte", counted.of()));
        }
        if let (Some(seconds), false) = (self.seconds(), self.is_cut) {
            if let Some(ceiling) = self.copy_bandwidth() {
                let reached = once as f64 / seconds;
                row(
                    "bandwidth",
                    format!(
                        "{}, {} of the {} of a copy",
                        format::bandwidth(reached),
                        format::percent(reached / ceiling),
                        format::bandwidth(ceiling)
                    ),
                );
            }
            if let Some(peak) = self.peak().filter(|_| counted.main() > 0) {
                let reached = counted.main() as f64 / seconds;
                let (share, kind) = (format::percent(reached / peak), self.kind());
                row(
                    "speed",
                    format!("{}, {share} of the {} of multiply-adds of {kind}", self.rate(reached), self.rate(peak)),
                );
            }
        }
        if let Some(occupancy) = self.occupancy() {
            row("occupancy", occupancy.text());
        }
        table
    }

    /// What the numbers mean.
    fn remarks(&self) -> String {
        let mut said = Vec::new();
        said.extend(self.verdict());
        if self.recorded < self.blocks {
            said.push(format!(
                "The counts are those of {} of {} blocks, multiplied; `gpu::LaunchConfig::trace_blocks` chooses others.",
                self.recorded, self.blocks
            ));
        }
        if self.is_cut {
            said.push(
                "The trace has met its limit of events, so the counts are those of the beginning of each block; trace fewer blocks, or set \
                 `gpu::LaunchConfig::trace_events`."
                    .to_owned(),
            );
        }
        said.extend(self.notes.iter().cloned());
        said.extend(self.report.said_of_uncounted());
        said.push(self.report.summary().to_owned());
        said.join("\n")
    }

    /// What limits the launch.
    fn verdict(&self) -> Option<String> {
        let (bandwidth, peak, seconds) = (self.copy_bandwidth()?, self.peak()?, self.seconds()?);
        let (operations, once) = (self.arithmetic().main() as f64, self.distinct_bytes() as f64);
        if self.is_cut || once == 0.0 {
            return None;
        }
        let by_memory = once / bandwidth;
        let by_arithmetic = operations / peak;
        let least = format::time(by_memory.max(by_arithmetic), 3);
        let share = format::percent(by_memory.max(by_arithmetic) / seconds);
        Some(match by_memory >= by_arithmetic {
            true => format!("Memory is the limit: its bytes alone take {least}, {share} of the time."),
            false => format!("Arithmetic is the limit: its operations alone take {least}, {share} of the time."),
        })
    }
}

impl fmt::Debug for Roofline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (head, table, remarks) = (self.head(), self.table(), self.remarks());
        let text = format!("{head}\n{}\n{remarks}", table.text().trim_start());
        let picture = || match self.plot() {
            Some(plot) => {
                let png = STANDARD.encode(plot.into_png());
                format!(r#"<img alt="Roofline with the launch" src="data:image/png;base64,{png}"/>"#)
            }
            None => String::new(),
        };
        write_rich(f, &text, [&head, &remarks], &table, picture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use warpcell_macros::kernel;
    use warpcell_threads::{ViewMut, global_idx};

    /// A launch of which three of four blocks were traced, as an H100 might run it.
    fn launch(bytes: u64, distinct: u64, single: u64, seconds: f64) -> Roofline {
        let arithmetic = TraceArithmetic { single, bytes, ..TraceArithmetic::default() };
        let ceilings = Ceilings { bandwidth: Some(3e12), single: 60e12, double: 30e12, integer: 30e12 };
        let occupancy = LaunchOccupancy {
            registers: 16,
            shared_bytes: 0,
            local_bytes: 0,
            blocks: 8,
            warps: 64,
            most_warps: 64,
            limits: vec!["threads"],
        };
        Roofline {
            kernel: "blend",
            grid: [4, 1, 1],
            block: [256, 1, 1],
            device: Device::Cuda(0),
            report: TraceReport::of_line(arithmetic, distinct),
            recorded: 3,
            blocks: 4,
            is_cut: false,
            measured: Some(Measured { seconds, ceilings, occupancy: Some(occupancy) }),
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_launch_that_memory_limits() {
        let roofline = launch(9_000_000, 9_000_000 / 32, 2_250_000, 5e-6);
        expect![[r#"
            Roofline of `blend`, 4 blocks of 256 threads, on cuda:0.
            time            5 μs (median of 5 launches, with cold caches)
            operations      3,000,000 floating-point operations
            global memory   12 MB
            arithmetic      0.25 operations of f32 for each byte
            bandwidth       2,400 GB/s, 80 % of the 3,000 GB/s of a copy
            speed           600 GFLOP/s, 1 % of the 60 TFLOP/s of multiply-adds of f32
            occupancy       100 %: 8 blocks at once on a multiprocessor, 64 of 64 warps; limited by threads (16 registers a thread, 0 bytes of shared memory a block)
            Memory is the limit: its bytes alone take 4 μs, 80 % of the time.
            The counts are those of 3 of 4 blocks, multiplied; `gpu::LaunchConfig::trace_blocks` chooses others.
            Nothing was recorded that could be slow."#]]
        .assert_eq(&format!("{roofline:?}"));
        let plot = roofline.plot().unwrap();
        assert_eq!(format!("{plot:?}"), "Plot: line of 3 points, line of 2 points");
        let data = crate::cell::representations_of(&roofline).unwrap();
        assert!(data["text/html"].as_str().unwrap().contains("data:image/png;base64,iVBOR"));
    }

    #[test]
    fn a_launch_that_arithmetic_limits() {
        // Warps ask for each sector four times.
        let roofline = launch(12_000, 3_000 / 32, 3_000_000_000, 1e-4);
        expect![[r#"
            Roofline of `blend`, 4 blocks of 256 threads, on cuda:0.
            time            100 μs (median of 5 launches, with cold caches)
            operations      4,000,000,000 floating-point operations
            global memory   warps ask for 16 kB, 3.968 kB if each block gets a sector once
            arithmetic      2.5e+05 to 1.01e+06 operations of f32 for each byte
            bandwidth       0.0397 GB/s, 0.00132 % of the 3,000 GB/s of a copy
            speed           40 TFLOP/s, 66.7 % of the 60 TFLOP/s of multiply-adds of f32
            occupancy       100 %: 8 blocks at once on a multiprocessor, 64 of 64 warps; limited by threads (16 registers a thread, 0 bytes of shared memory a block)
            Arithmetic is the limit: its operations alone take 66.7 μs, 66.7 % of the time.
            The counts are those of 3 of 4 blocks, multiplied; `gpu::LaunchConfig::trace_blocks` chooses others.
            Nothing was recorded that could be slow."#]]
        .assert_eq(&format!("{roofline:?}"));
        let cut = Roofline { is_cut: true, ..roofline };
        assert!(cut.plot().is_none() && cut.verdict().is_none());
        assert!(format!("{cut:?}").contains("has met its limit of events"));
    }

    #[test]
    fn without_a_gpu_what_is_missing_is_named() {
        let cpu = crate::Device::Cpu;
        let mut out = crate::zeros::<f32>(1024).to_device(cpu);
        let roofline = crate::roofline(fill, 4, 256, &mut out);
        assert_eq!(out.sum(), 1024.0);
        assert!(roofline.plot().is_none() && roofline.occupancy().is_none() && roofline.seconds().is_none());
        expect![[r#"
            Roofline of `fill`, 4 blocks of 256 threads, on cpu.
            global memory   4.096 kB
            The counts are those of 3 of 4 blocks, multiplied; `gpu::LaunchConfig::trace_blocks` chooses others.
            Operations are not counted, as the kernel was compiled in a cell that traces nothing: run the cell with the kernel again.
            The time, the ceilings of the device and with them the plot, and the occupancy with what limits it are shown only on a GPU.
            Accesses are coalesced, and warps stay together."#]]
        .assert_eq(&format!("{roofline:?}"));
    }

    #[kernel]
    fn fill(mut out: ViewMut<f32>) {
        let i = global_idx().x;
        out[i] = 1.0;
    }
}
