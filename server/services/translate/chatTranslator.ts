/**
 * Sentences through a chat model: several of them in one prompt, as many as its context holds. What is
 * missing, empty or has lost a mask is asked for again in smaller pieces, in the end alone and without
 * anything around it; what is wrong even then stays in the source language and is named.
 */

import type { Owned } from '../../engine/api.ts';
import { AppError, type JsonSchema } from '../../protocol/index.ts';
import { hasSeveralWords } from '../../translate/documents/keptSentences.ts';
import { samePlaceholders } from '../../translate/documents/placeholders.ts';
import { languageName } from '../../translate/languageCodes.ts';
import { looksBroken } from '../../translate/repetition.ts';
import {
	type ChatGuidance,
	type ChatSentence,
	chatPrompt,
	instruction,
	readChatAnswer,
	type Surroundings,
	tokenLimit,
} from './chatPrompt.ts';

export interface ChatPromptRequest extends Owned {
	/** Full id. */
	readonly model: string;
	readonly messages: readonly {
		readonly role: 'system' | 'user';
		readonly content: string;
	}[];
	/** What the answer is held to. */
	readonly schema: JsonSchema;
	readonly maxTokens: number;
	readonly priority: 'interactive' | 'batch';
}

/** Answers with the text of the model, whole or as far as it came. */
export type GenerateChat = (question: ChatPromptRequest, signal?: AbortSignal) => Promise<string>;

export interface ChatModel {
	readonly id: string;
	/** Tokens of prompt and answer. */
	readonly contextLength: number;
}

export interface ChatOptions extends Owned {
	readonly model: ChatModel;
	readonly guidance: ChatGuidance;
	readonly priority: 'interactive' | 'batch';
}

/** A translation; empty and `isRefused` where no answer could be used. */
export interface ChatTranslation {
	readonly text: string;
	readonly isRefused: boolean;
}

/** Sentences of one prompt: a small model loses count of more. */
const maxSentences = 12;
/** Tokens of context that are used: a long prompt costs more than it helps. */
const maxContext = 4096;
/** Tokens of the instruction, with room for the template. */
const instructionTokens = 420;
/** Tokens of context without which there is no room for a sentence. */
const minContext = 800;
/** Sentences before and after those of a prompt that go along. */
const neighbours = 3;
/** Prompts on their way at a time: the engine decodes them together. */
const inFlight = 3;
/** Refusals in a row from the beginning after which a model is given up. */
const hopeless = 8;

/** Tokens of a text, about: letters of other scripts than Latin take one or two each. */
const tokensOf = (text: string): number =>
	[...text].reduce((sum, letter) => sum + (letter < '\u0250' ? 0.4 : 1.2), 4);

/** The error for a chat model whose answers are no translations. */
export const unusableModel = (
	{ id }: ChatModel,
	{ source, target }: ChatGuidance,
	refused: number,
): AppError =>
	new AppError(
		'unsupported_model',
		`The chat model '${id}' gave no translation from ${languageName(source, 'en')} into ${languageName(target, 'en')} that could be used (${refused} ${refused === 1 ? 'sentence' : 'sentences'} tried). Choose a larger chat model or another system.`,
		{ param: 'category' },
	);

/**
 * Translations of masked sentences, by their place.
 *
 * @param wanted Places of those that are asked for; the others only stand around them.
 * @throws AppError `unsupported_model` when the model makes nothing of the first ones.
 */
export async function translateByChat(
	sentences: readonly ChatSentence[],
	wanted: readonly number[],
	options: ChatOptions,
	ask: GenerateChat,
	signal?: AbortSignal,
): Promise<ReadonlyMap<number, ChatTranslation>> {
	const { model, guidance } = options;
	const done = new Map<number, ChatTranslation>();
	let accepted = 0;
	let refused = 0;
	const stop = new AbortController();
	const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
	const finish = (place: number, made: ChatTranslation) => {
		done.set(place, made);
		if (made.isRefused) refused++;
		else accepted++;
		if (accepted === 0 && refused >= hopeless) throw unusableModel(model, guidance, refused);
	};

	const attempt = async (places: readonly number[], isBare: boolean): Promise<number[]> => {
		const asked = places.map((place) => {
			const sentence = sentences[place] ?? emptySentence;
			return isBare ? withoutTags(sentence) : sentence;
		});
		const around = isBare ? undefined : surroundings(sentences, places, model.contextLength);
		const prompt = chatPrompt(asked, guidance, around);
		let answer: string;
		try {
			const maxTokens = Math.min(prompt.maxTokens, roomFor(asked, model.contextLength));
			answer = await ask({ ...prompt, maxTokens, ...questionOf(options) }, ended);
		} catch (error) {
			if (!(error instanceof AppError) || error.code !== 'context_length_exceeded') throw error;
			return [...places];
		}
		const found = readChatAnswer(answer, asked.length);
		const { description: _, ...told } = guidance;
		const given = instruction(told).toLowerCase();
		const beside = besides(asked, around);
		return places.filter((place, index) => {
			const sentence = asked[index] ?? emptySentence;
			const text = cleaned(found.get(index) ?? '', sentence.text);
			// A model that says its instruction again, or what stands beside the text, has not translated.
			const said = text.toLowerCase();
			const isOwn = said === sentence.text.trim().toLowerCase();
			const isEcho = given.includes(said) || (!isOwn && beside.has(said));
			if ((isEcho && hasSeveralWords(text)) || !isUsable(sentence, text)) return true;
			finish(place, { text, isRefused: false });
			return false;
		});
	};

	const translate = async (places: readonly number[]): Promise<void> => {
		const left = await attempt(places, false);
		if (places.length > 1) {
			for (const part of parts(left)) await translate(part);
			return;
		}
		const [place] = left;
		if (place === undefined || (await attempt([place], true)).length === 0) return;
		finish(place, { text: '', isRefused: true });
	};

	if (model.contextLength < minContext)
		throw new AppError(
			'unsupported_model',
			`The chat model '${model.id}' reads ${model.contextLength} tokens at once; translating takes ${minContext}. Choose a larger chat model or another system.`,
			{ param: 'category' },
		);
	const waiting = batchesOf(sentences, wanted, model.contextLength);
	const work = async () => {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
			await translate(next);
	};
	try {
		await Promise.all(Array.from({ length: inFlight }, work));
	} catch (error) {
		stop.abort();
		throw error;
	}
	return done;
}

