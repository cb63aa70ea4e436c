#!/bin/sh
# The study: every method, two kinds of model, four data sets; then its report.
#
#   benchmarks/study.sh DATA RUNS REPORT [PIECE]
#
# DATA has the folders snli, esnli, quora, qqp and mrpc; RUNS gets the records, REPORT the tables, figures and page.
# It is hours of work. Killed at any point and started again, it goes on where it stopped; every piece can be started
# on its own too: fit, faithful, alone, stable or report. On a cluster: ENGINE="--engine ray --address auto".
set -eu
DATA=$1 RUNS=$2 REPORT=$3 PIECE=${4:-all}
GMASK=${GMASK:-gmask}
ENGINE=${ENGINE:-}
BERT_PAIRS=${BERT_PAIRS:-100}   # pairs a data set, for BERT
DATTN_PAIRS=${DATTN_PAIRS:-300} # and for DAttn
ALONE_PAIRS=${ALONE_PAIRS:-10}  # for the times, where methods share no rows
STABLE_PAIRS=${STABLE_PAIRS:-20} # for the stability, which needs several explanations a pair

METHODS=gmask,gmask:preset=paper,gmask:preset=fast,imask,lime,l2x,iba,kernelshap,shapley,shapley-interactions
METHODS=$METHODS,archipelago,integrated-gradients,gradient-x-input,attention-rollout,leave-one-out,keep-one
METHODS=$METHODS,random,optimal

BUILTIN=$(dirname "$("${PYTHON:-python3}" -c 'import gmask; print(gmask.__file__)')")/builtin

data_of() {
  case $1 in
    esnli) echo "esnli=$DATA/esnli/test_highlights_3ann.jsonl.gz" ;;
    *) echo "$1=$DATA/$1" ;;
  esac
}
accuracy_of() {
  case $1 in
    esnli) echo "snli=$DATA/snli" ;;
    *) echo "$1=$DATA/$1" ;;
  esac
}
cells() { # model, kind, data
  echo "nli-dattn dattn esnli"
  echo "nli bert esnli"
  for data in quora qqp mrpc; do
    echo "paraphrase-dattn dattn $data"
    echo "paraphrase bert $data"
  done
}

fit() { # L2X and IBA know a model's data: fitted once a model, and kept beside a copy of it
  for model in nli-dattn nli paraphrase-dattn paraphrase; do
    mkdir -p "$RUNS/models"
    [ -d "$RUNS/models/$model" ] || cp -r "$BUILTIN/$model" "$RUNS/models/$model"
    case $model in
      nli*) sources="--data snli=$DATA/snli" ;;
      *) sources="--data quora=$DATA/quora --data mrpc=$DATA/mrpc" ;;
    esac
    for method in l2x iba; do
      [ -f "$RUNS/models/$model/$method.safetensors" ] ||
        $GMASK fit $method --model "$RUNS/models/$model" $sources -o "$RUNS/models/$model/$method.safetensors"
    done
  done
}
faithful() {
  cells | while read -r model kind data; do
    [ "$kind" = bert ] && pairs=$BERT_PAIRS || pairs=$DATTN_PAIRS
    $GMASK evaluate --model "$RUNS/models/$model" --data "$(data_of "$data")" --methods "$METHODS" \
      --limit "$pairs" --accuracy "$(accuracy_of "$data")" $ENGINE -o "$RUNS/faithful/$kind-$data"
  done
}
alone() {
  cells | while read -r model kind data; do
    $GMASK evaluate --model "$RUNS/models/$model" --data "$(data_of "$data")" --methods "$METHODS" \
      --limit "$ALONE_PAIRS" --metrics seconds,rows --alone -o "$RUNS/alone/$kind-$data"
  done
}
stable() {
  cells | while read -r model kind data; do
    $GMASK evaluate --model "$RUNS/models/$model" --data "$(data_of "$data")" --methods "$METHODS" \
      --limit "$STABLE_PAIRS" --metrics seed_stability,change_stability $ENGINE -o "$RUNS/stable/$kind-$data"
  done
}
report() { $GMASK report "$RUNS"/faithful/* "$RUNS"/alone/* "$RUNS"/stable/* -o "$REPORT"; }

case $PIECE in
  all) fit && faithful && alone && stable && report ;;
  fit | faithful | alone | stable | report) $PIECE ;;
  *) echo "unknown piece $PIECE; valid: fit, faithful, alone, stable, report" >&2 && exit 2 ;;
esac
