from __future__ import annotations

import threading
import time

import pytest

from gmask.errors import GmaskError
from gmask.model.callable import CallableModel
from gmask.web.offer import Offer


def test_only_what_was_offered_can_be_had():
    offer = Offer({"a": CallableModel(len, name="a")})
    assert offer.check(None) == "a"
    for name in ("b", "../a", "/etc/passwd", "a/../a", "", "python:os:system", "cross-encoder/nli-MiniLM2-L6-H768"):
        with pytest.raises(GmaskError, match="valid: a"):
            offer.check(name)


def test_a_model_is_loaded_when_it_is_first_needed_and_once():
    loaded: list[int] = []

    def load():
        loaded.append(1)
        return CallableModel(len)

    offer = Offer({"a": load})
    assert offer.loaded("a") is None
    assert offer.get("a") is offer.get("a") is offer.loaded("a")
    assert loaded == [1]


def test_nothing_to_offer_is_a_mistake():
    with pytest.raises(GmaskError, match="at least one"):
        Offer({})


def test_a_users_function_is_called_by_one_thread_at_a_time():
    inside, most = 0, 0

    def function(pairs):
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.02)
        inside -= 1
        return [0.5] * len(pairs)

    model = Offer({"a": CallableModel(function, labels=["no", "yes"])}).get("a")
    threads = [
        threading.Thread(target=lambda i=i: model.bind(f"word {i}", "b")([[True, True, True]])) for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
