/** Models proposed for a computer, best first, with what the proposal rests on. */

import type { ModelInfo } from './modelTypes.ts';
import type { suggestModelsRoute } from './routes/models.ts';
import type { AnswerOf } from './routes/route.ts';

export type Suggestions = AnswerOf<typeof suggestModelsRoute>;
export type Suggestion = Suggestions['models'][number];
/** What a computer offers to models. */
export type MachineFacts = Readonly<Suggestions['machine']>;

/** Share of the memory a model may take: the editor and everything else needs the rest. */
const memoryShare = 0.5;

/** Bytes that stay free on the disk. */
const diskReserve = 1e9;

/** Tokens a second below which nobody waits for an answer. */
const slowest = 4;

/** Bytes per weight of the precision that is downloaded, embeddings included. */
const bytesPerWeight: Partial<Record<ModelInfo['task'], number>> = {
	'chat-completion': 0.75,
	'text-generation': 0.75,
};

/** What a whole model of a kind takes where its name says no number of weights. */
const speechBytes: readonly (readonly [RegExp, number])[] = [
	[/whisper-tiny/, 45e6],
	[/whisper-base/, 80e6],
	[/whisper-small/, 250e6],
	[/whisper-large/, 830e6],
	[/moonshine-tiny/, 60e6],
	[/moonshine-base/, 130e6],
	[/opus-mt/, 115e6],
];

/** Number of weights a name tells, such as `1.5b` or `360m`. */
export function weightsOf(name: string): number | undefined {
	const match = /(?:^|[-_])(\d+(?:\.\d+)?)([bm])(?:[-_]|$)/i.exec(name);
	if (!match) return undefined;
	return Number(match[1]) * (match[2]?.toLowerCase() === 'b' ? 1e9 : 1e6);
}

/**
 * Models that are not here yet and fit a computer: those with the most weights that still answer fast
 * enough come first. What it cannot say the size of, it does not propose.
 */
export function chooseSuggestions(
	models: readonly ModelInfo[],
	machine: MachineFacts,
	task: ModelInfo['task'],
): Suggestions {
	const room = machine.memoryBytes * memoryShare;
	const disk = (machine.diskFreeBytes ?? Number.POSITIVE_INFINITY) - diskReserve;
	const seen = new Set<string>();
	const fitting = models.flatMap((model): Suggestion[] => {
		if (model.task !== task || model.state !== 'not-downloaded' || seen.has(model.alias)) return [];
		seen.add(model.alias);
		const estimate = estimateBytes(model);
		const sizeBytes = model.sizeBytes ?? estimate;
		if (sizeBytes === undefined) return [];
		const memoryBytes = sizeBytes * 1.25 + 150e6;
		const tokensPerSecond = machine.bytesPerSecond / sizeBytes;
		if (memoryBytes > room || sizeBytes > disk) return [];
		const chat = task === 'chat-completion';
		if (chat && tokensPerSecond < slowest) return [];
		return [
			{
				model,
				sizeBytes,
				sizeIsEstimate: model.sizeBytes === undefined,
				memoryBytes,
				...(chat ? { tokensPerSecond } : {}),
			},
		];
	});
	return { machine, models: fitting.sort((a, b) => b.sizeBytes - a.sizeBytes) };
}

function estimateBytes({ alias, name, task }: ModelInfo): number | undefined {
	const weights = weightsOf(alias) ?? weightsOf(name);
	const each = bytesPerWeight[task];
	if (weights !== undefined && each !== undefined) return weights * each;
	return speechBytes.find(([pattern]) => pattern.test(alias))?.[1];
}
