from __future__ import annotations

from gmask.web.recent import Recent


def test_the_least_used_value_is_forgotten_first():
    recent: Recent[int] = Recent(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1
    recent.put("c", 3)
    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (1, None, 3)
    assert len(recent) == 2


def test_a_value_put_again_replaces_the_old_one():
    recent: Recent[int] = Recent(2)
    recent.put("a", 1)
    recent.put("a", 2)
    assert recent.get("a") == 2
    assert len(recent) == 1
