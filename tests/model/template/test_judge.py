"""Answers are single tokens, and planted rules are found."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from transformers import PretrainedConfig

import gmask
from gmask.errors import GmaskError
from gmask.model.template.judge import answer_ids
from tests.model.template.judges import PAIRS, language_model, tokenizer
from tests.toys import VOCABULARY, sentences

AROUND = "First: {first}\nSecond: {second}\nAnswer: "


def load(answers, **options):
    return gmask.load(language_model("qwen3"), template=AROUND, answers=answers, **options)


def test_several_tokens_of_a_label_add_up():
    network, words = language_model("qwen3")
    model = load({"no": "no", "yes": ["yes", "Yes"]})
    ids = words(AROUND.format(first=PAIRS[0][0], second=PAIRS[0][1]), return_tensors="pt")["input_ids"]
    with torch.no_grad():
        logits = network(ids).logits[0, -1]
    no, yes, other = (logits[words.convert_tokens_to_ids(answer)].exp() for answer in ("no", "yes", "Yes"))
    bound = model.bind(*PAIRS[0])
    answer = bound(np.ones((1, len(bound.words)), dtype=bool))[0, 1]
    assert answer == pytest.approx(float((yes + other) / (no + yes + other)), abs=1e-5)


def test_one_answer_is_a_score_and_the_difference_of_two_is_one_too():
    assert load("yes").raw
    assert load({"no": "no", "yes": "yes"}, outputs="score").raw
    assert load(["no", "yes"]).labels == ("no", "yes")


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"no": "no", "yes": "unbelievably so"}, r"the answer 'unbelievably so' is \d+ tokens, .* first tokens differ"),
        ({"no": "not guitar", "yes": "not banjo"}, "give one that is a single token"),
        ({"no": "no", "yes": "no"}, "two answers are the same token, 'no'"),
        ({"no": "no", "yes": 99999}, "is token 99999, but the tokenizer has"),
        ({}, "answers are missing"),
        ({"no": "no", "yes": None}, "an answer is a text, the id of a token, or a list"),
        (None, 'is a language model; give the answers .* as answers={"no": "no", "yes": "yes"}'),
    ],
)
def test_answers_that_cannot_be_told_apart_are_refused_in_one_line(answers, told):
    with pytest.raises(GmaskError, match=told) as error:
        load(answers)
    assert "\n" not in str(error.value)


def test_the_ids_that_are_proposed_for_longer_answers_do():
    with pytest.raises(GmaskError) as error:
        answer_ids(tokenizer(), {"a": "guitar solo", "b": "banjo solo"})
    proposed = str(error.value).partition("(")[2].partition(")")[0]
    ids = dict(part.rsplit(": ", 1) for part in proposed.split(", '"))
    assert len(answer_ids(tokenizer(), {name: int(number) for name, number in ids.items()})) == 2


def test_what_is_no_model_of_this_kind_keeps_its_own_options():
    class Box:
        def __call__(self, pairs):
            return [0.5] * len(pairs)

    assert gmask.load(Box(), budget=9).budget == 9


def test_options_that_do_not_go_together_are_refused():
    with pytest.raises(GmaskError, match="answers without a template"):
        gmask.load(language_model("qwen3"), answers={"no": "no", "yes": "yes"})
    with pytest.raises(GmaskError, match="a score is the difference of two answers' logits, and there are 3"):
        load({"a": "no", "b": "yes", "c": "Yes"}, outputs="score")
    with pytest.raises(GmaskError, match="unknown option of this kind of model: 'template'"):
        gmask.load(lambda pairs: [0.5] * len(pairs), template=AROUND)


class Planted(nn.Module):
    """Has the face of a causal language model, and says yes if the words of any rule are all there, each in its text.

    Whether a token is there is read from its embedding; which text it is in, from the sign that stands before it.
    """

    def __init__(self, rules, words, size):
        super().__init__()
        self.config = PretrainedConfig(vocab_size=size, max_position_embeddings=4096, pad_token_id=0)
        self.config.model_type, self.config._name_or_path = "qwen3", "planted"
        self.rules = [[(side, words.convert_tokens_to_ids(f"Ġ{word}")) for side, word in rule] for rule in rules]
        self.turn = words.convert_tokens_to_ids("second")
        self.yes, self.no = (words.convert_tokens_to_ids(answer) for answer in ("yes", "no"))
        self.embed = nn.Embedding.from_pretrained(torch.eye(size))

    device, dtype = torch.device("cpu"), torch.float32

    def get_input_embeddings(self):
        return self.embed

    def forward(self, input_ids, attention_mask=None, position_ids=None):
        there = self.embed(input_ids) * attention_mask.unsqueeze(-1)
        second = (input_ids == self.turn).cumsum(dim=1).clamp(max=1).unsqueeze(-1)
        seen = [
            (there * side).cummax(dim=1).values for side in (1 - second, second)
        ]  # up to each place, as causal models
        holds = [torch.stack([seen[side][:, :, word] for side, word in rule]).amin(dim=0) for rule in self.rules]
        logits = torch.zeros(*input_ids.shape, self.config.vocab_size)
        logits[:, :, self.yes] = 6 * torch.stack(holds).amax(dim=0) - 3
        return SimpleNamespace(logits=logits)


@pytest.fixture(scope="module")
def words():
    """A tokenizer that has each word of the planted pairs as one token."""
    import copy

    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    known = ["<pad>", "<unk>", "first", "second", "answer", ":", "Ċ", "Ġ", "Ġ:", "yes", "no"]
    known += [f"Ġ{word}" for word in VOCABULARY]
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(known)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return copy.deepcopy(PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", unk_token="<unk>"))


@pytest.mark.slow
def test_rules_hidden_in_a_judge_are_found(words):
    """Of 100 judges with one or two rules of one to three words across the texts, in two forms of removal at once."""
    exact = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        texts = sentences(random)
        rules, free = [], [(side, word) for side in (0, 1) for word in texts[side]]
        random.shuffle(free)
        for size in random.integers(1, 4, size=random.integers(1, 3)):
            rules.append([(int(side), str(word)) for side, word in (free.pop() for _ in range(size))])
        network = Planted(rules, words, len(words))
        model = gmask.load(
            (network, words),
            template="first: {first}\nsecond: {second}\nanswer:",
            answers={"no": "no", "yes": "yes"},
        )
        e = gmask.explain(model, " ".join(texts[0]), " ".join(texts[1]), target="yes")
        found = {frozenset((e.words[i].sentence, e.words[i].text) for i in group.members) for group in e.groups}
        exact += found == {frozenset(rule) for rule in rules}
    assert exact >= 95, exact
