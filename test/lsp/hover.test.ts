/** Hovers: what they show, what they do not ask for, and that they can be given up. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { translationHover } from '../../server/lsp/hover.ts';
import { ProseFinder } from '../../server/lsp/prose/proseFinder.ts';
import { Translations } from '../../server/lsp/translations.ts';
import { AppError } from '../../server/protocol/index.ts';
import { Client } from '../../server/protocol/routeClient.ts';

/** A translator that writes capitals and finds English, or what `language` says. */
function world(language = 'en', quality?: number) {
	const asked: string[] = [];
	let hang = false;
	const link = new Client(async (path, { body, signal }) => {
		asked.push(path.split('?')[0] ?? '');
		if (hang)
			return new Promise((_, reject) =>
				signal?.addEventListener('abort', () => reject(new AppError('cancelled'))),
			);
		const items = JSON.parse(String(body)) as { Text: string }[];
		const answer = path.startsWith('/detect')
			? items.map(() => ({ language, score: 1 }))
			: items.map(({ Text }) => ({
					translations: [{ text: Text.toUpperCase(), to: 'de', quality }],
				}));
		return Response.json(answer);
	});
	const finder = new ProseFinder();
	const translations = new Translations(link, () => undefined);
	const show = (
		text: string,
		character: number,
		options: { maxLength?: number; signal?: AbortSignal; modelsCommand?: string } = {},
	) =>
		translationHover(
			TextDocument.create('file:///a.ts', 'typescript', 1, text),
			{ line: 0, character },
			{
				to: 'de',
				maxLength: options.maxLength ?? 2000,
				displayLanguage: 'en',
				modelsCommand: options.modelsCommand,
			},
			finder,
			translations,
			options.signal ?? new AbortController().signal,
		);
	return { asked, show, hangNow: () => (hang = true) };
}

const line = 'const a = 1; // Opens the file and reads `a.ts`.';
const inComment = 20;
const shownBy = (hover: { contents: unknown } | null): string =>
	(hover?.contents as { value: string } | undefined)?.value ?? '';

test('the comment under the pointer is shown translated, and a second time without asking', async () => {
	const { asked, show } = world();
	const first = await show(line, inComment);
	assert.match(shownBy(first), /OPENS THE FILE AND READS/);
	assert.match(shownBy(first), /English → German/);
	assert.deepEqual(first?.range, {
		start: { line: 0, character: line.indexOf('//') },
		end: { line: 0, character: line.length },
	});
	const before = asked.length;
	assert.deepEqual(await show(line, inComment + 5), first);
	assert.deepEqual(
		asked.slice(before).filter((path) => path === '/translate'),
		[],
	);
});

test('a translation that its model is not sure of says so, with a way to a better one where the editor has it', async () => {
	const doubtful = world('en', 0.2);
	assert.match(
		shownBy(await doubtful.show(line, inComment)),
		/Nearglot\* · \*estimated quality 20 %\*$/,
	);
	// The second time it is known, and doubtful still.
	const linked = await doubtful.show(line, inComment, { modelsCommand: 'better' });
	assert.match(shownBy(linked), /20 %\* · \[Better model …\]\(command:better\)$/);
	const sure = await world('en', 0.8).show(line, inComment, { modelsCommand: 'better' });
	assert.match(shownBy(sure), /Nearglot\*$/);
});

test('code, single words, long texts and the own language ask for no translation', async () => {
	for (const [language, text, character, maxLength] of [
		['en', line, 8, 2000],
		['en', 'f(); // TODO', 9, 2000],
		['en', line, inComment, 10],
		['de', 'f(); // Öffnet die Datei und liest sie.', 20, 2000],
	] as const) {
		const { asked, show } = world(language);
		assert.equal(await show(text, character, { maxLength }), null, text);
		assert.ok(!asked.includes('/translate'), text);
	}
});

test('a hover that is given up ends its request', async () => {
	const { asked, show, hangNow } = world();
	hangNow();
	const stop = new AbortController();
	const shown = show(line, inComment, { signal: stop.signal });
	while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
	stop.abort();
	await assert.rejects(shown, { code: 'cancelled' });
});
