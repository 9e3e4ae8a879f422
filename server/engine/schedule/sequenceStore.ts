/** Sequences that hold a KV cache, and the caches that finished ones leave to those that begin alike. */

import type { Decoder } from '../decode/decoder.ts';
import type { KvCache } from '../kv/kvCache.ts';
import type { Sampler } from '../sample/sampler.ts';
import { type DraftProposer, NgramProposer } from './draftProposer.ts';
import type { Generation } from './generation.ts';
import { PrefixCache } from './prefixCache.ts';
import type { SchedulerOptions } from './schedulerOptions.ts';
import { reproducibilityMode, Sequence } from './sequence.ts';

type StoreOptions = Pick<SchedulerOptions, 'cacheBytes' | 'prefixCache' | 'speculation'>;

export class SequenceStore {
	readonly #decoder: Decoder;
	readonly #options: StoreOptions;
	readonly #prefixes = new PrefixCache();
	readonly #speculation: false | ((sequence: { readonly choice: number }) => DraftProposer);
	/** Also those that ended before the other choices of their request. */
	readonly #open = new Set<Sequence>();

	constructor(decoder: Decoder, options: StoreOptions) {
		this.#decoder = decoder;
		this.#options = options;
		const verifies = decoder.batchInvariant && decoder.lastLogitsOnly !== true;
		this.#speculation = options.speculation ?? (verifies ? () => new NgramProposer() : false);
	}

	get openSequences(): number {
		return this.#open.size;
	}

	get cachedPrefixes(): number {
		return this.#prefixes.size;
	}

	get bytes(): number {
		return this.#prefixes.bytes + this.#openBytes;
	}

	/** Bytes that a request is expected to need. */
	bytesOf(generation: Generation, choices: number): number {
		const expected = Math.min(generation.maxTokens, 512) + generation.prompt.length;
		return expected * choices * this.#decoder.bytesPerToken;
	}

	/** Whether so many bytes fit beside the open sequences, in a part of all there are. */
	hasRoom(bytes: number, share = 1): boolean {
		return this.#openBytes + bytes <= this.#options.cacheBytes * share;
	}

	/** Gives up kept caches until so many more bytes fit. */
	makeRoom(bytes: number): void {
		this.#prefixes.shrink(Math.max(0, this.#options.cacheBytes - this.#openBytes - bytes));
	}

	/** The first sequence of a request, with what is known of its prompt. Throws where there is no memory. */
	start(generation: Generation, sampler: Sampler, running: readonly Sequence[]): Sequence {
		const { prompt, request } = generation;
		const limit = this.#decoder.longRopeThreshold;
		const ropeTotalLength = limit !== undefined && prompt.length > limit ? limit + 1 : 0;
		const mode = reproducibilityMode(request.sampling, this.#decoder);
		const looksUp = this.#keepsPrefixes && request.echoLogprobs !== true && mode !== 'alone';
		const known = looksUp
			? this.#prefixes.take(request.owner, prompt, ropeTotalLength, running, mode === 'even')
			: undefined;
		const cache = known ?? this.#decoder.createCache();
		try {
			cache.reserve(prompt.length + Math.min(generation.maxTokens, 256));
		} catch (error) {
			cache.release();
			throw error;
		}
		cache.ropeTotalLength = ropeTotalLength;
		return this.open(generation, sampler, 0, cache);
	}

	/** A sequence over a cache, which is the store's from now on. */
	open(generation: Generation, sampler: Sampler, choice: number, cache: KvCache): Sequence {
		const reproducible = reproducibilityMode(generation.request.sampling, this.#decoder);
		const speculates = reproducible !== 'alone' && cache.canTruncate(Math.max(0, cache.length - 1));
		const propose = speculates && this.#speculation;
		const sequence = new Sequence({
			owner: generation.request.owner,
			isBackground: generation.priority === 'batch',
			choice,
			promptLength: generation.prompt.length,
			maxTokens: generation.maxTokens,
			sampler,
			cache,
			wantsPromptLogprobs: generation.request.echoLogprobs === true,
			draft: propose ? propose({ choice }) : undefined,
			reproducible,
		});
		this.#open.add(sequence);
		return sequence;
	}

	/** The cache of a sequence that has ended goes to the prefix cache, unless nothing is to be kept. */
	retire(sequence: Sequence, keeps: boolean): void {
		const { owner, cache, tokens } = sequence;
		this.#open.delete(sequence);
		sequence.draft?.dispose?.();
		const isKept = keeps && this.#keepsPrefixes && cache.length > 0;
		if (isKept) this.#prefixes.add({ owner, tokens: tokens.slice(0, cache.length), cache });
		else cache.release();
		this.makeRoom(0);
	}

	clear(): void {
		this.#prefixes.clear();
	}

	get #keepsPrefixes(): boolean {
		return this.#decoder.batchInvariant && this.#options.prefixCache !== false;
	}

	get #openBytes(): number {
		let bytes = 0;
		for (const { cache } of this.#open) bytes += cache.bytes;
		return bytes;
	}
}
