//! Streams and events of CUDA devices, as the backend's trait wants them.

use std::any::Any;
use warpcell_base::backend::stream::{orders, waits};
use warpcell_base::backend::{EventHandle, StreamHandle};
use warpcell_base::error::Result;
use warpcell_driver::event::Event;
use warpcell_driver::queue::Stream;

/// A recorded event.
pub(super) struct CudaEvent(pub Event);

/// A stream of a device.
pub(super) struct CudaStream(pub Stream);

impl EventHandle for CudaEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn synchronize(&self) -> Result<()> {
        if self.0.device().is_capturing() {
            return Err(waits("Event::synchronize"));
        }
        self.0.wait()
    }

    fn is_done(&self) -> Result<bool> {
        self.0.is_done()
    }
}

impl StreamHandle for CudaStream {
    fn number(&self) -> usize {
        self.0.number()
    }

    fn enter(&self) -> Result<()> {
        if self.0.device().is_capturing() {
            return Err(orders("Stream::with"));
        }
        self.0.enter();
        Ok(())
    }

    fn leave(&self) {
        self.0.leave();
    }

    fn record(&self) -> Result<Box<dyn EventHandle>> {
        if self.0.device().is_capturing() {
            return Err(orders("Event::record"));
        }
        Ok(Box::new(CudaEvent(self.0.record()?)))
    }

    fn wait(&self, event: &dyn EventHandle) -> Result<()> {
        if self.0.device().is_capturing() {
            return Err(orders("Stream::wait"));
        }
        match event.as_any().downcast_ref::<CudaEvent>() {
            Some(CudaEvent(event)) => self.0.wait(event),
            // Of a device that has no queue to wait for.
            None => event.synchronize(),
        }
    }

    fn synchronize(&self) -> Result<()> {
        if self.0.device().is_capturing() {
            return Err(waits("Stream::synchronize"));
        }
        self.0.synchronize()
    }

    fn is_done(&self) -> Result<bool> {
        self.0.is_done()
    }
}
