from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest

import gmask
from gmask.model.callable import CallableModel
from gmask.study.report.collect import collect
from gmask.study.report.paper import DATASETS, MODELS, paper_figure
from gmask.study.report.table import Entry, Table
from gmask.study.report.tables import (
    accuracy_table,
    averages_table,
    comparison_table,
    figures_csv,
    metric_table,
    summary,
    tables,
)
from gmask.study.results import Results
from tests.study import boxes


@pytest.fixture(scope="module")
def cells(runs):
    return collect(runs, pytest.fail)


def test_the_papers_figures_stand_beside_ours(cells):
    table = metric_table(cells, "aopc")
    assert table.header == ("model", "method", "e-SNLI", "paper", "MRPC", "paper")
    rows = {(row[0].text, row[1].text): [e.text for e in row[2:]] for row in table.rows}
    ours = cells[1].results["gmask"]
    low, high = ours["aopc_interval"]
    gap = 100 * (ours["aopc"] / cells[1].results["best-order"]["aopc"] - 1)
    assert rows["BERT", "gmask"][0] == f"{ours['aopc']:.3f} [{low:.3f}, {high:.3f}] {gap:+.1f} %"
    assert rows["BERT", "best-order"][0].endswith("]")  # it has no distance from itself
    assert rows["BERT", "gmask"][1::2] == ["0.319", "0.200"]
    assert rows["DAttn", "gmask"][1:] == ["0.361", "", ""]
    assert rows["BERT", "random"][1::2] == ["", ""]
    assert "gmask:preset=paper:restarts=2" in {method for _, method in rows}


def test_the_best_is_bold_and_the_best_order_found_never_is(cells):
    for name in ("aopc", "sufficiency", "degradation", "post_hoc_accuracy"):
        table = metric_table(cells, name)
        best = [row[1].text for row in table.rows if any(e.best for e in row)]
        assert best
        assert "best-order" not in best
    lower = metric_table(cells, "sufficiency")
    column = {row[1].text: float(row[2].text.split()[0]) for row in lower.rows if row[0].text == "DAttn"}
    chosen = next(row[1].text for row in lower.rows if row[0].text == "DAttn" and row[2].best)
    assert column[chosen] == min(value for method, value in column.items() if method != "best-order")
    assert not any(e.best for row in metric_table(cells, "rows").rows for e in row)


def test_the_best_is_so_on_the_pairs_that_all_have(cells):
    results = cells[0].results
    figures = {("gmask", 0): 0.99, ("random", 0): 0.9}  # random has this pair only; elsewhere gmask finds nothing
    few = [
        replace(record, measured={"aopc": [figures.get((record.method, record.pair), 0.0)]})
        for method in ("gmask", "random")
        for record in results.records(method)
        if method == "gmask" or record.pair == 0
    ]
    table = metric_table([replace(cells[0], results=Results(few))], "aopc")
    assert [row[1].text for row in table.rows if row[2].best] == ["gmask"]


def test_seconds_are_those_of_methods_alone_where_there_are_such(cells):
    table = metric_table(cells, "seconds")
    by_name = {(row[0].text, row[1].text): row for row in table.rows}
    assert by_name["BERT", "gmask"][4].text == ""  # not run alone on MRPC
    assert by_name["BERT", "random"][4].text
    notes = " ".join(table.notes)
    assert "BERT on e-SNLI: methods share rows here" in notes
    assert "BERT on MRPC: methods share" not in notes


def test_a_table_tells_of_how_many_pairs_its_own_figures_are(cells):
    assert "Pairs: BERT on MRPC 3." in metric_table(cells, "seed_stability").notes
    assert "Pairs: DAttn on e-SNLI 6; BERT on e-SNLI 6; BERT on MRPC 3." in metric_table(cells, "seconds").notes
    results = cells[0].results
    few = [r for m in results for r in results.records(m) if m != "random" or r.pair < 2]
    table = metric_table([replace(cells[0], results=Results(few))], "aopc")
    assert "Pairs: DAttn on e-SNLI 6 (random 2)." in table.notes


def test_a_table_tells_who_could_not_explain_how_many_pairs(cells):
    results = cells[0].results
    records = [r for m in results for r in results.records(m)]
    failed = [replace(r, error="no", measured={}) if r.method == "random" and r.pair < 2 else r for r in records]
    table = metric_table([replace(cells[0], results=Results(failed))], "aopc")
    assert "DAttn on e-SNLI: random could not explain 2 pairs." in table.notes
    assert not any("could not" in note for note in metric_table(cells, "aopc").notes)


