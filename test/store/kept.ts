/** A value for tests of what is kept. */

import type { JsonFormat } from '../../server/store/jsonFile.ts';

export interface List {
	readonly list: readonly string[];
}

export const listFormat: JsonFormat<List> = {
	holds: 'The list',
	fresh: () => ({ list: [] }),
	parse: ({ list }) => (Array.isArray(list) ? { list } : undefined),
};
