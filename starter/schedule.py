"""How the rates of a training change with its steps."""


def rate(step, end, warmup, cool_down):
    """The factor of the rates at a step: rises, stays 1, falls as 1 - sqrt."""
    x = max(0.0, (step - (end - cool_down)) / cool_down)
    return max(0.02, min(1.0, (step + 1) / warmup) * (1 - x**0.5))
