//! A generator of random numbers, and the functions that draw from a default one: written once for arrays on the device, once for
//! arrays on the host.
//!
//! A row of [`generator!`] is a function that draws from the stream that it takes first. The macro makes two of it: the method of
//! `Generator`, and the function of the module, which has the documentation and draws from the default generator.

/// `Generator` and its functions; see the head of this file.
macro_rules! generator {
    (
        $(#[$attribute:meta])*
        pub struct Generator;
        $(
            $(#[$doc:meta])*
            pub fn $name:ident $(<$($generic:ident: $bound:path),+>)? ($stream:ident $(, $argument:ident: $type:ty)* $(,)?)
            $(-> $value:ty)? { $($body:tt)* }
        )*
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug)]
        pub struct Generator {
            stream: $crate::philox::Stream,
        }

        impl Generator {
            /// A generator that is determined by its seed.
            pub fn new(seed: u64) -> Generator {
                Generator { stream: $crate::philox::Stream::new(seed) }
            }

            /// A generator that is seeded from the system's entropy.
            pub fn from_entropy() -> Generator {
                Generator { stream: $crate::philox::Stream::from_entropy() }
            }

            /// `count` generators whose numbers are independent of this one's and of one another's, determined by the seed:
            /// one for each worker, say. Later calls give further ones; the numbers of this generator stay what they are.
            pub fn spawn(&mut self, count: usize) -> Vec<Generator> {
                (0..count).map(|_| Generator { stream: self.stream.spawn() }).collect()
            }

            /// The bit generator as it is now: what it gives next, and the state that can be saved.
            pub fn bit_generator(&self) -> $crate::random::Philox4x3210 {
                $crate::random::Philox4x3210::of(self.stream.clone())
            }
        }

        impl From<$crate::random::Philox4x3210> for Generator {
            fn from(bits: $crate::random::Philox4x3210) -> Generator {
                Generator { stream: bits.into_stream() }
            }
        }

        $crate::operations::random::generator::generator! {
            impl Generator;
            $(
                $(#[$doc])*
                pub fn $name $(<$($generic: $bound),+>)? ($stream $(, $argument: $type)*) $(-> $value)? { $($body)* }
            )*
        }

        /// The generator of the functions above.
        fn default() -> std::sync::MutexGuard<'static, Generator> {
            static DEFAULT: std::sync::OnceLock<std::sync::Mutex<Generator>> = std::sync::OnceLock::new();
            let generator = DEFAULT.get_or_init(|| Generator::from_entropy().into());
            // A panic of another holder leaves a generator that is as good.
            generator.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
        }
    };
    // More functions, in another file.
    (
        impl Generator;
        $(
            $(#[$doc:meta])*
            pub fn $name:ident $(<$($generic:ident: $bound:path),+>)? ($stream:ident $(, $argument:ident: $type:ty)* $(,)?)
            $(-> $value:ty)? { $($body:tt)* }
        )*
    ) => {
        impl Generator {
            $(
                #[doc = concat!("As [`random::", stringify!($name), "`](", stringify!($name), "()), from this generator.")]
                #[track_caller]
                pub fn $name $(<$($generic: $bound),+>)? (&mut self $(, $argument: $type)*) $(-> $value)? {
                    let $stream = &mut self.stream;
                    $($body)*
                }
            )*
        }

        $(
            $(#[$doc])*
            #[track_caller]
            pub fn $name $(<$($generic: $bound),+>)? ($($argument: $type),*) $(-> $value)? {
                default().$name($($argument),*)
            }
        )*
    };
}
pub(crate) use generator;
