/** What `/` offers in a chat is said in the language of the editor. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { slashCommands } from '../../../server/protocol/index.ts';
import { desk, resetDesk } from '../vscodeDouble.ts';

const { ChatMentions } = await import('../../../extension/chat/chatMentions.ts');
const l10n = join(import.meta.dirname, '..', '..', '..', 'l10n');

beforeEach(resetDesk);

test('every command says what it does, in every language, and in no words for a model', async () => {
	const english = await new ChatMentions().offer('/');
	assert.deepEqual(
		english.map(({ label }) => label),
		[...slashCommands.keys(), 'translate'].map((name) => `/${name}`),
	);
	for (const language of ['de', 'fr', 'es']) {
		desk.texts = JSON.parse(readFileSync(join(l10n, `bundle.l10n.${language}.json`), 'utf8'));
		const offered = await new ChatMentions().offer('/');
		for (const [at, { label, detail }] of offered.entries()) {
			assert.ok(detail !== '' && detail !== english[at]?.detail, `${language}: ${label}`);
		}
	}
});
