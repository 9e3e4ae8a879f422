/**
 * `npm run bench -- hostile [--only NAME] [--size N]`: how the time of every reader grows with hostile
 * input, and how long requests with it hold up the event loop of a real daemon. Exit code 1 when
 * something grows faster than its input or holds the loop for longer than {@link maxHoldMs}.
 */

import { parseArgs } from 'node:util';
import { audioCases } from '../../test/hostile/audio.ts';
import { documentCases, hostileDocuments, missingCases } from '../../test/hostile/documents.ts';
import { growthOf, type HostileCase, maxGrowth } from '../../test/hostile/growth.ts';
import { hostileMarkup, textCases } from '../../test/hostile/requests.ts';
import { hostileTexts } from '../../test/hostile/texts.ts';
import { type HostileRequest, holdsOf, maxHoldMs } from './holds.ts';
import { modelRequests } from './models.ts';

/** Lists of readers; each item is a name, an input of about `n` units, and what reads it. */
const readers: Readonly<Record<string, readonly HostileCase[]>> = {
	documents: documentCases,
	'message files': missingCases,
	texts: textCases,
	recordings: audioCases,
};

const translated = { 'api-version': '3.0', from: 'en', to: 'en' };

/** Requests of about `size` characters. */
function requestsOf(size: number): Readonly<Record<string, readonly HostileRequest[]>> {
	const texts = Math.min(size, 50_000);
	const text = (route: string, query: Readonly<Record<string, string>>) =>
		hostileTexts.map(({ name, make }) => ({
			name,
			path: `/${route}?${new URLSearchParams(query)}`,
			body: JSON.stringify([{ Text: make(texts).slice(0, texts) }]),
		}));
	return {
		'/documents/translate': hostileDocuments.map(({ fileName, name, make }) => ({
			name: `${fileName}: ${name}`,
			path: '/documents/translate',
			body: JSON.stringify({ fileName, text: make(size), to: 'de', from: 'en' }),
		})),
		'/translate': text('translate', translated),
		'/translate of HTML': hostileMarkup.map(({ name, make }) => ({
			name,
			path: `/translate?${new URLSearchParams({ ...translated, textType: 'html' })}`,
			body: JSON.stringify([{ Text: make(texts).slice(0, texts) }]),
		})),
		'/detect': text('detect', { 'api-version': '3.0' }),
		'/breaksentence': text('breaksentence', { 'api-version': '3.0', language: 'en' }),
		'files of models': modelRequests(),
		'large bodies': [
			{
				name: '20 MB of ordinary text',
				path: '/documents/translate',
				body: JSON.stringify({
					fileName: 'a.txt',
					text: 'Some words of an ordinary text that nobody meant any harm with.\n\n'.repeat(
						310_000,
					),
					to: 'en',
					from: 'en',
				}),
			},
			{ name: '8 MB of brackets', path: '/v1/chat/completions', body: '['.repeat(8_000_000) },
			{
				name: '8 MB of numbers',
				path: '/v1/chat/completions',
				body: `[${'0,'.repeat(3_990_000)}0]`,
			},
		],
	};
}

export async function runHostile(args: string[]): Promise<number> {
	const { values } = parseArgs({
		args,
		options: { only: { type: 'string', default: '' }, size: { type: 'string', default: '200000' } },
	});
	const isWanted = (name: string) => name.includes(values.only);
	let faults = 0;
	console.log('Growth when the input doubles, at most:');
	for (const [list, cases] of Object.entries(readers)) {
		if (!isWanted(list)) continue;
		let worst = { ratio: 0, name: 'all too fast to tell' };
		for (const one of cases) {
			const growth = await growthOf(one, { from: 16_000, to: 64_000, minMs: 40 });
			if (!growth) continue;
			if (growth.ratio > worst.ratio) worst = { ratio: growth.ratio, name: one.name };
			if (growth.ratio <= maxGrowth) continue;
			faults++;
			const { smallMs, largeMs, n } = growth;
			console.log(`  FAULT ${one.name}: ${smallMs} → ${largeMs} ms from ${n} units`);
		}
		const ratio = worst.ratio.toFixed(2);
		console.log(
			`  ${list.padEnd(24)} ${String(cases.length).padStart(5)} inputs  ×${ratio}  ${worst.name}`,
		);
	}
	console.log('\nLongest hold of the daemon’s loop (its own computing):');
	for (const [list, requests] of Object.entries(requestsOf(Number(values.size)))) {
		if (!isWanted(list)) continue;
		const { longestMs, slow } = await holdsOf(requests);
		faults += slow.length;
		const sum = `${String(requests.length).padStart(5)} requests  ${longestMs.toFixed(0)} ms`;
		console.log(`  ${list.padEnd(24)} ${sum}`);
		for (const { name, ms } of slow) console.log(`  FAULT ${list} ${name}: ${ms.toFixed(0)} ms`);
	}
	console.log(
		faults === 0 ? `\nNothing holds the loop longer than ${maxHoldMs} ms.` : `\n${faults} faults.`,
	);
	return faults === 0 ? 0 : 1;
}
