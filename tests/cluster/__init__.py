"""Functions for Python on Dask, Ray, joblib and pools of processes: the stage `cluster` of tests/run."""
