#!/usr/bin/env python3
"""Weighted mean of the weights of training runs that began alike; often better than each of them.

  python3 mean.py --out mean.pt run5/last.pt:0.4 run8/last.pt:0.6
"""
import argparse
import os
import torch


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--out", required=True)
    a.add_argument("parts", nargs="+", metavar="CHECKPOINT:WEIGHT")
    a = a.parse_args()
    total, config, weights = {}, None, 0.0
    for part in a.parts:
        path, weight = part.rsplit(":", 1)
        z = torch.load(path, map_location="cpu")
        if config not in (None, z["config"]):
            raise SystemExit(f"{path} is a model of another shape.")
        config, weights = z["config"], weights + float(weight)
        for name, value in z["model"].items():
            total[name] = total.get(name, 0) + float(weight) * value.float()
    if abs(weights - 1) > 1e-6:
        raise SystemExit(f"The weights add up to {weights:g} and not to 1.")
    torch.save(dict(model=total, config=config), a.out + ".part")
    os.replace(a.out + ".part", a.out)


if __name__ == "__main__":
    main()
