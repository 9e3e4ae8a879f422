#!/usr/bin/env bash
# The whole recipe of starter-translate: data -> vocabulary -> ids and alignment -> training -> int8 ONNX -> scores.
#
#   starter/translate/build.sh                 about three hours of two processor cores, or some minutes of a GPU
#   starter/translate/build.sh --sample DIR    two minutes, made-up text only, into DIR: checks that the recipe runs
#
# Variables: PYTHON (python3 with torch, sentencepiece, onnx, numpy), DATA (../shared/data beside the repository),
# WORK (starter/work/translate), STEPS, START (a checkpoint to go on from, see thaw.py), THREADS.
set -euo pipefail
cd "$(dirname "$0")"
PYTHON=${PYTHON:-python3}
DATA=${DATA:-../../../shared/data}
WORK=${WORK:-../work/translate}
THREADS=${THREADS:-1}
# Large tensors come and go in every step: keep their memory instead of asking the system again.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=268435456 OMP_NUM_THREADS=$THREADS
export PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python PYTHONDONTWRITEBYTECODE=1

if [ "${1:-}" = --sample ]; then
	WORK=$2
	mkdir -p "$WORK"
	"$PYTHON" compose.py --tools 1200 --everyday 600 --out "$WORK/made"
	"$PYTHON" prepare.py --corpora "$WORK/made" --heldout 30 --sample --out "$WORK/data"
	"$PYTHON" vocab.py --data "$WORK/data" --out "$WORK/vocab" --size 900
	"$PYTHON" encode.py --data "$WORK/data" --vocab "$WORK/vocab" --out "$WORK/train.npz"
	"$PYTHON" train.py --data "$WORK/train.npz" --vocab "$WORK/vocab" --out "$WORK/run" --d 64 --enc 1 --dec 1 --heads 2 \
		--steps "${STEPS:-60}" --batch-tokens 1200 --warmup 10 --every 10 --threads "$THREADS"
	"$PYTHON" export.py --checkpoint "$WORK/run/last.pt" --vocab "$WORK/vocab" --out "$WORK/starter-translate"
	exit
fi

"$PYTHON" compose.py --out "$WORK/made"
"$PYTHON" prepare.py --corpora "$DATA/corpora" --eval "$DATA/eval" --made "$WORK/made" --out "$WORK/data"
VOCAB=$WORK/vocab
if [ -n "${START:-}" ]; then
	VOCAB=../models/starter-translate
else
	"$PYTHON" vocab.py --data "$WORK/data" --out "$VOCAB" --size 6000
fi
"$PYTHON" encode.py --data "$WORK/data" --vocab "$VOCAB" --out "$WORK/train.npz"
"$PYTHON" train.py --data "$WORK/train.npz" --vocab "$VOCAB" --out "$WORK/run" --steps "${STEPS:-24000}" --batch-tokens 3000 \
	--ffn 8 ${START:+--start "$START"} --threads "$THREADS" \
	--keep pydocs-sent.es=0.35,pydocs-sent.fr=0.7,tatoeba-sample=2,made-tools=0.3,made-everyday.de=0.2,made-everyday.fr=0.4,made-everyday.es=1,made-phrases=4
"$PYTHON" export.py --checkpoint "$WORK/run/last.pt" --vocab "$VOCAB" --out "$WORK/starter-translate"
"$PYTHON" evaluate.py --checkpoint "$WORK/run/last.pt" --vocab "$VOCAB" --data "$WORK/data" --eval "$DATA/eval" --out "$WORK/eval.json" --threads "$THREADS"
echo "Made $WORK/starter-translate. Score it with: npm run bench -- quality --model starter/work/translate/starter-translate"
echo "Copy it over starter/models/starter-translate when it is better."
