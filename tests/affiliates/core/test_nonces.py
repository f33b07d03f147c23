from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from affiliates.core.secrets.nonces import FETCHED_AT_ONCE, new_nonce

MANY = 3 * FETCHED_AT_ONCE


def nonces(count):
    return [new_nonce() for _ in range(count)]


def test_none_comes_twice():
    with ThreadPoolExecutor(8) as pool:
        taken = [one for part in pool.map(nonces, [MANY] * 8) for one in part]

    assert len(set(taken)) == 8 * MANY
    assert {len(one) for one in taken} == {12}


def test_a_child_process_has_others():
    new_nonce()  # Others are ready now.
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"".join(nonces(MANY)))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)

    of_child = {text[start : start + 12] for start in range(0, len(text), 12)}
    assert len(of_child) == MANY
    assert of_child.isdisjoint(nonces(MANY))
