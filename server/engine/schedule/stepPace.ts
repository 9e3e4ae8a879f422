/** How long runs take here, so that one beside streams or short prompts reads as much of a long prompt as they can wait for. */

/** What a run beside others should take at most. */
const targetMs = 100;
/** Tokens of such a run, whatever the machine. */
const minTokens = 32;
const maxTokens = 192;
/** Runs of fewer tokens tell of the weights that are read, not of the tokens. */
const tellingTokens = 16;
/** Part of a new measurement in what is remembered. */
const weight = 0.3;

export class StepPace {
	#msPerToken: number | undefined;
	/** Of runs of a few tokens. */
	#shortMs: number | undefined;

	/** A run of so many tokens took so long. */
	learn(tokens: number, ms: number): void {
		if (!(ms >= 0)) return;
		const mixed = (before: number | undefined, found: number): number =>
			(before ?? found) * (1 - weight) + found * weight;
		if (tokens < tellingTokens) this.#shortMs = mixed(this.#shortMs, ms);
		else this.#msPerToken = mixed(this.#msPerToken, ms / tokens);
	}

	/** Milliseconds that a run of so many tokens takes; 0 until one like it has been measured. */
	expectedMs(tokens: number): number {
		return tokens < tellingTokens ? (this.#shortMs ?? 0) : tokens * (this.#msPerToken ?? 0);
	}

	/** Tokens of a run that others wait for; as many as ever until a run has been measured. */
	get sharedTokens(): number {
		const fitting = targetMs / Math.max(this.#msPerToken ?? 0, 1e-6);
		const whole = Math.floor(fitting / tellingTokens) * tellingTokens;
		return Math.min(maxTokens, Math.max(minTokens, whole));
	}
}
