//! Plays a trace, and compares each value that is read with what was written before.

use serde_json::Value;
use std::collections::HashMap;
use warpcell::Trace;

/// What a trace leaves behind.
pub struct Replayed {
    /// The elements of each array at the end, as texts; none where they are not known.
    arrays: HashMap<String, Vec<Option<String>>>,
    /// The names of variables that had values.
    pub locals: Vec<String>,
}

impl Replayed {
    /// The elements of an array at the end.
    pub fn array(&self, name: &str) -> Vec<String> {
        self.arrays[name].iter().map(|element| element.clone().unwrap_or_default()).collect()
    }
}

impl Replayed {
    /// Asserts that the arrays are at the end what they were after the launch, of which all blocks are recorded.
    pub fn has_final_arrays(&self, trace: &Trace) {
        let after = trace.arrays_after();
        assert!(!after.is_empty(), "the arrays are small");
        for (name, elements) in after {
            assert_eq!(self.array(&name), elements, "{name}");
        }
    }
}

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}

/// Plays all blocks of a trace, one after another.
pub fn replayed(trace: &Trace) -> Replayed {
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    let text = |id: i64| json["texts"][usize::try_from(id).unwrap()].as_str().unwrap().to_owned();
    let described = json["arrays"].as_array().unwrap();
    let mut arrays: Vec<Vec<Option<String>>> = Vec::new();
    for array in described {
        let shape = numbers(&array["shape"]);
        let count: i64 = shape.iter().product();
        arrays.push(match array["initial"].as_array() {
            Some(_) => numbers(&array["initial"]).into_iter().map(|id| Some(text(id))).collect(),
            None => vec![None; count as usize],
        });
    }
    let mut locals = Vec::new();
    let threads: i64 = numbers(&json["block"]).iter().product();
    for block in json["blocks"].as_array().unwrap() {
        for (array, described) in arrays.iter_mut().zip(described) {
            if described["memory"] == "shared" {
                array.fill(None);
            }
        }
        let mut ended = 0;
        for step in block["steps"].as_array().unwrap() {
            let step = step.as_array().unwrap();
            let mask = step[2].as_u64().unwrap();
            let lanes = mask.count_ones() as usize;
            assert!(step[0] != -1 || mask == 0, "{step:?}");
            for effect in &step[3..] {
                let kind = effect[0].as_str().unwrap();
                match kind {
                    "R" | "W" | "A" => {
                        let array = usize::try_from(effect[1].as_u64().unwrap()).unwrap();
                        let (elements, values) = (numbers(&effect[2]), numbers(&effect[3]));
                        assert_eq!((elements.len(), values.len()), (lanes, lanes), "{step:?}");
                        for (lane, (&element, &value)) in elements.iter().zip(&values).enumerate() {
                            if element < 0 {
                                continue;
                            }
                            let cell = &mut arrays[array][usize::try_from(element).unwrap()];
                            if kind == "W" {
                                *cell = Some(text(value));
                                continue;
                            }
                            // Nothing is known of what was there, or it must be this.
                            let known = cell.get_or_insert_with(|| text(value));
                            assert_eq!(
                                *known,
                                text(value),
                                "element {element} of {}: {step:?}",
                                described[array]["name"]
                            );
                            if kind == "A" {
                                *cell = Some(text(numbers(&effect[4])[lane]));
                            }
                        }
                    }
                    "L" => {
                        assert_eq!(numbers(&effect[2]).len(), lanes, "{step:?}");
                        locals.push(text(effect[1].as_i64().unwrap()));
                    }
                    "D" => {}
                    "S" => assert_eq!(numbers(&effect[2]).len(), lanes, "{step:?}"),
                    "E" => ended += lanes as i64,
                    "B" | "O" | "F" => {}
                    other => panic!("{other}"),
                }
            }
        }
        if json["fault"].is_null() && json["left_out_events"] == 0 {
            assert_eq!(ended, threads, "{}", json["kernel"]);
        }
    }
    let names = described.iter().map(|array| array["name"].as_str().unwrap().to_owned());
    let arrays = names.zip(arrays).collect();
    locals.sort_unstable();
    locals.dedup();
    Replayed { arrays, locals }
}

/// What a trace says of the fault, whose step has to be there.
pub fn fault_of(trace: &Trace) -> Option<String> {
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    let fault = json["fault"].as_object()?;
    let at = |name: &str| usize::try_from(fault[name].as_u64().unwrap()).unwrap();
    let step = &json["blocks"][at("block")]["steps"][at("step")];
    assert_eq!(step[3][0], "F", "{step}");
    Some(fault["message"].as_str().unwrap().to_owned())
}
