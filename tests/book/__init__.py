"""Tests of the book that `warpcell lessons book` makes of the lessons."""
