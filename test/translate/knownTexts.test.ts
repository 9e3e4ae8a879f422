/** What is looked up before a model is asked. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { cldrText } from '../../server/translate/cldrNames.ts';
import { uiLabel } from '../../server/translate/uiLabels.ts';

test('months, days, languages and numbers with units come from CLDR', () => {
	assert.equal(cldrText('January', 'en', 'de'), 'Januar');
	assert.equal(cldrText('Monday', 'en', 'fr'), 'lundi');
	assert.equal(cldrText('Montag', 'de', 'en'), 'Monday');
	assert.equal(cldrText('Japanese', 'en', 'es'), 'japonés');
	assert.equal(cldrText('5 minutes', 'en', 'pl'), '5 minut');
	assert.equal(cldrText('1 hour', 'en', 'de'), '1 Stunde');
	for (const text of ['Januaries', 'minutes', '5 minuets', 'constructor', '5'])
		assert.equal(cldrText(text, 'en', 'de'), undefined, text);
	assert.equal(cldrText('January', 'en', 'no such code'), undefined);
});

test('labels of user interfaces are in four languages', () => {
	assert.equal(uiLabel('Status', 'en', 'de'), 'Status');
	assert.equal(uiLabel('Save as…', 'en', 'de'), 'Speichern unter…');
	assert.equal(uiLabel('Password:', 'en', 'fr'), 'Mot de passe\u00a0:');
	assert.equal(uiLabel('Log in', 'en', 'es'), 'Iniciar sesión');
	assert.equal(uiLabel('Save As…', 'en', 'de'), 'Speichern unter…');
	assert.equal(uiLabel('Page Setup', 'en', 'fr'), 'Mise en page');
	assert.equal(uiLabel('Rows per page:', 'en', 'de'), 'Zeilen pro Seite:');
	assert.equal(uiLabel('Is Not Empty', 'en', 'es'), 'No está vacío');
	for (const text of ['save', 'SAVE AS', 'Constructor', '', '…', 'Save it'])
		assert.equal(uiLabel(text, 'en', 'de'), undefined, text);
	assert.equal(uiLabel('Save', 'en', 'it'), undefined);
	assert.equal(uiLabel('Save', 'de', 'en'), undefined);
});

test('the tables hold 1,000 labels, each once and in every language', async () => {
	const labels = new Set<string>();
	for (const name of [
		'uiLabels',
		'settingLabels',
		'commandLabels',
		'wordLabels',
		'laterWordLabels',
		'viewLabels',
	]) {
		const source = await readFile(`server/translate/${name}.ts`, 'utf8');
		for (const [line] of source.matchAll(/^[A-Z][^`|\n]*(?:\|[^|\n]*){3}$/gm)) {
			const [label = '', ...others] = line.split('|');
			assert.ok(!labels.has(label), `${label} stands there twice`);
			labels.add(label);
			for (const [column, to] of ['de', 'fr', 'es'].entries())
				assert.equal(uiLabel(label, 'en', to), others[column], label);
			assert.ok(others.length === 3 && others.every((one) => one.trim() !== ''), label);
		}
	}
	assert.ok(labels.size >= 1000, `${labels.size}`);
});
