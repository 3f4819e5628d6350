//! A host and a device for tests, whose clocks move only when told to.

use super::device::Queue;
use crate::backend::EventHandle;
use crate::error::Result;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Fake {
    pub host: Cell<f64>,
    /// When the device will have done what is queued.
    device: Cell<f64>,
    pub log: RefCell<Vec<String>>,
}

impl Fake {
    /// Spends `host` seconds on the host, which begin with queueing `device` seconds of work.
    pub fn work(&self, host: f64, device: Option<f64>) {
        let start = self.host.get();
        self.host.set(start + host);
        if let Some(device) = device {
            self.device.set(self.device.get().max(start) + device);
        }
    }

    /// The device's queue.
    pub fn queue(self: &Rc<Fake>) -> Arc<dyn Queue> {
        #[allow(clippy::arc_with_non_send_sync, reason = "the trait object is never sent")]
        Arc::new(FakeQueue(self.clone(), false))
    }

    /// The same, of a device that is the host.
    pub fn host_queue(self: &Rc<Fake>) -> Arc<dyn Queue> {
        #[allow(clippy::arc_with_non_send_sync, reason = "the trait object is never sent")]
        Arc::new(FakeQueue(self.clone(), true))
    }
}

struct FakeEvent(f64);

impl EventHandle for FakeEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Whether it is the host's stands behind it.
struct FakeQueue(Rc<Fake>, bool);

impl Queue for FakeQueue {
    fn label(&self) -> String {
        "fake:0".into()
    }

    fn is_host(&self) -> bool {
        self.1
    }

    fn record(&self) -> Result<Box<dyn EventHandle>> {
        self.0.log.borrow_mut().push("record".into());
        Ok(Box::new(FakeEvent(self.0.device.get().max(self.0.host.get()))))
    }

    fn elapsed(&self, start: &dyn EventHandle, end: &dyn EventHandle) -> Result<f64> {
        let at = |event: &dyn EventHandle| event.as_any().downcast_ref::<FakeEvent>().unwrap().0;
        Ok(at(end) - at(start))
    }

    fn synchronize(&self) -> Result<()> {
        self.0.log.borrow_mut().push("synchronize".into());
        self.0.host.set(self.0.host.get().max(self.0.device.get()));
        Ok(())
    }
}
