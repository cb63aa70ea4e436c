"""Long texts: the sentences that decide, and the words within them."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.errors import GmaskError
from gmask.model.callable import CallableModel
from tests.toys import VOCABULARY, rule_model

PLAIN = "the of in a to is on at by as it was an or be".split()
QUERY = "which amber has birch"


def passage(planted, sentences=10, length=10, seed=0):
    """Sentences of plain words with planted words in some, `{sentence: words}`."""
    random = np.random.default_rng(seed)
    found = []
    for number in range(sentences):
        words = [str(w) for w in random.choice(PLAIN, length)]
        for word in planted.get(number, ()):
            words[int(random.integers(1, length))] = word
        found.append(" ".join(words).capitalize() + ".")
    return " ".join(found).replace(".", " .")


def explained(rules, planted, query=QUERY, **options):
    model = rule_model(rules)
    return gmask.explain(model, query, passage(planted), **{"reference": "empty", **options})


def decisive(e):
    return [i for i, s in enumerate(e.sentences) if s.decisive]


def named(e, group):
    return {(w.sentence, w.text) for w in group.words(e)}


RULES = {
    "one sentence": ([[(0, "amber"), (1, "cedar")]], {5: ["cedar"]}),
    "words of two sentences together": ([[(0, "amber"), (1, "cedar"), (1, "delta")]], {1: ["cedar"], 6: ["delta"]}),
    "either of two sentences": (
        [[(0, "amber"), (1, "cedar")], [(0, "birch"), (1, "delta")]],
        {2: ["cedar"], 7: ["delta"]},
    ),
}


@pytest.mark.parametrize("kind", RULES)
def test_the_sentences_and_the_words_that_decide_are_found(kind):
    rules, planted = RULES[kind]
    e = explained(rules, planted)
    assert decisive(e) == sorted(planted)
    assert {frozenset(named(e, g)) for g in e.groups} == {frozenset(rule) for rule in rules}


def test_where_both_texts_are_long_and_only_one_decides_words_of_both_are_asked_about():
    model = rule_model([[(1, "cedar")]])
    e = gmask.explain(model, passage({}, seed=1), passage({4: ["cedar"]}), reference="empty")
    assert {s.sentence for s in e.sentences} == {0, 1}
    assert [named(e, g) for g in e.groups] == [{(1, "cedar")}]


def test_where_no_sentence_is_missed_or_enough_by_itself_some_that_carry_the_answer_are_found():
    rules = [[(1, "cedar"), (1, "delta")], [(1, "ember"), (1, "fjord")]]
    e = explained(rules, {0: ["cedar"], 2: ["delta"], 4: ["ember"], 6: ["fjord"]})
    assert {0, 2} <= set(decisive(e)) or {4, 6} <= set(decisive(e))
    assert frozenset(named(e, e.groups[0])) in set(map(frozenset, rules))


def test_a_passage_costs_a_part_of_its_words():
    rules, planted = RULES["one sentence"]
    read = []

    def counting(pairs):
        read.append(sum(len(a.split()) + len(b.split()) for a, b in pairs))
        return model.function(pairs)

    model = rule_model(rules)
    counted = CallableModel(counting, labels=["no", "yes"])
    costs = {}
    for units in ("words", "auto"):
        read.clear()
        gmask.explain(counted, QUERY, passage(planted), units=units, reference="empty")
        costs[units] = sum(read)
    assert costs["auto"] < costs["words"] / 4


def test_either_text_may_be_the_long_one():
    rules, planted = RULES["one sentence"]
    model = rule_model([[(1 - side, word) for side, word in rule] for rule in rules])
    e = gmask.explain(model, passage(planted), QUERY, reference="empty")
    assert decisive(e) == [5]
    assert {s.sentence for s in e.sentences} == {0}
    assert {w.text for w in e.top(2)} == {"amber", "cedar"}


def test_both_texts_may_be_long():
    e = gmask.explain(
        rule_model([[(0, "cedar"), (1, "delta")]]),
        passage({3: ["cedar"]}),
        passage({1: ["delta"]}, seed=1),
        reference="empty",
    )
    assert [(s.sentence, "cedar" in s.text or "delta" in s.text) for s in e.sentences if s.decisive] == [
        (0, True),
        (1, True),
    ]
    assert {w.text for w in e.top(2)} == {"cedar", "delta"}


@pytest.mark.parametrize("side", [0, 1])
def test_where_one_of_two_long_texts_decides_nothing_a_sentence_of_it_stays(side):
    texts = [passage({3: ["cedar"]}), passage({}, seed=1)][:: 1 if side == 0 else -1]
    e = gmask.explain(rule_model([[(side, "cedar")]]), *texts, reference="empty")
    assert [s.sentence for s in e.sentences if s.decisive] == [0, 1]
    assert named(e, e.groups[0]) == {(side, "cedar")}


def test_the_look_at_sentences_is_part_of_a_models_budget():
    asked = []

    def counting(pairs):
        asked.extend(pairs)
        return model.function(pairs)

    model = rule_model(RULES["one sentence"][0])
    counted = CallableModel(counting, labels=["no", "yes"], budget=200)
    e = gmask.explain(counted, QUERY, passage({5: ["cedar"]}, sentences=20), preset="thorough")
    assert decisive(e) == [5]
    assert len(asked) <= 200


def test_what_is_shown_of_a_sentence_is_what_the_model_says():
    rules, planted = RULES["one sentence"]
    e = explained(rules, planted)
    one, other = e.sentences[5], e.sentences[0]
    assert (one.kept, one.removed, one.says) == (0.95, 0.05, "yes")
    assert (other.kept, other.removed, other.says) == (0.05, 0.95, "no")
    assert all(e.second[s.start : s.end] == s.text for s in e.sentences)


def test_words_outside_have_nothing_and_the_evidence_is_of_the_whole_pair():
    e = explained(*RULES["one sentence"])
    inside = [e.sentences[5].start <= w.start < e.sentences[5].end or w.sentence == 0 for w in e.words]
    assert all(a == 0 for a, there in zip(e.attributions, inside, strict=True) if not there)
    assert len(e.words) > 100
    assert (e.groups[0].kept, e.groups[0].removed) == (0.95, 0.05)


@pytest.mark.parametrize("text", ["A short text. Of two sentences.", "word " * 100, "One. Two. Three. Four."])
def test_short_pairs_are_explained_as_ever(text):
    model = rule_model([[(0, "amber")]])
    auto, words = (gmask.explain(model, QUERY, text, units=units) for units in ("auto", "words"))
    assert (auto.attributions, auto.groups, auto.rows) == (words.attributions, words.groups, words.rows)
    assert auto.sentences == ()


@pytest.mark.parametrize("method", ["leave-one-out", "lime", "kernelshap", "sis"])
def test_any_method_explains_within_the_sentences_that_decide(method):
    e = explained(*RULES["one sentence"], method=method)
    assert decisive(e) == [5]
    assert {w.text for w in e.top(2)} == {"amber", "cedar"}


def test_a_raw_score_is_shown_in_its_units():
    model = CallableModel(
        lambda pairs: [3.0 * ("cedar" in b) + 2 * ("delta" in b) - 4 for _, b in pairs], outputs="score"
    )
    e = gmask.explain(model, QUERY, passage({1: ["cedar"], 4: ["delta"]}))
    assert decisive(e) == [1, 4]
    assert [e.sentences[1].kept, e.sentences[1].removed, e.sentences[1].says] == [-1.0, -2.0, None]


def test_an_explanation_with_sentences_is_read_back():
    e = explained(*RULES["one sentence"])
    again = gmask.Explanation.from_json(e.to_json())
    assert again == e
    data = e.to_dict()
    del data["sentences"]  # as in files written before there were any
    assert gmask.Explanation.from_dict(data).sentences == ()


def test_other_units_are_refused():
    with pytest.raises(GmaskError, match="unknown units 'letters'; valid: auto, sentences, words"):
        gmask.Explainer(rule_model([[(0, "amber")]]), units="letters")


def test_the_toy_words_are_no_plain_ones():
    assert not set(PLAIN) & set(VOCABULARY)
