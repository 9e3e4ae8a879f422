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
const bytesByName: readonly (readonly [RegExp, number])[] = [
	[/whisper-tiny/, 45e6],
	[/whisper-base/, 80e6],
	[/whisper-small/, 250e6],
	[/whisper-large/, 830e6],
	[/moonshine-tiny/, 60e6],
	[/moonshine-base/, 130e6],
	[/opus-mt/, 115e6],
	[/m2m100-418m/, 640e6],
	[/nllb-200-600m/, 900e6],
	[/minilm-l6/, 23e6],
	[/bge-small/, 34e6],
	[/nomic-embed-text/, 138e6],
	[/silero-vad/, 2.3e6],
	// 3.8 thousand million weights, which their names do not say.
	[/phi-(?:3\.5|4)-mini/, 2.85e9],
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
		const estimate = estimatedModelBytes(model);
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

/** About how many bytes a model's download takes, by its name; `undefined` where that says nothing. */
export function estimatedModelBytes({
	alias,
	name,
	task,
}: Pick<ModelInfo, 'alias' | 'name' | 'task'>): number | undefined {
	const byName = bytesByName.find(([pattern]) => pattern.test(alias))?.[1];
	if (byName !== undefined) return byName;
	const weights = weightsOf(alias) ?? weightsOf(name);
	const each = bytesPerWeight[task];
	return weights === undefined || each === undefined ? undefined : weights * each;
}

export type SuggestionGroup = 'recommended' | 'fast' | 'code' | 'best' | 'other';

/** Tokens a second from which on an answer is read as fast as it comes. */
const readable = 10;

/**
 * Proposals under what speaks for each, every one once. Of chat models the one with the most weights that still answers as
 * fast as people read is recommended; of others the ones for languages that are wanted.
 *
 * @param languages codes that people here use beside English, the most wanted first
 */
export function suggestionGroups(
	suggestions: readonly Suggestion[],
	languages: readonly string[] = [],
): { readonly group: SuggestionGroup; readonly suggestions: readonly Suggestion[] }[] {
	const left = new Set(suggestions);
	const groups: { group: SuggestionGroup; suggestions: Suggestion[] }[] = [];
	const take = (group: SuggestionGroup, wanted: readonly (Suggestion | undefined)[]) => {
		const found = wanted.filter((one) => one !== undefined && left.delete(one)) as Suggestion[];
		if (found.length > 0) groups.push({ group, suggestions: found });
	};
	const isChat = suggestions.some(({ tokensPerSecond }) => tokensPerSecond !== undefined);
	if (isChat) {
		const code = suggestions.filter(({ model }) => /coder?\b/i.test(model.alias));
		const general = suggestions.filter((one) => !code.includes(one));
		const readableOnes = general.filter(({ tokensPerSecond = 0 }) => tokensPerSecond >= readable);
		take('recommended', [readableOnes[0] ?? general.at(-1)]);
		take('fast', readableOnes);
		take('code', code);
		take('best', general);
	} else if (suggestions[0]?.model.task === 'translation') {
		const wanted = languages.map((code) => code.split('-')[0]);
		const pair = (one: Suggestion) =>
			(one.model.languages?.length ?? 3) === 2 &&
			one.model.languages?.some((code) => wanted.includes(code));
		take('recommended', suggestions.filter(pair));
		take(
			'other',
			[...suggestions].sort((a, b) => a.sizeBytes - b.sizeBytes),
		);
	} else {
		// Of speech models the second largest is as good to the ear and far faster than the largest.
		take('recommended', [suggestions[1] ?? suggestions[0]]);
		take('best', [suggestions[0]]);
		take('fast', suggestions);
	}
	return groups;
}
