/** Translators elsewhere stand before the same gate as models here. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostedAddress } from '../../../server/remote/hostedAddress.ts';
import type { HostedRequest, HostedTranslator } from '../../../server/remote/hostedTranslator.ts';
import { translateRemotely } from '../../../server/services/translate/translateRemote.ts';
import type { TranslateRequest } from '../../../server/services/translate/translateRequest.ts';

const request: TranslateRequest = {
	texts: [],
	targets: [{ language: 'de' }],
	source: 'en',
	textType: 'plain',
	allowFallback: true,
	profanityAction: 'NoAction',
	profanityMarker: 'Asterisk',
	alignment: false,
	priority: 'interactive',
	owner: 'a',
};

async function through(
	answer: (text: string) => string,
	more: Partial<TranslateRequest>,
): Promise<{ texts: (string | undefined)[]; refused: number; asked: HostedRequest[] }> {
	const asked: HostedRequest[] = [];
	const translator: HostedTranslator = {
		address: hostedAddress(undefined, undefined),
		translate: async (one) => {
			asked.push(one);
			const rows = one.texts.map((text) => ({
				translations: one.to.map((to) => ({ text: answer(text), to })),
			}));
			return { rows, systems: [] };
		},
	};
	const { items, refused } = await translateRemotely(translator, { ...request, ...more });
	return { texts: items.map(({ translations }) => translations[0]?.text), refused, asked };
}

/** Upper case, but for tags and references. */
const shout = (text: string) =>
	text.replace(/(<[^<>]*>|&\w+;)|[^<&]+/g, (all, fixed?: string) => fixed ?? all.toUpperCase());

test('what keeps its marks is asked for once', async () => {
	const html = '<p>Click <b>Save</b> now.</p>';
	const { texts, asked, refused } = await through(shout, { texts: [html], textType: 'html' });
	assert.deepEqual([texts, asked.length, refused], [['<p>CLICK <b>SAVE</b> NOW.</p>'], 1, 0]);
});

test('tags that were emptied or lost are put around their words again, part by part', async () => {
	const emptied = (text: string) =>
		shout(text)
			.replace(/<b>([^<]*)<\/b>/g, '<b></b>$1')
			.replace(/<\/?span[^>]*>/g, '');
	const { texts, refused } = await through(emptied, {
		texts: ['<p>Click <b>Save</b> now.</p>', '<p>Fine</p>'],
		textType: 'html',
	});
	assert.deepEqual(texts, ['<p>CLICK <b>SAVE</b> NOW.</p>', '<p>FINE</p>']);
	assert.equal(refused, 0);
});

test('around a placeholder that is lost the words are translated alone; without any the text stays', async () => {
	const losing = (text: string) =>
		shout(text)
			.replace(/<span class="notranslate">[^<]*<\/span>/g, '')
			.replace(/\{\w+\}/g, '')
			.replace('NEVER THIS', '');
	const one = 'Hello {name}. All is well.';
	const { texts, refused } = await through(losing, {
		texts: [one, 'Hi {name}', 'Fine', 'Never this'],
	});
	assert.deepEqual(texts, ['HELLO {name}. ALL IS WELL.', 'HI {name}', 'FINE', 'Never this']);
	assert.equal(refused, 1);
});

test('prescribed terms and marks of profanity are the translator’s own', async () => {
	const { texts, asked } = await through(() => '<profanity>DAS</profanity> Wort', {
		texts: ['The <mstrans:dictionary translation="Wort">word</mstrans:dictionary>'],
	});
	assert.deepEqual([texts, asked.length], [['<profanity>DAS</profanity> Wort'], 1]);
});
