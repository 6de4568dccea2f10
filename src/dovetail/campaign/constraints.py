"""Conditions on parameters and measures as text, for example `"delay < 0.5 * period"`.

A condition consists of arithmetic, comparison and logic on columns, by name. It is read as a syntax tree that permits
only these, numbers and a few functions: no attributes, no other calls, no other names.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dovetail.core.errors import DovetailError, Fault, ParameterError, UnknownNameError, format_value

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


def satisfies(condition: str, table: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return true for every point of a table that satisfies a condition.

    >>> satisfies("delay < 0.5 * period", {"delay": np.array([1.0, 2.0]), "period": np.array([3.0, 3.0])})
    array([ True, False])
    """
    try:
        values = np.asarray(_value(_tree(condition), condition, table))
    except (TypeError, ValueError, ArithmeticError, RecursionError, KeyError) as error:
        if isinstance(error, DovetailError):
            raise
        raise ParameterError(f'"{condition}": cannot be computed ({error})') from error
    if values.dtype != bool:
        raise ParameterError(f'"{condition}": returns numbers; expected a comparison, as in "a < b"')
    return np.broadcast_to(values, (len(next(iter(table.values()))),)).copy()


def names(condition: str) -> list[str]:
    """Return the names that a condition uses; `ParameterError` if it is not a condition."""
    used = {node.id for node in ast.walk(_tree(condition)) if isinstance(node, ast.Name)}
    return sorted(used - set(_FUNCTIONS) - set(_CONSTANTS))


def _tree(condition: str) -> ast.expr:
    try:
        return ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise ParameterError(f"{format_value(condition)}: is not a condition ({reason})") from error


def select_points(conditions: Sequence[str], table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the points that satisfy all conditions."""
    faults = []
    chosen = np.ones(len(next(iter(table.values()))), dtype=bool)
    for i, condition in enumerate(conditions):
        try:
            chosen &= satisfies(condition, table)
        except (ParameterError, UnknownNameError) as error:
            text = str(error) if condition in str(error) else f'"{condition}": {error}'
            faults.append(Fault(f"constraints.{i}", text))
    if faults:
        raise ParameterError("; ".join(f"{fault.path} {fault.text}" for fault in faults))
    if not chosen.any():
        raise ParameterError(
            f"constraints: none of {len(chosen)} points satisfies them; relax {', '.join(conditions)}"
        )
    return {name: column[chosen] for name, column in table.items()}


def _value(node: ast.AST, condition: str, table: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=str() as value):
            return value
        case ast.Constant(value=int() | float() as value):
            return np.float64(value)  # 9**9**9 overflows instead of filling the memory
        case ast.Name(id=name):
            if name in table:
                return table[name]
            if name in _CONSTANTS:
                return _CONSTANTS[name]
            raise UnknownNameError("measure or parameter", name, table, renamed="measures")
        case ast.BinOp(left, op, right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, condition, table), _value(right, condition, table))
        case ast.UnaryOp(ast.USub(), inner):
            return -_value(inner, condition, table)
        case ast.UnaryOp(ast.Not(), inner):
            return ~np.asarray(_value(inner, condition, table))
        case ast.BoolOp(op, inner):
            join = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return join.reduce([np.asarray(_value(part, condition, table)) for part in inner])
        case ast.Compare(left, ops, others):
            sides = [_value(side, condition, table) for side in (left, *others)]
            parts = [
                np.asarray(_COMPARE[type(op)](a, b), dtype=bool)
                for op, a, b in zip(ops, sides, sides[1:], strict=False)
            ]
            return np.logical_and.reduce(parts)
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(part, condition, table) for part in inner))
    raise ParameterError(f'"{condition}": {ast.unparse(node)} is not permitted in a condition')
