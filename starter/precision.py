"""What a training computes its matrix products in: bf16 or fp32, whichever is faster here."""
import time
import torch


def seconds(dtype):
    """Of a product as in a feed-forward layer, the best of five."""
    x, w = torch.ones(512, 256, dtype=dtype), torch.ones(1024, 256, dtype=dtype)
    best = float("inf")
    for _ in range(6):
        began = time.process_time()
        torch.nn.functional.linear(x, w)
        best = min(best, time.process_time() - began)
    return best


def fastest(device, forced=None):
    """The dtype to compute in; `forced` is "bf16", "fp32" or None.

    On a CPU bf16 is faster with instructions for it, or where PyTorch has no good BLAS for fp32.
    """
    if forced:
        return {"bf16": torch.bfloat16, "fp32": torch.float32}[forced]
    if torch.device(device).type != "cpu":
        return torch.bfloat16
    return torch.float32 if seconds(torch.float32) <= seconds(torch.bfloat16) else torch.bfloat16
