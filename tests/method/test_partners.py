"""Words of the two texts that the model takes for each other."""

import gmask


def words(text):
    return [w.strip(".?,").lower() for w in text.split()]


def overlap(pairs):
    """The share of words that the two texts have in common; two empty texts have all."""
    found = []
    for a, b in pairs:
        one, other = set(words(a)), set(words(b))
        found.append(len(one & other) / len(one | other) if one | other else 1.0)
    return found


def test_equal_words_are_partners_where_sameness_counts():
    e = gmask.explain(
        gmask.load(overlap, outputs="score"), "green apples taste sweet tonight", "sweet green melons smell good"
    )
    across = [g for g in e.groups if len({e.words[i].sentence for i in g.members}) == 2]
    assert across
    for group in across:
        first, second = ({w.text for w in group.words(e) if w.sentence == side} for side in (0, 1))
        assert first == second


def test_the_words_that_differ_are_partners_where_a_difference_counts():
    def differ(pairs):
        return [float(words(a) != words(b)) for a, b in pairs]

    model = gmask.load(differ, labels=["same", "different"])
    e = gmask.explain(model, "how can I learn python fast", "how can I learn java fast")
    assert {w.text for w in e.top(2)} == {"python", "java"}


def test_a_word_that_decides_alone_has_no_partner():
    def box(pairs):
        return [0.95 if "python" in words(b) else 0.05 for _, b in pairs]

    e = gmask.explain(gmask.load(box, labels=["no", "yes"]), "how do I learn it fast", "who teaches python here today")
    assert [[w.text for w in group.words(e)] for group in e.groups] == [["python"]]
