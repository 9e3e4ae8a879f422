/**
 * Sentences through a chain of models: cache, batches, repetition guard with one retry, pivot with
 * the word links of both steps joined.
 */

import type { Owned, Seq2SeqOutput } from '../../engine/api.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { Attention } from '../../translate/align.ts';
import { placeholders, samePlaceholders } from '../../translate/documents/placeholders.ts';
import { qualityEstimate } from '../../translate/qualityEstimate.ts';
import { looksBroken } from '../../translate/repetition.ts';
import { linkSpans, type MaskedResult } from '../../translate/sentence.ts';
import type { CachedTranslation, SentenceCache } from '../../translate/sentenceCache.ts';
import type { Span } from '../../translate/sentences.ts';
import { yieldToOthers } from '../../work/yieldToOthers.ts';
import type { SentenceClient, SentenceDecoding } from './sentenceClient.ts';
import type { Hop, TranslationPath } from './translateModels.ts';

export interface SentenceOptions extends Owned {
	/** Absent: the model's own default. */
	readonly beams?: number;
	readonly alternatives?: number;
	readonly priority: 'interactive' | 'batch';
	/** Below this estimate a sentence stays as it is rather than as the built-in model has it. */
	readonly minQuality?: number;
}

export interface SentenceDeps {
	readonly client: SentenceClient;
	readonly cache: SentenceCache;
}

type Links = NonNullable<MaskedResult['links']>;

/** A translated sentence with what the translation routes need of it. */
export interface SentenceResult extends MaskedResult {
	readonly alternatives?: readonly string[];
	/** How good it probably is, 0…1; absent where no model was asked. */
	readonly quality?: number;
	/** It is the source, because what the built-in model made of it is too doubtful. */
	readonly isLeft?: boolean;
}

/** Translates masked sentences through the models of a route, with its changes of script. */
export async function translateSentences(
	sentences: readonly string[],
	route: TranslationPath,
	needs: { readonly links: boolean },
	options: SentenceOptions,
	deps: SentenceDeps,
	signal?: AbortSignal,
): Promise<SentenceResult[]> {
	const { hops, preConvert, postConvert } = route;
	const read = preConvert ? await Promise.all(sentences.map(preConvert)) : sentences;
	let results: SentenceResult[] = read.map((text) => ({ text }));
	for (const [index, hop] of hops.entries()) {
		const last = index === hops.length - 1;
		const { alternatives, minQuality = 0, ...plain } = options;
		const made = await translateHop(
			results.map(({ text }) => text),
			hop,
			needs.links,
			// Other hypotheses are the losers of a beam, so there has to be one.
			last && alternatives !== undefined
				? { ...plain, alternatives, beams: Math.max(plain.beams ?? 1, alternatives + 1) }
				: plain,
			deps,
			signal,
		);
		const next: SentenceResult[] = [];
		for (const [position, before] of results.entries()) {
			const hypothesis = made[position] ?? { text: before.text, score: 0 };
			const own = qualityEstimate(before.text, hypothesis.text, hypothesis.score, hop);
			const quality = own * (before.quality ?? 1);
			if (before.isLeft || (hop.model.origin === 'built-in' && quality < minQuality)) {
				next.push({ text: read[position] ?? '', quality, isLeft: true });
				continue;
			}
			const result = {
				text: hypothesis.text,
				quality,
				...(hypothesis.alternatives ? { alternatives: hypothesis.alternatives } : {}),
			};
			if (!needs.links) {
				next.push(result);
				continue;
			}
			// Each takes a moment, and a text has thousands.
			await yieldToOthers(options.priority === 'interactive');
			const links = linkSpans(before.text, hypothesis.text, hop, hypothesis.attention);
			next.push({ ...result, links: before.links ? composedLinks(before.links, links) : links });
		}
		results = next;
	}
	const [first] = hops;
	results = results.map((result, index) => {
		if (!result.isLeft || !first) return result;
		// A step on the way may have been good; the sentence is the source all the same.
		const text = sentences[index] ?? '';
		const links = needs.links ? linkSpans(text, text, { ...first, target: first.source }) : [];
		return { ...result, text, links };
	});
	if (!preConvert && !postConvert) return results;
	return Promise.all(
		results.map(async (result, index) => {
			if (result.isLeft) return result;
			const text = postConvert ? await postConvert(result.text) : result.text;
			// Offsets hold as long as every character was replaced by one.
			const exact =
				text.length === result.text.length && read[index]?.length === sentences[index]?.length;
			const { quality } = result;
			return { text, ...defined({ quality, links: exact ? result.links : undefined }) };
		}),
	);
}

