"""The products that a plan's rules may name, if the host lists its products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from affiliates.adapter import CatalogueProduct, get_adapter
from affiliates.plans.rules.matching import normal_tld, normal_word
from affiliates.plans.rules.terms import RuleTerms

LABELS = {
    "product_ref": "product",
    "kind": "kind",
    "tld": "TLD",
    "operation": "operation",
}


@dataclass(frozen=True)
class Catalogue:
    """The products of a brand. Empty if the host lists none."""

    products: tuple[CatalogueProduct, ...]

    @property
    def names(self) -> dict[str, str]:
        """Returns the names of products by reference."""
        return {product.product_ref: product.name for product in self.products}

    @cached_property
    def choices(self) -> dict[str, dict[str, str]]:
        """For each condition of a rule its values, each with the text to show."""
        labels: dict[str, dict[str, str]] = {name: {} for name in LABELS}
        for product in self.products:
            for name, words in _words_of(product).items():
                labels[name] |= {word: word for word in words}
            labels["product_ref"][product.product_ref] = (
                f"{product.name} ({product.product_ref})"
            )
        return labels

    def faults(self, rule: RuleTerms) -> Iterator[str]:
        """Why the rule never earns. Nothing if the host lists no products."""
        asked = {name: getattr(rule, name) for name in LABELS if getattr(rule, name)}
        if not self.products or not asked:
            return
        unknown = [name for name in asked if asked[name] not in self.choices[name]]
        for name in unknown:
            yield f"The catalogue has no {LABELS[name]} {asked[name]}."
        if unknown or any(_meets(product, asked) for product in self.products):
            return
        conditions = ", ".join(f"{LABELS[name]} {asked[name]}" for name in asked)
        yield f"The catalogue has no product with all of: {conditions}."


def catalogue_of(brand_id: int | None) -> Catalogue:
    products = () if brand_id is None else get_adapter().catalogue(brand_id=brand_id)
    return Catalogue(tuple(products))


def _words_of(product: CatalogueProduct) -> dict[str, list[str]]:
    """Returns the product's words as rules store them, without empty ones."""
    words = {
        "product_ref": [product.product_ref],
        "kind": [normal_word(product.kind)],
        "tld": [normal_tld(product.tld)],
        "operation": [normal_word(operation) for operation in product.operations],
    }
    return {name: list(filter(None, word)) for name, word in words.items()}


def _meets(product: CatalogueProduct, asked: dict[str, str]) -> bool:
    words = _words_of(product)
    return all(word in words[name] for name, word in asked.items())
