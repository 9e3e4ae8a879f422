/** Requests with as many targets, inputs, fields and parts as routes take, and more. */

import type { HostileRequest } from './holds.ts';

const list = <T>(length: number, item: (at: number) => T): T[] =>
	Array.from({ length }, (_, at) => item(at));
const fields = (count: number, name: (at: number) => string | number) =>
	Object.fromEntries(list(count, (at) => [name(at), 0]));
const post = (name: string, path: string, value: unknown): HostileRequest => ({
	name,
	path,
	body: JSON.stringify(value),
});
const chat = (name: string, more: object) =>
	post(name, '/v1/chat/completions', {
		model: 'good',
		messages: [{ role: 'user', content: 'hi' }],
		max_tokens: 2,
		...more,
	});
const inputs = (name: string, values: readonly object[]) =>
	post(name, '/translate?api-version=2026-06-06', { inputs: values });
const german = { language: 'de', script: 'Latn' };
const part = 'aaaaaaaaaaaaaaaaa';

let texts = 0;
/** A thousand texts that no daemon has translated before. */
const newTexts = () => JSON.stringify(list(1000, () => ({ Text: `A river ${texts++}.` })));
const threeTargets = '/translate?api-version=3.0&from=en&to=de&to=fr&to=es';

/** For a model called `good`, and the built-in models. */
export const wideRequests: readonly HostileRequest[] = [
	post(
		'the same target 2,000 times',
		`/translate?api-version=3.0&from=en${'&to=de'.repeat(2000)}`,
		[{ Text: 'a' }],
	),
	post('1,000 empty texts', `/translate?api-version=3.0&from=en${'&to=de'.repeat(300)}`, [
		...list(1000, () => ({ Text: '' })),
	]),
	{
		name: '1,000 new texts with 3 targets',
		path: threeTargets,
		body: newTexts,
		patienceMs: 30_000,
	},
	{
		name: '1,000 new texts with 3 targets that nobody waits for',
		path: threeTargets,
		body: newTexts,
	},
	inputs('4,900 targets', [{ text: 'a', language: 'en', targets: list(4900, () => german) }]),
	inputs(
		'1,000 inputs with 4 targets',
		list(1000, () => ({ text: 'The file.', language: 'en', targets: list(4, () => german) })),
	),
	inputs(
		'1,000 inputs of no known language',
		list(1000, (at) => ({ text: `The file ${at} is here.`, targets: [german] })),
	),
	post('9,900 fields of a text', '/detect?api-version=3.0', [fields(9900, (at) => at * 7919)]),
	post(
		'1,000 texts of different shapes',
		'/translate?api-version=3.0&from=en&to=de',
		list(1000, (at) => ({ Text: 'a', ...fields(8, (name) => `K${at}x${name}`) })),
	),
	chat(
		'19,000 fields with numbers for names',
		fields(19_000, (at) => at * 7),
	),
	chat('19,000 objects of one field', {
		x: list(19_000, (at) => fields(1, () => `k${at}`)),
	}),
	chat('99,000 empty objects', { x: list(99_000, () => ({})) }),
	chat('390,000 parts', { messages: [{ role: 'user', content: list(390_000, () => part) }] }),
	chat('9,900 parts', { messages: [{ role: 'user', content: list(9900, () => part) }] }),
	post(
		'200,000 fields of a download',
		'/openai/download',
		fields(200_000, (at) => `k${at}`),
	),
	post(
		'5,000 syllables of Japanese',
		'/transliterate?api-version=3.0&language=ja&fromScript=Jpan&toScript=Latn',
		[{ Text: 'ア'.repeat(5000) }],
	),
];
