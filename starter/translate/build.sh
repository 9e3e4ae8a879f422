#!/usr/bin/env bash
# The whole recipe of starter-translate: data -> vocabulary -> ids and alignment -> training -> int8 ONNX -> scores.
#
#   starter/translate/build.sh                 about twenty hours of a processor core (ten of two), or some minutes of a GPU
#   starter/translate/build.sh --sample DIR    two minutes, made-up text only, into DIR: checks that the recipe runs
#
# Variables: PYTHON (python3 with torch, sentencepiece, onnx, numpy), DATA (../shared/data beside the repository),
# WORK (starter/work/translate), STEPS, START (a checkpoint to go on from, see thaw.py), THREADS.
# Stopped and run again it goes on where it was. COOL=steps ends an unfinished training early: its newest checkpoint is
# cooled down in run/cool-STEP, exported and scored, and the training itself can still be continued.
set -euo pipefail
cd "$(dirname "$0")"
PYTHON=${PYTHON:-python3}
DATA=${DATA:-../../../shared/data}
WORK=${WORK:-../work/translate}
THREADS=${THREADS:-1}
# Large tensors come and go in every step: keep their memory instead of asking the system again.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=268435456 OMP_NUM_THREADS=1
export PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python PYTHONDONTWRITEBYTECODE=1

if [ "${1:-}" = --sample ]; then
	WORK=$2
	mkdir -p "$WORK"
	"$PYTHON" compose.py --tools 1200 --everyday 600 --out "$WORK/made"
	"$PYTHON" prepare.py --corpora "$WORK/made" --heldout 30 --sample --out "$WORK/data"
	"$PYTHON" vocab.py --data "$WORK/data" --out "$WORK/vocab" --size 900
	"$PYTHON" encode.py --data "$WORK/data" --vocab "$WORK/vocab" --out "$WORK/train.npz"
	"$PYTHON" train.py --data "$WORK/train.npz" --vocab "$WORK/vocab" --out "$WORK/run" --d 64 --enc 1 --dec 1 --heads 2 \
		--steps "${STEPS:-60}" --batch-tokens 1200 --parts 1 --warmup 10 --every 10 --threads "$THREADS"
	"$PYTHON" export.py --checkpoint "$WORK/run/last.pt" --vocab "$WORK/vocab" --out "$WORK/starter-translate"
	exit
fi

# What is made once is not made again; a part that did not come to its end leaves no file of its final name.
if [ ! -f "$WORK/train.npz" ]; then
	"$PYTHON" compose.py --out "$WORK/made"
	"$PYTHON" prepare.py --corpora "$DATA/corpora" "$DATA/corpora2" --eval "$DATA/eval" --made "$WORK/made" --out "$WORK/data"
fi
VOCAB=$WORK/vocab
if [ -n "${START:-}" ]; then
	VOCAB=../models/starter-translate
elif [ ! -f "$VOCAB/special_tokens_map.json" ]; then
	"$PYTHON" vocab.py --data "$WORK/data" --out "$VOCAB" --size 8000 \
		--keep tatoeba-sample=0.2,tatoeba-full=0.2,pydocs-sent=0.6,made-tools=0.1,made-everyday=0.1,cldr=0.5,osm=0.5
fi
[ -f "$WORK/train.npz" ] || "$PYTHON" encode.py --data "$WORK/data" --vocab "$VOCAB" --out "$WORK/train.npz"

# Passes over a corpus in an epoch: half of an epoch's words are messages, labels and descriptions of programs, a quarter
# is everyday text and nearly a quarter documentation.
KEEP=tatoeba-full=0.5,tatoeba-full.es=0.8,tatoeba-sample=0.5,made-tools=0.1,made-everyday=0.1,made-phrases=4
KEEP=$KEEP,godot=3,msbuild=3,testfx=3,winforms=3,tldr=4,tldr.es=1.5,pydocs-sent.es=0.5,pydocs-sent.fr=0.9
KEEP=$KEEP,vscode=2.5,mozilla=1.5,ms-apps=2,ui-npm=2,jupyter=2,dotnet-tools=1.5,ms-tools=1.5,typescript=1.5
KEEP=$KEEP,docs-react.de=3,docs-rust=0.8,docs-rust.de=1.5,docs-electron=0.7,osm=0.7
train() {
	"$PYTHON" train.py --data "$WORK/train.npz" --vocab "$VOCAB" --d 256 --enc 6 --dec 2 --ffn 4 --heads 4 \
		--warmup 300 --every 10 --threads "$THREADS" --keep "$KEEP" "$@"
}
RUN=$WORK/run
if [ -n "${COOL:-}" ]; then
	RUN=$WORK/run/cool-$("$PYTHON" -c 'import sys, torch; print(torch.load(sys.argv[1], map_location="cpu")["state"]["step"])' "$WORK/run/last.pt")
	train --out "$RUN" --resume "$WORK/run/last.pt" --cool-down "$COOL"
else
	train --out "$RUN" --steps "${STEPS:-14000}" --cool-down 2000 ${START:+--start "$START"}
fi
"$PYTHON" export.py --checkpoint "$RUN/last.pt" --vocab "$VOCAB" --out "$WORK/starter-translate"
"$PYTHON" evaluate.py --checkpoint "$RUN/last.pt" --vocab "$VOCAB" --data "$WORK/data" --eval "$DATA/eval" --out "$WORK/eval.json" --threads "$THREADS"
echo "Made $WORK/starter-translate. Score it with: npm run bench -- quality --model starter/work/translate/starter-translate"
echo "Copy it over starter/models/starter-translate when it is better."
