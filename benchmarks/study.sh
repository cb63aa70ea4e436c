#!/bin/sh
# The study: every method, two kinds of model, four data sets; then its report.
#
#   benchmarks/study.sh DATA RUNS REPORT [PIECE [CELL...]]
#
# DATA has the folders snli, esnli, quora, qqp, mrpc and multimwa; RUNS gets the records, REPORT the tables, figures and
# page. It is hours of work. Killed at any point and started again, it goes on where it stopped; a piece can be started
# on its own, for some cells only (bert-mrpc, dattn-esnli, ...), and several at once. On a cluster: ENGINE="--engine ray
# --address auto". The pieces:
#
#   gmask      the default and `fast`, and the models' accuracy
#   others     every other method
#   l2x, iba   those that were fitted to the models
#   limits     for each of the paper's measures the best order found; up to EXACT words the best there is
#   known      the default with a share of its words shuffled: whether each measure can tell them apart
#   elsewhere  the main methods, measured with words removed in a way that none was found with
#   aligned    whether groups hold words that people aligned (MultiMWA), for cells of their own
#   alone      times, where methods share no rows
#   stable     other seeds and small changes, and the AOPC between its limits
#   report     tables, figures and the page
#   share      the records without their texts, as REPORT/runs-dattn.tar.xz and runs-bert.tar.xz; unpacked in RUNS, they
#              are what the study goes on from
#
# MRPC can have models of its own: DATTN_MRPC and BERT_MRPC name them (see docs/models.md); else those for questions serve.
set -eu
DATA=$1 RUNS=$2 REPORT=$3 PIECE=${4:-all}
shift $(($# < 4 ? $# : 4))
GMASK=${GMASK:-gmask}
ENGINE=${ENGINE:-}
BERT_PAIRS=${BERT_PAIRS:-200}   # pairs a data set, for BERT
DATTN_PAIRS=${DATTN_PAIRS:-500} # and for DAttn
ALONE_PAIRS=${ALONE_PAIRS:-10}  # for the times, where methods share no rows
STABLE_PAIRS=${STABLE_PAIRS:-20} # for the stability, which needs several explanations a pair
SKIP=${SKIP:-0}                 # pairs to pass over first: 600 a data set were looked at before, those after them are fresh

WIDTH=${WIDTH:-16}              # how many prefixes the search for the best order goes on with
EXACT=${EXACT:-12}              # words up to which it asks about all subsets
ELSEWHERE=${ELSEWHERE:-delete}  # how words are removed where methods are measured in another way

OURS=gmask,gmask:preset=fast
KNOWN=shuffled:share=0.1,shuffled:share=0.3,shuffled:share=0.5
SEARCH=exact=$EXACT:width=$WIDTH:starts=all
LIMITS=best-order:measure=aopc:$SEARCH,best-order:measure=post_hoc_accuracy:$SEARCH
LIMITS=$LIMITS,best-order:measure=degradation:$SEARCH
# for the stability: the methods with groups, the two that are used most, and the control
PAPER=gmask:preset=released,gmask:preset=paper,imask:solver=released
STABLE=$OURS,$PAPER,shapley-interactions,archipelago,lime,kernelshap,random
GROUPED=$OURS,$PAPER,shapley-interactions,archipelago,proxyspex,sis
REST=$PAPER,imask,lime,kernelshap,shapley,shapley-interactions,archipelago,proxyspex,sis,anchors,parallel-local-search
REST=$REST,greedy-removal,greedy-insertion,integrated-gradients,gradient-x-input,attention-rollout
OTHERS=${OTHERS:-$REST,leave-one-out,keep-one,random}

ALIGNED="dattn-multimwa bert-multimwa"
if [ $# -eq 0 ]; then
  set -- dattn-esnli bert-esnli dattn-quora bert-quora dattn-qqp bert-qqp dattn-mrpc bert-mrpc
fi

model_of() {
  case $1 in
    bert-esnli) echo nli ;;
    dattn-esnli) echo nli-dattn ;;
    bert-mrpc) echo "${BERT_MRPC:-paraphrase}" ;;
    dattn-mrpc) echo "${DATTN_MRPC:-paraphrase-dattn}" ;;
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
    others) measure others "$2" "$OTHERS" "$(pairs_of "$2")" ;;
    limits) measure limits "$2" "$LIMITS" "$(pairs_of "$2")" ;;
    known) measure known "$2" "$KNOWN" "$(pairs_of "$2")" ;;
    elsewhere) measure elsewhere "$2" "$OURS,lime,kernelshap,$PAPER" "$(pairs_of "$2")" --measured "$ELSEWHERE" ;;
    aligned) measure aligned "$2" "$GROUPED" "$(pairs_of "$2")" --metrics alignment --split dev --label paraphrase ;;
    l2x | iba) measure "$1" "$2" "$1" "$(pairs_of "$2")" ;;
    alone) ENGINE='--threads 1' measure alone "$2" "$OURS,$OTHERS,l2x,iba" "$ALONE_PAIRS" --metrics seconds,rows --alone ;;
    stable)
      stability=seed_stability,change_stability,group_stability,normalised_aopc
      measure stable "$2" "$STABLE" "$STABLE_PAIRS" --metrics $stability
      ;;
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

PIECES="gmask others limits known elsewhere aligned l2x iba alone stable report share"
case " all $PIECES " in
  *" $PIECE "*) ;;
  *) echo "unknown piece $PIECE; valid: $PIECES" >&2 && exit 2 ;;
esac
[ "$PIECE" = all ] || PIECES=$PIECE
for piece in $PIECES; do
  case $piece in
    report)
      $GMASK report $(ls -d "$RUNS"/gmask/* "$RUNS"/*/* | grep -v /elsewhere/) -o "$REPORT"
      [ ! -d "$RUNS/elsewhere" ] || $GMASK report "$RUNS"/elsewhere/* -o "$REPORT/elsewhere"
      ;;
    share) share ;;
    aligned) for cell in $ALIGNED; do run aligned "$cell"; done ;;
    *) for cell; do run "$piece" "$cell"; done ;;
  esac
done
