"""Makes random programs of statements that compile as one block and print what they compute.

The variables are of the types that notebooks have: numbers, text, collections, options, boxes, tuples, structs, device arrays. The
statements move them, give them new values, shadow them with other types, take them apart. A seed gives the same program each time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

NAMES = ("a", "b", "c", "d", "e", "s", "t", "u", "v", "w", "x", "y")
INTEGER, FLOAT, STRING, VECTOR, WORDS = "i64", "f64", "String", "Vec<i64>", "Vec<String>"
OPTION, OPTION_NUMBER, BOX, PAIR, MAP = "Option<String>", "Option<i64>", "Box<i64>", "(String, i64)", "BTreeMap<String, i64>"
STRUCT, ARRAY = "Point", "gpu::DeviceArray<f64>"
TYPES = (INTEGER, FLOAT, STRING, VECTOR, WORDS, OPTION, OPTION_NUMBER, BOX, PAIR, MAP, STRUCT, ARRAY)
COPIED = (INTEGER, FLOAT, OPTION_NUMBER)
STATEMENTS = 22


@dataclass
class Variable:
    type_name: str
    mutable: bool


@dataclass
class Program:
    """A program: what has to stand before it, and its statements, of which each may begin a cell."""

    seed: int
    statements: list[str] = field(default_factory=list)

    def block(self) -> str:
        """The statements as one expression."""
        return "{\n" + "\n".join(self.statements) + "\n}"

    def cells(self, random_source: random.Random) -> list[list[str]]:
        """The statements in cells of one to eight."""
        cells, at = [], 0
        while at < len(self.statements):
            length = random_source.randint(1, 8)
            cells.append(self.statements[at : at + length])
            at += length
        return cells


class Generator:
    """Makes one program."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.seed = seed
        self.variables: dict[str, Variable] = {}
        # Items have names of their own in each program, since cells of earlier programs have left theirs.
        self.tag = seed % 1_000_000
        self.functions: list[str] = []
        self.program = Program(seed)

    def program_of(self, statements: int = STATEMENTS) -> Program:
        add = self.program.statements.append
        add("use std::collections::BTreeMap;")
        add(f"#[derive(Debug, Clone)] struct {self.struct} {{ name: String, n: i64 }}")
        for _ in range(3):
            self.declare()
        kinds: list[Callable[[], bool]] = [
            self.declare, self.declare, self.replace, self.replace, self.replace, self.change, self.change, self.swap, self.move,
            self.move_and_renew, self.loop, self.conditional, self.take_apart, self.shadow, self.closure, self.item, self.show, self.assign_parts,
        ]  # fmt: skip
        while len(self.program.statements) < statements:
            self.random.choice(kinds)()
        add(" ".join(self.print_of(name) for name in self.variables))
        return self.program

    # What statements are made of.

    @property
    def struct(self) -> str:
        return f"{STRUCT}{self.tag}"

    def add(self, statement: str) -> bool:
        self.program.statements.append(statement)
        return True

    def number(self) -> int:
        return self.random.randint(0, 9)

    def chance(self, part: float = 0.5) -> bool:
        return self.random.random() < part

    def pick(self, *types: str, mutable: bool = False) -> str | None:
        """A variable of one of these types, or of any."""
        found = [
            name for name, variable in self.variables.items()
            if (not types or variable.type_name in types) and (variable.mutable or not mutable)
        ]  # fmt: skip
        return self.random.choice(found) if found else None

    def text(self, type_name: str) -> str:
        """A type as it is written."""
        return self.struct if type_name == STRUCT else type_name

    def value(self, type_name: str) -> str:
        """An expression that makes a value, from nothing or from a variable that is only looked at."""
        n, m = self.number(), self.number()
        number, text, vector = self.pick(INTEGER), self.pick(STRING), self.pick(VECTOR)
        match type_name:
            case "i64":
                options = [f"{n}_i64"]
                options += [f"{number}.wrapping_add({n})", f"{number} / 2 + {n}"] if number else []
                options += [f"{text}.len() as i64"] if text else []
                options += [f"{vector}.iter().sum::<i64>()"] if vector else []
            case "f64":
                options = [f"{n}.5_f64", f"f64::from({n}_i32).sqrt()"]
            case "String":
                options = [f'String::from("{"abcdefghij"[n]}")', f'"{n}-".repeat(2)', f'format!("{{}}{m}", {n})']
                options += [f'format!("{{{number}}}+")'] if number else []
                options += [f"{text}.to_uppercase()"] if text else []
            case "Vec<i64>":
                options = [f"vec![{n}_i64, {m}]", f"(0..{n}_i64).collect::<Vec<_>>()", f"Vec::<i64>::from([{n}, {m}, 1])"]
                options += [f"{vector}.iter().map(|x| x % 7 + 1).collect::<Vec<i64>>()"] if vector else []
            case "Vec<String>":
                options = [f'vec!["{n}".to_string(), "{m}".to_owned()]', f"(0..{n % 4}).map(|i| i.to_string()).collect::<Vec<String>>()"]
            case "Option<String>":
                options = [f'Some(String::from("o{n}"))', "None::<String>", f'Some("{m}".to_string())']
            case "Option<i64>":
                options = [f"Some({n}_i64)", f"[{n}_i64, {m}].iter().max().copied()"]
            case "Box<i64>":
                options = [f"Box::new({n}_i64)"]
            case "(String, i64)":
                options = [f'("{n}".to_string(), {m}_i64)', f'(String::from("p"), {n}_i64 + {m})']
            case "BTreeMap<String, i64>":
                options = [f'BTreeMap::from([("k{n}".to_string(), {m}_i64)])', "BTreeMap::<String, i64>::new()"]
            case "Point":
                options = [f'{self.struct} {{ name: "{n}".to_string(), n: {m} }}']
            case _:
                options = [f"gpu::arange::<f64>({n % 4 + 1}.0)", f"gpu::ones::<f64>({n % 4 + 1}) * {m}.0"]
        options += [f"{same}.clone()"] if (same := self.pick(type_name)) else []
        return self.random.choice(options)

    def renewed(self, name: str, type_name: str) -> str:
        """An expression of the variable's type that uses its value up."""
        n = self.number()
        match type_name:
            case "i64":
                options = [f"{name} % 1000 * 2 + {n}", f"({name} + 1) % 97"]
            case "f64":
                options = [f"{name} / 2.0 + {n}.0"]
            case "String":
                options = [f'{name} + "{n}"', f"{name}.split_off(0)" if self.variables[name].mutable else f'{name} + "z"',
                           f"{name}.chars().rev().collect()", f'[{name}, "j".to_string()].concat()']  # fmt: skip
            case "Vec<i64>":
                options = [f"{name}.into_iter().map(|x| x % 50 + {n}).collect()", f"{{ let mut more = {name}; more.push({n}); more }}"]
            case "Vec<String>":
                options = [f'{name}.into_iter().map(|x| x + "{n}").collect()', f"{name}.into_iter().rev().collect::<Vec<_>>()"]
            case "Option<String>":
                options = [f'{name}.map(|x| x + "{n}")', f'Some({name}.unwrap_or_default())', f'{name}.or(Some("or".to_string()))']
            case "Option<i64>":
                options = [f"{name}.map(|x| x % 100 + {n})", f"{name}.or(Some({n}))"]
            case "Box<i64>":
                options = [f"Box::new(*{name} % 100 + {n})", f"{{ let inner = *{name}; Box::new(inner % 9) }}"]
            case "(String, i64)":
                options = [f"({name}.0 + \"t\", {name}.1 % 100 + {n})"]
            case "BTreeMap<String, i64>":
                options = [f"{name}.into_iter().map(|(k, x)| (k + \"m\", x % 10 + {n})).collect()"]
            case "Point":
                options = [f"{self.struct} {{ n: {name}.n % 100 + {n}, ..{name} }}"]
            case _:
                options = [f"{name} + {n}.0", f"&{name} * 0.5", f"{name}.clone() - {n}.0"]
        return self.random.choice(options)

    def print_of(self, name: str) -> str:
        if self.variables[name].type_name == ARRAY:
            return f'println!("{name} {{:?}}", {name}.to_host().iter().collect::<Vec<_>>());'
        return f'println!("{name} {{:?}}", {name});' if self.chance() else f'println!("{name} {{{name}:?}}");'

    def define(self, type_name: str, value: str, name: str | None = None) -> str:
        """A `let`, with or without its type."""
        name = name or self.random.choice(NAMES)
        mutable = self.chance(0.8)
        self.variables[name] = Variable(type_name, mutable)
        kind = f": {self.text(type_name)}" if self.chance(0.2) else ""
        return f"let {'mut ' if mutable else ''}{name}{kind} = {value};"

    # Statements.

    def declare(self) -> bool:
        type_name = self.random.choice(TYPES)
        return self.add(self.define(type_name, self.value(type_name)))

    def replace(self) -> bool:
        """`a = f(a);`"""
        name = self.pick(mutable=True)
        return name is not None and self.add(f"{name} = {self.renewed(name, self.variables[name].type_name)};")

    def change(self) -> bool:
        """A change in place."""
        name = self.pick(STRING, VECTOR, WORDS, OPTION, BOX, PAIR, MAP, STRUCT, INTEGER, mutable=True)
        if name is None:
            return False
        n = self.number()
        changes = {
            STRING: [f'{name}.push_str("{n}");', f"{name}.clear();", f'{name} += "{n}";'],
            VECTOR: [f"{name}.push({n});", f"{name}.sort();", f"{name}.retain(|x| x % 2 == 0);", f"{name}.extend([{n}, 2]);"],
            WORDS: [f'{name}.push("{n}".to_string());', f"{name}.reverse();"],
            OPTION: [f"let _ = {name}.take();", f'{name}.get_or_insert_with(String::new).push_str("{n}");'],
            BOX: [f"*{name} += {n};"],
            PAIR: [f'{name}.0 = {name}.0 + "{n}";', f"{name}.1 += {n};", f'{name}.0.push_str("{n}");'],
            MAP: [f'{name}.insert("{n}".to_string(), {n});', f'*{name}.entry("e".to_string()).or_insert(0) += {n};'],
            STRUCT: [f"{name}.n += {n};", f'{name}.name = {name}.name + "{n}";', f'{name}.name = "{n}".to_string();'],
            INTEGER: [f"{name} += {n};", f"{name} = {name} % 1000;"],
        }
        return self.add(self.random.choice(changes[self.variables[name].type_name]))

    def swap(self) -> bool:
        first = self.pick(mutable=True)
        if first is None:
            return False
        same = [
            name for name, variable in self.variables.items()
            if name != first and variable.mutable and variable.type_name == self.variables[first].type_name
        ]  # fmt: skip
        if not same:
            return False
        second = self.random.choice(same)
        return self.add(self.random.choice([f"({first}, {second}) = ({second}, {first});", f"std::mem::swap(&mut {first}, &mut {second});"]))

    def move(self) -> bool:
        """One variable's value goes to another one, or away."""
        name = self.pick()
        if name is None:
            return False
        type_name = self.variables[name].type_name
        targets = [
            other for other, variable in self.variables.items()
            if other != name and variable.mutable and variable.type_name == type_name
        ]  # fmt: skip
        copied = type_name in COPIED
        if targets and self.chance():
            self.add(f"{self.random.choice(targets)} = {name};")
            if not copied:
                del self.variables[name]
            return True
        if self.chance(0.3) and not copied:
            self.add(f"drop({name});")
            del self.variables[name]
            return True
        if not copied:
            del self.variables[name]
        return self.add(self.define(type_name, name))

    def move_and_renew(self) -> bool:
        """A value goes away, and the variable gets another one: at once, or after a while."""
        name = self.pick(mutable=True)
        if name is None:
            return False
        type_name = self.variables[name].type_name
        if self.chance():
            new = self.value(type_name)
            return self.add(f"drop({name});" if name not in new else "();") and self.add(f"{name} = {new};")
        return self.add(f"{{ let taken = {name}; {name} = {self.renewed('taken', type_name) if type_name != STRING else 'taken'}; }}")

    def loop(self) -> bool:
        name = self.pick(mutable=True)
        if name is None:
            return False
        new = self.renewed(name, self.variables[name].type_name)
        if self.chance(0.3):
            return self.add(f"let mut rounds = 0; while rounds < 2 {{ {name} = {new}; rounds += 1; }}")
        return self.add(f"for {'_' if self.chance() else 'i'} in 0..{self.random.randint(0, 3)} {{ {name} = {new}; }}")

    def conditional(self) -> bool:
        name, number = self.pick(mutable=True), self.pick(INTEGER)
        if name is None or number is None:
            return False
        type_name = self.variables[name].type_name
        new = self.renewed(name, type_name)
        if self.chance(0.3):
            return self.add(f"if {number} > {self.number()} {{ {name} = {new}; }}")
        if self.chance(0.3) and type_name not in COPIED and number != name:
            # On one path only: afterwards there is no value for sure.
            del self.variables[name]
            return self.add(f"if {number} % 2 == 0 {{ drop({name}); }}")
        return self.add(f"match {number} % 3 {{ 0 => {{ {name} = {new}; }} 1 => {{ {name} = {self.value(type_name)}; }} _ => {{}} }}")

    def take_apart(self) -> bool:
        name = self.pick(PAIR, STRUCT)
        first, second = self.random.sample(NAMES, 2)
        if name is None:
            self.variables[first] = Variable(VECTOR, False)
            self.variables[second] = Variable(INTEGER, True)
            return self.add(f"let ({first}, mut {second}) = (vec![{self.number()}_i64], {self.number()}_i64);")
        type_name = self.variables[name].type_name
        del self.variables[name]
        self.variables[first] = Variable(STRING, True)
        self.variables[second] = Variable(INTEGER, False)
        if type_name == PAIR:
            return self.add(f"let (mut {first}, {second}) = {name};")
        return self.add(f"let {self.struct} {{ name: mut {first}, n: {second} }} = {name};")

    def assign_parts(self) -> bool:
        text, number = self.pick(STRING, mutable=True), self.pick(INTEGER, mutable=True)
        if text is None or number is None:
            return False
        if (pair := self.pick(PAIR)) and self.chance():
            return self.add(f"({text}, {number}) = {pair}.clone();")
        return self.add(f'({text}, {number}) = ({text} + "{self.number()}", {number} % 100 + 1);')

    def shadow(self) -> bool:
        """The same name gets another type."""
        name = self.pick(STRING, VECTOR, WORDS, MAP, BOX, OPTION)
        if name is None:
            return False
        match self.variables[name].type_name:
            case "Box<i64>":
                return self.add(self.define(INTEGER, f"*{name}", name))
            case "Option<String>":
                return self.add(self.define(STRING, f"{name}.unwrap_or_default()", name))
            case "Vec<String>":
                return self.add(self.define(STRING, f'{name}.join("-")', name))
            case "String":
                return self.add(self.define(VECTOR, f"{name}.bytes().map(|x| x as i64 % 10).collect::<Vec<i64>>()", name))
            case _:
                return self.add(self.define(INTEGER, f"{name}.len() as i64", name))

    def closure(self) -> bool:
        """A closure that is called at once."""
        name = self.pick(STRING, VECTOR, INTEGER, mutable=True)
        if name is None:
            return False
        type_name = self.variables[name].type_name
        if self.chance(0.3):
            return self.add(self.define(type_name, f"(|| {name}.clone())()"))
        if self.chance(0.3):
            new = self.renewed(name, type_name)
            return self.add(self.define(type_name, f"(move || {{ let mut {name} = {name}; {name} = {new}; {name} }})()", name))
        match type_name:
            case "String":
                return self.add(f'(|| {name}.push_str("c"))();')
            case "Vec<i64>":
                return self.add(f"(|more: i64| {name}.push(more))({self.number()});")
            case _:
                return self.add(f"(|| {{ {name} += 1; }})();")

    def item(self) -> bool:
        """A function or a constant, and a use of it."""
        n, name = self.number(), f"item_{self.tag}_{len(self.functions)}"
        self.functions.append(name)
        if self.chance(0.3):
            self.add(f"const {name.upper()}: i64 = {n};")
            return self.add(self.define(INTEGER, f"{name.upper()} + 1"))
        self.add(f"fn {name}(mut list: Vec<i64>) -> Vec<i64> {{ list.push({n}); list }}")
        vector = self.pick(VECTOR, mutable=True)
        if vector:
            return self.add(f"{vector} = {name}({vector});")
        return self.add(self.define(VECTOR, f"{name}(vec![])"))

    def show(self) -> bool:
        name = self.pick()
        return name is not None and self.add(self.print_of(name))


def program(seed: int) -> Program:
    """The program of a seed."""
    return Generator(seed).program_of()
