//! What moves and combines the elements of arrays: the trait [`Transport`], and the transport by way of the host.
//!
//! A transport gets calls whose arguments are checked. [`ByHost`] sends bytes from rank to rank, whatever carries them, and lets the
//! arrays' backend compute. So it serves every device and every dtype. Every part of a reduction is computed by one rank, in the order of ranks,
//! and sent to the others: so all ranks have the same bits, and the same ones in every run.

use super::mailbox::{Fault, Kind};
use super::world::{Call, Group};
use crate::array::RawArray;
use crate::backend::{BinaryOperation, Operand};
use crate::device::Handle;
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use std::sync::Arc;

/// How the elements of the ranks become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Their sum. Integers wrap.
    Sum,
    /// Their product. Integers wrap.
    Product,
    /// The largest one; NaN if there is a NaN.
    Max,
    /// The smallest one; NaN if there is a NaN.
    Min,
    /// The sum divided by the number of ranks. Integers are rounded towards zero; only sums of 64 bits wrap.
    Average,
}

impl Reduction {
    /// The type in which elements are reduced: wide enough for a mean.
    pub(super) fn terms(self, dtype: DType) -> DType {
        if self == Reduction::Average && dtype.is_integer() { dtype.sum() } else { dtype.compute_type() }
    }

    pub(super) fn operation(self) -> BinaryOperation {
        match self {
            Reduction::Sum | Reduction::Average => BinaryOperation::Add,
            Reduction::Product => BinaryOperation::Multiply,
            Reduction::Max => BinaryOperation::Maximum,
            Reduction::Min => BinaryOperation::Minimum,
        }
    }
}

