from __future__ import annotations

import re

from affiliates.core.ids import CODE_ALPHABET, new_affiliate_code, new_id, new_link_hash


def test_new_id_is_ordered_by_time():
    ids = [new_id() for _ in range(100)]

    assert ids == sorted(ids)
    assert {one.version for one in ids} == {7}


def test_link_hash_is_40_hexadecimal_characters_never_twice():
    hashes = {new_link_hash() for _ in range(100)}

    assert len(hashes) == 100
    assert all(re.fullmatch("[0-9a-f]{40}", one) for one in hashes)


def test_affiliate_code_is_made_of_characters_that_read_alike_to_nobody():
    code = new_affiliate_code()

    assert len(code) == 8
    assert set(code) <= set(CODE_ALPHABET)
    assert not set(CODE_ALPHABET) & set("0o1li")
