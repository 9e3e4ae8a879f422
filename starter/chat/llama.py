"""A small Llama in plain PyTorch (>= 1.13) with the hub's parameter names: tied embeddings, grouped keys and values."""
import torch
from torch import nn
import torch.nn.functional as F


class Config:
    def __init__(self, vocab=4096, hidden=256, layers=6, heads=4, kv=2, ffn=704, ctx=2048, theta=10000.0, eps=1e-5):
        self.vocab, self.hidden, self.layers, self.heads, self.kv = vocab, hidden, layers, heads, kv
        self.ffn, self.ctx, self.theta, self.eps = ffn, ctx, theta, eps

    @property
    def head(self):
        return self.hidden // self.heads


class Norm(nn.Module):
    def __init__(self, d, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d)), eps

    def forward(self, x):
        y = x.float()
        return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight.float()).to(x.dtype)


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.q_proj = nn.Linear(c.hidden, c.heads * c.head, bias=False)
        self.k_proj = nn.Linear(c.hidden, c.kv * c.head, bias=False)
        self.v_proj = nn.Linear(c.hidden, c.kv * c.head, bias=False)
        self.o_proj = nn.Linear(c.heads * c.head, c.hidden, bias=False)

    def forward(self, x, cos, sin, mask):
        c, (b, t, _) = self.c, x.shape
        y = F.linear(x, torch.cat((self.q_proj.weight, self.k_proj.weight, self.v_proj.weight))).view(b, t, -1, c.head).transpose(1, 2)
        q, k, v = y.split((c.heads, c.kv, c.kv), 1)
        q, k = rotate(q, cos, sin) * c.head**-0.5, rotate(k, cos, sin)
        # the heads of a group side by side: (batch, kv, heads per kv * time, head)
        q = q.reshape(b, c.kv, -1, c.head)
        s = (q @ k.transpose(2, 3)).view(b, c.kv, -1, t, k.shape[2]) + mask
        p = torch.softmax(s.float(), -1).to(v.dtype).view(b, c.kv, -1, k.shape[2])
        return self.o_proj((p @ v).view(b, c.heads, t, c.head).transpose(1, 2).reshape(b, t, -1))


class Mlp(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(c.hidden, c.ffn, bias=False), nn.Linear(c.hidden, c.ffn, bias=False)
        self.down_proj = nn.Linear(c.ffn, c.hidden, bias=False)

    def forward(self, x):
        g, u = F.linear(x, torch.cat((self.gate_proj.weight, self.up_proj.weight))).chunk(2, -1)
        return self.down_proj(F.silu(g) * u)


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.self_attn, self.mlp = Attention(c), Mlp(c)
        self.input_layernorm, self.post_attention_layernorm = Norm(c.hidden, c.eps), Norm(c.hidden, c.eps)

    def forward(self, x, cos, sin, mask):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    def __init__(self, c, seed=1):
        super().__init__()
        torch.manual_seed(seed)
        self.c = c
        self.model = nn.Module()
        self.model.embed_tokens = nn.Embedding(c.vocab, c.hidden)
        self.model.layers = nn.ModuleList(Layer(c) for _ in range(c.layers))
        self.model.norm = Norm(c.hidden, c.eps)
        f = torch.outer(torch.arange(c.ctx).float(), 1.0 / c.theta ** (torch.arange(0, c.head, 2).float() / c.head))
        self.cos, self.sin = torch.cat((f, f), -1).cos(), torch.cat((f, f), -1).sin()
        for n, p in self.named_parameters():
            if p.dim() == 2:
                small = 0.3 if "o_proj" in n or "down_proj" in n else 1.0
                nn.init.normal_(p, std=0.02 if "embed" in n else p.shape[1] ** -0.5 * small)

    def hidden(self, ids, positions, mask):
        """ids, positions (batch, time); mask added to the scores (batch, 1, 1, time, time). Returns (batch, time, hidden)."""
        m = self.model
        dtype = m.layers[0].mlp.down_proj.weight.dtype
        x = F.embedding(ids, m.embed_tokens.weight).to(dtype)
        cos, sin = (t.to(ids.device)[positions][:, None].to(dtype) for t in (self.cos, self.sin))
        for layer in m.layers:
            x = layer(x, cos, sin, mask.to(dtype))
        return m.norm(x)

    def logits(self, h):
        return F.linear(h, self.model.embed_tokens.weight.to(h.dtype))


def load(path):
    z = torch.load(path, map_location="cpu")
    m = Llama(Config(**z["config"]))
    m.load_state_dict(z["model"])
    return m.eval(), z
