/** Placeholders that must come through: printf conversions among them, as gettext checks them. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
	sameConversions,
	samePlaceholders,
} from '../../../server/translate/documents/placeholders.ts';
import { extractPo } from '../../../server/translate/documents/poDocument.ts';
import { translatePieces } from '../../../server/translate/documents/translateDocument.ts';
import { mergeSpans, protectedSpans } from '../../../server/translate/protect.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { type Random, seeded } from '../random.ts';

const found = (text: string) => mergeSpans(protectedSpans(text)).map(([a, b]) => text.slice(a, b));

test('a doubled percent sign is kept with its number, a single one is prose', () => {
	assert.deepEqual(found('100%% done, %d files'), ['100%%', '%d']);
	assert.deepEqual(found('(%2d%%) and (100%%)'), ['%2d%%', '100%%']);
	assert.deepEqual(found('%(done)d%% of %s%%'), ['%(done)d%%', '%s%%']);
	assert.deepEqual(found('%%d is no number'), ['%%d']);
	assert.deepEqual(found('write %%ld, %%s or %%%d'), ['%%ld', '%%s', '%%', '%d']);
	assert.deepEqual(found('%%done and 5%%-ig'), ['%%', '5%%']);
	assert.deepEqual(found('It is 100% sure, 5 % more.'), []);
});

test('a lost or halved percent sign is seen', () => {
	for (const [source, lost] of [
		['100%% done, %d files', '100% gegeben, %d Dateien'],
		['(100%%)', '(100%)'],
		['%d%%', '%%%d%%'],
		['%%d', '%d'],
		['Save %%d files', '%% Dateien speichern'],
	] as const)
		assert.equal(samePlaceholders(source, lost), false, source);
	assert.ok(samePlaceholders('100% sure', '100 % sicher'));
	assert.ok(samePlaceholders('%d of %s, 100%%', '100%% von %s: %d'));
	// Arguments without a number are read in their order.
	assert.equal(sameConversions('%d of %s', '%s: %d'), false);
	assert.ok(sameConversions('%1$d of %2$s, 100%%', '100%% %2$s: %1$d'));
	assert.ok(sameConversions('%(a)s of %(b)d', '%(b)d: %(a)s'));
	assert.equal(sameConversions('%d files', '%d Dateien, 5 %'), false);
});

const parts = [
	'%d',
	'%s',
	'%5.2f',
	'%-8s',
	'%2d%%',
	'100%%',
	'%%',
	'%lu',
	'files',
	'copied',
	'of',
	'50',
	'.',
];

/** Words and conversions in any order, as authors join them. */
function format(random: Random): string {
	const count = 2 + random.below(6);
	return Array.from({ length: count }, () => random.pick(parts)).join(' ');
}

/** What translators do to conversions: turn round, lose, halve or add some. */
function mistranslated(text: string, random: Random): string {
	const words = text.split(' ');
	const at = random.below(words.length);
	const ways: (() => string[])[] = [
		() => words.toReversed(),
		() => words.toSpliced(at, 1),
		() => words.map((word) => word.replace('%%', '%')),
		() => words.toSpliced(at, 0, '%d'),
		() => words,
	];
	return random.pick(ways)().join(' ');
}

const entry = (id: string, answer: string) => `#, c-format\nmsgid "${id}"\nmsgstr "${answer}"\n`;
const header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n';

test('whatever a translator does, no message of a .po file reads other arguments', async () => {
	const random = seeded(20);
	const ids = [...new Set(Array.from({ length: 400 }, () => `copied ${format(random)}`))];
	const source = [header, ...ids.map((id) => entry(id, ''))].join('\n');
	const made = await translatePieces(
		source,
		extractPo,
		async (texts) => texts.map((text) => mistranslated(text, random)),
		'de',
	);
	assert.ok(made.refused.length > 50 && made.refused.length < ids.length);
	const rows = [...made.text.matchAll(/msgid "(.+)"\nmsgstr "(.*)"/g)];
	assert.equal(rows.length, ids.length);
	for (const [, id = '', answer = ''] of rows)
		if (answer !== '') assert.ok(sameConversions(id, answer), `${id} → ${answer}`);
});

const msgfmt = spawnSync('msgfmt', ['--version']).status === 0;
test('msgfmt --check-format finds no fault in what passes', {
	skip: msgfmt ? false : 'gettext is not installed',
}, () => {
	const folder = temporaryFolder('po');
	const random = seeded(7);
	const rows = Array.from({ length: 300 }, (_, index) => {
		const id = `copied ${index} ${format(random)}`;
		return { id, answer: mistranslated(id, random) };
	});
	const check = (chosen: typeof rows) => {
		const file = join(folder, 'de.po');
		writeFileSync(file, [header, ...chosen.map(({ id, answer }) => entry(id, answer))].join('\n'));
		return spawnSync('msgfmt', ['--check-format', '-o', '/dev/null', file], { encoding: 'utf8' });
	};
	const good = rows.filter(({ id, answer }) => sameConversions(id, answer));
	assert.ok(good.length > 30 && good.length < rows.length);
	const { status, stderr } = check(good);
	assert.equal(status, 0, stderr);
	assert.notEqual(check(rows).status, 0, 'the others have faults it finds');
});
