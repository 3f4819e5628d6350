//! Links between devices, by NCCL.

use super::stream::CudaEvent;
use super::{CudaBackend, address_of, memory_of, source_of};
use std::sync::Arc;
use warpcell_base::backend::EventHandle;
use warpcell_base::backend::link::{Exchange, Fate, Joining, Link, Links};
use warpcell_base::backend::recording;
use warpcell_base::backend::stream::orders;
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};
use warpcell_base::profiling::Kind;
use warpcell_driver::checks::Asked;
use warpcell_driver::event::Event;
use warpcell_driver::nccl::{self, Collective, Communicator, Id, Operation, Type};
use warpcell_driver::profile;

/// The library's types and operations.
struct Table {
    dtype: DType,
    kind: Type,
    /// Whether the library's largest and smallest elements are those of the arrays: it takes NaN for no number.
    has_extremes: bool,
    /// Whether its mean is: that of integers is rounded otherwise.
    has_average: bool,
}

const fn integer(dtype: DType, kind: Type) -> Table {
    Table { dtype, kind, has_extremes: true, has_average: false }
}

const fn float(dtype: DType, kind: Type) -> Table {
    Table { dtype, kind, has_extremes: false, has_average: true }
}

/// What the library reduces. All else is moved as bytes.
const TABLE: [Table; 10] = [
    integer(DType::I8, Type::I8),
    integer(DType::U8, Type::U8),
    integer(DType::I32, Type::I32),
    integer(DType::U32, Type::U32),
    integer(DType::I64, Type::I64),
    integer(DType::U64, Type::U64),
    float(DType::F16, Type::F16),
    float(DType::BF16, Type::BF16),
    float(DType::F32, Type::F32),
    float(DType::F64, Type::F64),
];

/// How the library joins elements of a type, if by the rules of the arrays.
fn joined(dtype: DType, joining: Joining) -> Option<(Type, Operation)> {
    let row = TABLE.iter().find(|row| row.dtype == dtype)?;
    let (operation, is_there) = match joining {
        Joining::Sum => (Operation::Sum, true),
        Joining::Product => (Operation::Product, true),
        Joining::Max => (Operation::Max, row.has_extremes),
        Joining::Min => (Operation::Min, row.has_extremes),
        Joining::Average => (Operation::Average, row.has_average),
    };
    is_there.then_some((row.kind, operation))
}

/// A member of a link.
struct CudaLink {
    communicator: Communicator,
}

impl Links for CudaBackend {
    fn version(&self) -> Result<i32> {
        nccl::version()
    }

    fn new_id(&self) -> Result<Vec<u8>> {
        nccl::new_id().map(|id| id.0.to_vec())
    }

    fn begin(&self, id: &[u8], member: usize, size: usize) -> Result<Arc<dyn Link>> {
        let bytes = id
            .try_into()
            .map_err(|_| Error::argument("a link", format!("an id has {} bytes, not {}", Id::BYTES, id.len())))?;
        Ok(Arc::new(CudaLink { communicator: Communicator::begin(&self.device, Id(bytes), member, size)? }))
    }
}

impl Link for CudaLink {
    fn joins(&self, dtype: DType, joining: Joining) -> bool {
        joined(dtype, joining).is_some()
    }

    fn queue(&self, exchange: Exchange<'_>, fate: &Fate) -> Result<Box<dyn EventHandle>> {
        let device = self.communicator.device();
        if device.is_capturing() {
            return Err(orders("a call of all ranks"));
        }
        recording::spoil();
        let (x, out) = match exchange {
            Exchange::AllReduce { x, out, .. }
            | Exchange::ReduceScatter { x, out, .. }
            | Exchange::Broadcast { x, out, .. }
            | Exchange::AllGather { x, out }
            | Exchange::Parts { x, out, .. } => (x, Some(out)),
            Exchange::Reduce { x, out, .. } => (x, out),
        };
        let (source, target) = (source_of(x)?, out.map_or(Ok(0), address_of)?);
        let (count, size) = (x.layout.size(), x.dtype.size());
        let types = |joining| {
            joined(x.dtype, joining).ok_or_else(|| {
                Error::argument(
                    "a call of all ranks",
                    format!("elements of {} are not joined by {joining:?} here", x.dtype),
                )
            })
        };
        let place = |start: u64, offset: usize, count: usize| (start + (offset * size) as u64, count * size);
        let (sent, received);
        let collective = match exchange {
            Exchange::AllReduce { joining, .. } => {
                let (kind, operation) = types(joining)?;
                Collective::AllReduce { x: source, out: target, count, kind, operation }
            }
            Exchange::Reduce { joining, root, .. } => {
                let (kind, operation) = types(joining)?;
                Collective::Reduce { x: source, out: target, count, kind, operation, root }
            }
            Exchange::ReduceScatter { joining, out, .. } => {
                let (kind, operation) = types(joining)?;
                Collective::ReduceScatter { x: source, out: target, count: out.layout.size(), kind, operation }
            }
            Exchange::Broadcast { root, .. } => {
                Collective::Broadcast { x: source, out: target, bytes: count * size, root }
            }
            Exchange::AllGather { .. } => Collective::AllGather { x: source, out: target, bytes: count * size },
            Exchange::Parts { sent: to, received: from, .. } => {
                sent = to.iter().map(|&(offset, count)| place(source, offset, count)).collect::<Vec<_>>();
                let next = |end: &mut usize, count: &usize| {
                    let offset = *end;
                    *end += count;
                    Some(place(target, offset, *count))
                };
                received = from.iter().scan(0, next).collect::<Vec<_>>();
                Collective::Parts { sent: &sent, received: &received }
            }
        };
        // While it is held, nobody takes the work for done that is not queued yet.
        let check = device.begin_check(Asked::Work(fate.clone()))?;
        let span = profile::begin(device, Kind::Copy, "between devices", count * size)?;
        // SAFETY: the views are of live arrays of the device, and other users of them were just waited for.
        unsafe { self.communicator.queue(collective)? };
        profile::end(device, span)?;
        if let Some(out) = out {
            let memory = memory_of(out.allocation)?;
            device.add_checks(memory, check.set | device.checks_of(memory_of(x.allocation)?)?);
        }
        drop(check);
        Ok(Box::new(CudaEvent(Event::mark(device)?)))
    }

    fn abort(&self) {
        self.communicator.abort();
    }

    fn end(&self) {
        self.communicator.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_sizes_that_the_library_takes_them_for() {
        for row in &TABLE {
            let bytes = match row.kind {
                Type::I8 | Type::U8 => 1,
                Type::F16 | Type::BF16 => 2,
                Type::I32 | Type::U32 | Type::F32 => 4,
                Type::I64 | Type::U64 | Type::F64 => 8,
            };
            assert_eq!(row.dtype.size(), bytes, "{}", row.dtype);
            assert_eq!(format!("{:?}", row.kind).to_lowercase(), row.dtype.name());
        }
    }

    #[test]
    fn what_is_joined_by_the_library() {
        let by = |joining| -> Vec<&str> {
            let joins = |dtype: &&DType| joined(**dtype, joining).is_some();
            DType::ALL.iter().filter(joins).map(|dtype| dtype.name()).collect()
        };
        let integers = ["u8", "i8", "i32", "u32", "i64", "u64"];
        let floats = ["f16", "bf16", "f32", "f64"];
        let all = [&integers[..], &floats[..]].concat();
        assert_eq!([by(Joining::Sum), by(Joining::Product)], [all.clone(), all]);
        assert_eq!([by(Joining::Max), by(Joining::Min)], [integers, integers]);
        assert_eq!(by(Joining::Average), floats);
    }
}
