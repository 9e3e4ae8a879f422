"""The Marian encoder-decoder in plain PyTorch (>= 1.13): the module names of the hub's MarianMTModel, post-norm layers,
sinusoidal positions, one embedding matrix for source, target and output. Also greedy decoding with caches."""
import dataclasses
import math
import torch
from torch import nn
import torch.nn.functional as F


@dataclasses.dataclass
class Config:
    vocab_size: int
    d_model: int = 192
    encoder_layers: int = 4
    decoder_layers: int = 2
    heads: int = 4
    ffn_dim: int = 768
    max_positions: int = 256

    @property
    def pad(self):
        return self.vocab_size - 1

    eos = 0


def sinusoids(n, d):
    """Marian's position table: sines in the first half of a row, cosines in the second."""
    angle = torch.arange(n)[:, None] / torch.pow(10000.0, torch.arange(0, d, 2)[None] / d)
    return torch.cat((angle.sin(), angle.cos()), 1)


class Norm(nn.LayerNorm):
    """Computes in fp32 whatever comes in: ten times faster on a CPU than a bf16 layer norm, and exacter."""

    def forward(self, x):
        return F.layer_norm(x.float(), self.normalized_shape, self.weight.float(), self.bias.float(), self.eps).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.h, self.dh = c.heads, c.d_model // c.heads
        for n in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, n, nn.Linear(c.d_model, c.d_model))

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], -1, self.h, self.dh).permute(2, 0, 3, 1, 4)

    def fused(self, x, names):
        """One matrix product for several projections of the same input: (n, batch, heads, time, dh)."""
        ps = [getattr(self, n) for n in names]
        return self.heads(F.linear(x, torch.cat([p.weight for p in ps]), torch.cat([p.bias for p in ps])))

    def mix(self, q, k, v, mask):
        """Returns the output and the probabilities (batch, heads, target, source)."""
        p = torch.softmax(((q * self.dh**-0.5) @ k.transpose(2, 3) + mask).float(), -1)
        return self.out_proj((p.to(v.dtype) @ v).transpose(1, 2).flatten(2)), p


class Layer(nn.Module):
    def __init__(self, c, cross):
        super().__init__()
        self.self_attn, self.self_attn_layer_norm = Attention(c), Norm(c.d_model)
        if cross:
            self.encoder_attn, self.encoder_attn_layer_norm = Attention(c), Norm(c.d_model)
        self.fc1, self.fc2 = nn.Linear(c.d_model, c.ffn_dim), nn.Linear(c.ffn_dim, c.d_model)
        self.final_layer_norm = Norm(c.d_model)

    def forward(self, x, mask, drop=0.0, memory=None, memory_mask=None, cache=None):
        a = self.self_attn
        q, k, v = a.fused(x, ("q_proj", "k_proj", "v_proj"))
        if cache is not None:
            if "k" in cache:
                k, v = torch.cat((cache["k"], k), 2), torch.cat((cache["v"], v), 2)
            cache["k"], cache["v"] = k, v
        y, probs = a.mix(q, k, v, mask)
        x = self.self_attn_layer_norm(x + dropout(y, drop))
        if memory is not None:
            a = self.encoder_attn
            if cache is not None and "ck" in cache:
                ck, cv = cache["ck"], cache["cv"]
            else:
                ck, cv = a.fused(memory, ("k_proj", "v_proj"))
                if cache is not None:
                    cache["ck"], cache["cv"] = ck, cv
            y, probs = a.mix(a.fused(x, ("q_proj",))[0], ck, cv, memory_mask)
            x = self.encoder_attn_layer_norm(x + dropout(y, drop))
        y = self.fc2(F.relu(self.fc1(x)))
        return self.final_layer_norm(x + dropout(y, drop)), probs


def dropout(x, p):
    return F.dropout(x, p) if p else x


class Stack(nn.Module):
    def __init__(self, c, n, cross):
        super().__init__()
        self.embed_positions = nn.Embedding(c.max_positions, c.d_model)
        self.embed_positions.weight.requires_grad = False
        self.layers = nn.ModuleList(Layer(c, cross) for _ in range(n))


