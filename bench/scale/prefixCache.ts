/** What a replica still has of prompts: so many tokens, what was used longest ago goes first. */

export class PrefixCache {
	readonly #maxTokens: number;
	/** Tokens by conversation, in the order of use. */
	readonly #kept = new Map<number, number>();
	#tokens = 0;

	constructor(maxTokens: number) {
		this.#maxTokens = maxTokens;
	}

	/**
	 * How many tokens of a prompt are there.
	 * @param shared tokens that the prompts of all conversations begin with
	 */
	hit(conversation: number, prompt: number, shared: number): number {
		const own = this.#kept.get(conversation);
		// The last token is computed again: its logits are what the answer begins with.
		if (own !== undefined) return Math.max(0, Math.min(own, prompt - 1));
		return this.#kept.size > 0 ? Math.min(shared, prompt - 1) : 0;
	}

	keep(conversation: number, tokens: number): void {
		this.#tokens -= this.#kept.get(conversation) ?? 0;
		this.#kept.delete(conversation);
		this.#kept.set(conversation, tokens);
		this.#tokens += tokens;
		for (const [oldest, size] of this.#kept) {
			if (this.#tokens <= this.#maxTokens || this.#kept.size === 1) break;
			this.#kept.delete(oldest);
			this.#tokens -= size;
		}
	}

	clear(): void {
		this.#kept.clear();
		this.#tokens = 0;
	}
}
