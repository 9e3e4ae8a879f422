#!/usr/bin/env bash
# The whole recipe of starter-speech: speech -> spectra -> tokenizer -> phonemes -> training -> int8 ONNX -> word error rate.
#
#   starter/speech/build.sh                about three hours of one processor core, or some minutes of a GPU
#   starter/speech/build.sh --sample DIR   two minutes, made-up sentences only, into DIR: checks that the recipe runs
#
# Needs espeak-ng; flite and festival add better voices (Debian: apt-get install espeak-ng flite festival festvox-kdlpc16k
# festvox-us-slt-hts).
# Variables: PYTHON (python3 with torch, onnx, numpy), DATA (../shared/data beside the repository), WORK (starter/work/speech),
# HOURS (of speech), STEPS, BATCH, THREADS, START (a checkpoint to go on from, see thaw.py; it keeps the built-in model's tokenizer). Everything resumes: speech that is there is kept, training goes on from its checkpoint.
set -euo pipefail
cd "$(dirname "$0")"
PYTHON=${PYTHON:-python3}
DATA=${DATA:-../../../shared/data}
WORK=${WORK:-../work/speech}
THREADS=${THREADS:-1}
export OMP_NUM_THREADS=$THREADS PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python PYTHONDONTWRITEBYTECODE=1

if [ "${1:-}" = --sample ]; then
	WORK=$2
	mkdir -p "$WORK"
	"$PYTHON" synth.py --out "$WORK/train" --hours 0.02 --seed 1
	"$PYTHON" synth.py --out "$WORK/heldout" --hours 0.005 --seed 2 --heldout
	for part in train heldout; do "$PYTHON" features.py --data "$WORK/$part"; done
	"$PYTHON" tok.py --out "$WORK/tok" --size 400 --sentences 1000 --window 8
	"$PYTHON" phones.py --data "$WORK/train" --out "$WORK/tok/phones.json"
	"$PYTHON" train.py --data "$WORK/train" --heldout "$WORK/heldout" --tok "$WORK/tok" --out "$WORK/run" --d 64 --heads 2 --enc 1 --dec 1 \
		--steps "${STEPS:-30}" --batch 4 --warmup 5 --every 10 --short 15 --threads "$THREADS"
	"$PYTHON" export.py --checkpoint "$WORK/run/last.pt" --tok "$WORK/tok" --out "$WORK/starter-speech"
	"$PYTHON" thaw.py --model "$WORK/starter-speech" --out "$WORK/start.pt"
	"$PYTHON" export.py --checkpoint "$WORK/start.pt" --tok "$WORK/tok" --out "$WORK/thawed"
	exit
fi

mkdir -p "$WORK"
from=(--corpora "$DATA/corpora" --digits-of "$DATA/audio" --threads "$THREADS")
[ -f "$WORK/heldout.jsonl" ] || "$PYTHON" synth.py --out "$WORK/heldout" --hours 0.5 --seed 2 --heldout --digits 0.2 "${from[@]}"
[ -f "$WORK/train.jsonl" ] || "$PYTHON" synth.py --out "$WORK/train" --hours "${HOURS:-12}" --seed 1 "${from[@]}"
for part in train heldout; do [ -f "$WORK/$part.mel" ] || "$PYTHON" features.py --data "$WORK/$part"; done
if [ ! -f "$WORK/tok/tokenizer.json" ] && [ -n "${START:-}" ]; then
	mkdir -p "$WORK/tok"
	cp ../models/starter-speech/tokenizer{,_config}.json "$WORK/tok/"
fi
[ -f "$WORK/tok/tokenizer.json" ] || "$PYTHON" tok.py --out "$WORK/tok" --corpora "$DATA/corpora"
[ -f "$WORK/tok/phones.json" ] || "$PYTHON" phones.py --data "$WORK/train" --out "$WORK/tok/phones.json"
"$PYTHON" train.py --data "$WORK/train" --heldout "$WORK/heldout" --tok "$WORK/tok" --out "$WORK/run" \
	${START:+--start "$START"} --steps "${STEPS:-6000}" --batch "${BATCH:-16}" --threads "$THREADS"
"$PYTHON" export.py --checkpoint "$WORK/run/last.pt" --tok "$WORK/tok" --out "$WORK/starter-speech"
"$PYTHON" evaluate.py --checkpoint "$WORK/run/last.pt" --tok "$WORK/tok" --data "$WORK/heldout" --threads "$THREADS"
echo "Made $WORK/starter-speech. Copy it to starter/models/starter-speech when its word error rate is good enough;"
echo "npm run bench -- quality speech --model DIR measures it through the product."
