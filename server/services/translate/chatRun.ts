/** The sentences of one request on their way to a chat model: what is known already, what is asked for. */

import type { MemoryPair } from '../../translate/memory.ts';
import type { MaskedResult, SentenceUnit } from '../../translate/sentence.ts';
import { linkSpans } from '../../translate/sentence.ts';
import type { SentenceCache } from '../../translate/sentenceCache.ts';
import { readTagged, withNumberedTags } from '../../translate/taggedSentence.ts';
import type { ChatGuidance, ChatSentence } from './chatPrompt.ts';
import { type ChatModel, type GenerateChat, translateByChat } from './chatTranslator.ts';
import { SentencePool } from './sentencePool.ts';
import type { TranslateRequest } from './translateRequest.ts';

export interface ChatRunDeps {
	readonly ask: GenerateChat;
	readonly cache: SentenceCache;
}

/** What a model or the cache has made of a sentence. */
export interface ChatSentenceResult extends MaskedResult {
	readonly isRefused: boolean;
}

export interface ChatText {
	readonly sentences: readonly string[];
	readonly units?: readonly SentenceUnit[];
	/** Whether words are to be linked. */
	readonly links: boolean;
	/** Sentences like one, with their translation. */
	readonly examples: (sentence: string) => readonly MemoryPair[];
}

/** Translates the sentences of the text at a place of the request. */
export type TranslateByChat = (
	place: number,
	text: ChatText,
) => Promise<readonly ChatSentenceResult[]>;

/** @param places Number of texts that come from this language. */
export function chatRun(
	model: ChatModel,
	guidance: ChatGuidance,
	places: number,
	request: TranslateRequest,
	{ ask, cache }: ChatRunDeps,
	signal?: AbortSignal,
): TranslateByChat {
	const { owner, priority, comments } = request;
	const keyOf = ({ text, masks, comment }: ChatSentence): string =>
		JSON.stringify(['chat', model.id, guidance, text, masks, comment]);

	const translateAll = async (sentences: readonly ChatSentence[]) => {
		const keys = sentences.map(keyOf);
		const found = new Map<string, { readonly text: string; readonly isRefused: boolean }>();
		const wanted: number[] = [];
		for (const [place, key] of keys.entries()) {
			if (found.has(key)) continue;
			const known = cache.get(owner, key, { attention: false });
			if (!known) wanted.push(place);
			found.set(key, { text: known?.text ?? '', isRefused: known === undefined });
		}
		const options = { model, guidance, owner, priority };
		const made = await translateByChat(sentences, wanted, options, ask, signal);
		for (const [place, translation] of made) {
			const key = keys[place] ?? '';
			found.set(key, translation);
			if (!translation.isRefused) cache.set(owner, key, { text: translation.text, score: 0 });
		}
		return keys.map((key) => found.get(key));
	};
	const pool = new SentencePool(places, translateAll);

	return async (place, { sentences, units, links, examples }) => {
		const comment = comments?.[place];
		const items = sentences.map((plain, index): ChatSentence => {
			const unit = units?.[index];
			const tagged = unit && withNumberedTags(unit);
			return {
				text: tagged ?? plain,
				...(tagged === undefined ? {} : { plain }),
				...(tagged === undefined || !unit
					? {}
					: { isWhole: (answer: string) => readTagged(answer, unit) !== undefined }),
				masks: unit?.fixed.map(({ target }) => target) ?? [],
				comment,
				examples: [...(request.examples ?? []), ...examples(unit?.core ?? plain)],
			};
		});
		const made = await pool.add(place, items);
		return sentences.map((source, index): ChatSentenceResult => {
			const { text = '', isRefused = true } = made[index] ?? {};
			if (isRefused) return { text: source, isRefused };
			const unit = units?.[index];
			const tagged = unit && unit.marks.length > 0 ? readTagged(text, unit) : undefined;
			const words = tagged?.text ?? text;
			return {
				text: words,
				isRefused,
				...(links ? { links: linkSpans(source, words, guidance) } : {}),
				...(tagged ? { placed: tagged.placed } : {}),
			};
		});
	};
}
