/** What is put around the tokens of one text, or of two that belong together (`[CLS]` … `[SEP]`, BOS, language codes). */

import { pushAll } from '../../protocol/lists.ts';
import type { PairPiece } from '../api.ts';
import { asNumber, asNumbers, asRecord, asString, type JsonRecord } from '../modelFiles/json.ts';

/** Ids before and after the text. */
export interface SpecialTokenTemplate {
	readonly before: readonly number[];
	readonly after: readonly number[];
}

const none: SpecialTokenTemplate = { before: [], after: [] };

/** Reads the single-text part of a post-processor. */
export function readSpecialTokenTemplate(value: unknown): SpecialTokenTemplate {
	const config = asRecord(value);
	if (config === undefined) return none;
	switch (asString(config.type)) {
		case 'Sequence': {
			const parts = (Array.isArray(config.processors) ? config.processors : []).map(
				readSpecialTokenTemplate,
			);
			return {
				before: parts.toReversed().flatMap((part) => part.before),
				after: parts.flatMap((part) => part.after),
			};
		}
		case 'BertProcessing':
		case 'RobertaProcessing':
			return { before: idOfPair(config.cls), after: idOfPair(config.sep) };
		case 'TemplateProcessing':
			return fromTemplate(config.single, asRecord(config.special_tokens) ?? {});
		default:
			return none;
	}
}

/** Reads the part of a post-processor for two texts; without one, what stands around each of them. */
export function readPairTemplate(value: unknown): readonly PairPiece[] {
	const { before, after } = readSpecialTokenTemplate(value);
	const each = (text: 0 | 1): PairPiece[] => [
		{ text, type: 0 },
		{ ids: after, type: 0 },
	];
	return pairOf(asRecord(value)) ?? [{ ids: before, type: 0 }, ...each(0), ...each(1)];
}

function pairOf(config: JsonRecord | undefined): PairPiece[] | undefined {
	const cls = { ids: idOfPair(config?.cls), type: 0 };
	const sep = (type: number): PairPiece => ({ ids: idOfPair(config?.sep), type });
	const first: PairPiece = { text: 0, type: 0 };
	switch (asString(config?.type)) {
		case 'Sequence': {
			const parts = Array.isArray(config?.processors) ? config.processors : [];
			return parts.map((part) => pairOf(asRecord(part))).find((pair) => pair !== undefined);
		}
		case 'BertProcessing':
			return [cls, first, sep(0), { text: 1, type: 1 }, sep(1)];
		case 'RobertaProcessing':
			return [cls, first, sep(0), sep(0), { text: 1, type: 0 }, sep(0)];
		case 'TemplateProcessing':
			return templatePair(config?.pair, asRecord(config?.special_tokens) ?? {});
		default:
			return undefined;
	}
}

function templatePair(pair: unknown, special: JsonRecord): PairPiece[] | undefined {
	const pieces = (Array.isArray(pair) ? pair : []).map((item): PairPiece => {
		const record = asRecord(item);
		const sequence = asRecord(record?.Sequence);
		const type = asNumber((sequence ?? asRecord(record?.SpecialToken))?.type_id) ?? 0;
		if (sequence !== undefined) return { text: asString(sequence.id) === 'B' ? 1 : 0, type };
		const name = asString(asRecord(record?.SpecialToken)?.id) ?? '';
		return { ids: asNumbers(asRecord(special[name])?.ids), type };
	});
	const texts = pieces.flatMap((piece) => ('text' in piece ? [piece.text] : []));
	return texts.length === 2 && texts[0] !== texts[1] ? pieces : undefined;
}

function idOfPair(pair: unknown): number[] {
	const id = Array.isArray(pair) ? asNumber(pair[1]) : undefined;
	return id === undefined ? [] : [id];
}

function fromTemplate(
	single: unknown,
	special: Readonly<Record<string, unknown>>,
): SpecialTokenTemplate {
	const before: number[] = [];
	const after: number[] = [];
	let seenText = false;
	for (const item of Array.isArray(single) ? single : []) {
		const record = asRecord(item);
		if (record?.Sequence !== undefined) seenText = true;
		const name = asString(asRecord(record?.SpecialToken)?.id);
		if (name === undefined) continue;
		pushAll(seenText ? after : before, asNumbers(asRecord(special[name])?.ids));
	}
	return { before, after };
}
