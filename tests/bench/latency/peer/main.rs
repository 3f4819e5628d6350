//! The peer that `tests/bench/latency` measures against: evcxr's own Jupyter kernel, built from this project's lock file.

fn main() -> anyhow::Result<()> {
    evcxr_jupyter::main()
}
