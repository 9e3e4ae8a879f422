/** Faults that are met while a server works: hubs, models, recordings, folders that change under it. */

import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { builtInModelsDir } from '../../server/daemon/machine.ts';
import { type HubFaults, startHub } from '../support/hubServer.ts';
import type { FaultHome, Said } from './faultHome.ts';
import type { Fault } from './faults.ts';

const content = {
	'config.json': Buffer.from('{"model_type":"llama"}'),
	'tokenizer.json': Buffer.from('{}'),
	'onnx/model_q4.onnx': Buffer.alloc(300_000, 7),
};

type HubFault = readonly [name: string, names: string, faults: HubFaults];

const list = (status: number, body = '{}', headers: Record<string, string> = {}): HubFaults => ({
	onList: (_request, response) => {
		response.writeHead(status, headers).end(body);
		return true;
	},
});
const file = (answer: (response: ServerResponse) => void): HubFaults => ({
	onFile: (_request, response, path) => {
		if (!path.endsWith('.onnx')) return false;
		answer(response);
		return true;
	},
});

const hubFaults: readonly HubFault[] = [
	['the hub does not know the model', 'acme/tiny', list(404)],
	['the hub wants a token', 'acme/tiny', list(401)],
	['the hub refuses the token', 'acme/tiny', list(403)],
	['the hub answers with a page', 'acme/tiny', list(200, '<html>')],
	['the hub answers with null', 'acme/tiny', list(200, 'null')],
	['the hub is broken', 'acme/tiny', list(503)],
	['the hub asks to wait an hour', 'acme/tiny', list(429, '', { 'retry-after': '3600' })],
	...['file:///etc/passwd', 'http://10.0.0.1/x'].map(
		(location): HubFault => [
			`the hub sends on to ${location}`,
			'refused',
			list(302, '', { location }),
		],
	),
	['the hub sends on to nowhere', 'http://[', list(302, '', { location: 'http://[' })],
	['the hub has no such file', '.onnx', file((response) => response.writeHead(404).end())],
	['the hub knows no ranges', '.onnx', file((response) => response.writeHead(416).end())],
	['files arrive damaged', '.onnx', file((response) => response.end(Buffer.alloc(300_000, 8)))],
];

const hubs: Fault = {
	name: 'hubs',
	act: async (home) => {
		await using hub = await startHub(content);
		const ask = await home.serve({ env: { HF_ENDPOINT: hub.url } });
		const said: Said[] = [];
		for (const [name, names, faults] of hubFaults) {
			hub.faults = faults;
			said.push(
				judged(name, names, await ask('/nearglot/models/download', { model: 'acme/tiny' })),
			);
		}
		return joined(said);
	},
	names: '',
};

const deadHubs: readonly Fault[] = ['http://127.0.0.1:9', 'no address'].map((HF_ENDPOINT) => ({
	name: `the hub is ${HF_ENDPOINT}`,
	act: (home) => home.run(['models', 'pull', 'acme/tiny'], { env: { HF_ENDPOINT } }),
	names: HF_ENDPOINT,
}));

/** What was said of one of several faults, with what is wrong with it. */
function judged(name: string, names: string, { message, done }: Said): Said {
	if (done) return { message: `${name}: it was not noticed (undefined)`, done };
	const missing = message.includes(names) ? '' : ` (undefined: ${names} is not named in ${name})`;
	return { message: `${message}${missing}`, done };
}

const joined = (said: readonly Said[]): Said => ({
	message: said.map(({ message }) => message).join('\nnearglot serve: '),
	done: said.some(({ done }) => done),
});

const starter = join(builtInModelsDir() ?? '', 'starter-chat');

/** Files of a model, and what becomes of them. */
const damages: Readonly<Record<string, (folder: string) => void>> = {
	config: (folder) => writeFileSync(join(folder, 'config.json'), '{"a":'),
	tokenizer: (folder) => writeFileSync(join(folder, 'tokenizer.json'), '{"a":'),
	template: (folder) => writeFileSync(join(folder, 'tokenizer_config.json'), '{"a":'),
	untold: (folder) => rmSync(join(folder, 'tokenizer.json')),
	graph: (folder) =>
		writeFileSync(join(folder, 'onnx', 'model_quantized.onnx'), Buffer.alloc(100, 8)),
	empty: (folder) => writeFileSync(join(folder, 'onnx', 'model_quantized.onnx'), ''),
};

/** What is said of a recording names its form. */
const recordings: readonly (readonly [names: string, content: string])[] = [
	['empty', ''],
	['text', 'this is no recording at all'],
	['WAV', 'RIFF....WAVEfmt '],
];

