#!/usr/bin/env python3
"""Random calls of SciPy's ndimage with their results, for prelude/tests/integration/ndimage/cases.rs.

`ndimage_cases.py` writes ndimage_cases.json. `ndimage_cases.py COUNT SEED PATH` writes others, which the test
reads in its place if WARPCELL_NDIMAGE_CASES has the path.
"""

import json
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy.ndimage as nd

HERE = Path(__file__).resolve().parent
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap"]
DTYPES = {"u8": np.uint8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "bool": bool, "f32": np.float32, "f64": np.float64}


def numbers(seed, count):
    """A generator of numbers that the test has too."""
    state = seed
    found = []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        found.append(state >> 33)
    return np.array(found, dtype=np.int64)


def array_of(case):
    """The array of a case: of a type, a shape, a seed, and of few or many values."""
    shape = case["shape"]
    drawn = numbers(case["seed"], int(np.prod(shape, dtype=int)))
    dtype = DTYPES[case["dtype"]]
    if case["dtype"] == "bool":
        values = drawn % 4 >= (1 if case["few"] else 2)
    elif case["few"]:
        values = drawn % 4
    elif case["dtype"] == "u8":
        values = drawn % 256
    elif case["dtype"] == "i16":
        values = drawn % 65536 - 32768
    elif dtype in (np.float32, np.float64):
        values = (drawn % 2000 - 1000) / 64
    else:
        values = drawn % 20001 - 10000
    return np.asarray(values).astype(dtype).reshape(shape)