/** Links source→pivot and pivot→target → source→target. */
function composedLinks(first: Links, second: Links): Links {
	const links: { source: Span; target: Span }[] = [];
	for (const a of first)
		for (const b of second)
			if (a.target[0] < b.source[1] && b.source[0] < a.target[1])
				links.push({ source: a.source, target: b.target });
	return links;
}

async function translateHop(
	texts: readonly string[],
	hop: Hop,
	attention: boolean,
	{ owner, ...options }: SentenceOptions,
	deps: SentenceDeps,
	signal?: AbortSignal,
): Promise<CachedTranslation[]> {
	const keyOf = (text: string): string =>
		[
			hop.model.id,
			options.beams ?? '',
			options.alternatives ?? '',
			hop.source,
			hop.target,
			text,
		].join('\u0000');
	const found = new Map<string, CachedTranslation>();
	const wanted: string[] = [];
	for (const text of new Set(texts)) {
		const cached = deps.cache.get(owner, keyOf(text), { attention });
		if (cached) found.set(text, cached);
		else if (text.trim() !== '') wanted.push(text);
	}
	const { tagged, sources, targets } = hop.languages;
	const codes = {
		...(tagged.source ? { sourceLanguage: sources.get(hop.source) ?? hop.source } : {}),
		...(tagged.target ? { targetLanguage: targets.get(hop.target) ?? hop.target } : {}),
	};
	const ask = async (
		texts: readonly string[],
		more: Partial<SentenceDecoding>,
	): Promise<CachedTranslation[]> => {
		const translateOne = async (text: string): Promise<CachedTranslation> => {
			const decoding = {
				...options,
				...(attention ? { alignment: true } : {}),
				...more,
			};
			try {
				const maxTokens = Math.min(hop.languages.contextLength, lengthCap(text.length));
				const item = { text, owner, maxTokens, ...codes };
				return hypothesis(await deps.client.translate(hop.model.id, item, decoding, signal));
			} catch (error) {
				if (!(error instanceof AppError)) throw error;
				if (error.code === 'unsupported_parameter' && error.param === 'alignment') {
					// Words are then linked by what they are alone: numbers, names, placeholders.
					const [plain] = await ask([text], { ...more, alignment: false });
					return { text, score: 0, ...plain, unaligned: true };
				}
				if (error.code !== 'context_length_exceeded') throw error;
				const [left, space, right] = halves(text);
				// What cannot be read even in pieces of a few letters is no text for this model.
				if (text.length <= 8 || left === '' || right === '') return { text, score: 0 };
				const [first, second] = await Promise.all([translateOne(left), translateOne(right)]);
				return {
					text: first.text + space + second.text,
					score: Math.min(first.score, second.score),
				};
			}
		};
		return Promise.all(texts.map(translateOne));
	};
	const made = await ask(wanted, {});
	// Three faults, none of which a text has together with another: they are seen to side by side.
	const broken = wanted.filter((text, index) => looksBroken(text, made[index]?.text ?? ''));
	const lost = wanted.filter(
		(text, index) => !broken.includes(text) && !samePlaceholders(text, made[index]?.text ?? ''),
	);
	// Small models copy a bare word that they translate in a sentence.
	const bare = wanted.filter(
		(text, index) => !broken.includes(text) && copied(text, made[index]?.text ?? ''),
	);
	const stops = bare.map((text) => `${text}.`);
	const [again, careful, stopped] = await Promise.all([
		ask(broken, { noRepeatNgram: 3, beams: Math.max(2, options.beams ?? 1) }),
		// A wider search often has a hypothesis that kept its placeholders.
		ask(lost, { beams: 4, alternatives: 3 }),
		ask(stops, {}),
	]);
	const kept = new Map(lost.map((text, index) => [text, intact(text, careful[index])]));
	bare.forEach((text, index) => {
		const found = unstopped(stopped[index]);
		if (found && !copied(text, found.text) && !looksBroken(text, found.text)) kept.set(text, found);
	});
	wanted.forEach((text, index) => {
		const retry = broken.indexOf(text);
		const second = retry < 0 ? kept.get(text) : again[retry];
		let result = second ?? made[index];
		// What still loops or reads arguments that are not there helps nobody: the source says more.
		if (!result || looksBroken(text, result.text) || inventsPlaceholders(text, result.text))
			result = { text, score: Number.NEGATIVE_INFINITY };
		found.set(text, result);
		deps.cache.set(owner, keyOf(text), result);
	});
	return texts.map((text) => found.get(text) ?? { text, score: 0 });
}

