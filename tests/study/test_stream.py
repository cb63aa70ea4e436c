from __future__ import annotations

import json
import multiprocessing
import re
import resource
from pathlib import Path

import pytest

import gmask
from gmask.errors import GmaskError
from gmask.model.callable import CallableModel
from gmask.reference import COUNT, Reference
from gmask.study import batch, progress, read_batch
from tests.study import boxes


def model(box=None):
    return CallableModel(box or boxes.Box(), labels=boxes.words.labels)


def run(path, pairs, box=None, **options):
    return batch(model(box), pairs, path, **{"method": "leave-one-out", **options})


def test_a_line_a_pair_each_an_explanation(tmp_path):
    tally = run(tmp_path / "out.jsonl", boxes.some(40))
    assert (tally.explained, tally.failed, tally.bad) == (40, 0, 0)
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    found = [gmask.Explanation.from_json(line) for line in lines]
    assert [(e.first, e.second) for e in found] == boxes.some(40)
    assert found == list(read_batch(tmp_path / "out.jsonl"))
    alone = gmask.explain(model(), *boxes.some(40)[17], method="leave-one-out")
    assert found[17].attributions == alone.attributions
    assert [json.loads(line)["n"] for line in lines] == list(range(40))


def test_a_file_of_pairs_with_ids(tmp_path):
    source = tmp_path / "pairs.jsonl"
    source.write_text('{"id": "x1", "premise": "a b", "hypothesis": "a c", "label": "whatever"}\n')
    run(tmp_path / "out.jsonl", source)
    assert json.loads((tmp_path / "out.jsonl").read_text())["id"] == "x1"


@pytest.mark.parametrize("lines", [0, 5, 16, 39])
def test_cut_anywhere_it_ends_up_with_the_same_bytes(tmp_path, lines):
    run(tmp_path / "whole.jsonl", boxes.some(40))
    whole = (tmp_path / "whole.jsonl").read_bytes()
    run(tmp_path / "cut.jsonl", boxes.some(1))
    parts = whole.splitlines(keepends=True)
    (tmp_path / "cut.jsonl").write_bytes(b"".join(parts[:lines]) + parts[lines][:50])
    box = boxes.Box()
    run(tmp_path / "cut.jsonl", boxes.some(40), box)
    assert (tmp_path / "cut.jsonl").read_bytes() == whole
    windows = {f"p{i}" for i in range(lines // 16 * 16, 40)}  # whole windows are gone through, nothing before them
    stand_ins = [first for first, _ in boxes.some(COUNT)]  # for those of the pairs after them
    asked = [a for a, b in box.seen if (a, b) not in boxes.some(40) and a not in stand_ins]  # besides whole pairs
    assert {word for first in asked for word in first.split() if word[0] == "p" and word[1:].isdigit()} == windows


def test_damage_in_the_middle_is_said_and_the_rest_is_kept(tmp_path, capsys):
    path = tmp_path / "out.jsonl"
    run(path, boxes.some(40))
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[whole.index(b'{"n":20,') + 40] ^= 2
    path.write_bytes(damaged)
    assert len(list(read_batch(path))) == 39
    assert "line 21 does not match its checksum; it is passed over" in capsys.readouterr().err
    tally = run(path, boxes.some(40))
    assert path.read_bytes() == whole
    assert tally.explained == 40
    assert "39 of 40 records are kept" in capsys.readouterr().err


def test_bad_rows_stop_it_and_it_goes_on_once_they_are_mended(tmp_path):
    rows = ["sentence1\tsentence2", *(f"{a}\t{b}" for a, b in boxes.some(20))]
    source = tmp_path / "pairs.tsv"
    source.write_text("\n".join([*rows[:18], "only one field", *rows[18:]]) + "\n")
    with pytest.raises(GmaskError, match=r"pairs.tsv, line 19: 1 fields, but 2 columns"):
        run(tmp_path / "out.jsonl", source)
    assert len(list(read_batch(tmp_path / "out.jsonl"))) == 16  # a whole window was written
    source.write_text("\n".join(rows) + "\n")
    assert run(tmp_path / "out.jsonl", source).explained == 20


def test_bad_rows_are_passed_over_if_asked(tmp_path, capsys):
    rows = [f"{a}\t{b}" for a, b in boxes.some(20)]
    source = tmp_path / "pairs.tsv"
    source.write_text("\n".join(["sentence1\tsentence2", *rows[:9], "broken", "?!\tno words", *rows[9:]]) + "\n")
    tally = run(tmp_path / "out.jsonl", source, skip_bad=True)
    assert (tally.explained, tally.failed, tally.bad) == (20, 1, 1)
    assert "line 11: 1 fields" in capsys.readouterr().err
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert "has no words, only punctuation" in lines[9]["error"]
    assert len(list(read_batch(tmp_path / "out.jsonl"))) == 20
    before = (tmp_path / "out.jsonl").read_bytes()
    again = run(tmp_path / "out.jsonl", source, skip_bad=True)
    assert (again.explained, again.failed, again.bad) == (20, 1, 1)
    assert (tmp_path / "out.jsonl").read_bytes() == before


def test_a_pair_that_cannot_be_explained_stops_it_and_is_named(tmp_path):
    with pytest.raises(GmaskError, match=r"pair 3 \('\?!'\): the first sentence"):
        run(tmp_path / "out.jsonl", [*boxes.some(2), ("?!", "a b")])
    assert len(list(read_batch(tmp_path / "out.jsonl"))) == 2


def test_only_the_pairs_a_black_box_fails_on_are_lost(tmp_path):
    pairs = boxes.some(20)
    pairs[3] = ("bad p3", "a b")
    with pytest.raises(GmaskError, match=r"pair 4 \('bad p3'\): flaky raised RuntimeError: backend 500"):
        run(tmp_path / "strict.jsonl", pairs, boxes.flaky)
    tally = run(tmp_path / "out.jsonl", pairs, boxes.flaky, skip_bad=True)
    assert (tally.explained, tally.failed) == (19, 1)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["n"] for line in lines if "error" in line] == [3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "maybe"}, "unknown target 'maybe'; valid: different, same"),
        ({"against": "maybe"}, "unknown class to hold it against 'maybe'"),
        ({"removal": "mask"}, "unknown removal for Box: 'mask'; valid: delete"),
        ({"method": "imask", "solver": "gradient"}, "imask with these settings needs gradients and Box gives none"),
        ({"method": "l2x"}, "there is no selector for Box"),
    ],
)
def test_what_no_pair_can_be_explained_with_is_refused_before_anything_is_written(tmp_path, options, message):
    with pytest.raises(GmaskError, match=message):
        run(tmp_path / "out.jsonl", boxes.some(2), skip_bad=True, **options)
    assert list(tmp_path.iterdir()) == []


