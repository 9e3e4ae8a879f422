/** Which models have translated, and what they left: a person is told who did it. */

import type { CommandIo } from './command.ts';

export interface UsedSystems {
	/** Reads an answer's headers and hands it on. */
	note(response: Response): Response;
	/** Says on standard error which models translated. */
	tell(io: Pick<CommandIo, 'stderr'>): void;
}

export function newUsedSystems(): UsedSystems {
	const models = new Set<string>();
	let refused = 0;
	return {
		note: (response) => {
			const named = response.headers.get('x-nearglot-models') ?? '';
			for (const model of named.split(',')) if (model !== '') models.add(model);
			refused += Number(response.headers.get('x-nearglot-refused') ?? 0);
			return response;
		},
		tell: ({ stderr }) => {
			if (models.size > 0) stderr.write(`Translated by ${[...models].join(', ')}\n`);
			if (refused > 0)
				stderr.write(
					`${refused} ${refused === 1 ? 'sentence' : 'sentences'} left as before: no answer of the model could be used\n`,
				);
		},
	};
}
