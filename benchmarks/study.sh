#!/bin/sh
# The study: every method, two kinds of model, four data sets; then its report.
#
#   benchmarks/study.sh DATA RUNS REPORT [PIECE [CELL...]]
#
# DATA has the folders snli, esnli, quora, qqp and mrpc; RUNS gets the records, REPORT the tables, figures and page.
# It is hours of work. Killed at any point and started again, it goes on where it stopped; a piece (gmask, bound,
# others, l2x, iba, alone, stable, report, share) can be started on its own, for some cells only (bert-mrpc, dattn-esnli, ...), and
# several at once. On a cluster: ENGINE="--engine ray --address auto". `share` packs the records without their texts into
# REPORT/runs-dattn.tar.xz and runs-bert.tar.xz; unpacked in RUNS, they are what the study goes on from.
set -eu
DATA=$1 RUNS=$2 REPORT=$3 PIECE=${4:-all}
shift $(($# < 4 ? $# : 4))
GMASK=${GMASK:-gmask}
ENGINE=${ENGINE:-}
BERT_PAIRS=${BERT_PAIRS:-150}   # pairs a data set, for BERT
DATTN_PAIRS=${DATTN_PAIRS:-300} # and for DAttn
ALONE_PAIRS=${ALONE_PAIRS:-10}  # for the times, where methods share no rows
STABLE_PAIRS=${STABLE_PAIRS:-20} # for the stability, which needs several explanations a pair
SKIP=${SKIP:-0}                 # pairs to pass over first: 300 are in the study, those after them are fresh

OURS=gmask,gmask:preset=fast
BOUND=optimal
# for the stability: the methods with groups, the two that are used most, and the control
STABLE=$OURS,gmask:preset=paper,shapley-interactions,archipelago,lime,kernelshap,random
REST=gmask:preset=paper,imask,lime,kernelshap,shapley,shapley-interactions,archipelago,integrated-gradients
OTHERS=${OTHERS:-$REST,gradient-x-input,attention-rollout,leave-one-out,keep-one,random}

if [ $# -eq 0 ]; then
  set -- dattn-esnli bert-esnli dattn-quora bert-quora dattn-qqp bert-qqp dattn-mrpc bert-mrpc
fi

model_of() {
  case $1 in
    bert-esnli) echo nli ;;
    dattn-esnli) echo nli-dattn ;;
    bert-*) echo paraphrase ;;
    dattn-*) echo paraphrase-dattn ;;
  esac
}
data_of() {
  case $1 in
    *-esnli) echo "esnli=$DATA/esnli/test_highlights_3ann.jsonl.gz" ;;
    *) echo "${1#*-}=$DATA/${1#*-}" ;;
  esac
}
accuracy_of() { [ "${1#*-}" = esnli ] && echo "snli=$DATA/snli" || echo "${1#*-}=$DATA/${1#*-}"; }
pairs_of() { case $1 in bert-*) echo "$BERT_PAIRS" ;; *) echo "$DATTN_PAIRS" ;; esac; }

measure() { # folder, cell, methods, pairs, further options
  folder=$1 cell=$2 methods=$3 pairs=$4
  shift 4
  $GMASK evaluate --model "$(model_of "$cell")" --data "$(data_of "$cell")" --methods "$methods" --limit "$pairs" \
    --skip "$SKIP" $ENGINE -o "$RUNS/$folder/$cell" "$@"
}
run() { # piece, cell
  case $1 in
    gmask) measure gmask "$2" "$OURS" "$(pairs_of "$2")" --accuracy "$(accuracy_of "$2")" ;;
    bound) measure bound "$2" "$BOUND" "$(pairs_of "$2")" ;;
    others) measure others "$2" "$OTHERS" "$(pairs_of "$2")" ;;
    l2x | iba) measure "$1" "$2" "$1" "$(pairs_of "$2")" ;;
    alone) ENGINE='--threads 1' measure alone "$2" "$OURS,$BOUND,$OTHERS,l2x,iba" "$ALONE_PAIRS" --metrics seconds,rows --alone ;;
    stable) measure stable "$2" "$STABLE" "$STABLE_PAIRS" --metrics seed_stability,change_stability,group_stability ;;
  esac
}

share() {
  copies=$(mktemp -d)
  mkdir -p "$REPORT"
  for kind in dattn bert; do
    for folder in "$RUNS"/*/$kind-*; do $GMASK share "$folder" -o "$copies/$kind/${folder#"$RUNS"/}"; done
    tar -cJf "$REPORT/runs-$kind.tar.xz" --sort=name --mtime=@0 --owner=0 --group=0 -C "$copies/$kind" .
  done
  rm -r "$copies"
}

case $PIECE in
  all) pieces="gmask bound others l2x iba alone stable report share" ;;
  gmask | bound | others | l2x | iba | alone | stable | report | share) pieces=$PIECE ;;
  *) echo "unknown piece $PIECE; valid: gmask, bound, others, l2x, iba, alone, stable, report, share" >&2 && exit 2 ;;
esac
for piece in $pieces; do
  case $piece in
    report) $GMASK report "$RUNS"/gmask/* "$RUNS"/*/* -o "$REPORT" ;;
    share) share ;;
    *) for cell; do run "$piece" "$cell"; done ;;
  esac
done
