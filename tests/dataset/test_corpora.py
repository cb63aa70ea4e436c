from __future__ import annotations

import json

import pytest

from gmask.dataset.corpora import Example, load, resolve, splits
from gmask.dataset.records import UnlabelledError
from gmask.dataset.table import DataError
from gmask.errors import GmaskError

SNLI_HEADER = (
    "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\tsentence2_parse\tsentence1\tsentence2"
    "\tcaptionID\tpairID\tlabel1\tlabel2\tlabel3\tlabel4\tlabel5\n"
)


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_snli_as_distributed_in_text(tmp_path):
    gold = "neutral\t( A )\t( B )\t(ROOT A)\t(ROOT B)\tA man.\tA boy.\t1.jpg#4\t1.jpg#4r1n\tneutral\t\t\t\t\n"
    none = "-\t( A )\t( B )\t(ROOT A)\t(ROOT B)\tNo.\tYes.\t1.jpg#4\t1.jpg#4r1c\tneutral\t\t\t\t\n"
    write(tmp_path, "snli/snli_1.0_train.txt", SNLI_HEADER + gold + none)
    assert load(tmp_path / "snli", "train") == [Example("A man.", "A boy.", "neutral", "1.jpg#4r1n")]


def test_snli_as_distributed_in_json(tmp_path):
    record = {"annotator_labels": ["neutral"], "captionID": "c", "gold_label": "neutral", "pairID": "1.jpg#4r1n"}
    record |= {"sentence1": "A man.", "sentence2": "A boy.", "sentence1_parse": "(ROOT A)"}
    write(tmp_path, "snli/snli_1.0_dev.jsonl", json.dumps(record) + "\n")
    assert load(tmp_path / "snli", "dev") == [Example("A man.", "A boy.", "neutral", "1.jpg#4r1n")]


def test_quora_of_wang_et_al_has_no_header(tmp_path):
    write(tmp_path, "quora/train.tsv", '1\tWhat is " this ?\tWhat ?\t12\n0\tWho ?\tWhere ?\t13\n')
    assert load(tmp_path / "quora", "train") == [
        Example('What is " this ?', "What ?", "paraphrase", "12"),
        Example("Who ?", "Where ?", "not paraphrase", "13"),
    ]


def test_quora_with_a_header_is_read_by_it(tmp_path):
    write(tmp_path, "quora/dev.tsv", "question1\tquestion2\tlabel\nWho ?\tWhere ?\t0\n")
    assert load(tmp_path / "quora", "dev") == [Example("Who ?", "Where ?", "not paraphrase")]


def test_glue_qqp_with_unbalanced_quotes(tmp_path):
    header = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
    write(tmp_path, "qqp/train.tsv", f'{header}7\t1\t2\tWhat is "x?\tWhat is x"?\t1\n')
    assert load(tmp_path / "qqp", "train") == [Example('What is "x?', 'What is x"?', "paraphrase", "7")]


def test_msr_paraphrase_files_have_a_byte_order_mark_and_odd_names(tmp_path):
    header = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    write(tmp_path, "mrpc/msr_paraphrase_train.txt", f'{header}1\t10\t20\tHe said " no .\tNo , he said .\n')
    assert load(tmp_path / "mrpc", "train") == [Example('He said " no .', "No , he said .", "paraphrase")]


def test_esnli_csv_has_highlights_of_each_annotator(tmp_path):
    header = "pairID,gold_label,Sentence1,Sentence2,Explanation_1,Sentence1_marked_1,Sentence2_marked_1,"
    header += "Sentence1_Highlighted_1,Sentence2_Highlighted_1,Explanation_2,Sentence1_marked_2,Sentence2_marked_2\n"
    row = '1n,neutral,"A man, old.",A boy runs.,because,"A man, old.",A *boy* *runs.*,{},"1,2",'
    write(tmp_path, "esnli/esnli_dev.csv", f'{header}{row}so,"A *man,* old.",A boy runs.\n')
    [example] = load(tmp_path / "esnli", "dev")
    assert (example.first, example.second, example.id) == ("A man, old.", "A boy runs.", "1n")
    assert example.highlights == (((), (1, 2)), ((1,), ()))


def test_esnli_training_files_come_in_parts(tmp_path):
    header = "pairID,gold_label,Sentence1,Sentence2\n"
    for part in (1, 2):
        write(tmp_path, f"esnli/esnli_train_{part}.csv", f"{header}{part},neutral,A.,B.\n")
    assert [e.id for e in load(tmp_path / "esnli", "train")] == ["1", "2"]


