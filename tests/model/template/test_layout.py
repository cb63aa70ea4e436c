"""Words are removed within the two texts; what stands around them is never touched."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.errors import GmaskError
from gmask.model.template.known import template
from tests.model.template.judges import PAIRS, A, B, language_model, tokenizer

AROUND = 'Is it so?\n"{first}"\n\nDoc (one): {second}\nAnswer: '
TEMPLATES = ["qwen3-reranker", "mxbai-rerank-v2", AROUND, "{second}? {first} {second}\n=> "]
ANSWERS = {"no": "no", "yes": "yes"}


def judge(family="qwen3", *, around=AROUND, **options):
    return gmask.load(language_model(family), template=around, answers=ANSWERS, **options)


def some_rows(words: int, count: int = 12) -> np.ndarray:
    kept = np.random.default_rng(0).random((count, words)) < 0.5
    kept[0], kept[1] = True, False
    return kept


def rendered(model, bound, kept) -> str:
    """The text that a row is of, read back from its tokens."""
    ((_, inputs),) = model._rows([(bound, kept)])
    stays = (inputs["attention_mask"][0] == 1) & (inputs.get("weights", np.ones((1, 1)))[0] == 1)
    return model.tokenizer.decode(inputs["input_ids"][0][stays])


def filled(around: str, first: str, second: str) -> str:
    parts = template(around).wording.parts
    return "".join(parts).replace("{first}", first).replace("{second}", second).replace("{instruction}", "")


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("removal", ["drop", "zero"])
@pytest.mark.parametrize("around", TEMPLATES)
def test_words_that_go_leave_the_template_as_it_is(around, removal):
    model = judge(around=around)
    for pair in PAIRS:
        bound = model.bind(*pair, removal=removal)
        assert {w.text for w in bound.words if w.sentence == 0} == set(pair[0].split()) or len(bound.words) > 4
        for kept in some_rows(len(bound.words)):
            texts = []
            for side, text in enumerate(pair):
                gone = [w for w, stays in zip(bound.words, kept, strict=True) if w.sentence == side and not stays]
                for word in reversed(gone):
                    text = text[: word.start] + text[word.end :]
                texts.append(text)
            wanted = filled(around, *texts)
            found = rendered(model, bound, kept)
            assert squeezed(found) == squeezed(wanted)
            assert found.count("\n") == wanted.count("\n")  # line ends are of the template, whatever they are joined to


def test_with_no_word_left_every_character_of_the_template_is_there():
    for around in TEMPLATES:
        model = judge(around=around)
        bound = model.bind("guitar", "banjo?", removal="drop")
        assert rendered(model, bound, np.zeros(len(bound.words), dtype=bool)) == filled(around, "", "")


@pytest.mark.parametrize("removal", ["delete", "blank", "swap"])
def test_rewritten_texts_stand_within_the_template(removal):
    model = judge()
    bound = model.bind(A, B, removal=removal)
    head, middle, tail = (squeezed(part) for part in ('Is it so?\n"', '"\n\nDoc (one): ', "\nAnswer: "))
    for kept in some_rows(len(bound.words)):
        found = squeezed(rendered(model, bound, kept))
        assert found.startswith(head)
        assert found.endswith(tail)
        assert middle in found


def test_what_shares_a_token_with_the_template_and_cannot_go_is_said():
    known = tokenizer().get_vocab()
    token = next(t for t in known if t.isascii() and t.isalpha() and len(t) > 3 and t[2:] not in known)
    model = judge(around="{first}" + token[2:] + "? {second} => ")
    bound = model.bind(f"plays {token[:2]}", B, removal="drop")
    assert [w.text for w in bound.words if w.sentence == 0] == ["plays"]
    assert bound.warnings == [f"What the template shares a token with cannot be removed: '{token[:2]}'."]
    assert token in rendered(model, bound, np.zeros(len(bound.words), dtype=bool))


@pytest.mark.parametrize("removal", ["drop", "zero"])
@pytest.mark.parametrize("family", ["qwen3", "qwen2", "llama", "gemma", "gpt2", "t5", "bart"])
def test_rows_are_answered_as_hidden_tokens_are(family, removal):
    """Left out with kept places, hidden one by one, alone or with others: the same answers."""
    packed = judge(family)
    masked = judge(family, packing=False, batch_tokens=1)
    for pair in PAIRS[:2]:
        bound = packed.bind(*pair, removal=removal)
        kept = some_rows(len(bound.words))
        outputs = bound(kept)
        assert outputs[:, 1].std() > 0.05 * outputs[:, 1].mean()
        np.testing.assert_allclose(masked.bind(*pair, removal=removal)(kept), outputs, atol=1e-5)


def test_gradients_meet_the_answers_where_words_are_there_or_not():
    import torch

    model = judge()
    for removal in ("drop", "zero"):
        bound = model.bind(*PAIRS[0], removal=removal)
        kept = some_rows(len(bound.words), 4)
        with torch.no_grad():
            soft = bound.soft(torch.from_numpy(kept.astype(np.float32))).numpy()
        np.testing.assert_allclose(soft, bound(kept), atol=1e-5)
    assert gmask.explain(model, *PAIRS[0], method="gradient-x-input").attributions is not None


def test_texts_are_cut_and_not_what_stands_behind_them():
    model = judge(limit=60)
    long = "A man plays an electric guitar on stage. " * 20
    for pair in ((long, B), (A, long), (long, long)):
        bound = model.bind(*pair, removal="drop")
        assert "cut off" in bound.warnings[0]
        found = rendered(model, bound, np.ones(len(bound.words), dtype=bool))
        assert found.endswith("\nAnswer: ")
        assert found.startswith('Is it so?\n"')
        assert len(bound.state.owners) <= 60
    with pytest.raises(GmaskError, match="the template alone has"):
        judge(limit=6).bind(long, B)


def test_a_text_that_stands_twice_goes_twice():
    model = judge(around="{first} | {second} | {first} => ")
    bound = model.bind("guitar plays", "banjo", removal="drop")
    kept = np.array([word.text != "guitar" for word in bound.words])
    assert "guitar" not in rendered(model, bound, kept)
    assert rendered(model, bound, kept).count("plays") == 2


MESSAGES = [
    {"role": "system", "content": "You judge."},
    {"role": "user", "content": "Does {second} follow from {first}?"},
]


def test_messages_go_through_the_chat_template():
    model = judge(around=MESSAGES)
    bound = model.bind(A, B, removal="drop")
    assert rendered(model, bound, np.zeros(len(bound.words), dtype=bool)) == (
        "<|im_start|>system\nYou judge.<|im_end|>\n<|im_start|>user\nDoes  follow from ?<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_a_last_message_of_the_assistant_goes_on():
    model = judge(around=[*MESSAGES, {"role": "assistant", "content": "Answer:"}])
    bound = model.bind(A, B, removal="drop")
    assert rendered(model, bound, np.ones(len(bound.words), dtype=bool)).endswith("<|im_start|>assistant\nAnswer:")


def test_files_hold_texts_and_messages(tmp_path):
    import json

    (tmp_path / "judge.txt").write_text(AROUND + "\n", encoding="utf-8")  # as editors leave it
    (tmp_path / "judge.json").write_text(json.dumps(MESSAGES), encoding="utf-8")
    for name, given in (("judge.txt", AROUND), ("judge.json", MESSAGES)):
        assert judge(around=tmp_path / name).hash == judge(around=given).hash


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("Is {first} so?", r"the template 'Is \{first\} so\?' has no \{second\}"),
        ("qwen3", "qwen3-reranker"),
        ("Is it so? " * 99, "unknown template"),
        ([{"role": "user"}], "a template of messages is a list as"),
        ([{"role": "user", "content": "{first}"}], r"has no \{second\}"),
        (7, "a template is a name, a text or a list of messages, not 7"),
        ("{instruction} {first} {second}", r"the template has an \{instruction\}; give one"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused_in_one_line(given, told):
    with pytest.raises(GmaskError, match=told) as error:
        judge(around=given)
    assert "\n" not in str(error.value)


def test_models_that_differ_in_template_or_answers_are_other_models():
    hashes = [judge().hash, judge(around=TEMPLATES[-1]).hash]
    hashes += [gmask.load(language_model("qwen3"), template=AROUND, answers={"no": "no", "yes": "Yes"}).hash]
    assert len(set(hashes)) == 3
    assert judge().identity["template"] == {"text": [AROUND]}
