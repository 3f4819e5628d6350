"""Tests of Rust in Python notebooks, and of the places where that is needed: Colab and Binder."""
