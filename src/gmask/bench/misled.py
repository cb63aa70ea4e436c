"""Small models that were trained on data with planted shortcuts: each in a folder, with what is needed to judge it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from gmask.bench.planting import Plan, plan, plant, unplanted
from gmask.dataset.corpora import CORPORA, load, resolve
from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.files import write_text
from gmask.model.zoo import BUILTIN

__all__ = ["CLEAN", "PLAN", "SEEN_FILE", "TRAIN", "Trial", "prepare", "read_pairs", "train", "trials"]

Network = Literal["dattn", "bert"]

PAIRS: dict[Network, int] = {"dattn": 6_000, "bert": 3_000}  # to train on
DEV, SEEN, FRESH = 500, 1_500, 3_000  # held-out pairs: planted to choose the epoch, planted to audit, and clean
SEEN_FILE = "seen.tsv"  # what an audit is given: unseen in training, planted like the training data
CLEAN = "fresh.tsv"
TRAIN = "data/train.tsv"
PLAN = "plan.json"  # written last
HIDDEN = 100  # width of DAttn
LAYERS = 2  # of BERT, so that it is small too
STARTS = {CORPORA["snli"].labels: "nli", CORPORA["quora"].labels: "paraphrase"}  # the built-in models to start from
COLUMNS = ("sentence1", "sentence2", "label")


@dataclass(frozen=True)
class Trial:
    """One model to be misled.

    Attributes:
        folder: Where its data, its weights and all that is found out about it stand.
        number: Its place among the models.
        source: The corpus, as `gmask.dataset.corpora.resolve` takes it.
        network: What it is.
        plan: What is planted in its data.
    """

    folder: Path
    number: int
    source: str
    network: Network
    plan: Plan

    @property
    def labels(self) -> tuple[str, ...]:
        """Those of its corpus."""
        return resolve(self.source)[0].labels

    @property
    def start(self) -> str:
        """The built-in model whose words it starts with."""
        return STARTS[self.labels]


def trials(folder: Path, sources: Sequence[str], count: int, berts: int, seed: int = 0) -> list[Trial]:
    """The models of a benchmark: corpora take turns, and the last few are BERTs."""
    made = []
    for number in range(count):
        source = sources[number % len(sources)]
        corpus = resolve(source)[0]
        if corpus.labels not in STARTS:
            raise GmaskError(f"{source} has no labels that a built-in model has; give snli=FOLDER or quora=FOLDER")
        network: Network = "bert" if number >= count - berts else "dattn"
        where = folder / f"{number:02d}-{corpus.name}-{network}"
        made.append(Trial(where, number, source, network, plan(number, corpus.labels, seed)))
    return made


def prepare(trial: Trial, seed: int = 0) -> None:
    """Plant the data of a model, unless it is there."""
    done = trial.folder / PLAN
    if done.exists():
        return
    name = f"{seed} {trial.number}"
    chance = random.Random(name)  # noqa: S311
    learned, held_out = (_usable(trial.source, split) for split in ("train", "dev"))
    needed = PAIRS[trial.network]
    if len(learned) < needed or len(held_out) < DEV + SEEN + FRESH:
        raise GmaskError(
            f"{trial.source} has {len(learned):,} and {len(held_out):,} usable train and dev pairs; needed are "
            f"{needed:,} and {DEV + SEEN + FRESH:,}"
        )
    learned = chance.sample(learned, needed)
    held_out = chance.sample(held_out, DEV + SEEN + FRESH)
    _write(trial.folder / TRAIN, plant(learned, trial.plan, f"{name} train"))
    _write(trial.folder / "data" / "dev.tsv", plant(held_out[:DEV], trial.plan, f"{name} dev"))
    _write(trial.folder / SEEN_FILE, plant(held_out[DEV : DEV + SEEN], trial.plan, f"{name} seen"))
    _write(trial.folder / CLEAN, held_out[DEV + SEEN :])
    write_text(done, json.dumps(asdict(trial.plan), indent=1) + "\n")


def train(trial: Trial, seed: int = 0, log: Callable[[str], None] = print) -> Path:
    """The folder of the trained model; killed and started again, the training goes on where it stopped."""
    from gmask.model.training.bert import train_bert
    from gmask.model.training.corpus import gather
    from gmask.model.training.dattn import train_dattn
    from gmask.model.training.loop import Settings

    output = trial.folder / "model"
    if (output / "scores.json").exists():
        return output
    gathered = gather([f"{resolve(trial.source)[0].name}={trial.folder / 'data'}"])
    if trial.network == "bert":
        encoder = trial.folder / "encoder"
        if not encoder.exists():
            _write_encoder(encoder, trial.start)
        settings = Settings(epochs=2, seed=seed, checkpoint_steps=50)
        return train_bert(gathered, output, encoder=str(encoder), settings=settings, log=log)
    vectors = trial.folder / "vectors.txt"
    if not vectors.exists():
        _write_vectors(vectors, f"{trial.start}-dattn", gathered.train)
    settings = Settings(epochs=3, batch_size=64, lr=1e-3, seed=seed, checkpoint_steps=100)
    return train_dattn(gathered, output, vectors=vectors, settings=settings, vocabulary=10_000, hidden=HIDDEN, log=log)


@lru_cache(maxsize=4)  # many models learn from one corpus
def _usable(source: str, split: str) -> list[Example]:
    return unplanted(load(source, split))


def read_pairs(trial: Trial, file: str) -> list[Example]:
    """The pairs of one of its files."""
    return load(f"{resolve(trial.source)[0].name}={trial.folder / file}")


def _write(path: Path, examples: Iterable[Example]) -> None:
    rows = ["\t".join(COLUMNS), *("\t".join((e.first, e.second, str(e.label))) for e in examples)]
    write_text(path, "\n".join(rows) + "\n")


def _write_vectors(path: Path, model: str, examples: Sequence[Example]) -> None:
    """The word vectors that a built-in model learned, of the words of some pairs, as GloVe writes them."""
    from gmask.model.dattn import DAttnModel
    from gmask.model.training.dattn import tokens_of_text

    learned = DAttnModel.from_folder(BUILTIN / model)
    table = learned.network.embedding.weight.detach().numpy()
    words = dict.fromkeys(token for e in examples for text in (e.first, e.second) for token in tokens_of_text(text))
    known = [word for word in words if word in learned.vocabulary]
    rows = (" ".join([word, *(f"{x:.5g}" for x in table[learned.vocabulary.row(word)])]) for word in known)
    write_text(path, "\n".join(rows) + "\n")


def _write_encoder(path: Path, model: str) -> None:
    """A built-in BERT, as deep as its first layers."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer  # heavy

    learned = AutoModelForSequenceClassification.from_pretrained(BUILTIN / model, num_hidden_layers=LAYERS)
    temporary = path.with_name("encoder.part")  # a folder is whole or not there
    learned.save_pretrained(temporary)
    AutoTokenizer.from_pretrained(BUILTIN / model).save_pretrained(temporary)
    temporary.replace(path)
