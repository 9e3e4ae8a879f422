/**
 * What the names in `tokenizer.ggml.pre` stand for: how byte-pair vocabularies cut text before merging.
 * Names as in `llama_vocab::impl::load` of llama.cpp; patterns as in the tokenizer.json files of the
 * families, of which llama.cpp's own are rewritings. A name that is not here is refused.
 */

/** A pre-tokenizer in the form of tokenizer.json. */
export type PreTokenizerStep = Readonly<Record<string, unknown>>;

/** One family of byte-pair tokenizers. */
export interface PreTokenizerRule {
	/** In their order. */
	readonly steps: readonly PreTokenizerStep[];
	readonly normalizer?: 'NFC';
	/** A piece that is a token is that token, whatever the merges say. */
	readonly ignoresMerges?: boolean;
	/** Where the file leaves it open, texts begin with the token of that name. */
	readonly addsBos?: boolean;
}

const cut = (Regex: string): PreTokenizerStep => ({
	type: 'Split',
	pattern: { Regex },
	behavior: 'Isolated',
	invert: false,
});
const byteLevel = (use_regex: boolean): PreTokenizerStep => ({
	type: 'ByteLevel',
	add_prefix_space: false,
	trim_offsets: true,
	use_regex,
});
const digits = (individual_digits: boolean): PreTokenizerStep => ({
	type: 'Digits',
	individual_digits,
});
/** Bytes become characters; nothing is cut. */
const toBytes = byteLevel(false);
/** GPT-2's own pattern cuts, and bytes become characters. */
const gpt2Words = byteLevel(true);

const by = (...patterns: readonly string[]): PreTokenizerRule => ({
	steps: [...patterns.map(cut), toBytes],
});

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const upper = '\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}';
const lower = '\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}';
const spaces = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const marks = '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+';
const kana = '[一-龥぀-ゟ゠-ヿ]+';
const han = '[一-龥ࠀ-一가-퟿]+';

const cl100k = (number: string) =>
	`${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${number}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${spaces}`;
const o200k = (suffix: string, number: string) =>
	`[^\\r\\n\\p{L}\\p{N}]?[${upper}]*[${lower}]+${suffix}|[^\\r\\n\\p{L}\\p{N}]?[${upper}]+[${lower}]*${suffix}|${number}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${spaces}`;
const words = `${marks}|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|${spaces}`;
const bloomWords = ' ?[^(\\s|.,!?…。，、।۔،)]+';

const gpt2: PreTokenizerRule = { steps: [gpt2Words] };
const starcoder: PreTokenizerRule = { steps: [digits(true), gpt2Words] };
const falcon: PreTokenizerRule = {
	steps: [
		{ type: 'Punctuation', behavior: 'Contiguous' },
		gpt2Words,
		digits(false),
		cut('[0-9][0-9][0-9]'),
	],
};
const gpt4 = by(cl100k('\\p{N}{1,3}'));
const llama3: PreTokenizerRule = { ...gpt4, ignoresMerges: true, addsBos: true };
const qwen = by(cl100k('\\p{N}'));
const gpt4o = by(o200k(`${contractions}?`, '\\p{N}{1,3}'));

/** DeepSeek's list of letters that have cases, as it was published. */
const casedLetters =
	'A-Za-z\\u00B5\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u01BA\\u01BC-\\u01BF\\u01C4-\\u0293\\u0295-\\u02AF\\u0370-\\u0373\\u0376\\u0377\\u037B-\\u037D\\u037F\\u0386\\u0388-\\u038A\\u038C\\u038E-\\u03A1\\u03A3-\\u03F5\\u03F7-\\u0481\\u048A-\\u052F\\u0531-\\u0556\\u10A0-\\u10C5\\u13A0-\\u13F5\\u13F8-\\u13FD\\u1C90-\\u1CBA\\u1CBD-\\u1CBF\\u1D00-\\u1D2B\\u1D6B-\\u1D77\\u1D79-\\u1D9A\\u1E00-\\u1F15\\u1F18-\\u1F1D\\u1F20-\\u1F45\\u1F48-\\u1F4D\\u1F50-\\u1F57\\u1F59\\u1F5B\\u1F5D\\u1F5F-\\u1F7D\\u1F80-\\u1FB4\\u1FB6-\\u1FBC\\u1FBE\\u1FC2-\\u1FC4\\u1FC6-\\u1FCC\\u1FD0-\\u1FD3\\u1FD6-\\u1FDB\\u1FE0-\\u1FEC\\u1FF2-\\u1FF4\\u1FF6-\\u1FFC\\u2102\\u2107\\u210A-\\u2113\\u2115\\u2119-\\u211D\\u2124\\u2126\\u2128\\u212A-\\u212D\\u212F-\\u2134\\u2139\\u213C-\\u213F\\u2145-\\u2149\\u214E\\u2183\\u2184\\u2C00-\\u2C7B\\u2C7E-\\u2CE4\\u2CEB-\\u2CEE\\u2CF2\\u2CF3\\uA640-\\uA66D\\uA680-\\uA69B\\uA722-\\uA76F\\uA771-\\uA787\\uA78B-\\uA78E\\uAB70-\\uABBF\\uFB00-\\uFB06\\uFB13-\\uFB17\\uFF21-\\uFF3A\\uFF41-\\uFF5A\\x{10400}-\\x{1044F}\\x{104B0}-\\x{104D3}\\x{104D8}-\\x{104FB}\\x{10C80}-\\x{10CB2}\\x{10CC0}-\\x{10CF2}\\x{118A0}-\\x{118DF}\\x{1E900}-\\x{1E943}';

