//! A trace as JSON, which the player reads.

use super::contents::{Contents, Fault, Opening, OtherSide};
use super::film::{Effect, Step};
use std::fmt::Write;

/// Longer arrays are shown without the values that they begin with.
pub(super) const MOST_INITIAL: usize = 65_536;

/// The whole trace.
pub(super) fn write(contents: &mut Contents) -> String {
    let initial: Vec<Option<Vec<i64>>> = contents
        .given
        .iter()
        .map(|array| {
            let bytes = array.bytes().filter(|_| array.elements() <= MOST_INITIAL)?;
            let texts = warpcell_threads::element_texts(array.dtype.name(), bytes, array.dtype.size());
            Some(texts.iter().map(|text| contents.texts.number(text).into()).collect())
        })
        .collect();
    let mut json = String::from("{\"version\":1,\"kernel\":");
    string(&mut json, contents.kernel);
    let _ = write!(
        json,
        ",\"grid\":{:?},\"block\":{:?},\"warp\":32,\"source\":{{\"first\":{},\"lines\":",
        contents.grid, contents.block, contents.first
    );
    list(&mut json, &contents.lines, |json, line| string(json, line));
    json.push_str("},\"functions\":");
    list(&mut json, &contents.functions, |json, function| {
        json.push_str("{\"name\":");
        string(json, function.name);
        let _ = write!(json, ",\"first\":{},\"lines\":", function.first);
        list(json, &function.lines, |json, line| string(json, line));
        json.push('}');
    });
    json.push_str(",\"texts\":");
    list(&mut json, contents.texts.all(), |json, text| string(json, text));
    json.push_str(",\"arrays\":");
    let arrays: Vec<_> = contents.arrays.iter().enumerate().collect();
    list(&mut json, &arrays, |json, (number, array)| {
        json.push_str("{\"name\":");
        string(json, &array.name);
        json.push_str(",\"dtype\":");
        string(json, &array.dtype);
        let memory = if array.is_shared { "shared" } else { "global" };
        let _ = write!(json, ",\"shape\":{:?},\"memory\":\"{memory}\",\"initial\":", array.shape);
        match initial.get(*number).and_then(Option::as_ref) {
            Some(values) => numbers(json, values),
            None => json.push_str("null"),
        }
        let _ = write!(json, ",\"shown\":{}}}", array.shape.iter().product::<usize>());
    });
    let _ = write!(
        json,
        ",\"total_blocks\":{},\"left_out_events\":{},\"blocks\":",
        contents.total_blocks, contents.left_out
    );
    list(&mut json, &contents.blocks, |json, block| {
        let _ = write!(json, "{{\"index\":{:?},\"steps\":", block.index);
        list(json, &block.steps, step);
        json.push('}');
    });
    json.push_str(",\"fault\":");
    match &contents.fault {
        Some(found) => fault(&mut json, found),
        None => json.push_str("null"),
    }
    json.push_str(",\"element\":");
    match &contents.element {
        Some(element) => string(&mut json, &format!("{:?}", element.index)),
        None => json.push_str("null"),
    }
    json.push_str(",\"opens\":");
    match &contents.opens {
        Some(found) => opens(&mut json, found),
        None => json.push_str("null"),
    }
    json.push_str(",\"report\":");
    match &contents.element {
        Some(_) => json.push_str("null"),
        None => contents.report.write_json(&mut json),
    }
    json.push_str(",\"notes\":");
    list(&mut json, &contents.notes, |json, note| string(json, note));
    json.push('}');
    json
}

fn step(json: &mut String, step: &Step) {
    let _ = write!(json, "[{},{},{}", step.warp, step.line, step.mask);
    for effect in &step.effects {
        json.push_str(",[");
        match effect {
            Effect::Local { name, values } => {
                let _ = write!(json, "\"L\",{name},");
                numbers(json, values);
            }
            Effect::Dropped { name } => {
                let _ = write!(json, "\"D\",{name}");
            }
            Effect::Read { array, elements, values } | Effect::Write { array, elements, values } => {
                let kind = if matches!(effect, Effect::Read { .. }) { 'R' } else { 'W' };
                let _ = write!(json, "\"{kind}\",{array},");
                numbers(json, elements);
                json.push(',');
                numbers(json, values);
            }
            Effect::Atomic { array, elements, old, new, name } => {
                let _ = write!(json, "\"A\",{array},");
                for values in [elements, old, new] {
                    numbers(json, values);
                    json.push(',');
                }
                let _ = write!(json, "{name}");
            }
            Effect::Result { name, values } => {
                let _ = write!(json, "\"S\",{name},");
                numbers(json, values);
            }
            Effect::Waits => json.push_str("\"B\""),
            Effect::Opens => json.push_str("\"O\""),
            Effect::Ends => json.push_str("\"E\""),
            Effect::Fails => json.push_str("\"F\""),
        }
        json.push(']');
    }
    json.push(']');
}

fn fault(json: &mut String, fault: &Fault) {
    let Fault { block, step, threads, kind, message, other } = fault;
    let _ =
        write!(json, "{{\"block\":{block},\"step\":{step},\"threads\":{threads:?},\"kind\":\"{kind}\",\"message\":");
    string(json, message);
    if let Some(OtherSide { block, position, thread }) = other {
        let _ = write!(json, ",\"other\":{{\"block\":{block},\"position\":{position},\"thread\":{thread}}}");
    }
    json.push('}');
}

fn opens(json: &mut String, opens: &Opening) {
    let Opening { block, position, message, thread, element } = opens;
    let _ = write!(json, "{{\"block\":{block},\"position\":{position},\"message\":");
    string(json, message);
    let thread = thread.map_or("null".to_owned(), |thread| thread.to_string());
    let element = element.map_or("null".to_owned(), |(array, element)| format!("[{array},{element}]"));
    let _ = write!(json, ",\"thread\":{thread},\"element\":{element}}}");
}

/// A text with quotation marks.
pub(super) fn string(json: &mut String, text: &str) {
    json.push_str(&serde_json::Value::from(text).to_string());
}

pub(super) fn list<T>(json: &mut String, items: &[T], mut item: impl FnMut(&mut String, &T)) {
    json.push('[');
    for (number, one) in items.iter().enumerate() {
        if number > 0 {
            json.push(',');
        }
        item(json, one);
    }
    json.push(']');
}

fn numbers(json: &mut String, numbers: &[i64]) {
    list(json, numbers, |json, number| {
        let _ = write!(json, "{number}");
    });
}
