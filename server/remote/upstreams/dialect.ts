/**
 * What an engine does not take of the fields that every request from here has. It is known from the first refusal on; what
 * a caller asked for is never left out.
 */

import { AppError } from '../../protocol/index.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Habit {
	/** What a refusal says because of it. */
	readonly refusal: RegExp;
	/** `undefined` where the request has not the field. */
	readonly change: (body: Fields) => Fields | undefined;
}

const habits: readonly Habit[] = [
	{
		// It tells what an answer has used at its end, or it does not.
		refusal: /\bstream_options\b/,
		change: ({ stream_options: options, ...rest }) => (options === undefined ? undefined : rest),
	},
	{
		refusal: /\buse ['"`]?max_completion_tokens\b/i,
		change: ({ max_tokens: tokens, ...rest }) =>
			tokens === undefined ? undefined : { ...rest, max_completion_tokens: tokens },
	},
];

/** Names of models come from callers. */
const maxModels = 1000;

export class Dialect {
	/** By model: of one address each may come from elsewhere. */
	readonly #known = new Map<unknown, readonly Habit[]>();

	/**
	 * Asks, and once more in another way for each field that is refused; nothing of an answer has come by then.
	 *
	 * @throws what `ask` throws for anything else
	 */
	async say<Result>(body: Fields, ask: (body: Fields) => Promise<Result>): Promise<Result> {
		const { model } = body;
		const before = this.#known.get(model) ?? [];
		try {
			return await ask(before.reduce((said, { change }) => change(said) ?? said, body));
		} catch (error) {
			const habit = habits.find(
				(each) =>
					!before.includes(each) && isRefusal(error, each) && each.change(body) !== undefined,
			);
			if (habit === undefined) throw error;
			if (this.#known.size >= maxModels) this.#known.clear();
			this.#known.set(model, [...before, habit]);
			return await this.say(body, ask);
		}
	}
}

const isRefusal = (error: unknown, { refusal }: Habit): boolean =>
	error instanceof AppError &&
	/^(?:invalid_request|unsupported_parameter)$/.test(error.code) &&
	refusal.test(error.message);
