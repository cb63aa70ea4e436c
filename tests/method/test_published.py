"""The paper's objective: exact against brute force, sampled against exact."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from gmask.method.base import Task
from gmask.method.published import number_of_groups, objective, solve_by_sampling, solve_exactly
from gmask.model.transformers import TransformersModel
from gmask.multilinear import subsets
from gmask.target import Target
from tests.model.families import tiny
from tests.toys import ScoreModel

GAMMAS = {"gamma1": 10.0, "gamma2": 1.0}


def random_masks(random, k, t):
    phi, psi = random.random((1, k, t)), random.random((1, t))
    return phi / phi.sum(-1, keepdims=True), psi / psi.sum(-1, keepdims=True)


def entropy(p):
    return -sum(q * np.log(q) for q in p)


def brute_force(loss, sentences, phi, psi, gamma1, gamma2):
    """Equation 8 as an expectation over every group assignment z of every word and every selected group g."""
    k, t = phi.shape
    expected = 0.0
    for z in itertools.product(range(t), repeat=k):
        for g in range(t):
            kept = sum(1 << j for j in range(k) if z[j] == g)
            expected += psi[g] * np.prod([phi[j, z[j]] for j in range(k)]) * loss[kept]
    upper, lower = phi[sentences == 0].mean(0), phi[sentences == 1].mean(0)
    return expected - gamma1 * (entropy(upper) + entropy(lower)) + gamma2 * entropy(psi)


@pytest.mark.parametrize(("k", "t", "seed"), [(3, 2, 0), (4, 2, 1), (4, 3, 2)])
def test_the_exact_objective_is_the_sum_over_all_assignments(k, t, seed):
    random = np.random.default_rng(seed)
    loss, sentences = random.random(2**k) * 3, np.array([0] * (k // 2) + [1] * (k - k // 2))
    phi, psi = random_masks(random, k, t)
    value, _, _ = objective(loss, sentences, phi, psi, **GAMMAS)
    assert value[0] == pytest.approx(brute_force(loss, sentences, phi[0], psi[0], **GAMMAS), abs=1e-9)


def test_its_gradient_is_the_slope_of_the_sum_over_all_assignments():
    random, k, t, step = np.random.default_rng(3), 4, 2, 1e-6
    loss, sentences = random.random(2**k) * 3, np.array([0, 0, 1, 1])
    phi, psi = random_masks(random, k, t)
    _, phi_gradient, psi_gradient = objective(loss, sentences, phi, psi, **GAMMAS)

    def exact(phi, psi):
        return objective(loss, sentences, phi[None], psi[None], **GAMMAS)[0][0]

    for place in np.ndindex(k, t):
        nudge = np.zeros((k, t))
        nudge[place] = step
        slope = (exact(phi[0] + nudge, psi[0]) - exact(phi[0] - nudge, psi[0])) / (2 * step)
        assert phi_gradient[0][place] == pytest.approx(slope, abs=1e-5)
    for i in range(t):
        nudge = np.eye(t)[i] * step
        slope = (exact(phi[0], psi[0] + nudge) - exact(phi[0], psi[0] - nudge)) / (2 * step)
        assert psi_gradient[0][i] == pytest.approx(slope, abs=1e-5)


def pair_task(seed=0):
    """A smooth model: yes needs a word of each sentence."""

    def score(w, words):
        return 8 * w[:, 0] * w[:, 4] + 1.0 * w[:, 1] - 3

    model = ScoreModel(score)
    bound = model.bind("a b c d", "e f g h")
    return Task(bound, Target(model.labels, 1), seed)


def test_sampling_reaches_the_exact_optimum_of_the_objective():
    task, candidates = pair_task(), np.arange(8)
    rows = subsets(8)
    loss = -np.log(task.target.value(task.bound(rows)))
    sentences = task.bound.sentences
    common = {"gamma1": 1.0, "gamma2": 1.0, "groups": 4}
    exact = solve_exactly(loss, sentences, restarts=16, steps=300, rate=0.1, random=task.random(), **common)
    sampled = solve_by_sampling(task, candidates, samples=200, epochs=150, rate=0.1, temperature=0.5, **common)

    def reached(masks):
        return objective(loss, sentences, masks.phi[None], masks.psi[None], 1.0, 1.0)[0][0]

    assert reached(exact) <= reached(sampled) + 1e-6
    assert reached(sampled) == pytest.approx(reached(exact), abs=0.35)
    start = objective(loss, sentences, np.full((1, 8, 4), 0.25), np.full((1, 4), 0.25), 1.0, 1.0)[0][0]
    assert reached(sampled) < start - 0.5


def test_the_mean_over_samples_converges_to_the_exact_expectation():
    task = pair_task()
    loss = -np.log(task.target.value(task.bound(subsets(8))))
    random = np.random.default_rng(0)
    phi, psi = random_masks(random, 8, 3)
    exact = objective(loss, task.bound.sentences, phi, psi, 0.0, 0.0)[0][0]
    draws = 20_000
    z = np.stack([random.choice(3, draws, p=phi[0, j]) for j in range(8)], axis=1)
    kept = z == random.choice(3, draws, p=psi[0])[:, None]
    sampled = loss[(kept * (1 << np.arange(8))).sum(axis=1)]
    assert sampled.mean() == pytest.approx(exact, abs=4 * sampled.std() / np.sqrt(draws))


@pytest.mark.parametrize(("sentences", "groups"), [([0, 0, 1], 1), ([0, 0, 1, 1, 1], 2), ([0, 0, 0], 1), ([1], 1)])
def test_groups_are_as_many_as_the_smaller_side_has_words(sentences, groups):
    assert number_of_groups(np.array(sentences)) == groups


def test_the_same_seed_gives_the_same_masks_whatever_torch_has_drawn_before():
    settings = {"gamma1": 10.0, "gamma2": 1.0, "groups": 2, "samples": 8, "epochs": 3, "rate": 0.1, "temperature": 0.5}
    first = solve_by_sampling(pair_task(), np.arange(4), **settings)
    torch.rand(100)
    again = solve_by_sampling(pair_task(), np.arange(4), **settings)
    other = solve_by_sampling(pair_task(seed=1), np.arange(4), **settings)
    assert (first.phi == again.phi).all()
    assert (first.phi != other.phi).any()


@pytest.mark.parametrize("removal", ["drop", "zero", "mask"])
def test_words_that_are_not_kept_have_a_slope(removal):
    model = TransformersModel(*tiny("bert"))
    bound = model.bind("a man playing guitar", "the man sleeps", removal=removal)
    weights = torch.tensor([[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]], requires_grad=True)
    Task(bound, Target(model.labels, 1)).soft(weights).sum().backward()
    assert (weights.grad != 0).all()
