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
    /// the kernel's size.
    fn first_and_later_programs_agree(&mut self) {
        for dtype in [DType::F32, DType::F64] {
            let x = self.array(dtype, Layout::contiguous(&[70, 150]), 70 * 150, 61, false);
            let k = self.array(dtype, Layout::contiguous(&[15, 15]), 225, 62, false);
            let run = |origin: (usize, usize), shape: [usize; 2]| -> Vec<u8> {
                let bytes = shape[0] * shape[1] * dtype.size();
                let (allocation, layout) = (self.backend.allocate(bytes).unwrap(), Layout::contiguous(&shape));
                let out = View { allocation: &allocation, layout: &layout, dtype };
                self.backend.convolve2d(x.view(), k.view(), origin, Padding::Wrap, out).unwrap();
                let mut back = vec![0; bytes];
                self.backend.download(&allocation, 0, &mut back).unwrap();
                back
            };
            let first = run((0, 0), [84, 164]);
            crate::backend::cuda::driver::background::wait();
            let (whole, part) = (run((0, 0), [84, 164]), run((30, 40), [20, 25]));
            self.note(first == whole, &|| {
                format!("convolve2d {dtype}: the first call gives the same bits as later ones")
            });
            let size = dtype.size();
            let same = (0..20).all(|row| {
                let from = ((row + 30) * 164 + 40) * size;
                whole[from..from + 25 * size] == part[row * 25 * size..(row + 1) * 25 * size]
            });
            self.note(same, &|| format!("convolve2d {dtype}: both programs give the same bits"));
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