/** Rule → the names it goes by. */
const families: readonly (readonly [rule: PreTokenizerRule, names: string])[] = [
	[gpt2, 'gpt-2 phi-2 jina-es jina-de jina-v1-en jina-v2-es jina-v2-de jina-v2-code roberta-bpe'],
	[gpt2, 'gigachat a.x-4.0 mellum exaone4 jais trillion granite-docling'],
	[{ ...gpt2, normalizer: 'NFC' }, 'mpt olmo modern-bert'],
	[starcoder, 'starcoder refact smollm codeshell exaone minerva-7b mellum2'],
	[{ ...starcoder, normalizer: 'NFC' }, 'command-r'],
	[falcon, 'falcon'],
	[llama3, 'llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano'],
	[gpt4, 'dbrx smaug-bpe glm4 chatglm-bpe'],
	[qwen, 'deepseek-r1-qwen kormo f2llmv2 megrez hunyuan solar-open grok-2'],
	[{ ...qwen, normalizer: 'NFC' }, 'qwen2 stablelm2'],
	[
		{
			...by(
				`${contractions}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${spaces}`,
			),
			normalizer: 'NFC',
		},
		'qwen35',
	],
	[gpt4o, 'gpt-4o llama4 kanana2 talkie minimax-m2'],
	[{ ...gpt4o, ignoresMerges: true }, 'granite-embed-multi-97m'],
	[{ ...by(o200k('', '\\p{N}')), ignoresMerges: true, addsBos: true }, 'tekken'],
	[by('\\p{N}{1,3}', kana, words), 'deepseek-v3 hunyuan-dense joyai-llm hy_v4'],
	[
		{
			steps: [
				cut('[\\r\\n]'),
				cut(`\\s?[${casedLetters}]+`),
				cut('\\s?[!-/:-~！-／：-～‘-‟　-。]+'),
				cut('\\s+$'),
				cut(han),
				digits(false),
				toBytes,
			],
		},
		'deepseek-llm',
	],
	[
		{
			steps: [
				cut('[\\r\\n]'),
				cut('\\s?\\p{L}+'),
				cut('\\s?\\p{P}+'),
				cut(han),
				digits(true),
				toBytes,
			],
		},
		'deepseek-coder',
	],
	[by(bloomWords), 'bloom poro-chat gpt3-finnish'],
	[{ steps: [cut(bloomWords), digits(true), toBytes] }, 'viking'],
	[
		by(
			"'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+",
		),
		'bailingmoe bailingmoe2 llada-moe',
	],
	[
		by(
			`${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|${spaces}`,
		),
		'seed-coder',
	],
	[by(cl100k('\\p{N}').slice(contractions.length + 1)), 'ufakzeka'],
	[by('[^\\n]+|[\\n]+', cl100k('\\p{N}')), 'laguna'],
	[{ ...by('\\p{N}{1,3}', cl100k('\\p{N}+')), ignoresMerges: true }, 'minicpm5'],
	[
		by('\\d{1,3}(?=(?:\\d{3})*\\b)', o200k(`${contractions}?`, '\\p{N}{1,3}')),
		'tiny_aya cohere2moe',
	],
];

/** Name → how text is cut. */
export const preTokenizerRules: ReadonlyMap<string, PreTokenizerRule> = new Map(
	families.flatMap(([rule, names]) => names.split(' ').map((name) => [name, rule] as const)),
);
