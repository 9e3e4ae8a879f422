"""The Whisper architecture in plain PyTorch with the published names, and its log-mel input.

One thing differs: the first convolution, too, goes in steps of two, so that a layer sees 40 ms at a time and costs less than half;
the encoder's output is each vector twice, which leaves 20 ms a position for whoever reads it."""
import dataclasses
import math
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass
class Config:
    vocab: int
    # Entries of the vocabulary that are text.
    letters: int
    d_model: int = 256
    heads: int = 4
    encoder_layers: int = 6
    decoder_layers: int = 3
    ffn: int = 1024
    mels: int = 80
    # Encoder positions of 20 ms, as the output has them.
    positions: int = 400
    tokens: int = 192
    # Phonemes that a layer in the middle of the encoder is trained to tell.
    phones: int = 0


def sinusoids(length, width):
    rate = torch.exp(-math.log(10000) / (width // 2 - 1) * torch.arange(width // 2))
    t = torch.arange(length)[:, None] * rate[None]
    return torch.cat([t.sin(), t.cos()], 1)


class Norm(nn.LayerNorm):
    """In fp32, whatever the input: more exact, and ten times faster on a CPU."""

    def forward(self, x):
        return F.layer_norm(x.float(), self.normalized_shape, self.weight.float(), self.bias.float(), self.eps).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.v_proj, self.out_proj = (nn.Linear(d, d) for _ in range(3))
        self.k_proj = nn.Linear(d, d, bias=False)

    def forward(self, x, kv, mask=None):
        b, n, d = x.shape
        split = lambda t: t.view(b, -1, self.heads, d // self.heads).transpose(1, 2)
        q, k, v = split(self.q_proj(x)) * (d // self.heads) ** -0.5, split(self.k_proj(kv)), split(self.v_proj(kv))
        s = q @ k.transpose(2, 3)
        a = (s if mask is None else s + mask).softmax(-1)
        return self.out_proj((a @ v).transpose(1, 2).reshape(b, n, d))


class Layer(nn.Module):
    def __init__(self, c, cross):
        super().__init__()
        d = c.d_model
        self.self_attn, self.self_attn_layer_norm = Attention(d, c.heads), Norm(d)
        if cross:
            self.encoder_attn, self.encoder_attn_layer_norm = Attention(d, c.heads), Norm(d)
        self.fc1, self.fc2, self.final_layer_norm = nn.Linear(d, c.ffn), nn.Linear(c.ffn, d), Norm(d)

    def forward(self, x, mask=None, encoded=None):
        y = self.self_attn_layer_norm(x)
        x = x + self.self_attn(y, y, mask)
        if encoded is not None:
            x = x + self.encoder_attn(self.encoder_attn_layer_norm(x), encoded)
        return x + self.fc2(F.gelu(self.fc1(self.final_layer_norm(x))))


class Conv(nn.Conv1d):
    """Width 3, steps of two, as one matrix product: (batch, n, in) -> (batch, n / 2, out). Many times faster backwards on a CPU."""

    def __init__(self, a, b):
        super().__init__(a, b, 3, stride=2, padding=1)

    def forward(self, x):
        b, n, d = x.shape
        pairs = x.reshape(b, n // 2, 2 * d)
        before = F.pad(pairs[:, :-1, d:], (0, 0, 1, 0))
        return F.linear(torch.cat([before, pairs], 2), self.weight.permute(0, 2, 1).reshape(self.out_channels, -1), self.bias)


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1 = Conv(c.mels, c.d_model)
        self.conv2 = Conv(c.d_model, c.d_model)
        self.register_buffer("embed_positions", sinusoids(c.positions // 2, c.d_model))
        self.layers = nn.ModuleList(Layer(c, False) for _ in range(c.encoder_layers))
        self.layer_norm = Norm(c.d_model)

    def forward(self, mel, tap=None):
        """One vector for 40 ms, of a whole window or less; with `tap` also what that layer gives."""
        x = F.gelu(self.conv2(F.gelu(self.conv1(mel.transpose(1, 2)))))
        x = x + self.embed_positions[: x.shape[1]]
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i + 1 == tap:
                middle = x
        return self.layer_norm(x) if tap is None else (self.layer_norm(x), middle)


class Decoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.shared = nn.Embedding(c.vocab, c.d_model)
        self.embed_positions = nn.Parameter(torch.randn(c.tokens, c.d_model) * 0.01)
        self.layers = nn.ModuleList(Layer(c, True) for _ in range(c.decoder_layers))
        self.layer_norm = Norm(c.d_model)

    def forward(self, ids, encoded):
        n = ids.shape[1]
        x = self.shared(ids) + self.embed_positions[:n]
        mask = torch.full((n, n), -1e9, device=x.device, dtype=x.dtype).triu(1)
        for layer in self.layers:
            x = layer(x, mask, encoded)
        return self.layer_norm(x) @ self.shared.weight.t()


class Whisper(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.encoder, self.decoder = Encoder(config), Decoder(config)
        # Reads the text from the sound alone while training (connectionist temporal classification); the last class is "nothing".
        self.ctc = nn.Linear(config.d_model, config.letters + 1)
        if config.phones > 0:
            self.middle_norm, self.phones = Norm(config.d_model), nn.Linear(config.d_model, config.phones + 1)
        nn.init.normal_(self.decoder.shared.weight, std=0.02)

    def forward(self, mel, ids):
        return self.decoder(ids, self.encoder(mel))


def mel_bands(bins, length=400, rate=16000):
    """Slaney's triangles, (bins, length / 2 + 1)."""
    to_mel = lambda f: np.where(f < 1000, 3 * f / 200, 15 + np.log(np.maximum(f, 1e-9) / 1000) * 27 / np.log(6.4))
    to_hertz = lambda m: np.where(m < 15, 200 * m / 3, 1000 * np.exp((m - 15) * np.log(6.4) / 27))
    edges = to_hertz(np.linspace(0, float(to_mel(np.float64(rate / 2))), bins + 2))
    f = np.arange(length // 2 + 1) * rate / length
    low, mid, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    return np.maximum(0, np.minimum((f - low) / (mid - low), (high - f) / (high - mid))) * 2 / (high - low)


def load(path, device="cpu"):
    z = torch.load(path, map_location=device)
    m = Whisper(Config(**z["config"])).to(device)
    m.load_state_dict(z["model"], strict=False)
    return m.eval()


@torch.no_grad()
def greedy(m, mel, tok, limit=120):
    """Texts of a batch, without times."""
    encoded = m.encoder(mel)
    ids = torch.tensor([[tok.start, tok.plain]] * len(mel), device=mel.device)
    done = torch.zeros(len(mel), dtype=torch.bool, device=mel.device)
    for _ in range(limit):
        logits = m.decoder(ids, encoded)[:, -1].float()
        logits[:, tok.first :] = -1e9
        best = logits.argmax(-1).masked_fill(done, tok.end)
        done |= best == tok.end
        ids = torch.cat([ids, best[:, None]], 1)
        if bool(done.all()):
            break
    return [tok.decode(row) for row in ids[:, 2:].tolist()]
