from __future__ import annotations

import numpy as np

from gmask.model.callable import CallableModel
from gmask.model.rival import Margin
from gmask.turn import find_turn


def bound(says, one="birch delta lotus", other="cedar ember grove"):
    model = CallableModel(lambda pairs: [says(a.split(), b.split()) for a, b in pairs], outputs="score")
    return Margin(model, 0).between(*(model.bind("amber maple", text) for text in (one, other)))


def turned(found, pair):
    return sorted(pair.words[i].text for i in found)


def test_one_word_that_turns_the_order_is_found_wherever_it_stands_in_the_order():
    pair = bound(lambda _, b: 1.0 + ("birch" in b) if "birch" in b or "delta" in b else 1.5)
    texts = [w.text for w in pair.words]
    for order in (["birch", "delta", "lotus"], ["delta", "birch", "lotus"]):
        rest = [i for i, text in enumerate(texts) if text not in order]
        assert turned(find_turn(pair, [*map(texts.index, order), *rest]), pair) == ["birch"]


def test_words_that_turn_it_only_together_are_found_and_no_others():
    pair = bound(lambda _, b: 3.0 * ("delta" in b or "lotus" in b) + 1.0 * ("cedar" in b))
    texts = [w.text for w in pair.words]
    order = [texts.index(text) for text in ("amber", "delta", "grove", "lotus", "birch", "cedar", "ember", "maple")]
    assert turned(find_turn(pair, order), pair) == ["delta", "lotus"]


def test_a_word_of_the_query_goes_from_both_pairs():
    pair = bound(lambda a, b: 2.0 * ("maple" in a and "birch" in b) + 1.0 * ("cedar" in b))
    assert turned(find_turn(pair, [1, 0, 2, 3, 4, 5, 6, 7]), pair) == ["maple"]


def test_a_word_that_holds_the_other_text_down_is_named():
    pair = bound(lambda _, b: 1.0 if "birch" in b else 2.0 - 1.5 * ("ember" in b))
    texts = [w.text for w in pair.words]
    order = [texts.index(text) for text in ("ember", "grove", "cedar", "amber", "maple", "delta", "lotus")]
    assert turned(find_turn(pair, order), pair) == ["ember"]


def test_what_is_found_turns_the_order_and_leaves_words_in_each_text():
    pair = bound(lambda _, b: float(len(b)) if "birch" in b or "delta" in b or "lotus" in b else 0.5 * len(b))
    found = find_turn(pair, range(len(pair.words)))
    row = np.ones((1, len(pair.words)), bool)
    row[0, list(found or ())] = False
    assert found is None or (pair(row)[0, 0] < 0 and len(set(pair.sentences[row[0]])) == 3)


def test_none_is_said_where_none_was_found():
    pair = bound(lambda _, b: 1.0 if "birch" in b or "delta" in b or "lotus" in b else 0.0)
    assert find_turn(pair, range(len(pair.words))) is None


def test_the_order_of_one_that_stands_below_is_turned_as_well():
    pair = bound(lambda _, b: 2.0 * ("cedar" in b) + 1.0 * ("birch" in b))
    assert turned(find_turn(pair, range(len(pair.words))), pair) == ["cedar"]


def test_the_only_word_of_a_text_is_never_named():
    pair = bound(lambda _, b: 1.0 * ("birch" in b), one="birch")
    assert find_turn(pair, range(len(pair.words))[::-1]) is None