class Marian(nn.Module):
    def __init__(self, c, seed=1):
        super().__init__()
        torch.manual_seed(seed)
        self.config = c
        self.model = nn.Module()
        self.model.shared = nn.Embedding(c.vocab_size, c.d_model)
        self.model.encoder = Stack(c, c.encoder_layers, False)
        self.model.decoder = Stack(c, c.decoder_layers, True)
        for n, p in self.named_parameters():
            if "embed_positions" in n:
                p.data = sinusoids(c.max_positions, c.d_model)
            elif "shared" in n:
                nn.init.normal_(p, std=c.d_model**-0.5)
                p.data[c.pad].zero_()
            elif p.dim() == 2:
                nn.init.xavier_uniform_(p)
            elif n.endswith("bias"):
                nn.init.zeros_(p)

    def embed(self, ids, stack, start=0):
        e = F.embedding(ids, self.model.shared.weight) * math.sqrt(self.config.d_model)
        return (e + stack.embed_positions.weight[start : start + ids.shape[1]]).to(self.dtype)

    @property
    def dtype(self):
        """What the layers compute in; the embedding stays fp32 while training in bf16."""
        return self.model.encoder.layers[0].fc1.weight.dtype

    def pad_mask(self, ids):
        return torch.zeros(ids.shape, dtype=self.dtype, device=ids.device).masked_fill_(ids == self.config.pad, -1e9)[:, None, None]

    def encode(self, x, drop=0.0):
        h, mask = self.embed(x, self.model.encoder), self.pad_mask(x)
        for layer in self.model.encoder.layers:
            h, _ = layer(h, mask, drop)
        return h, mask

    def decode(self, y, memory, memory_mask, drop=0.0, caches=None, start=0):
        """Hidden states (batch, time, d) and the last layer's cross-attention (batch, heads, time, source)."""
        h, t = self.embed(y, self.model.decoder, start), y.shape[1]
        mask = torch.full((t, t + start), -1e9, dtype=h.dtype, device=h.device).triu_(1 + start)
        probs = None
        for i, layer in enumerate(self.model.decoder.layers):
            h, probs = layer(h, mask, drop, memory, memory_mask, None if caches is None else caches[i])
        return h, probs

    def logits(self, h):
        return F.linear(h, self.model.shared.weight)


@torch.no_grad()
def greedy(m, sources, max_len=160, batch=64, ratio=2.0):
    """Greedy decoding of lists of ids, in batches of similar length; returns lists of ids without the end token."""
    c, dev = m.config, m.model.shared.weight.device
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    out = [None] * len(sources)
    for b in range(0, len(order), batch):
        ix = order[b : b + batch]
        width = max(len(sources[i]) for i in ix)
        x = torch.full((len(ix), width), c.pad)
        for r, i in enumerate(ix):
            x[r, : len(sources[i])] = torch.tensor(sources[i])
        memory, mask = m.encode(x.to(dev))
        caches = [{} for _ in range(c.decoder_layers)]
        y = torch.full((len(ix), 1), c.pad, device=dev)
        done, tokens = torch.zeros(len(ix), dtype=torch.bool, device=dev), []
        for step in range(min(max_len, int(width * ratio) + 10)):
            h, _ = m.decode(y, memory, mask, 0.0, caches, step)
            lg = m.logits(h[:, -1])
            lg[:, c.pad] = -1e9
            y = lg.argmax(-1, keepdim=True)
            tokens.append(y)
            done |= y[:, 0] == c.eos
            if bool(done.all()):
                break
        for r, i in enumerate(ix):
            t = [int(s[r]) for s in tokens]
            out[i] = t[: t.index(c.eos)] if c.eos in t else t
    return out


def save(path, m, **extra):
    torch.save(dict(model={k: v.detach().float() for k, v in m.state_dict().items()}, config=dataclasses.asdict(m.config), **extra), path)


def load(path):
    """A checkpoint's model (fp32, CPU) and the rest of what it holds."""
    z = torch.load(path, map_location="cpu")
    m = Marian(Config(**z["config"]))
    m.load_state_dict(z["model"])
    return m.eval(), z
