/** What the language server sends to a translator for the features of the editor. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Translations } from '../../server/lsp/translations.ts';
import { Client } from '../../server/protocol/routeClient.ts';
import { parseGlossary } from '../../server/translate/workspaceGlossary.ts';

const signal = new AbortController().signal;

/** A translator that gives texts back with the language it was told, and takes `le` for French. */
function world() {
	const asked: { from: string | null; texts: string[] }[] = [];
	const answer = (path: string, body: unknown) => {
		const texts = (JSON.parse(String(body)) as { Text: string }[]).map(({ Text }) => Text);
		const language = (text: string) => (/\ble\b/.test(text) ? 'fr' : 'en');
		if (path.startsWith('/detect'))
			return texts.map((text) => ({ language: language(text), score: 1 }));
		const from = new URL(path, 'http://here').searchParams.get('from');
		asked.push({ from, texts });
		return texts.map((text) => ({
			translations: [{ text: `[${from ?? '?'}] ${text}`, to: 'de' }],
			...(from === null ? { detectedLanguage: { language: language(text), score: 1 } } : {}),
		}));
	};
	const link = new Client(async (path, { body }) => Response.json(answer(path, body)));
	return { link, asked };
}

test('texts with terms of the glossary are sent with their language, all in their order', async () => {
	const { link, asked } = world();
	const glossary = parseGlossary('en\tfr\tde\npassword\tle mot\tLosungswort\n');
	const translations = new Translations(link, () => glossary);
	const texts = ['A password.', 'Nothing here.', 'le mot', 'The password again.'];
	const items = await translations.translate(texts, { to: 'de', uri: 'file:///a.txt' }, signal);
	const marked = (text: string) =>
		`<mstrans:dictionary translation="Losungswort">${text}</mstrans:dictionary>`;
	assert.deepEqual(asked, [
		{ from: 'en', texts: [`A ${marked('password')}.`, `The ${marked('password')} again.`] },
		{ from: null, texts: ['Nothing here.'] },
		{ from: 'fr', texts: [marked('le mot')] },
	]);
	assert.deepEqual(
		items.map(({ text, detectedLanguage }) => [text, detectedLanguage]),
		[
			[`[en] A ${marked('password')}.`, 'en'],
			['[?] Nothing here.', 'en'],
			[`[fr] ${marked('le mot')}`, 'fr'],
			[`[en] The ${marked('password')} again.`, 'en'],
		],
	);
	// Of a language that was given nothing is detected.
	const ask = { to: 'de', from: 'en', uri: 'file:///a.txt' };
	const [item] = await translations.translate(['My password.'], ask, signal);
	assert.deepEqual(item, { text: `[en] My ${marked('password')}.` });
});
