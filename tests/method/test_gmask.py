"""GMASK on rules whose answer is known, and at the edges."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import gmask
from gmask.explanation import MEMBER
from gmask.method.base import Task, create
from gmask.method.search import _settled
from gmask.model.held import hold
from gmask.reference import Reference
from gmask.target import Target
from tests.toys import ScoreModel, rule_model, sentences

RULES = {
    "one word": lambda a, b: [[(1, b[0])]],
    "A and B across the sentences": lambda a, b: [[(0, a[0]), (1, b[0])]],
    "(A and B) or (C and D)": lambda a, b: [[(0, a[0]), (1, b[0])], [(0, a[1]), (1, b[1])]],
    "A and B in one sentence": lambda a, b: [[(0, a[0]), (0, a[1])]],
    "A and B and C": lambda a, b: [[(0, a[0]), (0, a[1]), (1, b[0])]],
}


def planted(rule, seed):
    random = np.random.default_rng(seed)
    a, b = sentences(random)
    rules = RULES[rule](random.permutation(a), random.permutation(b))
    return " ".join(a), " ".join(b), [[(side, str(word)) for side, word in r] for r in rules]


def named(e, positions):
    return {(e.words[i].sentence, e.words[i].text) for i in positions}


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_a_planted_rule_comes_back_as_its_own_group_with_its_words_on_top(rule):
    found = on_top = 0
    for seed in range(100):
        first, second, rules = planted(rule, seed)
        e = gmask.explain(rule_model(rules), first, second, seed=seed)
        found += sorted(map(sorted, (named(e, g.members) for g in e.groups))) == sorted(map(sorted, rules))
        words = {literal for r in rules for literal in r}
        on_top += named(e, e.order()[: len(words)]) == words
    assert found >= 95
    assert on_top >= 95


def test_a_group_proves_itself():
    first, second, rules = planted("A and B across the sentences", 0)
    e = gmask.explain(rule_model(rules), first, second)
    (group,) = e.groups
    assert group.kept == pytest.approx(0.95)
    assert group.removed == pytest.approx(0.05)
    assert group.importance == pytest.approx(0.9)  # halfway between what it gives alone and what its removal costs


def test_the_same_call_gives_the_same_json_and_another_list_the_same_explanation():
    model = rule_model([[(0, "cat"), (1, "dog")]])
    pairs = [("the cat sat", "a dog ran off"), ("a cat", "the dog"), ("one cat more", "dog days are over")]
    alone = [gmask.explain(model, a, b) for a, b in pairs]
    together = gmask.explain(model, pairs=pairs)
    for one, other in zip(alone, together, strict=True):
        one, other = (gmask.Explanation.from_dict({**e.to_dict(), "seconds": 0.0}) for e in (one, other))
        assert one.to_json() == other.to_json()


def test_attributions_are_memberships_times_importances():
    first, second, rules = planted("(A and B) or (C and D)", 1)
    for preset, tolerance in (("reasons", 2.1e-6), ("paper", 1e-9)):  # the default breaks ties in the sixth decimal
        e = gmask.explain(rule_model(rules), first, second, preset=preset)
        theta = sum(g.importance * np.array(g.memberships) for g in e.groups)
        assert np.array(e.attributions) == pytest.approx(theta, abs=tolerance)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 4))
def test_attributions_follow_any_order_and_no_word_changes_its_group(seed, k, groups):
    random = np.random.default_rng(seed)
    psi, order = random.random(groups), random.permutation(k)
    phi = random.dirichlet(np.full(groups + 1, 0.3), size=k)[:, :groups]
    settled = _settled(phi, psi, order)
    assert ((settled >= MEMBER) == (phi >= MEMBER)).all()
    assert (settled >= 0).all()
    assert (settled.sum(axis=1) <= 1 + 1e-9).all()
    theta = (settled @ psi)[order]
    assert (np.diff(theta) <= 1e-9).all()
    already = np.argsort(-(phi @ psi), kind="stable")
    np.testing.assert_allclose(_settled(phi, psi, already), phi)


def test_the_paper_preset_is_the_papers_setting():
    e = gmask.explain(rule_model([[(0, "c"), (1, "w")]]), "a b c d e f", "u v w x y z", preset="paper")
    assert {name: e.settings[name] for name in ("gamma1", "gamma2", "k")} == {"gamma1": 10, "gamma2": 1, "k": 10}
    chosen = [e.words[i].sentence for i in e.details["candidates"]]
    assert len(e.groups) == min(chosen.count(0), chosen.count(1))
    assert sum(g.importance for g in e.groups) == pytest.approx(1)
    assert np.sum([g.memberships for g in e.groups], axis=0)[e.details["candidates"]] == pytest.approx(np.ones(10))
    assert e.rows <= 100 + 1024


def test_words_that_the_papers_objective_never_saw_follow_in_the_order_of_imask():
    model = ScoreModel(lambda w, _: w @ torch.linspace(2, 0, 24).double() - 3)
    pair, how = (" ".join("abcdefghijkl"), " ".join("mnopqrstuvwx")), {"target": "yes", "reference": "empty"}
    e = gmask.explain(model, *pair, preset="paper", **how)
    ranked = gmask.explain(model, *pair, method="imask", **how).order()
    assert sorted(e.order()[:10]) == sorted(ranked[:10]) == e.details["candidates"]
    assert e.order()[10:] == ranked[10:]


@pytest.mark.parametrize("preset", ["reasons", "paper", "fast", "thorough"])
@pytest.mark.parametrize(("first", "second"), [("cat", "dog"), ("cat", "a dog ran"), ("the big cat sat", "dog")])
def test_one_word_sentences_and_k_beyond_the_words_work(preset, first, second):
    e = gmask.explain(rule_model([[(0, "cat"), (1, "dog")]]), first, second, preset=preset)
    assert {w.text for w in e.top(2)} == {"cat", "dog"} or preset == "paper"
    assert len(e.attributions) == len(e.words)


@pytest.mark.parametrize("preset", ["reasons", "paper"])
def test_candidates_in_one_sentence_only_work(preset):
    first, second = "cat", " ".join("abcdefghijkl")
    e = gmask.explain(rule_model([[(1, "a"), (1, "b")]]), first, second, preset=preset, k=4)
    assert e.groups


def test_beyond_ten_words_the_tables_are_sampled():
    random = np.random.default_rng(0)
    a, b = sentences(random, 10)
    rule = [(0, a[3]), (1, b[7])]
    e = gmask.explain(rule_model([rule]), " ".join(a), " ".join(b), k=12, budget=4000)
    assert len(e.details["candidates"]) == 12
    assert e.rows < 4000 < 2 * 2**12
    assert named(e, e.groups[0].members) == set(rule)
    assert e.details["exact"] is False
    group = e.groups[0]
    rise = (group.kept - e.evidence.nothing + e.value - group.removed) / 2
    assert group.importance == pytest.approx(rise, abs=1e-6)  # measured, not from the sampled tables


def test_what_does_nothing_is_no_reason():
    e = gmask.explain(gmask.load(lambda pairs: [0.9] * len(pairs)), "my guitar is loud", "his banjo is not")
    assert e.groups == ()
    assert sorted(e.attributions) == sorted(set(e.attributions))  # there is an order still


def test_a_budget_that_is_too_small_is_told_with_the_smallest_that_is_enough():
    model, pair = rule_model([[(0, "a")]]), ("a b c d", "e f g h")
    with pytest.raises(ValueError, match="a budget of 20 rows is too small for 8 words; give at least") as error:
        gmask.explain(model, *pair, budget=20)
    enough = int(str(error.value).rsplit(maxsplit=1)[1])
    assert gmask.explain(model, *pair, budget=enough).rows <= enough
    with pytest.raises(ValueError, match=f"give at least {enough}"):
        gmask.explain(model, *pair, budget=enough - 1)


@pytest.mark.parametrize("removal", ["delete", "delete+blank"])
@pytest.mark.parametrize("preset", ["reasons", "fast", "paper"])
@pytest.mark.parametrize("length", [1, 2, 4, 8, 20])
def test_the_smallest_budget_that_is_told_will_do_and_so_will_any_larger(preset, length, removal):
    fitting = create("gmask", preset=preset).procedure.fitting
    a, b = sentences(np.random.default_rng(0), length)
    bound = rule_model([[(0, a[0])]]).bind(" ".join(a), " ".join(b), removal=removal)
    held = hold(bound, Reference("unrelated", ("one", "two", "three"), ("four", "five", "six")))
    for each in (bound, held):
        task = Task(each, Target(bound.model.labels, 1))
        fits = [fitting(task, budget) is not None for budget in range(16, 600)]
        assert all(fits[fits.index(True) :])


@pytest.mark.parametrize("preset", ["reasons", "fast"])
@pytest.mark.parametrize("length", [4, 8, 20])
def test_with_the_smallest_budget_a_plain_rule_is_seen_or_the_reader_is_told(preset, length):
    for seed in range(10):
        a, b = sentences(np.random.default_rng(seed), length)
        model, pair = rule_model([[(0, a[0]), (1, b[-1])]]), (" ".join(a), " ".join(b))
        with pytest.raises(ValueError, match="give at least") as error:
            gmask.explain(model, *pair, preset=preset, budget=16)
        enough = int(str(error.value).rsplit(maxsplit=1)[1])
        e = gmask.explain(model, *pair, preset=preset, budget=enough, seed=seed)
        assert "No word speaks for it." not in e.notes()
        assert e.groups or any("gmask did not find which" in note for note in e.notes())


@pytest.mark.parametrize("budget", [44, 50, 120, 400, 1000, 2000])
def test_the_paper_preset_keeps_its_budget(budget):
    asked = []

    def box(pairs):
        asked.extend(pairs)
        return [0.9 if "cat" in a.split() and "dog" in b.split() else 0.1 for a, b in pairs]

    e = gmask.explain(
        gmask.load(box, labels=["no", "yes"]),
        "the old cat sat on a mat",
        "my dog and your bird ran far",
        preset="paper",
        budget=budget,
    )
    assert len(asked) - 1 <= budget  # a function is asked about the whole pair once more, counted nowhere
    assert e.settings["budget"] == budget
    assert 2 <= len(e.details["candidates"]) <= 10
    assert budget < 2000 or len(e.details["candidates"]) == 10


def test_the_sampling_solver_refuses_a_budget_it_cannot_keep():
    with pytest.raises(ValueError, match="samples × epochs rows"):
        create("gmask", preset="paper", solver="sampling", budget=500)


def test_fast_asks_at_most_300_rows():
    random = np.random.default_rng(0)
    a, b = sentences(random, 20)
    e = gmask.explain(rule_model([[(0, a[0]), (1, b[0])]]), " ".join(a), " ".join(b), preset="fast")
    assert e.rows <= 300


@pytest.mark.parametrize("reference", ["auto", "unrelated"])
@pytest.mark.parametrize("budget", [120, 200, 400, 1000])
def test_a_budget_is_kept(budget, reference):
    asked = []

    def box(pairs):
        asked.extend(pairs)
        return [0.9 if "cat" in a.split() and "dog" in b.split() else 0.1 for a, b in pairs]

    model = gmask.load(box, labels=["no", "yes"], budget=budget)
    e = gmask.explain(model, "the old cat sat on a mat", "my dog and your bird ran far", reference=reference)
    assert len(asked) <= budget
    assert {w.text for w in e.top(2)} == {"cat", "dog"}


@pytest.mark.parametrize("removal", ["delete", "delete+blank"])
@pytest.mark.parametrize("preset", ["reasons", "fast", "paper"])
def test_a_budget_is_kept_where_other_texts_stand_in_for_a_sentence_that_is_gone(preset, removal):
    asked = []

    def box(pairs):  # nothing is alike, too: it is held against other texts, which cost three rows
        asked.extend(pairs)
        return [0.9 if not a or "cat" in a.split() else 0.1 for a, _ in pairs]

    model = gmask.load(box, labels=["no", "yes"])
    pair = "the old cat sat on a mat with seven other big animals", "my dog ran"
    for budget in (150, 250, 400, 1000):
        asked.clear()
        e = gmask.explain(model, *pair, preset=preset, budget=budget, removal=removal)
        assert e.reference.kind == "unrelated"
        assert len(asked) - 1 <= budget  # the whole pair once more, counted nowhere


def test_a_model_that_answers_for_one_pair_only_is_asked_about_no_other_texts():
    class OnePair(ScoreModel):
        reads = False

        def bind(self, first, second, **options):
            assert (first, second) == ("a b c", "d e f")
            return super().bind(first, second, **options)

    model = OnePair(lambda w, _: 6 * w[:, 1] * w[:, 4] - 3)
    for preset in ("reasons", "fast", "thorough", "paper"):
        e = gmask.explain(model, "a b c", "d e f", preset=preset)
        assert {w.text for w in e.top(2)} == {"b", "e"} or preset == "paper"
        assert e.reference.kind == "empty"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "best"}, "valid: reasons, fast, thorough, paper, released"),
        ({"k": 0}, "at least 1"),
        ({"k": 40}, "at most 13"),
        ({"k": 40, "preset": "paper"}, "at most 16 for the exact solver, not 40; use solver="),
        ({"gamma1": 3.0}, "no setting of preset 'reasons'"),
        ({"solver": "sampling"}, 'preset="paper"'),
        ({"budget": 20}, "too small"),
        ({"colour": 1}, "unknown option of gmask"),
    ],
)
def test_wrong_settings_are_refused_with_the_right_ones(options, message):
    with pytest.raises(ValueError) as error:
        gmask.explain(rule_model([[(0, "a")]]), "a b c d", "e f g h", **options)
    assert message in str(error.value)


def test_a_contrast_and_another_target_can_be_asked_for():
    def box(pairs):
        return [[0.5, 0.3, 0.2] if "x" in a else [0.1, 0.3, 0.6] for a, _ in pairs]

    model = gmask.load(box, labels=["e", "n", "c"])
    e = gmask.explain(model, "x y", "z w", target="c", against="n")
    assert (e.label, e.target, e.against) == ("e", "c", "n")
    assert e.value == pytest.approx(0.4)
    assert any("asked for" in note for note in e.notes())
