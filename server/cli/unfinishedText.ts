/** What downloads and builds left behind that were not finished, for people. */

import type { listOwnModels } from '../protocol/routeAddresses.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';
import { byteText } from './textTable.ts';

type Unfinished = AnswerOf<typeof listOwnModels>['unfinished'];

export function unfinishedText(models: Unfinished): string {
	const lines = models.map(
		({ name, sizeBytes, changedAt }) =>
			`  ${name}: ${byteText(sizeBytes)}, last changed ${new Date(changedAt).toISOString().slice(0, 10)}`,
	);
	return `Not finished; the same download or build goes on there, 'nearglot models remove --unfinished NAME' removes it, and so do 30 days:\n${lines.join('\n')}`;
}
