"""Random calls of the array library, with the results that NumPy gives: the truth for prelude/tests/integration/fuzz.rs."""
