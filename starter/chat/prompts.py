#!/usr/bin/env python3
"""Write the measuring prompts, one JSON object {set, prompt, answer} per line, for `npm run bench -- quality`.

  python3 prompts.py --corpora DIR --out ../work/chat/prompts.jsonl
"""
import argparse
import json
from data import Data


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--corpora", required=True)
    a.add_argument("--out", required=True)
    a = a.parse_args()
    with open(a.out, "w", encoding="utf-8") as f:
        for name, pairs in Data(a.corpora).evals().items():
            for prompt, answer in pairs:
                f.write(json.dumps(dict(set=name, prompt=prompt, answer=answer), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
