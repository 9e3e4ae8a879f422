#!/usr/bin/env bash
# The whole recipe of starter-chat: data -> tokenizer -> training -> int8 ONNX -> scores.
#
#   starter/chat/build.sh                 about eight hours of one processor core, or some minutes of a GPU
#   starter/chat/build.sh --sample DIR    a minute, hand-written texts only, into DIR: checks that the recipe runs
#
# Variables: PYTHON (python3 with torch, onnx, numpy), DATA (../shared/data beside the repository), WORK (starter/work/chat),
# STEPS, START (a checkpoint to go on from, see thaw.py; it keeps the built-in model's tokenizer), THREADS.
# Stopped and run again it goes on where it was. COOL=steps ends an unfinished training early: its newest checkpoint is
# cooled down in run/cool-STEP, exported and scored, and the training itself can still be continued.
set -euo pipefail
cd "$(dirname "$0")"
PYTHON=${PYTHON:-python3}
DATA=${DATA:-../../../shared/data}
WORK=${WORK:-../work/chat}
THREADS=${THREADS:-1}
# Large tensors come and go in every step: keep their memory instead of asking the system again.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=268435456 OMP_NUM_THREADS=$THREADS
export PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python PYTHONDONTWRITEBYTECODE=1

if [ "${1:-}" = --sample ]; then
	WORK=$2
	"$PYTHON" tok.py --out "$WORK/tok" --size 900 --documents 1500
	"$PYTHON" train.py --tok "$WORK/tok" --out "$WORK/run" --hidden 64 --layers 2 --heads 2 --kv 1 --ffn 128 --rows 8 \
		--steps "${STEPS:-120}" --warmup 10 --every 10 --threads "$THREADS"
	"$PYTHON" export.py --checkpoint "$WORK/run/last.pt" --tok "$WORK/tok" --out "$WORK/starter-chat"
	exit
fi

mkdir -p "$WORK"
TOK=$WORK/tok
if [ -n "${START:-}" ]; then
	TOK=../models/starter-chat
elif [ ! -f "$TOK/special_tokens_map.json" ]; then
	"$PYTHON" tok.py --corpora "$DATA/corpora" --out "$TOK"
fi
train() {
	"$PYTHON" train.py --corpora "$DATA/corpora" --tok "$TOK" --threads "$THREADS" "$@"
}
RUN=$WORK/run
if [ -n "${COOL:-}" ]; then
	RUN=$WORK/run/cool-$("$PYTHON" -c 'import sys, torch; print(torch.load(sys.argv[1], map_location="cpu")["state"]["step"])' "$WORK/run/last.pt")
	train --out "$RUN" --resume "$WORK/run/last.pt" --cool-down "$COOL"
else
	train --out "$RUN" --steps "${STEPS:-12000}" --cool-down 2000 ${START:+--start "$START"}
fi
"$PYTHON" export.py --checkpoint "$RUN/last.pt" --tok "$TOK" --out "$WORK/starter-chat"
"$PYTHON" prompts.py --corpora "$DATA/corpora" --out "$WORK/prompts.jsonl"
echo "Made $WORK/starter-chat. Score it with: npm run bench -- quality chat --model starter/work/chat/starter-chat"
echo "Copy it over starter/models/starter-chat when it is better."
