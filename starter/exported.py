"""Reads the model folders that the export.py scripts write, to continue the training of what was shipped."""
import argparse
import json
import os
import numpy as np
import onnx
from onnx import numpy_helper
import torch


def arguments(**options):
    """Of a thaw.py: --model, --out and further options by name (the keywords of add_argument), and the model's config.json."""
    a = argparse.ArgumentParser()
    a.add_argument("--model", required=True)
    a.add_argument("--out", required=True)
    for name, how in options.items():
        a.add_argument("--" + name, **how)
    a = a.parse_args()
    with open(os.path.join(a.model, "config.json"), encoding="utf-8") as f:
        return a, json.load(f)


def graph_path(folder, name):
    """A graph in the hub layout: the int8 file, else the fp32 one."""
    paths = [os.path.join(folder, "onnx", name + s) for s in ("_quantized.onnx", ".onnx")]
    return next((p for p in paths if os.path.exists(p)), paths[0])


def initializers(folder, name):
    """The constants of a graph by name."""
    return {t.name: numpy_helper.to_array(t) for t in onnx.load(graph_path(folder, name)).graph.initializer}


def thawed(w, name):
    """The float weights (out, in) of a product or table from an exported file's initializers."""
    if name in w:
        return w[name]
    q, s = w[name + "_q"], w[name + "_s"]
    if q.ndim == 3:
        return ((q.astype(np.float32) - 128) * s[..., None]).reshape(q.shape[0], -1)
    return (q if q.shape[0] == len(s) and "shared" in name else q.T).astype(np.float32) * s[:, None]


def save(path, **checkpoint):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    torch.save(checkpoint, path)