def test_labels_that_show_in_the_first_answer_are_enough_to_refuse_a_target(tmp_path):
    with pytest.raises(GmaskError, match="unknown target 'maybe'; valid: low, high"):
        batch(boxes.slow, boxes.some(2), tmp_path / "out.jsonl", method="random", target="maybe", skip_bad=True)
    assert list(read_batch(tmp_path / "out.jsonl")) == []
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_a_contrast_with_what_the_model_says_of_a_pair_is_that_pairs_fault(tmp_path):
    pairs = [("a b", "a b"), ("a b", "c d")]
    tally = run(tmp_path / "out.jsonl", pairs, against="same", skip_bad=True)
    assert (tally.explained, tally.failed) == (1, 1)


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "out.jsonl"
    run(path, boxes.some(5))
    with pytest.raises(GmaskError, match="begun with seed 0, not with 1"):
        run(path, boxes.some(5), seed=1)
    with pytest.raises(GmaskError, match='begun with method method "leave-one-out", not with "keep-one"'):
        run(path, boxes.some(5), method="keep-one")
    with pytest.raises(GmaskError, match=r"line 1 of .* explains another pair \('p0"):
        run(path, boxes.some(6)[1:])
    with pytest.raises(GmaskError, match="has 5 pairs, but only 2 are given"):
        run(path, boxes.some(2))
    assert run(path, boxes.some(7)).explained == 7


def test_mistakes_are_told(tmp_path):
    with pytest.raises(GmaskError, match="no such file"):
        run(tmp_path / "out.jsonl", tmp_path / "nothing.tsv")
    with pytest.raises(GmaskError, match="no such file"):
        list(read_batch(tmp_path / "nothing.jsonl"))
    with pytest.raises(GmaskError, match="unknown method"):
        run(tmp_path / "out.jsonl", boxes.some(1), method="shap")
    assert list(tmp_path.iterdir()) == []


def test_pairs_are_read_as_they_are_explained(tmp_path):
    path, ahead = tmp_path / "out.jsonl", []

    def pairs():
        for number, pair in enumerate(boxes.some(100)):
            written = path.read_bytes().count(b"\n") if path.exists() else 0
            ahead.append(number - written)
            yield pair

    run(path, pairs())
    assert max(ahead) < 2 * 16


def measure(path, count, send):
    batch(model(lambda pairs: [0.6] * len(pairs)), ((f"a{i}", "b") for i in range(count)), path, method="random")
    send.send(peak())