def test_accuracy_in_percent(cells):
    (row,) = accuracy_table(cells).rows
    assert [e.text for e in row] == ["BERT", "75.00 (4 pairs)", "83.70"]


def test_comparisons_are_signed_so_that_more_is_better(cells):
    for name in ("aopc", "sufficiency"):
        table = comparison_table(cells, name)
        row = next(row for row in table.rows if (row[0].text, row[1].text) == ("DAttn", "random"))
        found = cells[0].results.compare("gmask", "random", name)
        sign = 1 if name == "aopc" else -1
        assert float(row[2].text.split()[0]) == pytest.approx(sign * found.difference, abs=6e-4)
        assert row[3].text == f"{found.p:.3f}"
        assert "gmask" not in {row[1].text for row in table.rows}


def test_averages_are_over_cells_and_pairs_that_all_methods_have(cells):
    few = [
        r for cell in cells[:1] for m in cell.results for r in cell.results.records(m) if m != "random" or r.pair < 4
    ]
    some = [replace(cells[0], results=Results(few)), *cells[1:]]
    table = averages_table(some)
    assert table.header == ("method", "AOPC", "Post-hoc accuracy", "Degradation score", "Model rows")
    rows = {row[0].text: [e.text.split()[0] for e in row[1:]] for row in table.rows}
    assert "best-order" not in rows
    firsts = [cell.results.numbers("gmask", "aopc", [0, 1, 2, 3] if cell is some[0] else None).mean() for cell in some]
    assert float(rows["gmask"][0]) == pytest.approx(sum(firsts) / 3, abs=6e-4)
    assert sum(e.best for row in table.rows for e in row[1:2]) == 1
    assert averages_table(cells[:1]).rows == []


def test_the_best_order_is_called_what_it_is_and_a_bound_only_where_it_is_one(cells):
    for table in (metric_table(cells, "aopc"), averages_table(cells)):
        assert (
            "best-order (found by a search that knows the measure); the true optimum, and so a bound, for 18 of 18"
            in (table.notes[-1])
        )


def test_methods_of_few_pairs_do_not_take_pairs_from_the_others(cells):
    few = [
        r for cell in cells[:1] for m in cell.results for r in cell.results.records(m) if m != "random" or not r.pair
    ]
    some = [replace(cells[0], results=Results(few)), *cells[1:]]
    table, all_of_them = averages_table(some), averages_table(some, few=True)
    assert "random" not in {row[0].text for row in table.rows}
    assert "Pairs: DAttn on e-SNLI 6; BERT on e-SNLI 6; BERT on MRPC 6." in table.notes
    assert {"random", "gmask"} <= {row[0].text for row in all_of_them.rows}
    assert "Pairs: DAttn on e-SNLI 1; BERT on e-SNLI 6; BERT on MRPC 6." in all_of_them.notes
    assert averages_table(cells, few=True).rows == []


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """A cell whose methods are measured as they find, and in two ways more."""
    told = {"methods": ["gmask", "random", "best-order"], "measured": ["same", "delete", "blank"]}
    run = tmp_path_factory.mktemp("ways")
    gmask.evaluate(CallableModel(boxes.words), boxes.some(4), output=run, **told)
    return collect([run], pytest.fail)


def test_a_metric_measured_in_several_ways_has_a_table_by_way_and_one_of_the_mean(ways):
    made = {table.name: table for table in tables(ways)}
    assert {"aopc", "aopc-mean", "aopc-ways", "aopc-mean-compared"} <= set(made)
    assert not {"aopc@delete", "aopc-delete"} & set(made)
    table = made["aopc-ways"]
    assert table.header == ("model", "data", "method", "blank", "delete", "mean")
    row = next(row for row in table.rows if row[2].text == "gmask")
    figures = [float(e.text.split()[0]) for e in row[3:]]
    assert figures[2] == pytest.approx((figures[0] + figures[1]) / 2, abs=1e-3)
    assert figures[1] == float(made["aopc"].rows[0][2].text.split()[0])  # which is how a function is explained
    assert "best-order" not in {row[2].text for row in table.rows}
    assert any("removed by blank, delete." in note for note in made["aopc-mean"].notes)


def test_the_best_order_for_one_measure_has_no_say_about_another(cells):
    assert "best-order" in {row[1].text for row in metric_table(cells, "aopc").rows}
    assert "best-order" not in {row[1].text for row in metric_table(cells, "degradation").rows}
    assert "best-order" not in {row[1].text for row in comparison_table(cells, "degradation").rows}


