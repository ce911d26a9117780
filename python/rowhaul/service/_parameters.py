"""What an own agent asks for: read off a function's signature, or as declared."""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rowhaul.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

# What stands for a type of parameter in Python.
_TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    tuple: "array",
    dict: "object",
}


def parameters_of(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """Read the parameters of an agent off its function: the types from annotations, required where there is no default."""
    try:
        signature = inspect.signature(function, eval_str=True)
    except NameError:
        signature = inspect.signature(function)
    declared = []
    for name, parameter in signature.parameters.items():
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise ConfigError(
                f"the parameter {str(parameter)!r} of {function.__qualname__} cannot be given by name: declare parameters="
            )
        told: dict[str, Any] = {"name": name, "type": _type(parameter.annotation), **_options(parameter.annotation)}
        if parameter.default is parameter.empty:
            told["required"] = True
        elif parameter.default is not None:
            told["default"] = parameter.default
        declared.append(told)
    return declared


def declared(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Read declared parameters: from the name to a type of Python, or to a mapping of what there is to say."""
    return [
        {"name": name, **{key: _type(value) if key == "type" else value for key, value in told.items()}}
        if isinstance(told, Mapping)
        else {"name": name, "type": _type(told), "required": True}
        for name, told in parameters.items()
    ]


def as_text(name: str, parameters: list[dict[str, Any]]) -> str:
    """Give the parameters to the core."""
    try:
        return json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"agent `{name}`: a parameter's default must be a JSON value: {error}") from None


def _type(annotation: Any) -> str:
    """Name the type of an annotation; `any` where it is none of JSON's, or more than one."""
    if isinstance(annotation, str):
        return annotation
    named = {_TYPES.get(kind, "any") for member in _members(annotation) for kind in _kinds(member)}
    return named.pop() if len(named) == 1 else "any"


def _options(annotation: Any) -> dict[str, list[str]]:
    """Give the texts that an annotation lets through, as `options`, where it names them."""
    members = _members(annotation)
    named = [value for member in members if typing.get_origin(member) is Literal for value in typing.get_args(member)]
    texts = [value for value in dict.fromkeys(named) if value is not None]
    is_all = all(typing.get_origin(member) is Literal for member in members)
    return {"options": texts} if texts and is_all and all(isinstance(value, str) for value in texts) else {}


def _members(annotation: Any) -> list[Any]:
    """Give what a union is of, but for None; anything else is of itself."""
    if typing.get_origin(annotation) is Annotated:
        return _members(typing.get_args(annotation)[0])
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        return [inner for one in typing.get_args(annotation) if one is not type(None) for inner in _members(one)]
    return [annotation]


def _kinds(member: Any) -> set[Any]:
    """Give the types that something of an annotation lets through, but for None: of a literal, those of its values."""
    origin = typing.get_origin(member)
    if origin is Literal:
        return {type(value) for value in typing.get_args(member) if value is not None}
    return {origin or member}
