"""The tokenizer: SentencePiece pieces between a language token and the end token, as MarianTokenizer does it."""
import json
import os
import sentencepiece as spm

LANGS = ("de", "fr", "es")


class Tok:
    def __init__(self, folder):
        self.sp = spm.SentencePieceProcessor(model_file=os.path.join(folder, "source.spm"))
        with open(os.path.join(folder, "vocab.json"), encoding="utf-8") as f:
            self.v = json.load(f)
        self.pad, self.eos = self.v["<pad>"], self.v["</s>"]

    def source(self, text, to):
        return [self.v[f">>{to}<<"]] + self.sp.encode(text) + [self.eos]

    def text(self, ids):
        return self.sp.decode([int(i) for i in ids if 1 < i < self.sp.get_piece_size()])
