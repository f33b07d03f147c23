"""The products that a plan's rules may name, if the host lists its products."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from moneyed import Money

from affiliates.adapter import CatalogueProduct, get_adapter
from affiliates.core.days import BillingCycle
from affiliates.core.money import rounded, to_minor
from affiliates.plans.rules.examples import PricedProduct
from affiliates.plans.rules.matching import (
    LineFacts,
    normal_tld,
    normal_word,
    stored_label,
)
from affiliates.plans.rules.terms import RuleTerms

LABELS = {
    "product_ref": "product",
    "kind": "kind",
    "tld": "TLD",
    "operation": "operation",
}
# A domain's operation on every renewal.
RENEW = "renew"


@dataclass(frozen=True)
class Catalogue:
    """The products of a brand. Empty if the host lists none."""

    products: tuple[CatalogueProduct, ...]

    @property
    def names(self) -> dict[str, str]:
        """Returns the names of products by reference."""
        return {product.product_ref: product.name for product in self.products}

    @property
    def distinct_names(self) -> dict[str, str]:
        """The names, with the reference where several products have the same."""
        counts = Counter(self.names.values())
        return {
            ref: f"{name} ({ref})" if counts[name] > 1 else name
            for ref, name in self.names.items()
        }

    def priced(self) -> list[PricedProduct]:
        """Each price of a product above zero, in the host's order."""
        return [
            _priced(product, cycle=normal_word(cycle), price=price)
            for product in self.products
            for cycle, price in product.prices
            if price.amount > 0
        ]

    def named(self, rule: RuleTerms) -> RuleTerms:
        """The rule with its product's name in place of the reference, for sentences."""
        name = self.distinct_names.get(rule.product_ref, rule.product_ref)
        return replace(rule, product_ref=name)

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
    return Catalogue(tuple(map(_as_stored, products)))


def _as_stored(product: CatalogueProduct) -> CatalogueProduct:
    """The product with its labels as invoice lines store them."""
    return replace(
        product,
        product_ref=stored_label("product_ref", product.product_ref),
        kind=stored_label("kind", product.kind),
        tld=stored_label("tld", product.tld),
        operations=tuple(
            stored_label("operation", each) for each in product.operations
        ),
    )


def _priced(product: CatalogueProduct, *, cycle: str, price: Money) -> PricedProduct:
    months = BillingCycle(cycle).months if cycle in BillingCycle.values else 0
    operation = next(iter(product.operations), "")
    first = LineFacts(
        position=1,
        product_ref=product.product_ref,
        kind=product.kind,
        tld=product.tld,
        operation=operation,
        billing_cycle=stored_label("billing_cycle", cycle),
        net=to_minor(rounded(price)),
    )
    renewed = RENEW if RENEW in _words_of(product)["operation"] else operation
    return PricedProduct(
        name=product.name,
        currency=price.currency.code,
        first=first,
        renewal=replace(first, operation=renewed) if months else None,
        months=months,
    )


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