def test_orders_that_are_shared_are_proven_too(cells):
    shared = [
        replace(cell, results=Results([r.without_explanation() for m in cell.results for r in cell.results.records(m)]))
        for cell in cells
    ]
    assert metric_table(shared, "aopc").notes[-1] == metric_table(cells, "aopc").notes[-1]


def test_a_table_says_which_of_two_presets_is_the_papers_objective(cells):
    assert any("solved exactly" in note for note in metric_table(cells, "aopc").notes)
    without = [replace(cell, results=Results(cell.results.records("random"))) for cell in cells]
    assert not any("solved exactly" in note for note in metric_table(without, "aopc").notes)


def test_the_distance_from_best_order_is_that_on_the_pairs_both_have(cells):
    results = cells[0].results
    few = [r for m in results for r in results.records(m) if m != "best-order" or r.pair < 2]
    row = next(
        row for row in metric_table([replace(cells[0], results=Results(few))], "aopc").rows if row[1].text == "random"
    )
    value, larger = (results.numbers(m, "aopc", [0, 1]).mean() for m in ("random", "best-order"))
    assert row[2].text.endswith(f" {100 * (value / larger - 1):+.1f} %")


def test_every_measured_metric_has_a_table(cells):
    names = {table.name for table in tables(cells)}
    assert {
        "accuracy",
        "aopc",
        "degradation",
        "seconds",
        "rows",
        "token_f1",
        "seed_stability",
        "aopc-compared",
    } <= names


def test_every_figure_is_in_the_csv(cells):
    rows = list(csv.DictReader(io.StringIO(figures_csv(cells))))
    found = [r for r in rows if (r["model"], r["data"], r["method"], r["metric"]) == ("BERT", "MRPC", "gmask", "aopc")]
    assert len(found) == 1
    assert float(found[0]["value"]) == cells[2].results["gmask"]["aopc"]
    assert found[0]["paper"] == "0.2"
    assert {r["pairs"] for r in rows if r["metric"] == "aopc"} == {"6"}
    assert {r["pairs"] for r in rows if r["metric"] == "seed_stability"} == {"3"}
    timed = [r for r in rows if (r["metric"], r["model"], r["data"]) == ("seconds", "BERT", "MRPC")]
    assert {r["method"]: float(r["value"]) for r in timed} == {
        m: cells[2].alone[m]["seconds"] for m in ("leave-one-out", "random")
    }
    parts = [r["part"] for r in rows if r["metric"] == "post_hoc_accuracy" and r["method"] == "gmask"]
    assert parts[:10] == [str(v) for v in range(1, 11)]


def test_a_table_as_markdown_latex_html_and_csv():
    rows = [[Entry("a_b"), Entry("1.0 [−2, 3]", best=True, number=True)], [Entry("<x|y>"), Entry("50 %", number=True)]]
    table = Table("t", "100 % title", ("name", "value"), [rows[:1], rows[1:]], ("a note",))
    assert table.to_markdown() == (
        "## 100 % title\n\n| name | value |\n| --- | ---: |\n| a_b | **1.0 [−2, 3]** |\n| <x\\|y> | 50 % |\n\na note\n"
    )
    latex = table.to_latex()
    assert r"a\_b & \textbf{1.0 [$-$2, 3]} \\" in latex
    assert r"\caption{100 \% title. a note}" in latex
    assert latex.count(r"\midrule") == 2
    assert "<td>&lt;x|y&gt;</td>" in table.to_html()
    assert '<td class="number best">1.0' in table.to_html()
    assert table.to_csv() == 'name,value\na_b,"1.0 [−2, 3]"\n<x|y>,50 %\n'


def test_the_summary_of_a_run(cells):
    text = summary(cells[0].results)
    assert text.startswith("## 6 pairs")
    assert re.search(r"\| gmask \| \d\.\d{3} \[", text)


def test_the_paper_reports_every_method_for_every_model_and_data_set():
    for metric in ("aopc", "degradation", "seconds"):
        for model in MODELS:
            for data in DATASETS:
                for method in ("lime", "l2x", "iba", "imask", "gmask", "gmask:preset=paper"):
                    assert paper_figure(metric, model, data, method) is not None
    assert paper_figure("degradation", "BERT", "QQP", "gmask") == 0.707
    assert paper_figure("seconds", "DAttn", "MRPC", "iba") == 9.24
    assert paper_figure("accuracy", "BERT", "Quora") == 90.48
    assert paper_figure("aopc", "BERT", "QQP", "shapley") is None
    assert paper_figure("rows", "BERT", "QQP", "lime") is None
    assert paper_figure("aopc", "BERT", "RTE", "lime") is None
