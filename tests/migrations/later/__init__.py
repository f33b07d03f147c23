"""The migrations of affiliates and one more, of the two commonest kinds."""

from __future__ import annotations

from affiliates import migrations

__path__ = [*migrations.__path__, *__path__]
