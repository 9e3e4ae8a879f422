/** The text side of translation models: language tokens around the source, and decoding with places. */

import { AppError } from '../../protocol/index.ts';
import { asRecord, asString, type JsonRecord, readJsonFile } from '../folder/json.ts';
import { loadTokenizer } from './loadTokenizer.ts';
import { readMarian } from './marian.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Ids with the UTF-16 `[start, end)` of each; tokens that stand for no text have an empty place. */
export interface PlacedTokens {
	readonly ids: number[];
	readonly offsets: [number, number][];
}

/** How a translation model wants its text. */
export interface TranslationText {
	/** Codes the model knows, as it spells them; empty when its languages are fixed. */
	readonly languages: readonly string[];
	/**
	 * Source ids ready for the encoder, language and end tokens included.
	 * @throws AppError `invalid_request` for a language the model does not have
	 */
	encodeSource(text: string, sourceLanguage?: string, targetLanguage?: string): PlacedTokens;
	/** Tokens forced after the decoder's start token for a target language; often none. */
	forcedTokens(targetLanguage?: string): number[];
	/** Text of target ids and the place of every id in it. */
	decodeTarget(ids: readonly number[]): { text: string; spans: [number, number][] };
	readonly specialIds: ReadonlySet<number>;
}

type Style = 'prefix-forced' | 'suffix-forced' | 'target-prefix' | 'none';

interface Languages {
	readonly style: Style;
	/** Model's own code → token id. */
	readonly ids: ReadonlyMap<string, number>;
}

/** Loads the text side of an encoder-decoder for translation. */
export async function loadTranslationText(folder: string): Promise<TranslationText> {
	const config = (await readJsonFile(folder, 'tokenizer_config.json')) ?? {};
	const model = (await readJsonFile(folder, 'config.json')) ?? {};
	const marian = await readMarian(folder, config);
	const source = marian?.source ?? (await loadTokenizer(folder));
	const target = marian?.target ?? source;
	const languages = findLanguages(source, asString(model.model_type) ?? '');
	const defaultSource = asString(config.src_lang);
	const idOf = (code: string, param: string): number => {
		const id = languages.ids.get(code);
		if (id !== undefined) return id;
		const known = [...languages.ids.keys()].join(', ');
		throw new AppError(
			'invalid_request',
			languages.ids.size === 0
				? `The model translates between fixed languages, so '${code}' cannot be chosen.`
				: `The model has no language '${code}'. It knows: ${known}.`,
			{ param },
		);
	};
	return {
		languages: [...languages.ids.keys()],
		specialIds: target.specialIds,
		encodeSource: (text, sourceLanguage, targetLanguage) => {
			const prefix = taskPrefix(model, sourceLanguage, targetLanguage);
			const placed = source.encodeWithOffsets(prefix + text);
			shift(placed.offsets, prefix.length);
			const { before, after } = around(sourceLanguage, targetLanguage);
			return {
				ids: [...before, ...placed.ids, ...after],
				offsets: [
					...before.map((): [number, number] => [0, 0]),
					...placed.offsets,
					...after.map((): [number, number] => [text.length, text.length]),
				],
			};
		},
		forcedTokens: (targetLanguage) => {
			const forced = languages.style === 'prefix-forced' || languages.style === 'suffix-forced';
			return forced && targetLanguage !== undefined ? [idOf(targetLanguage, 'targetLanguage')] : [];
		},
		decodeTarget: (ids) => decodePlaced(target, ids),
	};

	function around(sourceLanguage: string | undefined, targetLanguage: string | undefined) {
		const { before, after } = source.wrapping;
		const all = new Set(languages.ids.values());
		const end = after.filter((id) => !all.has(id));
		if (languages.style === 'none') return { before, after };
		if (languages.style === 'target-prefix') {
			const code = targetLanguage === undefined ? [] : [idOf(targetLanguage, 'targetLanguage')];
			return { before: code, after: end };
		}
		const wanted = sourceLanguage ?? defaultSource;
		if (wanted === undefined) return { before, after };
		const code = [idOf(wanted, 'sourceLanguage')];
		return languages.style === 'prefix-forced'
			? { before: code, after: end }
			: { before: [], after: [...end, ...code] };
	}
}

const tokenForms: readonly (readonly [RegExp, Style])[] = [
	[/^__([a-z]{2,3})__$/, 'prefix-forced'],
	[/^([a-z]{3}_[A-Z][a-z]{3})$/, 'prefix-forced'],
	[/^([a-z]{2}_[A-Z]{2})$/, 'suffix-forced'],
	[/^>>([^<>]+)<<$/, 'target-prefix'],
	[/^<2([A-Za-z_-]+)>$/, 'target-prefix'],
];

function findLanguages(tokenizer: Tokenizer, modelType: string): Languages {
	const isOpen = modelType === 'marian' || /^(m?t5|umt5)$/.test(modelType);
	for (const [form, style] of tokenForms) {
		const ids = new Map<string, number>();
		const last = isOpen ? tokenizer.vocabularySize : 0;
		for (const { content, id } of tokenizer.addedTokens) note(ids, form, content, id);
		for (let id = 0; id < last; id++) note(ids, form, tokenizer.token(id) ?? '', id);
		if (ids.size > 1 || (ids.size === 1 && style !== 'suffix-forced')) return { style, ids };
	}
	return { style: 'none', ids: new Map() };
}

function note(ids: Map<string, number>, form: RegExp, token: string, id: number): void {
	const code = form.exec(token)?.[1];
	if (code !== undefined) ids.set(code, id);
}

// T5 has its task in words; its config lists them.
function taskPrefix(model: JsonRecord, source?: string, target?: string): string {
	if (source === undefined || target === undefined) return '';
	const tasks = asRecord(model.task_specific_params);
	return asString(asRecord(tasks?.[`translation_${source}_to_${target}`])?.prefix) ?? '';
}

function shift(offsets: [number, number][], by: number): void {
	if (by === 0) return;
	for (const offset of offsets) {
		offset[0] = Math.max(0, offset[0] - by);
		offset[1] = Math.max(0, offset[1] - by);
	}
}

/** Text of ids with the place of every id; equal to `tokenizer.decode` with special tokens left out. */
export function decodePlaced(
	tokenizer: Tokenizer,
	ids: readonly number[],
): { text: string; spans: [number, number][] } {
	const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	const spans: [number, number][] = [];
	let raw = '';
	for (const id of ids) {
		const from = raw.length;
		if (!tokenizer.specialIds.has(id))
			raw += decoder.decode(tokenizer.tokenBytes(id), { stream: true });
		spans.push([from, raw.length]);
	}
	raw += decoder.decode();
	const text = tokenizer.decode(ids, true);
	const removed = raw.indexOf(text);
	const clamp = (place: number) => Math.min(Math.max(0, place - removed), text.length);
	// A decoder that rewrites the text leaves no places; everything then points at the whole.
	if (removed < 0) return { text, spans: spans.map(() => [0, text.length]) };
	return { text, spans: spans.map(([from, to]) => [clamp(from), clamp(to)]) };
}