const models: Fault = {
	name: 'models and recordings',
	act: async (home) => {
		for (const [name, damage] of Object.entries(damages)) {
			const folder = join(home.data, 'models', `mine-${name}`);
			cpSync(starter, folder, { recursive: true });
			damage(folder);
		}
		const ask = await home.serve();
		const said: Said[] = [];
		const messages = [{ role: 'user', content: 'hello' }];
		for (const name of [...Object.keys(damages).map((damage) => `mine-${damage}`), 'nothing']) {
			const answer = await ask('/v1/chat/completions', { model: name, messages });
			// The tokenizer is read by the model's own process.
			said.push(judged(name, name === 'mine-tokenizer' ? 'tokenizer.json' : name, answer));
		}
		for (const [names, content] of recordings) {
			const form = new FormData();
			form.append('model', 'starter-speech');
			form.append('file', new Blob([content]), 'recording');
			said.push(judged(names, names, await ask('/v1/audio/transcriptions', form)));
		}
		return joined(said);
	},
	names: '',
};

const commands: readonly Fault[] = [
	{
		name: 'a file that does not fit on the disk',
		act: async (home) => {
			await using hub = await startHub(content);
			const env = { HF_ENDPOINT: hub.url };
			return await home.run(['models', 'pull', 'acme/tiny'], { env, fileBlocks: 400 });
		},
		names: 'model_q4.onnx',
	},
	{
		name: 'a folder that is no model',
		act: (home) => home.run(['models', 'info', home.dir('empty')]),
		names: 'empty',
	},
	{
		name: 'a recording that is not there',
		act: (home) => home.run(['transcribe', 'missing.wav']),
		names: 'missing.wav',
	},
	{
		name: 'a translation to a folder that is not there',
		act: (home) =>
			home.run(['translate', '--to', 'de', home.file('a.txt', 'hello'), '--out', 'none/b.txt']),
		names: 'none',
	},
];

/** Requests that one server is asked one after the other: what is wrong, what it must name, and the request. */
const requests: readonly (readonly [
	name: string,
	names: string,
	path: string,
	body: (home: FaultHome) => unknown,
])[] = [
	['an import of nothing', 'none', 'import', (home) => ({ path: join(home.folder, 'none') })],
	['an import of a text', 'text', 'import', (home) => ({ path: home.file('text') })],
	['an import of a damaged archive', 'archive', 'import', (home) => ({ path: home.file('a.zip') })],
	['a folder that is a file', 'text', 'register', (home) => ({ folder: home.file('text') })],
	[
		'a folder that is not there',
		'none',
		'register',
		(home) => ({ folder: join(home.folder, 'none') }),
	],
	['a move to a file', 'text', 'move', (home) => ({ folder: home.file('text') })],
	['a move below a file', 'text', 'move', (home) => ({ folder: `${home.file('text')}/x` })],
	['a move to a relative folder', 'models', 'move', () => ({ folder: 'models' })],
	['a move to a disk', '/proc', 'move', () => ({ folder: '/proc/nearglot' })],
	['a built-in model removed', 'starter-chat', 'remove', () => ({ model: 'starter-chat' })],
	[
		'an import into a read-only folder',
		'models',
		'import',
		() => ({ path: starter, name: 'other' }),
	],
	['a removal from a read-only folder', 'mine', 'remove', () => ({ model: 'mine' })],
	['a choice that cannot be kept', 'models.json', 'pin', () => ({ model: 'mine', pinned: true })],
	[
		'a move that cannot be kept',
		'models.json',
		'move',
		(home) => ({ folder: join(home.dir('own'), 'x') }),
	],
	['an upload without a file', 'file', '/v1/audio/transcriptions', () => ({})],
	['a chat without messages', 'messages', '/v1/chat/completions', () => ({ model: 'mine' })],
];

const served: Fault = {
	name: 'requests of one server',
	act: async (home) => {
		cpSync(starter, join(home.dir('data/models'), 'mine'), { recursive: true });
		home.dir('data/models');
		home.dir('data/models/mine');
		const ask = await home.serve({ plainUser: true });
		const said: Said[] = [];
		for (const [name, names, path, body] of requests) {
			if (name.includes('read-only')) chmodSync(join(home.data, 'models'), 0o500);
			if (name.includes('cannot be kept')) {
				chmodSync(join(home.data, 'models'), 0o700);
				chmodSync(home.data, 0o500);
			}
			const route = path.startsWith('/') ? path : `/nearglot/models/${path}`;
			said.push(judged(name, names, await ask(route, body(home))));
			chmodSync(home.data, 0o700);
		}
		return joined(said);
	},
	names: '',
};

export const workFaults: readonly Fault[] = [served, hubs, models, ...deadHubs, ...commands];
