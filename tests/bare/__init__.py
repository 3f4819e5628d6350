"""The README's first command on a machine that has Rust and nothing else of what it needs."""
