/** Parameters of `/translate` that the documented interface has not: how good translations probably are. */

import type { Parameter } from './route.ts';

export const qualityParameters: readonly Parameter[] = [
	{
		name: 'includeQuality',
		values: ['true', 'false'],
		description: 'Adds how good each translation probably is, 0 to 1; not in the interface.',
	},
	{
		name: 'minQuality',
		description:
			'Below it a sentence stays as it is where the built-in model is asked; not in the interface.',
	},
];
