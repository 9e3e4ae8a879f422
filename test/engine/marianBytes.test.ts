import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadTextModel } from '../../server/engine/text/textModel.ts';

const folder = join(import.meta.dirname, '../../starter/models/starter-translate');

test('letters a Marian vocabulary lacks are spelled in bytes, both ways', async () => {
	const text = await loadTextModel(folder);
	const unknown = text.tokenToId('<unk>');
	for (const sentence of ['Öffne die Übersicht', '世界 ☃ 👍', 'plain text']) {
		const ids = text.encode(sentence);
		assert.ok(!ids.includes(unknown ?? -1), sentence);
		assert.equal(text.decode(ids, { skipSpecial: true }), sentence);
	}
});
