/** What is put around the tokens of a single text (`[CLS]` … `[SEP]`, BOS, language codes). */

import { pushAll } from '../../protocol/lists.ts';
import { asNumber, asNumbers, asRecord, asString } from '../modelFiles/json.ts';

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
