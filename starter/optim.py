"""The optimiser: Muon on the layers' matrices (grouped by shape, orthogonalised in bf16 if not told otherwise), Adam on everything else.
Master weights are fp32; the model's own parameters may be bf16 copies of them."""
import torch


def orthogonal(g, steps=5, dtype=torch.bfloat16):
    """Newton-Schulz iteration towards the nearest (semi-)orthogonal matrices of a batch."""
    x = g.to(dtype)
    tall = x.shape[1] > x.shape[2]
    x = x.transpose(1, 2) if tall else x
    x = x / (x.float().norm(dim=(1, 2), keepdim=True) + 1e-7).to(dtype)
    for _ in range(steps):
        a = x @ x.transpose(1, 2)
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * (a @ a)) @ x
    return (x.transpose(1, 2) if tall else x).float()


class Optimiser:
    def __init__(self, m, momentum=0.95, betas=(0.9, 0.98), decay=0.01, apart=("shared",), dtype=torch.bfloat16):
        """`apart`: parts of the names of matrices that Adam takes, as an embedding whose rows are rarely used should.
        `dtype`: of the orthogonalisation."""
        self.pool = None  # of threads that share the matrices
        self.dtype, self.momentum, self.betas, self.decay, self.t = dtype, momentum, betas, decay, 0
        named = [(n, p) for n, p in m.named_parameters() if p.requires_grad]
        self.groups = {}
        for n, p in named:
            if p.dim() == 2 and not any(part in n for part in apart):
                self.groups.setdefault(tuple(p.shape), []).append(p)
        self.rest = [p for n, p in named if p.dim() != 2 or any(part in n for part in apart)]
        self.master = {id(p): p.detach().float().clone() for _, p in named}
        self.names = {n: id(p) for n, p in named}
        self.state = {k: torch.zeros(len(v), *k) for k, v in self.groups.items()}
        self.first = [torch.zeros_like(self.master[id(p)]) for p in self.rest]
        self.second = [torch.zeros_like(self.master[id(p)]) for p in self.rest]
        for s in list(self.state):
            self.state[s] = self.state[s].to(named[0][1].device)

    @torch.no_grad()
    def step(self, rate_matrices, rate_rest, clip=1.0):
        """One update from the parameters' gradients, which it clears; returns the gradient norm."""
        self.t += 1
        every = [p for v in self.groups.values() for p in v] + self.rest
        norm = torch.stack([p.grad.float().pow(2).sum() for p in every]).sum().sqrt()
        scale = min(1.0, clip / (float(norm) + 1e-6))
        for shape, ps in self.groups.items():
            g = torch.stack([p.grad.float() for p in ps])
            buf = self.state[shape].mul_(self.momentum).add_(g, alpha=(1 - self.momentum) * scale)
            ahead = buf.mul(self.momentum).add_(g, alpha=(1 - self.momentum) * scale)
            parts = self.pool.map(lambda x: orthogonal(x, dtype=self.dtype), ahead.split(4)) if self.pool else [orthogonal(ahead, dtype=self.dtype)]
            u = torch.cat(list(parts))
            factor = rate_matrices * max(1.0, shape[0] / shape[1]) ** 0.5
            for p, d in zip(ps, u):
                w = self.master[id(p)]
                w.mul_(1 - rate_matrices * self.decay).add_(d, alpha=-factor)
                p.copy_(w)
        b1, b2 = self.betas
        for p, m1, m2 in zip(self.rest, self.first, self.second):
            g, w = p.grad.float() * scale, self.master[id(p)]
            m1.mul_(b1).add_(g, alpha=1 - b1)
            m2.mul_(b2).addcmul_(g, g, value=1 - b2)
            w.addcdiv_(m1, (m2 / (1 - b2**self.t)).sqrt_().add_(1e-8), value=-rate_rest / (1 - b1**self.t))
            p.copy_(w)
        for p in every:
            p.grad = None
        return float(norm)

    def weights(self):
        """Master weights by name."""
        return {n: self.master[i] for n, i in self.names.items()}

    def state_dict(self):
        return dict(t=self.t, state=self.state, first=self.first, second=self.second)

    def load_state_dict(self, z):
        self.t = z["t"]
        for k, v in z["state"].items():
            self.state[k].copy_(v)
        for own, old in ((self.first, z["first"]), (self.second, z["second"])):
            for a, b in zip(own, old):
                a.copy_(b)
