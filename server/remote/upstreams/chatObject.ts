/** Reads the objects that another engine sends for a chat, chunks and whole answers alike. Nothing in them is trusted. */

import { isRecord } from '../../protocol/errorBody.ts';
import type { FinishReason } from '../../protocol/index.ts';

/** A piece of one choice. */
export interface UpstreamPiece {
	readonly choice: number;
	readonly content: string;
	readonly reasoning: string;
	readonly calls: readonly {
		readonly index: number;
		readonly id?: string;
		readonly name?: string;
		readonly arguments?: string;
	}[];
	readonly reason?: FinishReason;
}

export interface UpstreamUsage {
	readonly promptTokens: number;
	readonly completionTokens: number;
	readonly cachedTokens: number;
	readonly reasoningTokens: number;
}

const reasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>(
	Object.entries({
		stop: 'stop',
		length: 'length',
		tool_calls: 'tool_calls',
		function_call: 'tool_calls',
		content_filter: 'content_filter',
	} as const),
);
const maxCalls = 128;

/** Where an engine says nothing of tokens, as many characters count as one. */
export const charactersPerToken = 4;

/** The pieces of an object, those of choices that were not asked for left out. */
export function upstreamPiecesOf(
	object: Readonly<Record<string, unknown>>,
	choices: number,
): UpstreamPiece[] {
	const listed = Array.isArray(object['choices']) ? object['choices'] : [];
	return listed.flatMap((each: unknown) => {
		if (!isRecord(each)) return [];
		const choice = each['index'] ?? 0;
		if (!Number.isInteger(choice) || Number(choice) < 0 || Number(choice) >= choices) return [];
		const part = isRecord(each['delta']) ? each['delta'] : each['message'];
		const fields = isRecord(part) ? part : {};
		// Some engines write an empty one with every piece.
		const reason = textOf(each['finish_reason']) || undefined;
		return [
			{
				choice: Number(choice),
				content: textOf(fields['content']) || partsOf(fields['content'], 'text'),
				reasoning:
					textOf(fields['reasoning_content'] ?? fields['reasoning']) ||
					partsOf(fields['content'], 'thinking'),
				calls: callsOf(fields),
				// Engines have more words for an answer that has come to its end.
				...(reason === undefined ? {} : { reason: reasons.get(reason) ?? 'stop' }),
			},
		];
	});
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Some engines send parts, of which each says what it is: `[{"type":"thinking","thinking":[{"type":"text", … }]}]`. */
function partsOf(value: unknown, type: 'text' | 'thinking'): string {
	if (!Array.isArray(value)) return '';
	const parts = value.filter(isRecord).filter((part) => part['type'] === type);
	return parts.map((part) => textOf(part[type]) || partsOf(part[type], 'text')).join('');
}

function callsOf(fields: Readonly<Record<string, unknown>>): UpstreamPiece['calls'] {
	const older = isRecord(fields['function_call']) ? [{ function: fields['function_call'] }] : [];
	const listed: unknown[] = Array.isArray(fields['tool_calls']) ? fields['tool_calls'] : older;
	return listed.flatMap((each, at) => {
		if (!isRecord(each)) return [];
		const index = Number.isInteger(each['index']) ? Number(each['index']) : at;
		if (index < 0 || index >= maxCalls) return [];
		const asked = isRecord(each['function']) ? each['function'] : {};
		const [id, name, text] = [each['id'], asked['name'], asked['arguments']].map(textOf);
		return [
			{
				index,
				...(id ? { id } : {}),
				...(name ? { name } : {}),
				...(text ? { arguments: text } : {}),
			},
		];
	});
}

/** What the engine says it has used; `undefined` in objects that do not say. */
export function usageOf(object: Readonly<Record<string, unknown>>): UpstreamUsage | undefined {
	const { usage } = object;
	if (!isRecord(usage) || !Number.isSafeInteger(usage['prompt_tokens'])) return undefined;
	const count = (value: unknown, name: string): number => {
		const found = isRecord(value) ? value[name] : undefined;
		return Number.isSafeInteger(found) && Number(found) >= 0 ? Number(found) : 0;
	};
	const promptTokens = count(usage, 'prompt_tokens');
	return {
		promptTokens,
		completionTokens: count(usage, 'completion_tokens'),
		cachedTokens: Math.min(promptTokens, count(usage['prompt_tokens_details'], 'cached_tokens')),
		reasoningTokens: count(usage['completion_tokens_details'], 'reasoning_tokens'),
	};
}
