/**
 * The tokenizer and the chat templates of a GGUF file, as tokenizer.json and tokenizer_config.json have
 * them. What the file does not say, or says in a name that is not known here, is refused: a tokenizer
 * that is nearly right gives a model that is nearly right.
 */

import { AppError } from '../../../protocol/index.ts';
import { bertSections } from './bertSections.ts';
import { byteLevelSections } from './byteLevelSections.ts';
import {
	broken,
	type GgufMetadata,
	type GgufToken,
	GgufVocabulary,
	type SpecialToken,
	tokenType,
} from './ggufVocabulary.ts';
import type { TokenizerSections } from './sections.ts';
import { scoredPairsSections, unigramSections } from './sentencePieceSections.ts';

type Json = Readonly<Record<string, unknown>>;

export interface GgufTokenizer {
	/** Content of tokenizer.json. */
	readonly tokenizerJson: Json;
	/** Content of tokenizer_config.json, templates included. */
	readonly tokenizerConfig: Json;
	/** Content of generation_config.json: the tokens that begin, end and fill up. */
	readonly generationConfig: Json;
	/** Tokens in the vocabulary. */
	readonly tokenCount: number;
	/** Name → Jinja source; the plain one is called `default`. */
	readonly chatTemplates: ReadonlyMap<string, string>;
}

/** Kind in the file → its reader. */
const kinds: Readonly<Record<string, (vocabulary: GgufVocabulary) => TokenizerSections>> = {
	gpt2: byteLevelSections,
	llama: scoredPairsSections,
	t5: unigramSections,
	bert: bertSections,
};

/** Tokens that end a turn, by the texts that families gave them: not every file names its own. */
const turnEnds: ReadonlySet<string> = new Set([
	'<|eot_id|>',
	'<|eom_id|>',
	'<|im_end|>',
	'<|end|>',
	'<|return|>',
	'<|call|>',
	'<end_of_turn>',
	'<|endoftext|>',
	'<|end_of_text|>',
	'<|end_of_turn|>',
	'<｜end▁of▁sentence｜>',
]);

/** What GPT-2 ends documents with, RoBERTa has among its pieces. */
const ofDocuments = '<|endoftext|>';

/** Converters have written ends of turns as tokens of users, unused or plain ones: they are what they are. */
const endsTurn = ({ text, type }: Pick<GgufToken, 'text' | 'type'>): boolean =>
	turnEnds.has(text) && (type === tokenType.control || text !== ofDocuments);

/**
 * @param metadata of the whole file
 * @throws AppError `unsupported_model` that names the kind or the pre-tokenizer that is not known, or what is broken
 */
export function tokenizerFromGguf(metadata: GgufMetadata): GgufTokenizer {
	const vocabulary = new GgufVocabulary(metadata);
	const read = Object.hasOwn(kinds, vocabulary.model) ? kinds[vocabulary.model] : undefined;
	if (read === undefined)
		throw new AppError(
			'unsupported_model',
			`The GGUF file has a tokenizer of the kind ${JSON.stringify(vocabulary.model.slice(0, 100))}, which is not known here. Take an ONNX export of the model.`,
		);
	const sections = read(vocabulary);
	const special = specialIds(vocabulary);
	const chatTemplates = templatesOf(vocabulary);
	return {
		tokenizerJson: {
			version: '1.0',
			truncation: null,
			padding: null,
			added_tokens: addedTokens(vocabulary),
			normalizer: sections.normalizer ?? null,
			pre_tokenizer: sections.preTokenizer ?? null,
			post_processor: postProcessor(vocabulary, sections, special),
			decoder: sections.decoder ?? null,
			model: sections.model,
		},
		tokenizerConfig: configOf(vocabulary, sections, special, chatTemplates),
		generationConfig: { ...generationOf(vocabulary, special), ...samplingOf(metadata) },
		tokenCount: vocabulary.tokens.length,
		chatTemplates,
	};
}

type SpecialIds = ReadonlyMap<SpecialToken, number>;

/** What vocabularies of a kind have where the file names nothing (the library's own defaults). */
const customary: ReadonlyMap<string, Partial<Record<SpecialToken, number>>> = new Map(
	Object.entries<Partial<Record<SpecialToken, number>>>({
		llama: { bos: 1, eos: 2, unk: 0 },
		t5: { eos: 1, unk: 2, pad: 0 },
		bert: { unk: 100, sep: 102, pad: 0, cls: 101, mask: 103 },
	}),
);

function specialIds(vocabulary: GgufVocabulary): SpecialIds {
	const names: SpecialToken[] = ['bos', 'eos', 'eot', 'eom', 'unk', 'sep', 'pad', 'cls', 'mask'];
	const ids = new Map<SpecialToken, number>();
	for (const name of names) {
		const usual = customary.get(vocabulary.model)?.[name];
		const id = vocabulary.special(name) ?? (usual === undefined ? undefined : usual);
		if (id !== undefined && vocabulary.tokens[id] !== undefined) ids.set(name, id);
	}
	// Converters write BERT's [CLS] as the beginning of a text.
	const bos = ids.get('bos');
	if (vocabulary.model === 'bert' && bos !== undefined) ids.set('cls', bos);
	return ids;
}

function addedTokens({ tokens }: GgufVocabulary): Json[] {
	return tokens.flatMap(({ text, type }, id) => {
		const special =
			type === tokenType.control || type === tokenType.unknown || endsTurn({ text, type });
		if (!special && type !== tokenType.userDefined) return [];
		return [
			{
				id,
				content: text,
				single_word: false,
				lstrip: false,
				rstrip: false,
				normalized: false,
				special,
			},
		];
	});
}

