"""Tells mypy what a part's constructor takes: a field that holds an array may be given numbers, lists or NumPy arrays.

Fields convert on construction (`parameter`, the stiffness of a contact law), which the annotation of a field (what it
holds) cannot say. So where a class of Equinox is built or replaced in part, an argument for a field of one of the types
`CONVERTED` may be `dovetail.core.array_types.Numbers` too; every other argument is checked as it is declared.
"""

from collections.abc import Callable

from mypy.nodes import MypyFile, TypeAlias, TypeInfo
from mypy.plugin import FunctionSigContext, Plugin
from mypy.plugins.dataclasses import replace_function_sig_callback
from mypy.types import CallableType, FunctionLike, Instance, Type, TypeAliasType, UnionType, get_proper_type

MODULE, NUMBERS = "dovetail.core.array_types", "dovetail.core.array_types.Numbers"
CONVERTED = ("basearray.Array", "contact.stiffness.ContactStiffness")


class Parts(Plugin):
    """Constructors of modules take what becomes an array."""

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """Every file of ours knows the name, also one that is checked alone."""
        ours = file.fullname.startswith("dovetail.") and file.fullname not in ("dovetail.core", MODULE)
        return [(10, MODULE, -1)] if ours else []

    def get_function_signature_hook(
        self, fullname: str
    ) -> Callable[[FunctionSigContext], FunctionLike] | None:
        """For a call of a class of ours, and for `replace` of a part: its signature, widened."""
        if fullname == "dataclasses.replace":
            return self._replaced
        found = self.lookup_fully_qualified(fullname) if fullname.startswith("dovetail.") else None
        if found and isinstance(found.node, TypeInfo) and _is_part(found.node):
            return lambda context: self._widened(context.default_signature)
        return None

    def _replaced(self, context: FunctionSigContext) -> FunctionLike:
        signature = replace_function_sig_callback(context)
        part = get_proper_type(signature.arg_types[0])
        return self._widened(signature) if isinstance(part, Instance) and _is_part(part.type) else signature

    def _widened(self, signature: CallableType) -> CallableType:
        numbers = self.lookup_fully_qualified(NUMBERS)
        assert numbers
        assert isinstance(numbers.node, TypeAlias)
        alias = TypeAliasType(numbers.node, [])

        def taken(argument: Type) -> Type:
            proper = get_proper_type(argument)
            if isinstance(proper, Instance) and proper.type.fullname.endswith(CONVERTED):
                return UnionType.make_union([argument, alias])
            if isinstance(proper, UnionType):
                return UnionType.make_union([taken(item) for item in proper.items])
            return argument

        return signature.copy_modified(arg_types=[taken(argument) for argument in signature.arg_types])


def _is_part(cls: TypeInfo) -> bool:
    return cls.has_base("equinox._module._module.Module")


def plugin(version: str) -> type[Plugin]:
    """Where mypy begins."""
    return Parts