/** A text cut near its middle, at white space where there is any and never inside a placeholder. */
function halves(text: string): [left: string, space: string, right: string] {
	const middle = Math.floor(text.length / 2);
	const spaces = [...text.matchAll(/\s+/g)].sort(
		(a, b) => Math.abs(a.index - middle) - Math.abs(b.index - middle),
	);
	const [space] = spaces;
	if (space && space.index > 0 && Math.abs(space.index - middle) < text.length / 3)
		return [text.slice(0, space.index), space[0], text.slice(space.index + space[0].length)];
	const mask = [...text.matchAll(/\{\d+\}/g)].find(
		({ index, 0: found }) => index < middle && middle < index + found.length,
	);
	let at = mask ? mask.index + mask[0].length : middle;
	if (/[\uDC00-\uDFFF]/.test(text[at] ?? '')) at++;
	return [text.slice(0, at), '', text.slice(at)];
}

/** Whether one to three words came back as they went; names and abbreviations in capitals may. */
function copied(source: string, target: string): boolean {
	return (
		/^\p{L}[\p{L}\p{M}'’-]*(?: [\p{L}\p{M}'’-]+){0,2}$/u.test(source) &&
		source !== source.toUpperCase() &&
		source.toLowerCase() === target.toLowerCase()
	);
}

/** The translation of a text that was given a full stop, without it. */
function unstopped(found: CachedTranslation | undefined): CachedTranslation | undefined {
	const text = found?.text.replace(/[.。।]$/u, '').trimEnd();
	return found && text ? { ...found, text } : undefined;
}

/** Whether a translation has placeholders besides the masks of its source; lost masks are put back later. */
function inventsPlaceholders(source: string, target: string): boolean {
	const own = new Set(placeholders(source));
	return placeholders(target).some((found) => !own.has(found) && found.startsWith('%'));
}

/** The best hypothesis of a beam that kept its placeholders, made up none, and kept its head. */
function intact(
	source: string,
	found: CachedTranslation | undefined,
): CachedTranslation | undefined {
	if (!found) return undefined;
	const good = (text: string): boolean =>
		samePlaceholders(source, text) && !looksBroken(source, text);
	if (good(found.text)) return found;
	const other = found.alternatives?.find(good);
	// Attention belongs to the first hypothesis only.
	return other === undefined ? undefined : { text: other, score: found.score };
}

/**
 * Tokens a translation may have: generous for scripts whose letters are tokens. In powers of two, so
 * that it depends on the sentence alone and sentences of like length still share a batch.
 */
function lengthCap(length: number): number {
	return 2 ** Math.ceil(Math.log2(length * 1.5 + 24));
}

function hypothesis(output: Seq2SeqOutput): CachedTranslation {
	const text = output.text.trim();
	const shift = output.text.length - output.text.trimStart().length;
	const attention = attentionOf(output, shift);
	return {
		text,
		score: output.score,
		...(attention ? { attention } : {}),
		...(output.alternatives
			? { alternatives: output.alternatives.map((other) => other.text.trim()) }
			: {}),
	};
}

function attentionOf(output: Seq2SeqOutput, shift: number): Attention | undefined {
	const { sourceSpans, targetSpans, attention } = output;
	if (!sourceSpans || !targetSpans || !attention) return undefined;
	return {
		sourceSpans,
		targetSpans: targetSpans.map(
			([start, end]): Span => [Math.max(0, start - shift), Math.max(0, end - shift)],
		),
		weights: attention,
	};
}