/// What all ranks of a group do together. Arrays are what this rank gives.
#[derive(Clone, Copy)]
pub(super) enum Collective<'a> {
    /// The elements of all ranks, reduced. Shapes are equal.
    AllReduce(&'a RawArray, Reduction),
    /// The array of `root`. Shapes are equal.
    Broadcast(&'a RawArray, usize),
    /// The elements of all ranks, reduced, at `root`; elsewhere nothing. Shapes are equal.
    Reduce(&'a RawArray, Reduction, usize),
    /// The arrays of all ranks, one behind the other along axis 0, of which each rank has so many; the other lengths are equal.
    AllGather(&'a RawArray, &'a [usize]),
    /// The part of this rank, of as many as there are ranks along axis 0, of the elements of all ranks, reduced. Shapes are equal.
    ReduceScatter(&'a RawArray, Reduction),
    /// From each rank the part for this one, of parts along axis 0, one behind the other. Each rank knows how many it sends to
    /// each, and how many it receives; the other lengths are equal.
    AllToAll(&'a RawArray, &'a [usize], &'a [usize]),
}

impl Collective<'_> {
    pub fn kind(&self) -> Kind {
        match self {
            Collective::AllReduce(..) => Kind::AllReduce,
            Collective::Broadcast(..) => Kind::Broadcast,
            Collective::Reduce(..) => Kind::Reduce,
            Collective::AllGather(..) => Kind::AllGather,
            Collective::ReduceScatter(..) => Kind::ReduceScatter,
            Collective::AllToAll(..) => Kind::AllToAll,
        }
    }

    pub fn array(&self) -> &RawArray {
        match self {
            Collective::AllReduce(x, _)
            | Collective::Broadcast(x, _)
            | Collective::Reduce(x, _, _)
            | Collective::AllGather(x, _)
            | Collective::ReduceScatter(x, _)
            | Collective::AllToAll(x, ..) => x,
        }
    }

    /// The same of another array.
    pub fn with<'a>(&'a self, x: &'a RawArray) -> Collective<'a> {
        match *self {
            Collective::AllReduce(_, reduction) => Collective::AllReduce(x, reduction),
            Collective::Broadcast(_, root) => Collective::Broadcast(x, root),
            Collective::Reduce(_, reduction, root) => Collective::Reduce(x, reduction, root),
            Collective::AllGather(_, counts) => Collective::AllGather(x, counts),
            Collective::ReduceScatter(_, reduction) => Collective::ReduceScatter(x, reduction),
            Collective::AllToAll(_, sent, received) => Collective::AllToAll(x, sent, received),
        }
    }

    /// What must be the same on all ranks, as text behind the name.
    pub fn described(&self) -> String {
        let array = self.array();
        let shape = format!("{:?}", array.shape());
        // Their lengths along axis 0 may differ.
        let parts =
            format!("[_{}]", array.shape().iter().skip(1).map(|length| format!(", {length}")).collect::<String>());
        let (shape, rest) = match self {
            Collective::AllReduce(_, reduction) | Collective::ReduceScatter(_, reduction) => {
                (shape, format!(" by {reduction:?}"))
            }
            Collective::Broadcast(_, root) => (shape, format!(" from rank {root}")),
            Collective::Reduce(_, reduction, root) => (shape, format!(" by {reduction:?} to rank {root}")),
            Collective::AllGather(_, counts) => (parts, format!(" with the lengths {counts:?}")),
            Collective::AllToAll(..) => (parts, String::new()),
        };
        format!(" of {shape} {}{rest}", array.dtype)
    }
}

/// What carries out the calls of a group.
pub(super) trait Transport: Send + Sync {
    /// What it is made of, for `{:?}`.
    fn name(&self) -> &'static str;
    /// Carries out a call. Gives a new contiguous array on the device of the one given, if this rank gets one.
    fn execute(&self, collective: Collective<'_>) -> Result<Option<RawArray>>;
    /// Sends an array to a member, receives one from a member, or does both. Waits until these members are in such a call too.
    fn point_to_point(&self, pair: &PointToPoint<'_>) -> Result<Option<RawArray>>;
}

/// By way of the host.
pub(super) struct ByHost {
    pub group: Arc<Group>,
}

impl Transport for ByHost {
    fn name(&self) -> &'static str {
        self.group.world.post.name()
    }

    fn execute(&self, collective: Collective<'_>) -> Result<Option<RawArray>> {
        let name = collective.kind().name();
        let x = collective.array();
        if self.group.size() == 1 {
            // All of these give the array itself.
            self.group.begin(collective.kind(), &|| collective.described())?;
            return x.copied(name).map(Some);
        }
        x.handle.may_wait(name)?;
        x.handle.may_upload(name)?;
        let call = self.group.begin(collective.kind(), &|| collective.described())?;
        match collective {
            Collective::AllReduce(x, reduction) => {
                let terms = x.in_type(name, reduction.terms(x.dtype))?.flat(name)?;
                let bounds = self.bounds(terms.size());
                let part = self.reduced_part(&call, &terms, &bounds, reduction)?;
                let whole = self.gathered(&call, &part, &lengths(&bounds), x.shape())?;
                whole.in_type(name, x.dtype).map(Some)
            }
            Collective::Reduce(x, reduction, root) => {
                let terms = x.in_type(name, reduction.terms(x.dtype))?.flat(name)?;
                let bounds = self.bounds(terms.size());
                let part = self.reduced_part(&call, &terms, &bounds, reduction)?;
                if self.group.rank != root {
                    call.send(root, bytes_of(&part)?)?;
                    return Ok(None);
                }
                let whole = self.collected(&call, &part, &lengths(&bounds), x.shape())?;
                whole.in_type(name, x.dtype).map(Some)
            }
            Collective::ReduceScatter(x, reduction) => {
                let terms = x.in_type(name, reduction.terms(x.dtype))?.flat(name)?;
                let size = self.group.size();
                let shape = with_rows(x, x.shape()[0] / size);
                let each: usize = shape.iter().product();
                let bounds: Vec<usize> = (0..=size).map(|rank| rank * each).collect();
                let part = self.reduced_part(&call, &terms, &bounds, reduction)?;
                shaped(part, &shape).in_type(name, x.dtype).map(Some)
            }
            Collective::Broadcast(x, root) => {
                let flat = x.flat(name)?;
                let bounds = self.bounds(flat.size());
                let own = if self.group.rank == root {
                    for to in self.group.others() {
                        call.send(to, bytes_of(&between(&flat, &bounds, to))?)?;
                    }
                    between(&flat, &bounds, root)
                } else {
                    let length = bounds[self.group.rank + 1] - bounds[self.group.rank];
                    self.received(&call, root, &x.handle, &[length], x.dtype)?
                };
                self.gathered(&call, &own, &lengths(&bounds), x.shape()).map(Some)
            }
            Collective::AllGather(x, counts) => {
                let shape = with_rows(x, counts.iter().sum());
                self.gathered(&call, &x.flat(name)?, &elements(x, counts), &shape).map(Some)
            }
            Collective::AllToAll(x, sent, received) => {
                let (flat, rank) = (x.flat(name)?, self.group.rank);
                let shape = with_rows(x, received.iter().sum());
                let (counts, sent) = (elements(x, received), elements(x, sent));
                let bounds: Vec<usize> = std::iter::once(0)
                    .chain(sent.iter().scan(0, |end, count| {
                        Some({
                            *end += count;
                            *end
                        })
                    }))
                    .collect();
                for to in self.group.others() {
                    call.send(to, bytes_of(&between(&flat, &bounds, to))?)?;
                }
                self.collected(&call, &between(&flat, &bounds, rank), &counts, &shape).map(Some)
            }
        }
    }

    fn point_to_point(&self, pair: &PointToPoint<'_>) -> Result<Option<RawArray>> {
        let name = pair.name;
        let bytes = pair.sent.map(|(_, x)| {
            x.handle.may_wait(name)?;
            bytes_of(&x.flat(name)?)
        });
        let bytes = bytes.transpose()?.unwrap_or_default();
        pair.handle.may_upload(name)?;
        let call = self.group.begin_between_two(name)?;
        let [got, _] = pair.meet(&call, &self.group, &bytes, b"")?;
        let array = |wanted: &Wanted<'_>| pair.array_of(wanted, rest(&got));
        pair.wanted.as_ref().map(array).transpose()
    }
}

/// What a rank sends to another one, what it receives from one, or both.
pub(super) struct PointToPoint<'a> {
    /// The name of the method.
    pub name: &'static str,
    /// To whom, and what.
    pub sent: Option<(usize, &'a RawArray)>,
    pub wanted: Option<Wanted<'a>>,
    /// The device of this rank.
    pub handle: &'a Handle,
}

/// An array that a rank receives.
pub(super) struct Wanted<'a> {
    pub from: usize,
    pub shape: &'a [usize],
    pub dtype: DType,
}

impl PointToPoint<'_> {
    /// Waits until the other ranks are in the call too. `offer` goes to the one that this rank sends to, behind two lines that tell what it is, and
    /// `answer` to the one that this rank receives from. Gives what these two have said. Fails if what is offered is not what is wanted.
    pub fn meet(&self, call: &Call<'_>, group: &Group, offer: &[u8], answer: &[u8]) -> Result<[Vec<u8>; 2]> {
        let offered = self.sent.map(|(to, x)| {
            let lines = format!("{}\n{}\n", self.name, described(x.shape(), x.dtype));
            (to, [lines.as_bytes(), offer].concat())
        });
        let is_wanted = |from: usize, got: &[u8]| {
            let Some(wanted) = &self.wanted else { return Ok(()) };
            let [name, sent] = [0, 1].map(|at| String::from_utf8_lossy(part(got, at)));
            let own = described(wanted.shape, wanted.dtype);
            if sent == own {
                return Ok(());
            }
            let ranks = (group.world.rank, group.members[from]);
            let calls = (format!("`{}` of {own}", self.name), format!("`{name}` of {sent}"));
            Err(Fault::Calls { ranks, calls })
        };
        call.meet_between_two(offered, self.wanted.as_ref().map(|wanted| wanted.from), answer, is_wanted)
    }

    /// An array of bytes that have come by way of the host.
    pub fn array_of(&self, wanted: &Wanted<'_>, bytes: &[u8]) -> Result<RawArray> {
        array_of(self.handle, bytes, wanted.shape, wanted.dtype)
    }
}

/// A part of an offer: the name of the call, what is sent, and the rest.
fn part(offer: &[u8], at: usize) -> &[u8] {
    offer.splitn(3, |&byte| byte == b'\n').nth(at).unwrap_or_default()
}

/// What stands behind the lines of an offer.
pub(super) fn rest(offer: &[u8]) -> &[u8] {
    part(offer, 2)
}

fn described(shape: &[usize], dtype: DType) -> String {
    format!("{shape:?} {dtype}")
}

impl ByHost {
    /// Where the parts of a flat array begin and end, one for each rank, as equal as can be.
    fn bounds(&self, size: usize) -> Vec<usize> {
        crate::array::bounds(size, self.group.size())
    }

    /// This rank's part of the flat arrays of all ranks, reduced in the order of ranks.
    fn reduced_part(&self, call: &Call<'_>, x: &RawArray, bounds: &[usize], reduction: Reduction) -> Result<RawArray> {
        let rank = self.group.rank;
        for to in self.group.others() {
            call.send(to, bytes_of(&between(x, bounds, to))?)?;
        }
        let own = between(x, bounds, rank);
        let mut total: Option<RawArray> = None;
        for from in 0..self.group.size() {
            let part = match from == rank {
                true if total.is_none() => own.copied(call.name())?,
                true => own.clone(),
                false => self.received(call, from, &x.handle, own.shape(), x.dtype)?,
            };
            match &total {
                Some(total) => combine(reduction.operation(), total, Operand::Array(part.view()))?,
                None => total = Some(part),
            }
        }
        let total = total.expect("a group has members");
        if reduction == Reduction::Average {
            divide(&total, self.group.size())?;
        }
        Ok(total)
    }

    /// The flat arrays of all ranks, of which each has so many elements, one behind the other.
    fn gathered(&self, call: &Call<'_>, own: &RawArray, counts: &[usize], shape: &[usize]) -> Result<RawArray> {
        let bytes = bytes_of(own)?;
        for to in self.group.others() {
            call.send(to, bytes.clone())?;
        }
        self.collected(call, own, counts, shape)
    }

    /// What the other ranks send, one behind the other, this rank's own part among it.
    fn collected(&self, call: &Call<'_>, own: &RawArray, counts: &[usize], shape: &[usize]) -> Result<RawArray> {
        let size = own.dtype.size();
        let mut bytes = Vec::with_capacity(counts.iter().sum::<usize>() * size);
        for (from, count) in counts.iter().enumerate() {
            if from == self.group.rank {
                bytes.extend(bytes_of(own)?);
            } else {
                bytes.extend(call.receive_exact(from, count * size)?);
            }
        }
        array_of(&own.handle, &bytes, shape, own.dtype)
    }

    fn received(
        &self,
        call: &Call<'_>,
        from: usize,
        handle: &Handle,
        shape: &[usize],
        dtype: DType,
    ) -> Result<RawArray> {
        let count: usize = shape.iter().product();
        array_of(handle, &call.receive_exact(from, count * dtype.size())?, shape, dtype)
    }
}

pub(super) fn lengths(bounds: &[usize]) -> Vec<usize> {
    bounds.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// The part of a rank of a flat array.
fn between(flat: &RawArray, bounds: &[usize], rank: usize) -> RawArray {
    crate::array::slice_axis(flat, 0, bounds[rank], 1, bounds[rank + 1] - bounds[rank])
}

/// The shape of an array, with another number of rows.
pub(super) fn with_rows(x: &RawArray, rows: usize) -> Vec<usize> {
    let mut shape = x.shape().to_vec();
    shape[0] = rows;
    shape
}

/// How many elements a row of an array has.
pub(super) fn row_length(x: &RawArray) -> usize {
    x.shape()[1..].iter().product()
}

/// How many elements so many rows of an array have, for each number of rows.
pub(super) fn elements(x: &RawArray, rows: &[usize]) -> Vec<usize> {
    rows.iter().map(|rows| rows * row_length(x)).collect()
}

/// A contiguous array in another shape.
pub(super) fn shaped(raw: RawArray, shape: &[usize]) -> RawArray {
    let offset = raw.layout.offset;
    raw.with_layout(crate::backend::Layout { offset, ..crate::backend::Layout::contiguous(shape) })
}

/// Combines each element with another, or with a number, in its place.
pub(super) fn combine(operation: BinaryOperation, total: &RawArray, other: Operand<'_>) -> Result<()> {
    if total.size() == 0 {
        return Ok(());
    }
    total.handle.backend.binary(operation, Operand::Array(total.view()), other, total.view())
}

/// Divides each element by a number, in its place.
pub(super) fn divide(total: &RawArray, count: usize) -> Result<()> {
    let count = match total.dtype.is_float() {
        true => Scalar::of_float(count as f64, total.dtype),
        false => Scalar::from_bits(total.dtype, count as u128),
    };
    combine(BinaryOperation::Divide, total, Operand::Scalar(count))
}

/// The bytes of a contiguous array.
pub(super) fn bytes_of(raw: &RawArray) -> Result<Vec<u8>> {
    let size = raw.dtype.size();
    let mut bytes = vec![0; raw.size() * size];
    if !bytes.is_empty() {
        raw.handle.backend.download(&raw.allocation, raw.layout.offset * size, &mut bytes)?;
    }
    Ok(bytes)
}

fn array_of(handle: &Handle, bytes: &[u8], shape: &[usize], dtype: DType) -> Result<RawArray> {
    RawArray::of_bytes("receive", handle, shape, bytes, dtype)
}
