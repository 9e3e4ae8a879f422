/** Language identification and sentence splitting on labelled sentences that lie beside the repository. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { detectLanguage } from '../../server/translate/detect.ts';
import { splitSentences } from '../../server/translate/sentences.ts';
import { sharedFolder } from '../support/sharedData.ts';

const { path: folder, skip } = sharedFolder('eval');

function pairs(name: string): [string, string][] {
	return readFileSync(join(folder, name), 'utf8')
		.split('\n')
		.filter((line) => line.includes('\t'))
		.map((line) => line.split('\t') as [string, string]);
}

test('languages of 7,500 sentences, long and short', { skip }, async () => {
	for (const [set, least] of [
		['flores-dev', 0.99],
		['tatoeba1000', 0.95],
	] as const) {
		let right = 0;
		let all = 0;
		const count = async (text: string, language: string) => {
			all++;
			if ((await detectLanguage(text)).language === language) right++;
		};
		for (const language of ['de', 'es', 'fr']) {
			const rows = pairs(`${set}.en-${language}.tsv`);
			for (const [english, other] of rows) {
				if (language === 'de') await count(english, 'en');
				await count(other, language);
			}
		}
		assert.ok(right / all >= least, `${set}: ${right} of ${all}`);
	}
});

test('two joined sentences come apart where they were joined', { skip }, () => {
	for (const language of ['de', 'es', 'fr', 'en']) {
		const rows = pairs(`flores-dev.en-${language === 'en' ? 'de' : language}.tsv`).map(
			([english, other]) => (language === 'en' ? english : other).trim(),
		);
		let right = 0;
		let all = 0;
		for (let index = 0; index + 1 < rows.length; index += 2) {
			const first = rows[index] ?? '';
			const second = rows[index + 1] ?? '';
			// Some rows hold two sentences themselves; those say nothing.
			if (!/[.!?]$/.test(first) || /[.!?:][”"»)]?\s/.test(first) || /[.!?:][”"»)]?\s/.test(second))
				continue;
			all++;
			const spans = splitSentences(`${first} ${second}`, language);
			if (spans.length === 2 && spans[0]?.[1] === first.length + 1) right++;
		}
		assert.ok(all > 150 && right / all > 0.97, `${language}: ${right} of ${all}`);
	}
});