def test_highlights_in_json(tmp_path):
    base = {"sentence1": "A man.", "sentence2": "A boy runs.", "label": "neutral"}
    three = {**base, "annotators": [{"annotator": 1, "h1": [], "h2": [1]}, {"annotator": 3, "h1": [0], "h2": [1, 2]}]}
    one, unsure = {**base, "h2": [2]}, {**base, "h2": [0], "ambiguous": True}
    path = write(tmp_path, "esnli/x.jsonl", "".join(json.dumps(r) + "\n" for r in (three, one, unsure)))
    assert [e.highlights for e in load(path)] == [
        (((), (1,)), ((0,), (1, 2))),
        ((None, (2,)),),
        ((None, None),),
    ]


@pytest.mark.parametrize(
    ("field", "value"), [("h2", [9]), ("h2", "1"), ("h2", [True]), ("annotators", "x"), ("annotators", [1])]
)
def test_highlights_that_point_nowhere_are_refused(tmp_path, field, value):
    record = {"sentence1": "A man.", "sentence2": "A boy runs.", "label": "neutral", field: value}
    path = write(tmp_path, "a.jsonl", json.dumps(record) + "\n")
    with pytest.raises(DataError, match=f"line 1, column '{field}'"):
        load(path)


def test_any_file_with_named_columns(tmp_path):
    path = write(tmp_path, "my.csv", 'Premise,Hypothesis,Label,other\n"A, b",c,yes,1\nd,e,no,2\n')
    assert load(path) == [Example("A, b", "c", "yes"), Example("d", "e", "no")]


def test_labels_are_mapped_by_name_never_by_position(tmp_path):
    path = write(tmp_path, "snli/train.tsv", "sentence1\tsentence2\tlabel\na\tb\t0\n")
    with pytest.raises(DataError, match=r"line 2, column 'label': unknown label '0'; valid: entailment, neutral"):
        load(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a\t\tneutral", "line 3, column 'sentence2': empty text"),
        ("a\tb\tmaybe", "line 3, column 'label': unknown label 'maybe'"),
        ("a\tb", "line 3: 2 fields, but 3 columns"),
    ],
)
def test_one_bad_line_among_good_ones(tmp_path, row, message):
    path = write(tmp_path, "snli/dev.tsv", f"sentence1\tsentence2\tlabel\na\tb\tneutral\n{row}\nc\td\tneutral\n")
    with pytest.raises(DataError, match=message):
        load(path)
    bad: list[DataError] = []
    assert [e.first for e in load(path, on_bad=bad.append)] == ["a", "c"]
    assert len(bad) == 1


@pytest.mark.parametrize("value", [3, ["x"], None, "\ud800"])
def test_what_is_no_text_is_refused(tmp_path, value):
    path = write(tmp_path, "a.jsonl", json.dumps({"text": value, "text_pair": "b", "label": "x"}) + "\n")
    with pytest.raises(DataError, match="line 1, column 'text'"):
        load(path)


def test_columns_that_are_missing_are_named(tmp_path):
    path = write(tmp_path, "a.tsv", "left\tright\tlabel\na\tb\tx\n")
    with pytest.raises(DataError, match=r"no column for the first text; wanted one of sentence1, .* there are: left"):
        load(path)
    path = write(tmp_path, "b.tsv", "text\ttext_pair\na\tb\n")
    with pytest.raises(UnlabelledError, match="no column for the label"):
        load(path)


def test_a_folder_without_the_split_says_what_it_looked_for(tmp_path):
    write(tmp_path, "mrpc/train.tsv", "sentence1\tsentence2\tlabel\na\tb\t1\n")
    with pytest.raises(GmaskError, match=r"no dev split in .*mrpc; looked for dev\.tsv"):
        load(tmp_path / "mrpc", "dev")
    assert splits(tmp_path / "mrpc") == ["train"]


def test_a_corpus_can_be_named_beside_its_path(tmp_path):
    path = write(tmp_path, "x/train.tsv", "sentence1\tsentence2\tlabel\na\tb\t1\n")
    assert load(f"mrpc={path}")[0].label == "paraphrase"
    assert resolve(path)[0].labels == ()
    with pytest.raises(GmaskError, match="unknown corpus 'mrcp'; valid: snli, esnli"):
        load(f"mrcp={path}")


def test_cleaning_is_optional(tmp_path):
    path = write(tmp_path, "a.tsv", 'text\ttext_pair\tlabel\nThe "Old"  Man, 2.\tHe can\'t!\tx\n')
    assert load(path)[0].first == 'The "Old"  Man, 2.'
    assert load(path, clean=True)[0] == Example("the old man 2 .", "he can't !", "x")


def test_a_sentence_that_cleaning_empties_is_a_bad_line(tmp_path):
    path = write(tmp_path, "a.tsv", "text\ttext_pair\tlabel\n---\tx\ty\n")
    assert load(path)[0].first == "---"
    with pytest.raises(DataError, match="line 2: cleaning leaves no word"):
        load(path, clean=True)


def test_a_limit_stops_reading(tmp_path):
    path = write(tmp_path, "a.tsv", "text\ttext_pair\tlabel\na\tb\tx\nc\td\tx\nbroken\n")
    assert len(load(path, limit=1)) == 1
