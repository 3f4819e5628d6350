//! What only CUDA devices have: pools of memory, pinned buffers, two programs for a convolution, and events.

use crate::backend::tests::check::Check;
use crate::backend::{Layout, Padding, PoolKind, View};
use crate::dtype::{DType, Scalar};
use crate::error::Error;

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_pool() {
    Check::on_gpu(Check::pool);
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_programs() {
    Check::on_gpu(Check::first_and_later_programs_agree);
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_events() {
    Check::on_gpu(Check::events);
}

impl Check {
    fn pool(&mut self) {
        self.backend.trim(PoolKind::Device).unwrap();
        let before = self.backend.memory();
        let first = self.backend.allocate(400).unwrap();
        self.note(self.backend.memory().used == before.used + 512, &|| "400 bytes are 512 in use".into());
        drop(first);
        let after = self.backend.memory();
        self.note(after.used == before.used && after.pooled >= before.pooled, &|| "dropped, but pooled".into());
        drop(self.backend.allocate(64 << 20).unwrap());
        let full = self.backend.memory().pooled;
        self.backend.trim(PoolKind::Device).unwrap();
        self.note(self.backend.memory().pooled < full, &|| "trim gives back".into());
        self.pool_limits(after.used);
        let error = self.backend.allocate(after.total * 2).err();
        let right = matches!(error, Some(Error::OutOfMemory { requested, .. }) if requested == after.total * 2);
        self.note(right, &|| format!("out of memory: {error:?}"));
        let again = self.backend.allocate(1 << 20).is_ok();
        self.note(again, &|| "allocation after out of memory".into());
        self.note(self.backend.allocate(0).is_ok(), &|| "no bytes".into());
    }

    fn pool_limits(&mut self, used: usize) {
        let (device, pinned) = (PoolKind::Device, PoolKind::Pinned);
        let kept = self.backend.allocate(1 << 20).unwrap();
        drop(self.backend.allocate(2 << 20).unwrap());
        let held = self.backend.pool(device).held;
        self.note(self.backend.pool(device).free_blocks >= 1, &|| "a block is free".into());
        self.backend.limit_pool(device, Some(held + (1 << 20)));
        let again = self.backend.allocate(2 << 20).is_ok();
        self.note(again && self.backend.pool(device).held == held, &|| "what is pooled is within the limit".into());
        let other = self.backend.allocate(3 << 20).is_ok();
        self.note(other, &|| "unused blocks make room within the limit".into());
        let error = self.backend.allocate(held * 2).err();
        let right = matches!(error, Some(Error::OutOfMemory { limit: Some(_), .. }));
        self.note(right, &|| format!("beyond the limit: {error:?}"));
        self.backend.limit_pool(device, None);
        drop(kept);
        self.note(self.backend.pool(device).used == used, &|| "all was given back".into());
        // A single pinned buffer carries any transfer.
        self.backend.limit_pool(pinned, Some(1));
        self.transfers();
        let buffers = self.backend.pool(pinned).held;
        self.note(buffers == 2 << 20, &|| format!("{buffers} bytes of pinned memory"));
        self.backend.limit_pool(pinned, None);
        self.transfers();
        self.note(self.backend.pool(pinned).held > buffers, &|| "more pinned buffers without a limit".into());
        self.backend.trim(pinned).unwrap();
        self.note(self.backend.pool(pinned).held == 0, &|| "pinned buffers were given back".into());
    }

    /// The general program, taken for little work and until the other one is there, gives the same bits as the one compiled for
    /// the kernel's size, and as tensor cores.
    fn first_and_later_programs_agree(&mut self) {
        // Images and kernels: programs for a size; in f64 also tensor cores, for kernels that fit into one piece and that do not.
        let sizes = [
            ([70, 150], [15, 15]),
            ([70, 150], [33, 3]),
            ([60, 90], [40, 50]),
            ([90, 60], [35, 32]),
            ([1050, 1030], [9, 17]),
            ([1030, 1050], [20, 10]),
        ];
        for dtype in [DType::F32, DType::F64] {
            for (image, kernel) in sizes {
                for special in [false, true] {
                    self.convolutions_agree(dtype, image, kernel, special);
                }
            }
        }
    }

    /// With `special` there are infinities and NaN in the image.
    fn convolutions_agree(&mut self, dtype: DType, image: [usize; 2], kernel: [usize; 2], special: bool) {
        let size = dtype.size();
        let x = self.array(dtype, Layout::contiguous(&image), image[0] * image[1], 61, special);
        let k = self.array(dtype, Layout::contiguous(&kernel), kernel[0] * kernel[1], 62, false);
        let backend = self.backend.clone();
        let run = |origin: (usize, usize), shape: [usize; 2]| -> Vec<u8> {
            let bytes = shape[0] * shape[1] * size;
            let (allocation, layout) = (backend.allocate(bytes).unwrap(), Layout::contiguous(&shape));
            let out = View { allocation: &allocation, layout: &layout, dtype };
            backend.convolve2d(x.view(), k.view(), origin, Padding::Wrap, out).unwrap();
            let mut back = vec![0; bytes];
            backend.download(&allocation, 0, &mut back).unwrap();
            back
        };
        let full = [image[0] + kernel[0] - 1, image[1] + kernel[1] - 1];
        let first = run((0, 0), full);
        crate::backend::cuda::driver::background::wait();
        let whole = run((0, 0), full);
        // Whichever NaN.
        let same = |one: &[u8], other: &[u8]| {
            let is_nan = |bytes: &[u8]| match dtype {
                DType::F32 => f32::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
                _ => f64::from_ne_bytes(bytes.try_into().unwrap()).is_nan(),
            };
            one.chunks(size).zip(other.chunks(size)).all(|(one, other)| one == other || (is_nan(one) && is_nan(other)))
        };
        let what = format!("convolve2d {dtype} {image:?} by {kernel:?}, special values: {special}");
        self.note(same(&first, &whole), &|| format!("{what}: the first call gives the same bits as later ones"));
        // Of so little work that it is not worth a program of its own.
        let part = [20, 25];
        for origin in [(0, 0), (30, 40), (full[0] - part[0], full[1] - part[1])] {
            let found = run(origin, part);
            let all = (0..part[0]).all(|row| {
                let from = ((row + origin.0) * full[1] + origin.1) * size;
                same(&whole[from..from + part[1] * size], &found[row * part[1] * size..(row + 1) * part[1] * size])
            });
            self.note(all, &|| format!("{what}: both programs give the same bits from {origin:?}"));
        }
    }

    fn events(&mut self) {
        let start = self.backend.record().unwrap();
        let x = self.backend.allocate(64 << 20).unwrap();
        let layout = Layout::contiguous(&[8 << 20]);
        self.backend.fill(Scalar::F64(1.0), View { allocation: &x, layout: &layout, dtype: DType::F64 }).unwrap();
        let end = self.backend.record().unwrap();
        let seconds = self.backend.elapsed(&*start, &*end).unwrap();
        self.note(seconds > 0.0 && seconds < 10.0, &|| format!("{seconds} s between two events"));
    }
}
