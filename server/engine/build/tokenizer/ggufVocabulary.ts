/** The `tokenizer.ggml.*` metadata of a GGUF file, checked and typed; what it means is its readers' matter. */

import { checkFileLimit, tokenizerLimits } from '../../../hub/modelData/fileLimits.ts';
import { AppError } from '../../../protocol/index.ts';
import type { MetadataValue } from '../sources/tensorSource.ts';

/** All metadata of the file; `tokenizer.chat_template` and the like lie outside `tokenizer.ggml`. */
export type GgufMetadata = ReadonlyMap<string, MetadataValue>;

/** Values of `tokenizer.ggml.token_type` (`llama_token_type` in llama.h). */
export const tokenType = {
	normal: 1,
	unknown: 2,
	control: 3,
	userDefined: 4,
	unused: 5,
	byte: 6,
} as const;

/** One token; its id is its position. */
export interface GgufToken {
	readonly text: string;
	/** One of {@link tokenType}. */
	readonly type: number;
	/** 0 where the file has no scores. */
	readonly score: number;
}

/** Ids of tokens with a part to play; absent where the file names none. */
export type SpecialToken = 'bos' | 'eos' | 'eot' | 'eom' | 'unk' | 'sep' | 'pad' | 'cls' | 'mask';

const specialKeys: Readonly<Record<SpecialToken, string>> = {
	bos: 'bos_token_id',
	eos: 'eos_token_id',
	eot: 'eot_token_id',
	eom: 'eom_token_id',
	unk: 'unknown_token_id',
	sep: 'seperator_token_id',
	pad: 'padding_token_id',
	cls: 'cls_token_id',
	mask: 'mask_token_id',
};

/** How messages name the place of a fault. */
const place = 'tokenizer.ggml';

export class GgufVocabulary {
	readonly #metadata: GgufMetadata;
	/** Kind of tokenizer: `gpt2`, `llama`, `t5`, `bert`, … */
	readonly model: string;
	readonly tokens: readonly GgufToken[];

	/** @throws AppError `unsupported_model` when the file has no vocabulary, or one beyond the limits */
	constructor(metadata: GgufMetadata) {
		this.#metadata = metadata;
		this.model = this.string('model') ?? '';
		if (this.model === '' || this.model === 'none' || this.model === 'no_vocab')
			throw broken('has no tokenizer');
		this.tokens = this.#readTokens();
	}

	#get(name: string): MetadataValue | undefined {
		return this.#metadata.get(`${place}.${name}`);
	}

	string(name: string): string | undefined {
		const value = this.#get(name);
		if (value === undefined || typeof value === 'string') return value;
		throw broken(`${place}.${name} is no text`);
	}

	flag(name: string): boolean | undefined {
		const value = this.#get(name);
		if (value === undefined || typeof value === 'boolean') return value;
		throw broken(`${place}.${name} is neither true nor false`);
	}

	/** `undefined` when it is absent. */
	list(name: string): readonly MetadataValue[] | undefined {
		const value = this.#get(name);
		if (value === undefined || Array.isArray(value)) return value;
		throw broken(`${place}.${name} is no list`);
	}

	/** Bytes of a list of signed or unsigned ones; `undefined` when it is absent or empty. */
	bytes(name: string): Uint8Array | undefined {
		const list = this.list(name);
		if (list === undefined || list.length === 0) return undefined;
		return Uint8Array.from(list, (value) => Number(value) & 0xff);
	}

	/** A text outside `tokenizer.ggml`. */
	chatTemplate(key: string): string | undefined {
		const value = this.#metadata.get(key);
		return typeof value === 'string' ? value : undefined;
	}

	/** Names of further chat templates (`tokenizer.chat_templates`). */
	templateNames(): string[] {
		const value = this.#metadata.get('tokenizer.chat_templates');
		return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
	}

	/** Whether the model reads whole texts, as BERT and RoBERTa do. */
	get isEncoder(): boolean {
		return this.#metadata.get('general.architecture') === 'bert';
	}

	/** Tokens of context, from the keys of the architecture. */
	contextLength(): number | undefined {
		const architecture = this.#metadata.get('general.architecture');
		const value = this.#metadata.get(`${String(architecture)}.context_length`);
		return typeof value === 'number' ? value : undefined;
	}

	/** @throws AppError `unsupported_model` for an id the vocabulary does not have */
	special(name: SpecialToken): number | undefined {
		const key = specialKeys[name];
		// Some writers spell it right.
		const value = this.#get(key) ?? (name === 'sep' ? this.#get('separator_token_id') : undefined);
		if (value === undefined) return undefined;
		const id = Number(value);
		// Absent tokens are written as -1 by some, in unsigned numbers.
		if (id === -1 || id === 0xffffffff) return undefined;
		if (!Number.isInteger(id) || this.tokens[id] === undefined)
			throw broken(`${place}.${key} is ${String(value)}, which no token has`);
		return id;
	}

	#readTokens(): GgufToken[] {
		const texts = this.list('tokens');
		if (texts === undefined || texts.length === 0) throw broken(`${place}.tokens is absent`);
		checkFileLimit('GGUF', 'tokens', texts.length, tokenizerLimits.maxTokens);
		const types = this.#column('token_type', texts.length);
		const scores = this.#column('scores', texts.length);
		const seen = new Map<unknown, number>();
		return texts.map((text, id) => {
			if (typeof text !== 'string') throw broken(`${place}.tokens holds something else than texts`);
			const other = text === '' ? undefined : seen.get(text);
			if (other !== undefined) throw broken(`the tokens ${other} and ${id} have one text`);
			seen.set(text, id);
			return {
				// The form needs different texts; an empty one can never be found.
				text: text === '' ? `[EMPTY_${id}]` : text,
				type: types === undefined ? tokenType.normal : Number(types[id]),
				score: scores === undefined ? 0 : Number(scores[id]),
			};
		});
	}

	#column(name: string, count: number): readonly MetadataValue[] | undefined {
		const list = this.list(name);
		if (list !== undefined && list.length < count)
			throw broken(`${place}.${name} has ${list.length} entries for ${count} tokens`);
		return list;
	}
}

/** @param fault end of a sentence about the file */
export function broken(fault: string): AppError {
	return new AppError(
		'unsupported_model',
		`The GGUF file cannot be used: ${fault}. Take another conversion of the model.`,
	);
}
