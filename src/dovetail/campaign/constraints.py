"""Which points are kept: rules over the axes, written as they are said, `"delay < 0.5 * period"`.

A rule is arithmetic, comparison and logic over the names of the axes, for whole columns at once. It is read as a
syntax tree in which nothing else is allowed: no calls but a few functions, no attributes, no names from outside.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dovetail.core.errors import DovetailError, Fault, ParameterError, UnknownNameError, shown

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
}
_COMPARE = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS = {
    "sqrt": np.sqrt,
    "abs": np.abs,
    "log": np.log,
    "exp": np.exp,
    "min": np.minimum,
    "max": np.maximum,
}
_CONSTANTS = {"pi": np.pi}


def kept(rule: str, table: Mapping[str, np.ndarray]) -> np.ndarray:
    """True for every point of a table that a rule keeps.

    >>> kept("delay < 0.5 * period", {"delay": np.array([1.0, 2.0]), "period": np.array([3.0, 3.0])})
    array([ True, False])
    """
    try:
        found = np.asarray(_value(_tree(rule), rule, table))
    except (TypeError, ValueError, ArithmeticError, RecursionError, KeyError) as error:
        if isinstance(error, DovetailError):
            raise
        raise ParameterError(f'"{rule}": cannot be computed ({error})') from error
    if found.dtype != bool:
        raise ParameterError(f'"{rule}": gives numbers; a rule compares, as in "a < b"')
    return np.broadcast_to(found, (len(next(iter(table.values()))),)).copy()


def names(rule: str) -> list[str]:
    """What a rule speaks of; `ParameterError` if it is none."""
    words = {node.id for node in ast.walk(_tree(rule)) if isinstance(node, ast.Name)}
    return sorted(words - set(_FUNCTIONS) - set(_CONSTANTS))


def _tree(rule: str) -> ast.expr:
    try:
        return ast.parse(rule, mode="eval").body
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else error
        raise ParameterError(f"{shown(rule)}: is no rule ({why})") from error


def keep(rules: Sequence[str], table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The points that all rules keep."""
    faults = []
    chosen = np.ones(len(next(iter(table.values()))), dtype=bool)
    for i, rule in enumerate(rules):
        try:
            chosen &= kept(rule, table)
        except (ParameterError, UnknownNameError) as error:
            text = str(error) if rule in str(error) else f'"{rule}": {error}'
            faults.append(Fault(f"constraints.{i}", text))
    if faults:
        raise ParameterError("; ".join(f"{fault.place} {fault.text}" for fault in faults))
    if not chosen.any():
        raise ParameterError(f"constraints keep none of {len(chosen)} points; loosen {', '.join(rules)}")
    return {name: column[chosen] for name, column in table.items()}


def _value(node: ast.AST, rule: str, table: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=str() as value):
            return value
        case ast.Constant(value=int() | float() as value):
            return np.float64(value)  # no whole number of a million digits from 9**9**9
        case ast.Name(id=name):
            if name in table:
                return table[name]
            if name in _CONSTANTS:
                return _CONSTANTS[name]
            raise UnknownNameError("measure or axis", name, table, renamed="measures")
        case ast.BinOp(left, op, right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, rule, table), _value(right, rule, table))
        case ast.UnaryOp(ast.USub(), inner):
            return -_value(inner, rule, table)
        case ast.UnaryOp(ast.Not(), inner):
            return ~np.asarray(_value(inner, rule, table))
        case ast.BoolOp(op, inner):
            join = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return join.reduce([np.asarray(_value(part, rule, table)) for part in inner])
        case ast.Compare(left, ops, others):
            sides = [_value(side, rule, table) for side in (left, *others)]
            parts = [
                np.asarray(_COMPARE[type(op)](a, b), dtype=bool)
                for op, a, b in zip(ops, sides, sides[1:], strict=False)
            ]
            return np.logical_and.reduce(parts)
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(part, rule, table) for part in inner))
    raise ParameterError(f'"{rule}": {ast.unparse(node)} has no place in a rule')
