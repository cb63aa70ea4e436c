"""Each known template says what its model card's own code says, written out here as the card has it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
import torch
from transformers import PretrainedConfig, PreTrainedModel, T5ForTokenClassification

import gmask
from gmask.errors import GmaskError
from gmask.model.template.known import KNOWN
from tests.model.families import tiny_config, tiny_tokenizer
from tests.model.template.judges import PAIRS, decoder_classifier, language_model, randomised

INSTRUCTION = "Is this an answer?"


def said(model, first, second):
    bound = model.bind(first, second)
    return bound(np.ones((1, len(bound.words)), dtype=bool))[0]


@torch.no_grad()
def qwen3(model, tokenizer, first, second, instruction=None):
    prefix = (
        "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct "
        'provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n'
    )
    suffix = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    instruction = instruction or "Given a web search query, retrieve relevant passages that answer the query"
    body = f"<Instruct>: {instruction}\n<Query>: {first}\n<Document>: {second}"
    row = [i for part in (prefix, body, suffix) for i in tokenizer.encode(part, add_special_tokens=False)]
    logits = model(torch.tensor([row])).logits[0, -1]
    no, yes = (tokenizer.convert_tokens_to_ids(answer) for answer in ("no", "yes"))
    return torch.stack([logits[no], logits[yes]]).log_softmax(0).exp().numpy()


@torch.no_grad()
def mxbai(model, tokenizer, first, second, instruction=None):
    def ids(text):
        return tokenizer(text, return_tensors=None, add_special_tokens=False)["input_ids"]

    asked = f"query: {first}" if instruction is None else f"instruction: {instruction}\nquery: {first}"
    task = (
        "You are a search relevance expert who evaluates how well documents match search queries. For each "
        "query-document pair, carefully analyze the semantic relationship between them, then provide your binary "
        "relevance judgment (0 for not relevant, 1 for relevant).\nRelevance:"
    )
    before = (
        "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
        "<|im_start|>user\n"
    )
    row = ids(before) + ids(asked) + ids("\n") + ids(f"document: {second}") + ids("\n") + ids(task)
    logits = model(torch.tensor([row + ids("<|im_end|>\n<|im_start|>assistant\n")])).logits[0, -1]
    return (logits[ids("1")[0]] - logits[ids("0")[0]]).reshape(1).numpy()


@torch.no_grad()
def gemma(model, tokenizer, first, second, instruction=None):
    def ids(text):
        return tokenizer(text, add_special_tokens=False)["input_ids"]

    prompt = instruction or (
        "Given a query A and a passage B, determine whether the passage contains an answer to the query by providing "
        "a prediction of either 'Yes' or 'No'."
    )
    row = [tokenizer.bos_token_id, *ids(f"A: {first}"), *ids("\n"), *ids(f"B: {second}"), *ids("\n"), *ids(prompt)]
    return model(torch.tensor([row])).logits[0, -1, ids("Yes")[0]].reshape(1).numpy()


@torch.no_grad()
def nemotron(model, tokenizer, first, second, instruction=None):
    inputs = tokenizer(f"question:{first} \n \n passage:{second}", return_tensors="pt")
    logit = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]).logits[0, 0]
    return torch.stack([(-logit).sigmoid(), logit.sigmoid()]).numpy()


@torch.no_grad()
def minicheck(model, tokenizer, first, second, instruction=None):
    inputs = tokenizer("predict: " + tokenizer.eos_token.join([first, second]), return_tensors="pt")
    start = torch.zeros((1, 1), dtype=torch.long)
    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    logits = model(input_ids=ids, attention_mask=mask, decoder_input_ids=start).logits.squeeze(1)
    return logits[0, torch.tensor([3, 209])].softmax(-1).numpy()


class Hhem(PreTrainedModel):
    """As HHEM's own code has it: a classifier of tokens within another model, read at the first."""

    config_class = PretrainedConfig

    def __init__(self, t5):
        super().__init__(PretrainedConfig(num_labels=2))
        self.t5 = t5

    def forward(self, **inputs):
        found = self.t5(**inputs)
        found.logits = found.logits[:, 0, :]
        return found


@lru_cache
def small_hhem():
    return Hhem(randomised(T5ForTokenClassification(tiny_config("t5", num_labels=2)))).eval(), tiny_tokenizer("t5")


@torch.no_grad()
def hhem(model, tokenizer, first, second, instruction=None):
    text = f"<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {first}\n\nHypothesis: {second}"
    return model.t5(**tokenizer(text, return_tensors="pt")).logits[:, 0, :][0].softmax(-1).numpy()


CARDS = {
    "qwen3-reranker": (qwen3, lambda: language_model("qwen3")),
    "mxbai-rerank-v2": (mxbai, lambda: language_model("qwen2")),
    "bge-reranker-gemma": (gemma, lambda: language_model("gemma")),
    "nemotron-rerank": (nemotron, lambda: decoder_classifier("llama")),
    "minicheck": (minicheck, lambda: language_model("t5", own=True)),
    "hhem": (hhem, small_hhem),
}


def test_every_known_template_is_held_against_its_card():
    assert set(CARDS) == set(KNOWN)


@pytest.mark.parametrize("removal", ["drop", "zero", "delete", "drop+zero"])
@pytest.mark.parametrize("name", CARDS)
def test_with_all_words_kept_it_says_what_the_card_says(name, removal):
    card, make = CARDS[name]
    network, tokenizer = make()
    model = gmask.load((network, tokenizer), template=name)
    for pair in PAIRS:
        bound = model.bind(*pair, removal=removal)
        answer = bound(np.ones((1, len(bound.words)), dtype=bool))[0]
        np.testing.assert_allclose(answer, card(network, tokenizer, *pair), atol=1e-5)


@pytest.mark.parametrize("name", ["qwen3-reranker", "mxbai-rerank-v2", "bge-reranker-gemma"])
def test_an_instruction_stands_where_the_card_has_it(name):
    card, make = CARDS[name]
    network, tokenizer = make()
    model = gmask.load((network, tokenizer), template=name, instruction=INSTRUCTION)
    usual = gmask.load((network, tokenizer), template=name)
    for pair in PAIRS:
        np.testing.assert_allclose(said(model, *pair), card(network, tokenizer, *pair, INSTRUCTION), atol=1e-5)
        assert abs(said(model, *pair) - said(usual, *pair)).max() > 1e-3


@pytest.mark.parametrize("name", ["nemotron-rerank", "minicheck", "hhem"])
def test_an_instruction_that_a_template_has_no_place_for_is_refused(name):
    with pytest.raises(GmaskError, match="takes no instruction; those that do: qwen3-reranker"):
        gmask.load(CARDS[name][1](), template=name, instruction=INSTRUCTION)


def test_probabilities_and_scores_of_two_answers_are_the_same_logits():
    parts = CARDS["mxbai-rerank-v2"][1]()
    score = said(gmask.load(parts, template="mxbai-rerank-v2"), *PAIRS[0])[0]
    probability = said(gmask.load(parts, template="mxbai-rerank-v2", outputs="probabilities"), *PAIRS[0])
    assert probability[1] == pytest.approx(1 / (1 + np.exp(-score)), abs=1e-5)


def test_a_classifier_with_a_known_template_keeps_its_own_head():
    network, tokenizer = decoder_classifier("qwen3")
    model = gmask.load((network, tokenizer), template="qwen3-reranker")
    assert model.labels == ("low", "high")
    assert 0 < said(model, *PAIRS[0])[1] < 1
