/** The tensors of a decoder-only model by what they are, whatever the file calls them. */

import type { AppError } from '../../../protocol/index.ts';
import type { SourceTensor, TensorSource } from '../sources/tensorSource.ts';
import { baseNames, type DecoderFamily, ggufNames, type TensorPart } from './decoderFamilies.ts';
import { missingTensor, UsedTensors } from './usedTensors.ts';

type TensorKind = 'weight' | 'bias';

/** How the tensors of a file are called. */
export type NameStyle = 'safetensors' | 'gguf';

/** Ends of names of what is computed from the settings, or belongs to training. */
const needless = [
	'rotary_emb.inv_freq',
	'rotary_emb.cos_cached',
	'rotary_emb.sin_cached',
	'masked_bias',
];
/** Tensors of GGUF that its settings are made from. */
const inSettings = ['rope_freqs.weight', 'rope_factors_long.weight', 'rope_factors_short.weight'];
/** Beginnings of names of the other parts of a model of several kinds of input. */
const otherParts = [
	'vision_tower.',
	'multi_modal_projector.',
	'model.vision_tower.',
	'model.multi_modal_projector.',
];

export function styleOf(source: TensorSource): NameStyle {
	return source.tensors.has('token_embd.weight') ? 'gguf' : 'safetensors';
}

export class TensorTable {
	readonly style: NameStyle;
	readonly #tensors: UsedTensors;
	readonly #names: Readonly<Record<TensorPart, string>>;
	readonly #otherNames: Partial<Record<TensorPart, string>>;
	readonly #source: TensorSource;
	/** Before every name but that of the head. */
	readonly #prefix: string;
	readonly #headPrefix: string;

	/** @throws AppError `unsupported_model` for a source without an embedding */
	constructor(source: TensorSource, family: DecoderFamily) {
		this.#tensors = new UsedTensors(source);
		this.#source = source;
		this.style = styleOf(source);
		if (this.style === 'gguf') {
			this.#names = { ...ggufNames, ...family.ggufNames };
			// What a family has another name for may still have the usual one.
			this.#otherNames = ggufNames;
			this.#prefix = '';
			this.#headPrefix = '';
			return;
		}
		this.#names = { ...baseNames, ...family.names };
		this.#otherNames = family.otherNames ?? {};
		const end = `${this.#names.embedding}.weight`;
		const name = [...source.tensors.keys()].find((one) => one === end || one.endsWith(`.${end}`));
		if (name === undefined) throw missingTensor(end);
		this.#prefix = name.slice(0, -end.length);
		// `lm_head` stands beside the model: `model.`, `language_model.model.`, or `model.language_model.`.
		this.#headPrefix =
			this.#prefix === 'model.language_model.'
				? ''
				: this.#prefix.replace(/(^|\.)(model|transformer)\.$/, '$1');
	}

	/** The tensor, if the source has it; only then is it taken as used. */
	find(
		part: TensorPart,
		layer = 0,
		kind: TensorKind = 'weight',
		expert = 0,
	): SourceTensor | undefined {
		return this.#tensors.find(this.#nameOf(part, layer, kind, expert));
	}

	/**
	 * The tensor of this shape.
	 * @throws AppError `unsupported_model` when there is none, or one of another shape
	 */
	need(
		part: TensorPart,
		layer: number,
		shape: readonly number[],
		kind: TensorKind = 'weight',
		expert = 0,
	) {
		return this.#tensors.need(this.#nameOf(part, layer, kind, expert), shape);
	}

	/** Of a part that the model should have. */
	missing(part: TensorPart): AppError {
		return missingTensor(this.#nameOf(part, 0, 'weight', 0));
	}

	/** The same, or `undefined` where there is none. */
	optional(part: TensorPart, layer: number, shape: readonly number[], kind: TensorKind) {
		return this.#tensors.optional(this.#nameOf(part, layer, kind, 0), shape);
	}

	#nameOf(part: TensorPart, layer: number, kind: TensorKind, expert: number): string {
		const prefix = part === 'head' ? this.#headPrefix : this.#prefix;
		const full = (name: string) =>
			`${prefix}${name.replace('#', String(layer)).replace('*', String(expert))}.${kind}`;
		const name = full(this.#names[part]);
		const other = this.#otherNames[part];
		if (other === undefined || this.#source.tensors.has(name)) return name;
		return this.#source.tensors.has(full(other)) ? full(other) : name;
	}

	/** @throws AppError `unsupported_model` that names tensors nothing was made of */
	checkAllUsed(): void {
		this.#tensors.checkAllUsed(
			(name) =>
				inSettings.includes(name) ||
				needless.some((end) => name.endsWith(end)) ||
				otherParts.some((start) => name.startsWith(start)),
		);
	}
}
