/**
 * `nearglot doctor --bench`: how fast a chat model runs here, on the processor and on every graphics processor that can be
 * used. Tokens that a prompt's reading gave are not counted as decoded.
 */

import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { installedProviders, thisRuntime } from '../engine/devices/providers.ts';
import { AppError, asAppError, type ExecutionProvider } from '../protocol/index.ts';
import { largestOf } from '../protocol/lists.ts';
import { completions, listModels } from '../protocol/routeAddresses.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';

export type BenchRow = readonly [what: string, result: string];

/** Answers at once. */
const streams = 8;
/** Tokens of an answer. */
const answerTokens = 48;
/** UTF-16 units of the prompt that is read, in models with a context that long. */
const promptUnits = 2400;
/** Text that never ends, so that every answer has all its tokens. */
const endless = 'root ::= [ -~] root';

type Timings = AnswerOf<typeof completions>['timings'];

/** Tokens a second. */
interface Rates {
	readonly prompt: number;
	readonly one: number;
	readonly together: number;
}

/**
 * Rows of one model: the one of this name, or the smallest chat model.
 * @throws AppError `model_not_found`
 */
export async function benchRows(
	daemon: DaemonConnection,
	name: string | undefined,
	signal: AbortSignal,
): Promise<BenchRow[]> {
	const { data } = await daemon.call(listModels, {}, { signal });
	const able = data.filter(
		({ task, problem }) => task === 'chat-completion' && problem === undefined,
	);
	const [model] = able
		.filter(({ id }) => name === undefined || id === name)
		.sort((left, right) => (left.size_bytes ?? 0) - (right.size_bytes ?? 0));
	if (model === undefined) {
		const known = able.map(({ id }) => id).join(', ') || 'none';
		throw new AppError(
			'model_not_found',
			`There is no chat model ${name === undefined ? 'to measure' : `'${name}'`}; there are: ${known}.`,
		);
	}
	// The processor last: a model stays where it was measured last.
	const providers = [...installedProviders(thisRuntime())].reverse();
	const rows: BenchRow[] = [];
	const measured: (readonly [ExecutionProvider, Rates])[] = [];
	for (const provider of providers) {
		const found = await measure(daemon, model.id, provider, signal);
		rows.push([`bench ${provider}`, typeof found === 'string' ? found : shown(found)]);
		if (typeof found !== 'string') measured.push([provider, found]);
	}
	const best = (rate: keyof Rates): ExecutionProvider | undefined =>
		[...measured].sort(([, left], [, right]) => right[rate] - left[rate])[0]?.[0];
	const advice =
		measured.length < 2
			? 'nothing to choose from'
			: `one answer: ${best('one')}, several: ${best('together')}, long prompts: ${best('prompt')}; 'nearglot models load ${model.id} --ep NAME' chooses`;
	return [['bench model', model.id], ...rows, ['bench fastest', advice]];
}

const shown = ({ prompt, one, together }: Rates): string =>
	`prompt ${prompt.toFixed(0)}, one answer ${one.toFixed(1)}, ${streams} answers together ${together.toFixed(1)} tokens/s`;

/** Rates on a provider, or why there are none. */
async function measure(
	daemon: DaemonConnection,
	model: string,
	ep: ExecutionProvider,
	signal: AbortSignal,
): Promise<Rates | string> {
	let turn = 0;
	let replaced: string | undefined;
	const answer = async (units: number, tokens: number): Promise<Timings> => {
		// No two begin alike: nothing comes from a prefix that was read before.
		const prompt = `${++turn} ${ep} ${'The file was read from the folder of the server. '.repeat(units / 49)}`;
		const body = { model, prompt, ep, max_tokens: tokens, temperature: 0.8, seed: turn };
		const made = await daemon.call(
			completions,
			{ body: { ...body, grammar: endless } },
			{ signal },
		);
		replaced ??= made.execution_provider?.reason;
		return made.timings;
	};
	try {
		// Loads and warms up.
		await answer(49, 8);
		if (replaced !== undefined) return `not used here: ${replaced}`;
		const prompt = await longestPrompt((units) => answer(units, 1));
		const one = await answer(98, answerTokens);
		const together = await Promise.all(
			Array.from({ length: streams }, () => answer(98, answerTokens)),
		);
		return {
			prompt: prompt.prompt_per_second,
			one: decodeRate([one]),
			together: decodeRate(together),
		};
	} catch (error) {
		const { code, message } = asAppError(error);
		if (code === 'cancelled') throw error;
		// What a request could name instead is of no use here.
		return `not measured: ${message.split(" Leave 'ep' out")[0]}`;
	}
}

/** Of a prompt that the model's context holds. */
async function longestPrompt(read: (units: number) => Promise<Timings>): Promise<Timings> {
	for (let units = promptUnits; ; units = Math.floor(units / 2)) {
		try {
			return await read(units);
		} catch (error) {
			const isTooLong = asAppError(error).code === 'context_length_exceeded';
			if (!isTooLong || units < 100) throw error;
		}
	}
}

/** All tokens but the first of each answer, over the longest time one took since its first. */
function decodeRate(answers: readonly Timings[]): number {
	const tokens = answers.reduce((sum, { predicted_n }) => sum + predicted_n - 1, 0);
	return (
		(tokens * 1000) /
		largestOf(
			answers.map(({ predicted_ms }) => predicted_ms),
			0,
		)
	);
}
