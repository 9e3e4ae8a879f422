/** Figures of a model that has nothing of the kind. */

export const noCounters = {
	running: 0,
	openSequences: 0,
	cachedPrefixes: 0,
	kvBytes: 0,
	kvLimitBytes: 0,
	promptTokensTotal: 0,
	cachedTokensTotal: 0,
	generatedTokensTotal: 0,
	draftedTotal: 0,
	acceptedTotal: 0,
};
