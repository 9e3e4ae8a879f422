/**
 * How the site's search weighs words: people type whole questions. The functions are written into the pages as text, so
 * each stands by itself. `test/docs/site.process.test.ts` asks it twenty questions.
 */

/** A word as it is looked up; null for words that every page has. */
function processTerm(term) {
	const common =
		/^(?:a|about|all|an|and|are|as|at|be|been|but|by|can|could|did|do|does|each|for|from|get|had|has|have|how|i|if|in|into|is|it|its|like|let|make|may|me|my|nearglot|no|not|of|off|on|one|or|our|out|over|see|should|so|some|than|that|the|their|them|then|there|these|this|to|up|use|used|uses|using|very|want|was|we|what|when|where|which|who|why|will|with|without|would|you|your)$/;
	const word = term.toLowerCase();
	if (common.test(word)) return null;
	// Singular and plural are one word.
	return word.replace(/(?<=[a-z]{2}[^s\W])s$/, '');
}

/** Pages that lead in come before those that list everything. */
function boostDocument(id) {
	if (/^\/(?:start|help|guides|connect)\//.test(id)) return 1.5;
	if (/^\/(?:team|operate)\//.test(id)) return 1.3;
	if (/^\/(?:reference|adr)\/|^\/(?:architecture|threat-model|api|glossary)/.test(id)) return 0.5;
	return 1;
}

/** Of MiniSearch. */
export const searchOptions = {
	processTerm,
	boostDocument,
	prefix: (term) => term.length > 3,
	fuzzy: (term) => (term.length > 5 ? 0.15 : false),
	boost: { title: 4, titles: 1.5, text: 1 },
	// Long sections have many words often, and are not the better for it.
	bm25: { k: 0.6, b: 0.8, d: 0.2 },
};
