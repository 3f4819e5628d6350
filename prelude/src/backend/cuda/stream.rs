//! Streams and events of CUDA devices, as the backend's trait wants them.

use crate::backend::stream::{orders, waits};
use crate::backend::{EventHandle, StreamHandle};
use crate::cuda::event::Event;
use crate::cuda::queue::Stream;
use crate::error::Result;
use std::any::Any;

impl EventHandle for Event {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn synchronize(&self) -> Result<()> {
        if self.device().is_capturing() {
            return Err(waits("Event::synchronize"));
        }
        self.wait()
    }

    fn is_done(&self) -> Result<bool> {
        self.is_done()
    }
}

impl StreamHandle for Stream {
    fn number(&self) -> usize {
        self.number()
    }

    fn enter(&self) -> Result<()> {
        if self.device().is_capturing() {
            return Err(orders("Stream::with"));
        }
        self.enter();
        Ok(())
    }

    fn leave(&self) {
        self.leave();
    }

    fn record(&self) -> Result<Box<dyn EventHandle>> {
        if self.device().is_capturing() {
            return Err(orders("Event::record"));
        }
        Ok(Box::new(self.record()?))
    }

    fn wait(&self, event: &dyn EventHandle) -> Result<()> {
        if self.device().is_capturing() {
            return Err(orders("Stream::wait"));
        }
        match event.as_any().downcast_ref::<Event>() {
            Some(event) => self.wait(event),
            // Of a device that has no queue to wait for.
            None => event.synchronize(),
        }
    }

    fn synchronize(&self) -> Result<()> {
        if self.device().is_capturing() {
            return Err(waits("Stream::synchronize"));
        }
        self.synchronize()
    }

    fn is_done(&self) -> Result<bool> {
        self.is_done()
    }
}
