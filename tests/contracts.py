"""Kinds of contracts for import-linter, which pyproject.toml names."""

from __future__ import annotations

from fnmatch import fnmatchcase

from grimp import ImportGraph
from importlinter import ContractCheck, fields
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.protected import ProtectedContract

from affiliates import SEAM


class ForbiddenExceptContract(ForbiddenContract):
    """Forbids modules, except where a line of code matches one of ``permitted_lines``.

    import-linter knows an external package only as a whole: which part of it is
    imported can be read from the line alone.
    """

    type_name = "forbidden_except"

    permitted_lines = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        for expression in self.forbidden_modules:
            self._permit(graph, str(expression))
        return super().check(graph, verbose)

    def _permit(self, graph: ImportGraph, imported: str) -> None:
        if imported not in graph.modules:
            return
        for importer in graph.find_modules_that_directly_import(imported):
            found = graph.get_import_details(importer=importer, imported=imported)
            lines = [one["line_contents"].strip() for one in found]
            if lines and all(map(self._is_permitted, lines)):
                graph.remove_import(importer=importer, imported=imported)

    def _is_permitted(self, line: str) -> bool:
        return any(fnmatchcase(line, pattern) for pattern in self.permitted_lines)


class SeamContract(ProtectedContract):
    """Protects all modules, except those that ``affiliates.SEAM`` lists for hosts."""

    type_name = "seam"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        for name in SEAM:
            module = f"affiliates.{name}"
            for importer in graph.find_modules_that_directly_import(module):
                if not importer.startswith("affiliates."):
                    graph.remove_import(importer=importer, imported=module)
        return super().check(graph, verbose)
