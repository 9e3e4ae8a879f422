/** What activations in 8 bits change, on a text of the user's choice: the model reads it in both ways. */

import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { AppError } from '../protocol/index.ts';
import { completions } from '../protocol/routeAddresses.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';
import { table } from './textTable.ts';

/** Differences that are shown one by one. */
const maxShown = 10;

/** What a model says of one token of a text. */
export interface ReadToken {
	readonly token: string;
	readonly logprob: number;
	/** The token that it held for the most likely here. */
	readonly argmax: string;
}

/** Reads a text in both ways, one load after the other. @throws AppError what the model server refuses */
export async function compareExact(
	daemon: DaemonConnection,
	model: string,
	text: string,
	signal: AbortSignal,
): Promise<string> {
	const read = async (exact: boolean): Promise<ReadToken[]> => {
		const question = { model, prompt: text, max_tokens: 0, echo: true, logprobs: 1, exact };
		// The slower form is not what the next request should find.
		const body = exact ? { ...question, ttl: 1 } : question;
		return tokensOf(await daemon.call(completions, { body }, { signal }));
	};
	return comparisonText(await read(false), await read(true));
}

function tokensOf({ choices: [choice] }: AnswerOf<typeof completions>): ReadToken[] {
	const logprobs = choice?.logprobs;
	// Nothing is before the first token.
	return (logprobs?.tokens ?? []).flatMap((token, index) => {
		const logprob = logprobs?.token_logprobs[index];
		const top = Object.entries(logprobs?.top_logprobs[index] ?? {});
		const [argmax = token] = top.sort((a, b) => b[1] - a[1])[0] ?? [];
		return typeof logprob === 'number' ? [{ token, logprob, argmax }] : [];
	});
}

/**
 * The two readings side by side.
 * @throws AppError `invalid_request` for a text of fewer than two tokens
 */
export function comparisonText(usual: readonly ReadToken[], exact: readonly ReadToken[]): string {
	if (usual.length === 0 || usual.length !== exact.length)
		throw new AppError('invalid_request', 'The text to compare on has fewer than two tokens.', {
			param: 'compare',
		});
	const differences = usual.map(({ logprob }, index) =>
		Math.abs(logprob - (exact[index]?.logprob ?? logprob)),
	);
	const isFlipped = ({ argmax }: ReadToken, index: number): boolean =>
		argmax !== exact[index]?.argmax;
	const flipped = usual.flatMap((one, index) => (isFlipped(one, index) ? [index] : []));
	const largest = differences.reduce((most, value) => Math.max(most, value), 0);
	const rows = [
		['Perplexity', `${perplexity(usual)} as usual, ${perplexity(exact)} exact`],
		[
			'Log-probabilities',
			`${mean(differences).toFixed(4)} apart on average, ${largest.toFixed(4)} at most`,
		],
		['Most likely token', `another one at ${flipped.length} of ${usual.length} places`],
	] as const;
	const shown = flipped.slice(0, maxShown).map((index) => {
		const before = usual.slice(Math.max(0, index - 4), index).map(({ token }) => token);
		const [a, b] = [usual[index], exact[index]].map((one) => JSON.stringify(one?.argmax));
		return `  - after ${JSON.stringify(before.join(''))}: ${a}, exact ${b}`;
	});
	const more = flipped.length - shown.length;
	const summary = largest === 0 ? ['Nothing differs: exact activations change nothing here.'] : [];
	return [
		`Activations in 8 bits beside exact ones, on ${usual.length + 1} tokens`,
		table(rows),
		...summary,
		...shown,
		...(more > 0 ? [`  and ${more} more`] : []),
	].join('\n');
}

const mean = (values: readonly number[]): number =>
	values.reduce((sum, value) => sum + value, 0) / values.length;

const perplexity = (tokens: readonly ReadToken[]): string =>
	Math.exp(-mean(tokens.map(({ logprob }) => logprob))).toPrecision(6);
