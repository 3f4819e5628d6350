//! What was recorded, as it is shown: steps with the effects that they have on variables, memory and threads.

use crate::failures::Places;
use crate::tracing::run::TracedArray;
use std::collections::HashSet;
use warpcell_threads::{Called, Event, Memory, RecordedBlock, Recording, Texts, What};

/// No value, or no element.
pub(super) const NONE: i64 = -1;

/// The lines of the function of number `n` among those of a film begin here, times `n`; the kernel's own are those of number 0.
pub(super) const LINES: usize = 1_000_000;

/// What a step does. Values of lanes are in the order of the lanes that take part.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    /// A variable has these values from now on.
    Local { name: i64, values: Vec<i64> },
    /// A variable is there no more.
    Dropped { name: i64 },
    /// Elements are read.
    Read { array: usize, elements: Vec<i64>, values: Vec<i64> },
    /// Elements are written.
    Write { array: usize, elements: Vec<i64>, values: Vec<i64> },
    /// Elements are changed in one step.
    Atomic { array: usize, elements: Vec<i64>, old: Vec<i64>, new: Vec<i64>, name: i64 },
    /// A function of the warp or the block gives values.
    Result { name: i64, values: Vec<i64> },
    /// The lanes wait.
    Waits,
    /// The barrier opens.
    Opens,
    /// The lanes have ended.
    Ends,
    /// The launch fails.
    Fails,
}

/// A step: a warp (none if the barrier of the block opens), the user's line, the lanes, and what they do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub warp: i64,
    /// In a function that is called, with the function's number before it: see [`LINES`].
    pub line: usize,
    pub mask: u32,
    pub effects: Vec<Effect>,
}

/// Memory that the steps name.
pub(super) struct FilmArray {
    pub name: String,
    pub dtype: String,
    pub shape: Vec<usize>,
    pub is_shared: bool,
}

/// A variable of a lane.
#[derive(Clone)]
struct Variable {
    name: i64,
    /// How many calls led to its function.
    depth: u32,
    scope: (u32, u32),
    value: i64,
}

/// Makes films of recorded blocks.
pub(super) struct Cutter<'a> {
    recording: &'a Recording,
    places: &'a Places,
    source: &'a [&'a str],
    first: usize,
    pub texts: Texts,
    pub arrays: Vec<FilmArray>,
    /// The number here of each array of the recording.
    numbers: Vec<usize>,
    /// The text of each variable of the recording.
    names: Vec<i64>,
    /// The functions that have steps, by their numbers.
    pub functions: Vec<&'static str>,
}

