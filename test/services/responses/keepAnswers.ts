/** A program that keeps responses until it is killed, and says of each when it is kept. */

import { answerLimits } from '../../../server/services/responses/answerLimits.ts';
import { createAnswerStore } from '../../../server/services/responses/answerThread.ts';

const [path = '', round = ''] = process.argv.slice(2);
const store = createAnswerStore({ path, limits: answerLimits({}) });
for (let n = 0; ; n++) {
	const id = `r${round}_${n}`;
	const json = JSON.stringify({ text: id.repeat(2000) });
	const input = [{ id: `m${id}`, json }];
	await store.begin({ person: 'a', id, status: 'in_progress', json: '{}', input });
	const output = [{ id: `o${id}`, json }];
	await store.end({ person: 'a', id, status: 'completed', json, output });
	process.stdout.write(`${id}\n`);
}
