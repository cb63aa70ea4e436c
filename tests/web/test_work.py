from __future__ import annotations

import asyncio
import threading
import time

import pytest

from gmask.errors import GmaskError
from gmask.watch import tell
from gmask.web.work import Busy, Cancelled, Lane


def lane(**changes) -> Lane:
    return Lane("test", **{"waiting": 3, "rows": 100, "seconds": 60.0, **changes})


def run(story):
    """Run a story with a lane, and call off what is left."""

    async def main():
        used = lane()
        try:
            return await asyncio.wait_for(story(used), 60)
        finally:
            used.close()

    return asyncio.run(main())


def test_work_is_done_one_after_the_other_in_its_order():
    done: list[int] = []

    async def story(used):
        works = [used.submit(lambda i=i: done.append(i)) for i in range(4)]
        for work in works:
            assert await work.wait(30)
        return len(used)

    assert run(story) == 0
    assert done == [0, 1, 2, 3]


def test_above_the_limit_one_is_told_when_to_come_back():
    async def story(used):
        go = threading.Event()
        works = [used.submit(go.wait) for _ in range(4)]  # one at work, three waiting
        with pytest.raises(Busy) as refused:
            used.submit(go.wait)
        go.set()
        for work in works:
            await work.wait(30)
        await used.submit(lambda: 1).wait(30)
        return refused.value

    refused = run(story)
    assert refused.retry >= 1
    assert f"ask again in {refused.retry} s" in str(refused)


def test_rows_are_counted_while_the_work_goes_on():
    async def story(used):
        told, go = threading.Event(), threading.Event()

        def task():
            tell(7)
            told.set()
            go.wait()

        work = used.submit(task)
        await asyncio.to_thread(told.wait, 30)
        seen = work.rows, work.running
        go.set()
        await work.wait(30)
        return seen

    assert run(story) == (7, True)


def test_work_that_is_called_off_ends_at_the_models_next_answer():
    async def story(used):
        started = threading.Event()

        def task():
            started.set()
            while True:
                time.sleep(0.01)
                tell(0)

        work = used.submit(task)
        await asyncio.to_thread(started.wait, 30)
        work.cancel()
        assert await work.wait(30)
        work.result()

    with pytest.raises(Cancelled):
        run(story)


def test_work_that_waits_is_called_off_at_once_and_never_done():
    done: list[int] = []

    async def story(used):
        go = threading.Event()
        first = used.submit(go.wait)
        second = used.submit(lambda: done.append(1))
        assert used.before(second) == 1
        assert used.cancel(second.id)
        assert await second.wait(30)
        with pytest.raises(Cancelled):
            second.result()
        go.set()
        await first.wait(30)
        return used.cancel("nobody")

    assert run(story) is False
    assert done == []


@pytest.mark.parametrize(("limits", "said"), [({"rows": 10}, "10 model rows"), ({"seconds": 0.05}, "0.05 s")])
def test_work_that_takes_too_much_ends_with_a_clear_line(limits, said):
    def task():
        while True:
            time.sleep(0.01)
            tell(1)

    async def main():
        used = lane(**limits)
        work = used.submit(task)
        await work.wait(30)
        used.close()
        work.result()

    with pytest.raises(GmaskError, match=said):
        asyncio.run(main())


def test_the_errors_of_the_work_reach_the_one_who_asked():
    async def story(used):
        work = used.submit(lambda: 1 / 0)
        await work.wait(30)
        work.result()

    with pytest.raises(ZeroDivisionError):
        run(story)