def peak():
    """The most memory this process has taken, in MB; not what the process that started it took."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def resident(path, count):
    """The most memory a process of its own takes for so many pairs, in MB."""
    receive, send = multiprocessing.Pipe()
    child = multiprocessing.get_context("spawn").Process(target=measure, args=(path, count, send))
    child.start()
    found = receive.recv()
    child.join()
    return found


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    assert resident(tmp_path / "many", 4000) < resident(tmp_path / "few", 100) + 5


def test_a_file_is_not_gone_on_with_other_weights_under_the_same_name(tmp_path, monkeypatch):
    monkeypatch.setattr(CallableModel, "hash", "the same")
    path = tmp_path / "out.jsonl"
    run(path, boxes.some(5))
    monkeypatch.setattr(boxes.Box, "__call__", lambda _, pairs: [1 - p for p in boxes.words(pairs)])
    with pytest.raises(GmaskError, match=r"out.jsonl was begun with another model: of 'p0 "):
        run(path, boxes.some(9))
    monkeypatch.undo()
    monkeypatch.setattr(CallableModel, "hash", "the same")
    assert run(path, boxes.some(9)).explained == 9


def test_what_the_model_failed_on_is_asked_about_again(tmp_path, capsys):
    down = tmp_path / "down"  # while it is there; it is the same service all along
    down.touch()

    def service(pairs):
        if down.exists() and any("p3" in a.split() for a, _ in pairs):
            raise ConnectionError("no route to host")
        return boxes.words(pairs)

    pairs = [*boxes.some(20), ("?!", "a")]
    tally = run(tmp_path / "out.jsonl", pairs, service, skip_bad=True)
    assert (tally.explained, tally.failed) == (19, 2)
    down.unlink()
    capsys.readouterr()
    tally = run(tmp_path / "out.jsonl", pairs, service, skip_bad=True)
    assert (tally.explained, tally.failed) == (20, 1)
    assert "the model failed on 1 of 21 records, which are made again" in capsys.readouterr().err
    run(tmp_path / "whole.jsonl", pairs, service, skip_bad=True)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_it_is_said_how_many_pairs_there_are_also_of_a_damaged_file(tmp_path):
    run(tmp_path / "out.jsonl", boxes.some(40))
    lines = (tmp_path / "out.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "out.jsonl").write_bytes(b"".join(lines[:20] + lines[21:]))
    with pytest.raises(GmaskError, match="has 40 pairs, but only 25 are given"):
        run(tmp_path / "out.jsonl", boxes.some(25))
    run(tmp_path / "out.jsonl", boxes.some(40))
    assert (tmp_path / "out.jsonl").read_bytes() == b"".join(lines)


def test_ids_and_gold_labels_come_back(tmp_path):
    source = tmp_path / "pairs.jsonl"
    rows = [{"id": "x1", "premise": "a b", "hypothesis": "a c", "label": "same"}, {"premise": "d", "hypothesis": "d e"}]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(tmp_path / "out.jsonl", source)
    one, other = read_batch(tmp_path / "out.jsonl")
    assert (one.details["id"], one.details["gold"]) == ("x1", "same")
    assert not {"id", "gold"} & set(other.details)
    run(tmp_path / "rows.jsonl", rows)
    assert [e.details for e in read_batch(tmp_path / "rows.jsonl")] == [one.details, other.details]


def test_a_file_of_something_else_is_said_to_be_no_batch(tmp_path, capsys):
    source = boxes.write_tsv(tmp_path / "pairs.tsv", boxes.some(3))
    with pytest.raises(GmaskError, match=r"pairs.tsv is no file that `gmask batch` wrote: none of its 4 lines"):
        list(read_batch(source))
    assert capsys.readouterr().err == ""
    gmask.evaluate(model(), boxes.some(2), methods="random", metrics="aopc", output=tmp_path / "run")
    with pytest.raises(GmaskError, match=r"holds records of `gmask evaluate`, not what `gmask batch` wrote"):
        list(read_batch(tmp_path / "run" / "records.jsonl"))


def test_a_damaged_first_line_is_passed_over(tmp_path, capsys):
    run(tmp_path / "out.jsonl", boxes.some(3))
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"?" + path.read_bytes()[1:])
    assert len(list(read_batch(path))) == 2
    assert "line 1 is no record; it is passed over" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [list, iter])
def test_pairs_that_can_be_counted_are(tmp_path, monkeypatch, kind):
    totals = []

    class Bars(progress.Progress):
        def __init__(self, names, total, done, *, shown):
            totals.append(total)
            super().__init__(names, total, done, shown=False)

    monkeypatch.setattr("gmask.study.stream.Progress", Bars)
    run(tmp_path / "out.jsonl", kind(boxes.some(5)), progress=True)
    source = boxes.write_tsv(tmp_path / "pairs.tsv", boxes.some(5))
    run(tmp_path / "other.jsonl", source, progress=True)
    assert totals == [5 if kind is list else None, 5]


def test_texts_that_stand_in_for_others_are_those_of_pairs_before_that_can_be_read(tmp_path):
    pairs = [*boxes.some(2), ("?!", "no words"), *boxes.some(12)[2:]]
    run(tmp_path / "out.jsonl", pairs, skip_bad=True, reference="unrelated")
    found = [e.reference for e in read_batch(tmp_path / "out.jsonl")]
    stand_ins = Reference("unrelated", *zip(*boxes.some(COUNT), strict=True))
    assert [reference == stand_ins for reference in found] == [False] * COUNT + [True] * (12 - COUNT)
    assert all(reference.kind == "unrelated" for reference in found)  # the first ones of the package's own texts
