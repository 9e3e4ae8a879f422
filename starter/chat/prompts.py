#!/usr/bin/env python3
"""Write the measuring prompts, one JSON object {set, messages, tools, answer} per line, for `npm run bench -- quality`.

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
        for name, rows in Data(a.corpora).evals().items():
            for messages, answer, tools in rows:
                row = dict(set=name, messages=[dict(role=r, content=c) for r, c in messages], answer=answer)
                if tools:
                    row["tools"] = [dict(type="function", function=t.schema()) for t in tools]
                f.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