const withoutTags = ({ plain, isWhole: _, ...sentence }: ChatSentence): ChatSentence => ({
	...sentence,
	text: plain ?? sentence.text,
});

const emptySentence: ChatSentence = { text: '', masks: [], examples: [] };

const questionOf = ({ model, owner, priority }: ChatOptions) => ({
	...{ model: model.id, owner, priority },
});

/** What has to be asked again, in pieces of a third; one alone stays one. */
function parts(places: readonly number[]): number[][] {
	const size = Math.max(1, Math.ceil(places.length / 3));
	return Array.from({ length: Math.ceil(places.length / size) }, (_, index) =>
		places.slice(index * size, (index + 1) * size),
	);
}

/** Tokens that a context leaves for an answer. */
function roomFor(sentences: readonly ChatSentence[], contextLength: number): number {
	const read = sentences.reduce((sum, { text }) => sum + tokensOf(text), instructionTokens);
	return Math.max(64, Math.floor(contextLength - read));
}

/** Sentences that follow each other, as many as a prompt and its answer have room for. */
function batchesOf(
	sentences: readonly ChatSentence[],
	wanted: readonly number[],
	contextLength: number,
): number[][] {
	const room = Math.min(contextLength, maxContext) - instructionTokens;
	const batches: number[][] = [];
	let batch: number[] = [];
	let used = 0;
	for (const place of wanted) {
		const { text, comment = '', masks } = sentences[place] ?? emptySentence;
		const tokens = tokensOf(text + comment + masks.join('')) + tokenLimit(text);
		if (batch.length > 0 && (batch.length >= maxSentences || used + tokens > room)) {
			batches.push(batch);
			batch = [];
			used = 0;
		}
		batch.push(place);
		used += tokens;
	}
	return batch.length > 0 ? [...batches, batch] : batches;
}

/** What stands around sentences of the same texts, where the context has room for it. */
function surroundings(
	sentences: readonly ChatSentence[],
	places: readonly number[],
	contextLength: number,
): Surroundings {
	if (contextLength < 2 * instructionTokens) return { before: [], after: [] };
	const [first = 0] = places;
	const last = places.at(-1) ?? first;
	const texts = (from: number, to: number) =>
		sentences.slice(Math.max(0, from), to).map(({ text }) => text);
	return {
		before: texts(first - neighbours, first),
		after: texts(last + 1, last + 1 + neighbours),
	};
}

/** What stands beside sentences in their prompt, in small letters. */
function besides(asked: readonly ChatSentence[], around: Surroundings | undefined): Set<string> {
	const comments = asked.flatMap(({ comment }) => (comment === undefined ? [] : [comment]));
	const texts = [...(around?.before ?? []), ...(around?.after ?? []), ...comments];
	return new Set(texts.map((text) => text.trim().toLowerCase()));
}

/** An answer without what no translation of a line has. */
function cleaned(answer: string, source: string): string {
	const text = answer.trim();
	return /[\r\n]/.test(source)
		? text
		: text
				.split(/[\r\n]+/)
				.map((line) => line.trim())
				.join(' ');
}

/**
 * Whether an answer may stand for a sentence. The one place where that is decided: masks, placeholders and
 * loops as for every other model; what is fixed is put back and checked by whoever asks.
 */
function isUsable({ text: source, isWhole }: ChatSentence, answer: string): boolean {
	return (
		answer !== '' &&
		(isWhole?.(answer) ?? true) &&
		samePlaceholders(source, answer) &&
		braces(source) === braces(answer) &&
		!looksBroken(source, answer)
	);
}

const braces = (text: string): string => text.replace(/[^{}]/g, '').split('').sort().join('');
