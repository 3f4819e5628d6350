//! Replies to requests.

use super::content::{PROTOCOL_VERSION, untyped};
use super::cursor::to_code_points;
use crate::evaluator::{CellError, Completeness, Completions, Outcome};
use jupyter_protocol::{
    CompleteReply, InterruptReply, IsCompleteReply, JupyterMessageContent, ReplyStatus, ShutdownReply,
};
use serde_json::{Map, Value, json};

/// All that this kernel can answer.
#[derive(Debug)]
pub enum Reply {
    /// The description of this kernel.
    KernelInfo {
        /// The text that consoles show at start.
        banner: String,
    },
    /// How a cell ended.
    Execute {
        /// The number of the cell.
        count: usize,
        /// How it ended.
        result: Executed,
        /// The names of expressions whose values the client wants.
        expressions: Vec<String>,
    },
    /// Candidates to complete with.
    Complete {
        /// The text of the request, to count positions in.
        code: String,
        /// The candidates.
        completions: Completions,
    },
    /// Documentation by MIME type, if there is some.
    Inspect(Option<Map<String, Value>>),
    /// Whether code is finished.
    IsComplete(Completeness),
    /// Earlier inputs.
    History(Vec<Value>),
    /// The open comms: identity to target.
    CommInfo(Map<String, Value>),
    /// The interrupt has been asked for.
    Interrupt,
    /// The kernel ends now.
    Shutdown {
        /// Whether another kernel will follow.
        restart: bool,
    },
}

/// How a cell ended.
#[derive(Debug)]
pub enum Executed {
    /// It ran to its end.
    Done(Outcome),
    /// It failed.
    Failed(CellError),
    /// It was not run, because one before it had failed.
    Aborted,
}

impl Reply {
    /// The content of the reply's message.
    pub fn into_content(self) -> JupyterMessageContent {
        match self {
            Self::KernelInfo { banner } => untyped("kernel_info_reply", kernel_info(&banner)),
            Self::Execute { count, result, expressions } => {
                untyped("execute_reply", execute(count, result, expressions))
            }
            Self::Complete { code, completions } => complete(&code, completions).into(),
            Self::Inspect(data) => {
                let found = data.is_some();
                let data = data.unwrap_or_default();
                untyped("inspect_reply", json!({ "status": "ok", "found": found, "data": data, "metadata": {} }))
            }
            Self::IsComplete(completeness) => match completeness {
                Completeness::Complete => IsCompleteReply::complete(),
                Completeness::Incomplete { indent } => IsCompleteReply::incomplete(indent),
                Completeness::Invalid => IsCompleteReply::invalid(),
            }
            .into(),
            Self::History(history) => untyped("history_reply", json!({ "status": "ok", "history": history })),
            Self::CommInfo(comms) => untyped("comm_info_reply", json!({ "status": "ok", "comms": comms })),
            Self::Interrupt => InterruptReply::new().into(),
            Self::Shutdown { restart } => ShutdownReply { restart, status: ReplyStatus::Ok, error: None }.into(),
        }
    }
}

fn kernel_info(banner: &str) -> Value {
    json!({
        "status": "ok",
        "protocol_version": PROTOCOL_VERSION,
        "implementation": "warpcell",
        "implementation_version": env!("CARGO_PKG_VERSION"),
        "language_info": {
            "name": "rust",
            "version": crate::PINNED_COMPILER,
            "mimetype": "text/x-rustsrc",
            "file_extension": ".rs",
            "pygments_lexer": "rust",
            "codemirror_mode": "rust",
        },
        "banner": banner,
        "debugger": false,
        "supported_features": [],
        "help_links": [
            { "text": "Warpcell", "url": env!("CARGO_PKG_REPOSITORY") },
            { "text": "Rust", "url": "https://doc.rust-lang.org/stable/" },
            { "text": "The Rust Programming Language", "url": "https://doc.rust-lang.org/book/" },
            { "text": "Rust standard library", "url": "https://doc.rust-lang.org/std/" },
        ],
    })
}

fn execute(count: usize, result: Executed, expressions: Vec<String>) -> Value {
    // Each expression would be a separate cell and could have effects. The protocol has an error for expressions
    // without a value.
    let value = "expressions beside a cell are not evaluated; make the expression the last one of the cell";
    let refused = json!({ "status": "error", "ename": "NotEvaluated", "evalue": value, "traceback": [value] });
    let expressions: Map<String, Value> = expressions.into_iter().map(|name| (name, refused.clone())).collect();
    match result {
        Executed::Done(Outcome { payload, .. }) => json!({
            "status": "ok", "execution_count": count, "payload": payload, "user_expressions": expressions,
        }),
        Executed::Failed(CellError { name, value, traceback }) => json!({
            "status": "error", "execution_count": count, "payload": [], "user_expressions": {},
            "ename": name, "evalue": value, "traceback": traceback,
        }),
        Executed::Aborted => json!({
            "status": "aborted", "execution_count": count, "payload": [], "user_expressions": {},
        }),
    }
}

fn complete(code: &str, completions: Completions) -> CompleteReply {
    let start = to_code_points(code, completions.start);
    let end = to_code_points(code, completions.end);
    let types: Vec<Value> = completions
        .candidates
        .iter()
        .map(|candidate| {
            let mut entry = json!({ "text": candidate.text, "type": candidate.kind, "start": start, "end": end });
            if let Some(signature) = &candidate.signature {
                entry["signature"] = Value::from(signature.as_str());
            }
            entry
        })
        .collect();
    // JupyterLab reads the kinds of candidates only from here.
    let metadata = Map::from_iter([("_jupyter_types_experimental".to_owned(), Value::Array(types))]);
    CompleteReply {
        matches: completions.candidates.into_iter().map(|candidate| candidate.text).collect(),
        cursor_start: start,
        cursor_end: end,
        metadata,
        status: ReplyStatus::Ok,
        error: None,
    }
}