impl<'a> Cutter<'a> {
    pub fn new(
        recording: &'a Recording,
        places: &'a Places,
        source: &'a [&'a str],
        first: usize,
        given: &[TracedArray],
    ) -> Cutter<'a> {
        let mut arrays: Vec<FilmArray> = given
            .iter()
            .map(|array| FilmArray {
                name: array.name.to_owned(),
                dtype: array.dtype.to_string(),
                shape: array.shape.clone(),
                is_shared: false,
            })
            .collect();
        let mut numbers = Vec::new();
        for array in &recording.arrays {
            let name = places.memory(&array.memory);
            let known = match array.memory {
                Memory::Array { name } => given.iter().position(|given| given.name == name),
                _ => None,
            };
            numbers.push(known.unwrap_or(arrays.len()));
            if known.is_none() {
                let (dtype, shape) = (array.dtype.to_owned(), array.shape.clone());
                arrays.push(FilmArray { name, dtype, shape, is_shared: true });
            }
        }
        let mut texts = recording.texts.clone();
        let names = recording.names.iter().map(|known| texts.number(known.name).into()).collect();
        let functions = vec![places.find(None).0];
        Cutter { recording, places, source, first, texts, arrays, numbers, names, functions }
    }

    /// The steps of a block.
    pub fn cut(&mut self, block: &RecordedBlock) -> Vec<Step> {
        // Of each thread of the block, as far as one has a step.
        let mut threads: Vec<Vec<Variable>> = Vec::new();
        let mut steps = Vec::with_capacity(block.steps.len());
        for (number, recorded) in block.steps.iter().enumerate() {
            let lanes: Vec<u8> = (0..32).filter(|lane| recorded.mask >> lane & 1 == 1).collect();
            let warp = recorded.warp.map_or(NONE, i64::from);
            let first = recorded.warp.unwrap_or(0) as usize * 32;
            threads.resize_with(threads.len().max(first + 32), Vec::new);
            let mut effects = Vec::new();
            let place = recorded.called.unwrap_or(Called { depth: 0, position: recorded.position });
            if place.position > 0 {
                self.drop_variables(&mut threads, first, &lanes, place, &mut effects);
            }
            self.effects(block.events_of(number), place.depth, &mut threads, first, &lanes, &mut effects);
            let line = self.line(recorded.line);
            steps.push(Step { warp, line, mask: recorded.mask, effects });
        }
        steps
    }

    /// The number of a line.
    fn line(&mut self, compiled: u32) -> usize {
        let (name, line) = self.places.find(Some(compiled));
        let known = self.functions.iter().position(|function| *function == name);
        let number = known.unwrap_or_else(|| {
            self.functions.push(name);
            self.functions.len() - 1
        });
        number * LINES + line
    }

    /// Ends variables whose blocks, or functions, the lanes have left.
    fn drop_variables(
        &self,
        threads: &mut [Vec<Variable>],
        first: usize,
        lanes: &[u8],
        place: Called,
        effects: &mut Vec<Effect>,
    ) {
        let mut gone: Vec<i64> = Vec::new();
        for &lane in lanes {
            threads[first + usize::from(lane)].retain(|variable| {
                let is_there = (variable.scope.0..=variable.scope.1).contains(&place.position);
                let stays = variable.depth < place.depth || variable.depth == place.depth && is_there;
                if !stays && !gone.contains(&variable.name) {
                    gone.push(variable.name);
                }
                stays
            });
        }
        for name in gone {
            // One of that name around it is seen again.
            let values: Vec<i64> = lanes
                .iter()
                .map(|&lane| {
                    let variables = &threads[first + usize::from(lane)];
                    variables.iter().rev().find(|variable| variable.name == name).map_or(NONE, |outer| outer.value)
                })
                .collect();
            effects.push(Effect::Dropped { name });
            if values.iter().any(|&value| value != NONE) {
                effects.push(Effect::Local { name, values });
            }
        }
    }

    /// Joins what the lanes did into effects.
    fn effects(
        &mut self,
        events: &[Event],
        depth: u32,
        threads: &mut [Vec<Variable>],
        first: usize,
        lanes: &[u8],
        effects: &mut Vec<Effect>,
    ) {
        // What is atomic keeps its order if a lane does it more than once.
        let mut seen = HashSet::new();
        let repeats = events.iter().any(|event| {
            let key = (event.lane, event.place.map(|place| (place.line(), place.column())));
            matches!(event.what, What::Atomic { .. }) && !seen.insert(key)
        });
        let start = effects.len();
        let mut keys: Vec<Key> = Vec::new();
        let (mut cursor, mut of) = (0, None);
        for event in events {
            if of != Some(event.lane) {
                of = Some(event.lane);
                cursor = if repeats { keys.len() } else { 0 };
            }
            let slot = lanes.iter().position(|&lane| lane == event.lane).unwrap_or(0);
            let thread = first + usize::from(event.lane);
            let key = self.key(event);
            let found = keys[cursor..].iter().position(|known| *known == key).map(|at| cursor + at);
            let at = found.unwrap_or_else(|| {
                keys.insert(cursor, key);
                let effect = self.empty(event, lanes.len());
                effects.insert(start + cursor, effect);
                cursor
            });
            cursor = at + 1;
            self.put(&mut effects[start + at], event, slot);
            self.keep(event, depth, &mut threads[thread]);
        }
    }

    fn key(&self, event: &Event) -> Key {
        let place = event.place.map_or((0, 0), |place| (place.line(), place.column()));
        let (kind, number) = match event.what {
            // By the name as it is written.
            What::Local { name, .. } | What::Assigned { name, .. } => (0, self.names[name as usize]),
            What::Read { array, .. } => (1, array.into()),
            What::Write { array, .. } => (2, array.into()),
            What::Atomic { array, .. } => (3, array.into()),
            What::Result { operation, .. } => (4, operation.into()),
            What::Waits => (5, 0),
            What::Opens => (6, 0),
            What::Ends => (7, 0),
            What::Fails => (8, 0),
        };
        Key { kind, number, place }
    }

    fn empty(&mut self, event: &Event, count: usize) -> Effect {
        let none = || vec![NONE; count];
        match event.what {
            What::Local { name, .. } | What::Assigned { name, .. } => {
                Effect::Local { name: self.names[name as usize], values: none() }
            }
            What::Read { array, .. } => {
                Effect::Read { array: self.numbers[array as usize], elements: none(), values: none() }
            }
            What::Write { array, .. } => {
                Effect::Write { array: self.numbers[array as usize], elements: none(), values: none() }
            }
            What::Atomic { array, .. } => {
                let name = self.operation(event);
                let array = self.numbers[array as usize];
                Effect::Atomic { array, elements: none(), old: none(), new: none(), name }
            }
            What::Result { operation, .. } => Effect::Result { name: operation.into(), values: none() },
            What::Waits => Effect::Waits,
            What::Opens => Effect::Opens,
            What::Ends => Effect::Ends,
            What::Fails => Effect::Fails,
        }
    }

    fn put(&self, effect: &mut Effect, event: &Event, slot: usize) {
        match (effect, event.what) {
            (Effect::Local { values, .. }, What::Local { value, .. } | What::Assigned { value, .. })
            | (Effect::Result { values, .. }, What::Result { value, .. }) => values[slot] = value.into(),
            (Effect::Read { elements, values, .. }, What::Read { index, value, .. })
            | (Effect::Write { elements, values, .. }, What::Write { index, value, .. }) => {
                (elements[slot], values[slot]) = (index.into(), value.into());
            }
            (Effect::Atomic { elements, old, new, .. }, What::Atomic { index, old: before, new: after, .. }) => {
                (elements[slot], old[slot], new[slot]) = (index.into(), before.into(), after.into());
            }
            _ => {}
        }
    }

    /// Keeps the value of a variable, for when another one of its name ends.
    fn keep(&self, event: &Event, depth: u32, variables: &mut Vec<Variable>) {
        match event.what {
            What::Local { name, value } => {
                let known = self.recording.names[name as usize];
                let (name, scope, value) = (self.names[name as usize], (known.start, known.end), value.into());
                let is_it =
                    |variable: &&mut Variable| (variable.name, variable.depth, variable.scope) == (name, depth, scope);
                match variables.iter_mut().find(is_it) {
                    Some(variable) => variable.value = value,
                    None => variables.push(Variable { name, depth, scope, value }),
                }
            }
            What::Assigned { name, value } => {
                let (name, value) = (self.names[name as usize], value.into());
                let is_it = |variable: &&mut Variable| (variable.name, variable.depth) == (name, depth);
                match variables.iter_mut().rev().find(is_it) {
                    Some(variable) => variable.value = value,
                    None => variables.push(Variable { name, depth, scope: (0, u32::MAX), value }),
                }
            }
            _ => {}
        }
    }

    /// The method that was called, which stands at the place of the access.
    fn operation(&mut self, event: &Event) -> i64 {
        let name = event.place.and_then(|place| {
            let line = self.places.find(Some(place.line())).1;
            let text = self.source.get(line.checked_sub(self.first)?)?;
            let rest = text.get(text.find("atomic_")?..)?;
            let column = place.column() as usize;
            let at = text.char_indices().nth(column.checked_sub(1)?).map(|(at, _)| &text[at..]);
            let rest = at.filter(|at| at.starts_with("atomic_")).unwrap_or(rest);
            rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
        });
        self.texts.number(name.unwrap_or("atomic")).into()
    }
}

#[derive(PartialEq)]
struct Key {
    kind: u8,
    number: i64,
    place: (u32, u32),
}