class Draw:
    """What cases are made of."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def shape(self, least=0):
        rank = self.r.choice([1, 1, 2, 2, 2, 3])
        limit = {1: 24, 2: 8, 3: 4}[rank]
        lengths = [self.r.choice([1, 2, 3, self.r.randint(1, limit), self.r.randint(2, limit)]) for _ in range(rank)]
        if least == 0 and self.r.random() < 0.03:
            lengths[self.r.randrange(rank)] = 0
        return lengths

    def mode(self):
        return self.r.choice(MODES)

    def cval(self):
        return self.r.choice([0.0, 1.0, 2.5, -3.0, 100.0])

    def origin(self, length):
        return self.r.choice([0, self.r.randint(-(length // 2), (length - 1) // 2)])

    def footprint(self, lengths):
        count = int(np.prod(lengths))
        return [int(self.r.random() < 0.6) for _ in range(count)]

    def weights(self, count):
        half = [self.r.choice([0.0, 1.0, -1.0, 0.5, 0.1, self.r.uniform(-2, 2)]) for _ in range(count)]
        kind = self.r.randrange(3)
        if kind == 0:
            return half
        sign = 1 if kind == 1 else -1
        for k in range(count // 2):
            half[count - 1 - k] = sign * half[k]
        if sign < 0 and count % 2:
            half[count // 2] = 0.0
        return half

    def axes(self, rank):
        axes = self.r.sample(range(rank), self.r.randint(1, rank))
        return [axis - rank if self.r.random() < 0.3 else axis for axis in axes]

    def case(self, name):
        r = self.r
        kind = next(kind for kind, group in KINDS.items() if name in group)
        case = {"name": name, "kind": kind, "shape": self.shape(1 if kind in ("spline", "labelled") else 0)}
        case["dtype"] = r.choice([dtype for dtype in DTYPES if dtype != "bool" or name not in NO_BOOLS])
        if kind in ("spline", "gaussian", "edge") and case["dtype"] == "bool":
            # What is cut off to 0 or 1 depends on the last bit, and SciPy's bools become other bytes than 0 and 1 on the way.
            case["dtype"] = "u8"
        if kind == "labelled" and case["dtype"] == "f32":
            # SciPy computes in the type then.
            case["dtype"] = "f64"
        case["seed"], case["few"] = r.randrange(10**9), r.random() < 0.4
        shape, rank = case["shape"], len(case["shape"])
        edges = {"mode": [self.mode()], "cval": self.cval()}
        if kind == "line":
            size = r.randint(1, 7)
            case |= edges | {"axis": r.randrange(-rank, rank), "origin": [self.origin(size)]}
            if "correlate" in name or "convolve" in name:
                case["weights"] = self.weights(size)
            else:
                case["size"] = [r.choice([size, r.randint(1, 30)])]
                case["origin"] = [self.origin(case["size"][0])]
        elif kind == "weighted":
            lengths = [r.randint(1, 4) for _ in shape]
            case |= edges | {"window": lengths, "weights": self.weights(int(np.prod(lengths)))}
            case["origin"] = [self.origin(length) for length in lengths]
        elif kind == "gaussian":
            axes = self.axes(rank) if name != "gaussian_filter1d" else [r.randrange(-rank, rank)]
            case |= edges | {"axes": axes, "sigma": [r.choice([0.0, 0.5, 1.0, 1.7, 3.0]) for _ in axes]}
            if name == "gaussian_laplace":
                # SciPy's mixes up sigmas and axes otherwise.
                axes.sort(key=lambda axis: axis % rank)
            case["mode"] = [self.mode() for _ in axes]
            case["order"] = [r.choice([0, 0, 1, 2, 3]) for _ in axes]
            case["truncate"] = r.choice([4.0, 2.0, 3.3])
            # Where squares do not fit into a type, nothing is meant.
            case["few"] = case["few"] or name == "gaussian_gradient_magnitude"
            if name == "gaussian_filter1d":
                case["sigma"] = [r.choice([0.5, 1.0, 2.2])]
        elif kind == "edge":
            case |= edges | {"axis": r.randrange(-rank, rank), "mode": [self.mode() for _ in shape]}
            if name == "laplace":
                case["axes"] = self.axes(rank)
                case["mode"] = [self.mode() for _ in case["axes"]]
        elif kind == "box":
            axes = self.axes(rank)
            sizes = [r.choice([r.randint(1, 5), r.randint(1, 21)]) for _ in axes]
            case |= edges | {"axes": axes, "size": sizes, "mode": [self.mode() for _ in axes]}
            case["origin"] = [self.origin(size) for size in sizes]
        elif kind in ("window", "grey"):
            lengths = [r.randint(1, 4) for _ in shape]
            case |= edges | {"origin": [self.origin(length) for length in lengths]}
            form = r.randrange(3 if kind == "grey" else 2)
            case["size" if form == 0 else "window"] = lengths
            if form == 1:
                case["footprint"] = self.footprint(lengths)
            elif form == 2:
                # SciPy's bools become other bytes than 0 and 1.
                case["dtype"] = "i32" if case["dtype"] == "bool" else case["dtype"]
                case["structure"] = [r.choice([0.0, 1.0, 2.5, -1.0]) for _ in range(int(np.prod(lengths)))]
                if case["dtype"] in ("u8", "i16"):
                    case["few"] = True
            if name == "rank_filter":
                case["rank"] = r.randint(-3, 3)
            if name == "percentile_filter":
                case["percentile"] = r.choice([0.0, 100.0, 50.0, 20.0, -10.0, r.uniform(0, 100)])
        elif kind == "binary":
            case |= {"iterations": r.choice([1, 1, 2, 3, 0]), "border_value": r.random() < 0.3}
            if r.random() < 0.5:
                case["window"] = r.choice([[3] * rank, [r.randint(1, 4) for _ in shape]])
                case["structure"] = self.footprint(case["window"])
                if case["iterations"] == 0:
                    # Otherwise two shapes can follow each other for ever.
                    case["structure"][int(np.ravel_multi_index([n // 2 for n in case["window"]], case["window"]))] = 1
            else:
                case["window"] = [3] * rank
            case["origin"] = [0] * rank if case["iterations"] == 0 else [self.origin(length) for length in case["window"]]
            case["masked"] = r.random() < 0.3
        elif kind == "label":
            case["connectivity"] = r.randint(1, rank)
        elif kind == "distances":
            case["sampling"] = [r.choice([1.0, 1.0, 0.5, 2.0, 1.7]) for _ in shape]
        elif kind == "spline":
            case |= {"mode": [self.mode()], "cval": self.cval(), "order": [r.randint(0, 5)], "prefilter": r.random() < 0.8}
            if case["order"][0] > 1:
                # Which integer is nearest depends on the last bit in the middle of two.
                case["dtype"] = r.choice(["f32", "f64"])
            if name == "zoom":
                case |= {"zoom": [r.choice([1.0, 0.5, 2.0, 1.5, r.uniform(0.3, 2.5)]) for _ in shape], "grid_mode": case["order"][0] > 0 and r.random() < 0.4}
            elif name == "shift":
                case["shift"] = [r.choice([0.0, 1.0, -2.0, 0.5, r.uniform(-9, 9)]) for _ in shape]
            elif name == "rotate":
                case |= {"angle": r.choice([90.0, 180.0, r.uniform(-180, 180)]), "reshape": r.random() < 0.5}
                case["axes"] = r.sample(range(rank), 2) if rank > 1 else [0, 0]
            elif name == "affine_transform":
                case["matrix"] = [r.choice([0.0, 1.0, 0.5, r.uniform(-1.5, 1.5)]) for _ in range(rank * rank)]
                case["offset"] = [r.uniform(-2, 4) for _ in shape]
            elif name == "map_coordinates":
                case["coordinates"] = [r.choice([r.uniform(-12, 20), float(r.randint(-12, 20)), r.uniform(0, 3)]) for _ in range(rank * 6)]
            elif name == "spline_filter1d":
                case["axis"] = r.randrange(-rank, rank)
        elif kind == "labelled":
            case |= {"labels": r.randint(1, 5), "index": r.choice([None, 1, 2, [1, 2, 3], [3, 1, 1], [2, 7]])}
        return case


KINDS = {
    "line": ["correlate1d", "convolve1d", "uniform_filter1d", "minimum_filter1d", "maximum_filter1d"],
    "weighted": ["correlate", "convolve"],
    "gaussian": ["gaussian_filter", "gaussian_filter1d", "gaussian_laplace", "gaussian_gradient_magnitude"],
    "edge": ["sobel", "prewitt", "laplace"],
    "box": ["uniform_filter"],
    "window": ["minimum_filter", "maximum_filter", "median_filter", "percentile_filter", "rank_filter"],
    "grey": [
        "grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient",
        "morphological_laplace", "white_tophat", "black_tophat",
    ],
    "binary": ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing", "binary_hit_or_miss",
               "binary_fill_holes", "binary_propagation"],
    "label": ["label", "find_objects"],
    "distances": ["distance_transform_edt"],
    "spline": ["zoom", "shift", "rotate", "affine_transform", "map_coordinates", "spline_filter", "spline_filter1d"],
    "labelled": ["sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "minimum_position",
                 "maximum_position", "median", "center_of_mass", "histogram"],
}
# NumPy cannot subtract bools.
NO_BOOLS = {"morphological_gradient", "morphological_laplace", "black_tophat", "gaussian_gradient_magnitude",
            "gaussian_laplace", "laplace"}


def called(case):
    """SciPy's result."""
    x = array_of(case)
    name, kind, rank = case["name"], case["kind"], x.ndim
    of = getattr(nd, name)
    edges = {key: case[key] for key in ("cval",) if key in case}
    if "mode" in case:
        edges["mode"] = case["mode"][0] if len(case["mode"]) == 1 else case["mode"]
    one = lambda key, dtype: np.array(case[key], dtype).reshape(case["window"])
    if kind == "line":
        given = case["weights"] if "weights" in case else case["size"][0]
        return of(x, given, axis=case["axis"], origin=case["origin"][0], **edges)
    if kind == "weighted":
        return of(x, one("weights", float), origin=case["origin"], **edges)
    if kind == "gaussian":
        if name == "gaussian_filter1d":
            return of(x, case["sigma"][0], axis=case["axes"][0], order=case["order"][0], truncate=case["truncate"], **edges)
        more = {"order": case["order"]} if name == "gaussian_filter" else {}
        if name == "gaussian_gradient_magnitude":
            return of(x, case["sigma"][0], axes=case["axes"], truncate=case["truncate"], **edges)
        return of(x, case["sigma"], axes=case["axes"], truncate=case["truncate"], **more, **edges)
    if kind == "edge":
        if name == "laplace":
            return of(x, axes=case["axes"], **edges)
        return of(x, axis=case["axis"], **edges)
    if kind == "box":
        return of(x, case["size"], origin=case["origin"], axes=case["axes"], **edges)
    if kind in ("window", "grey"):
        window = {"size": case.get("size")}
        if "footprint" in case:
            window = {"footprint": one("footprint", bool)}
        elif "structure" in case:
            window = {"structure": one("structure", float)}
        more = [case[key] for key in ("rank", "percentile") if key in case]
        if kind == "grey" and "size" in case and rank == 1:
            window["size"] = case["size"][0]
        found = of(x, *more, origin=case["origin"], **window, **edges)
        if kind == "window" and rank == 1 and edges["mode"] != "constant":
            # SciPy has another way along one axis, which reads elsewhere where a window is longer than the array.
            window = {key: np.array([value]) if key == "footprint" else [1, *value] for key, value in window.items() if value is not None}
            if not np.array_equal(found, of(x[None], *more, origin=[0, *case["origin"]], **window, **edges)[0]):
                raise ValueError("two results")
        return found
    if kind == "binary":
        structure = one("structure", bool) if "structure" in case else None
        if name == "binary_hit_or_miss":
            return of(x, structure, origin1=case["origin"])
        if name == "binary_fill_holes":
            return of(x, structure)
        mask = array_of(case | {"dtype": "bool", "seed": case["seed"] + 1}) if case["masked"] else None
        given = {"mask": mask, "border_value": int(case["border_value"]), "origin": case["origin"]}
        if name == "binary_propagation":
            return of(x, structure, mask=mask, border_value=given["border_value"])
        return of(x, structure, iterations=case["iterations"], **given)
    if kind == "label":
        structure = nd.generate_binary_structure(rank, case["connectivity"])
        labels, count = nd.label(x, structure)
        if name == "find_objects":
            return [end for box in nd.find_objects(labels) for part in box for end in (part.start, part.stop)]
        return np.append(labels, count)
    if kind == "distances":
        if not (x == 0).any():
            raise ValueError("SciPy's result means nothing without zeros")
        return of(x, sampling=case["sampling"])
    if kind == "labelled":
        if case["few"] and "position" in name and isinstance(case["index"], list):
            raise ValueError("which of equal elements is found is for its sort to say")
        chosen = [] if case["index"] is None else np.ravel(case["index"])
        if name in ("median", "histogram") and not all((numbers(case["seed"] + 1, x.size) % case["labels"] == label).any() for label in chosen):
            raise ValueError("SciPy's results mean nothing without elements")
        labels = (numbers(case["seed"] + 1, x.size) % case["labels"]).reshape(x.shape).astype(np.int32)
        if name == "histogram":
            found = of(x, -10, 10, 4, labels, case["index"])
            return np.array(list(found) if np.ndim(case["index"]) else found)
        return np.array(of(x, labels, case["index"]))
    spline = {"order": case["order"][0]} | ({"mode": case["mode"][0]} if "mode" in case else {})
    if name == "spline_filter":
        return of(x, **spline)
    if name == "spline_filter1d":
        return of(x, axis=case["axis"], **spline)
    spline |= {"cval": case["cval"], "prefilter": case["prefilter"]}
    if name == "zoom":
        return of(x, case["zoom"], grid_mode=case["grid_mode"], **spline)
    if name == "shift":
        return of(x, case["shift"], **spline)
    if name == "rotate":
        return of(x, case["angle"], axes=case["axes"], reshape=case["reshape"], **spline)
    if name == "affine_transform":
        return of(x, np.array(case["matrix"]).reshape(rank, rank), offset=case["offset"], **spline)
    return of(x, np.array(case["coordinates"]).reshape(rank, 6), **spline)


def plain(value):
    """A number as JSON has it."""
    return None if np.isnan(value) else str(value) if np.isinf(value) else float(f"{value:.12g}")


def main():
    count, seed, path = 620, 26, HERE / "ndimage_cases.json"
    if len(sys.argv) > 1:
        count, seed, path = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    warnings.simplefilter("ignore")
    draw = Draw(seed)
    names = [name for group in KINDS.values() for name in group]
    rows = []
    for number in range(count):
        case = draw.case(names[number % len(names)])
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(called(case))
        except (ValueError, RuntimeError) as error:
            if "footprint" not in str(error):
                continue
            case["fails"] = True
        else:
            case |= {"result": list(found.shape), "values": [plain(value) for value in found.ravel().astype(float)]}
        rows.append(json.dumps(case, separators=(",", ":")))
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    print(len(rows), "cases,", path.stat().st_size, "bytes")


main()