function postProcessor(
	vocabulary: GgufVocabulary,
	{ addsBos, addsEos, around = undefined }: TokenizerSections,
	special: SpecialIds,
): Json | null {
	const [before, after] = around ?? (['bos', 'eos'] as const);
	const tokens = new Map<string, Json>();
	const item = (name: SpecialToken) => {
		const id = special.get(name);
		if (id === undefined) throw broken(`it wants a ${name} token around texts and names none`);
		const text = textOf(vocabulary, id);
		tokens.set(text, { id: text, ids: [id], tokens: [text] });
		return { SpecialToken: { id: text, type_id: 0 } };
	};
	const begins = vocabulary.flag('add_bos_token') ?? addsBos;
	const ends = vocabulary.flag(around === undefined ? 'add_eos_token' : 'add_sep_token') ?? addsEos;
	const start = begins ? [item(before)] : [];
	const end = ends ? [item(after)] : [];
	const text = (id: 'A' | 'B', type_id: 0 | 1) => ({ Sequence: { id, type_id } });
	const single = [...start, text('A', 0), ...end];
	if (single.length === 1) return null;
	// BERT tells the halves of a pair apart by their types, RoBERTa by two tokens between them.
	const second = around === undefined ? 0 : 1;
	const between = vocabulary.isEncoder && around === undefined ? [...end, ...end] : end;
	return {
		type: 'TemplateProcessing',
		single,
		pair: [
			...start,
			text('A', 0),
			...between,
			text('B', second),
			...end.map(({ SpecialToken: { id } }) => ({ SpecialToken: { id, type_id: second } })),
		],
		special_tokens: Object.fromEntries(tokens),
	};
}

const textOf = ({ tokens }: GgufVocabulary, id: number): string => tokens[id]?.text ?? '';

/** Names in tokenizer_config.json. */
const configNames: Partial<Record<SpecialToken, string>> = {
	bos: 'bos_token',
	eos: 'eos_token',
	unk: 'unk_token',
	sep: 'sep_token',
	pad: 'pad_token',
	cls: 'cls_token',
	mask: 'mask_token',
};

function configOf(
	vocabulary: GgufVocabulary,
	{ config, addsBos, addsEos }: TokenizerSections,
	special: SpecialIds,
	templates: ReadonlyMap<string, string>,
): Json {
	const length = vocabulary.contextLength();
	const [only] = templates.values();
	const named = [...templates].map(([name, template]) => ({ name, template }));
	return {
		...Object.fromEntries(
			[...special].flatMap(([name, id]) => {
				const key = configNames[name];
				return key === undefined ? [] : [[key, textOf(vocabulary, id)]];
			}),
		),
		add_bos_token: vocabulary.flag('add_bos_token') ?? addsBos,
		add_eos_token: vocabulary.flag('add_eos_token') ?? addsEos,
		clean_up_tokenization_spaces: false,
		...(length === undefined ? {} : { model_max_length: length }),
		...config,
		...(named.length === 0
			? {}
			: { chat_template: named.length === 1 && templates.has('default') ? only : named }),
	};
}

/** The plain template, and those with names (`tokenizer.chat_template.NAME`). */
function templatesOf(vocabulary: GgufVocabulary): Map<string, string> {
	const templates = new Map<string, string>();
	const plain = vocabulary.chatTemplate('tokenizer.chat_template');
	if (plain !== undefined) templates.set('default', plain);
	for (const name of vocabulary.templateNames()) {
		const template = vocabulary.chatTemplate(`tokenizer.chat_template.${name}`);
		if (template !== undefined && !templates.has(name)) templates.set(name, template);
	}
	return templates;
}

/** How the publisher would have answers drawn, under the names of the hub. */
const samplingNames = {
	temp: 'temperature',
	top_k: 'top_k',
	top_p: 'top_p',
	min_p: 'min_p',
	penalty_repeat: 'repetition_penalty',
} as const;

function samplingOf(metadata: ReadonlyMap<string, unknown>): Json {
	const found = Object.entries(samplingNames).flatMap(([key, name]) => {
		const value = metadata.get(`general.sampling.${key}`);
		if (typeof value !== 'number' || !Number.isFinite(value)) return [];
		// None at all and a factor of 0 would be other things.
		const least = key === 'top_p' || key === 'penalty_repeat' ? Number.MIN_VALUE : 0;
		return value >= least ? [[name, value] as const] : [];
	});
	const values: Json = Object.fromEntries(found);
	// Without a temperature the best token is taken.
	return Number(values['temperature'] ?? 0) > 0 ? { do_sample: true, ...values } : values;
}

function generationOf(vocabulary: GgufVocabulary, special: SpecialIds): Json {
	const ends = new Set<number>();
	for (const name of ['eos', 'eot', 'eom'] as const) {
		const id = special.get(name);
		if (id !== undefined) ends.add(id);
	}
	for (const [id, token] of vocabulary.tokens.entries()) if (endsTurn(token)) ends.add(id);
	// Where a model has calls, <|end|> divides the parts of one answer.
	const has = (text: string) => vocabulary.tokens.findIndex((token) => token.text === text);
	if (has('<|return|>') >= 0 && has('<|call|>') >= 0) ends.delete(has('<|end|>'));
	const bos = special.get('bos');
	const pad = special.get('pad');
	return {
		...(bos === undefined ? {} : { bos_token_id: bos }),
		...(ends.size === 0 ? {} : { eos_token_id: [...ends] }),
		...(pad === undefined ? {} : { pad_token_id: pad }),
	};
}
