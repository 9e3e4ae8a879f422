/** Faults of files, folders, rights, disks and ports that a command meets before any model is asked. */

import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FaultHome, RunOptions } from './faultHome.ts';
import type { Fault } from './faults.ts';

const models = ['models', 'list'];
const terms = fileURLToPath(new URL('../fixtures/terms.tsv', import.meta.url));
const keys = ['keys', 'create', 'label'];
const layer = (home: FaultHome, args: string[], options: RunOptions = {}) =>
	home.run(args, { ...options, env: { GITHUB_SECRET: '0123456789abcdef' } });
const gateway = (...more: string[]) => [
	'gateway',
	'--upstream',
	'http://127.0.0.1:9',
	'--port',
	'0',
	...more,
];

/** The smallest settings of a sign-in layer. */
const auth = JSON.stringify({
	globalValidation: { unauthenticatedClientAction: 'Return401' },
	identityProviders: {
		gitHub: { registration: { clientId: 'a', clientSecretSettingName: 'GITHUB_SECRET' } },
	},
	'x-gateway': { publicUrl: 'http://127.0.0.1:8000', store: { path: 'sessions.db' } },
});

export const startFaults: readonly Fault[] = [
	...['daemon.lock', 'endpoint.json', 'daemon.sock', 'models.json', 'models.json.lock'].map(
		(name): Fault => ({
			name: `${name} is a folder`,
			act: async (home) => {
				home.dir(`data/${name}/x`);
				const said = await home.run(
					name.startsWith('models') ? ['models', 'pin', 'starter-chat'] : models,
				);
				return said;
			},
			names: name.replace(/\.lock$/, ''),
		}),
	),
	{
		name: 'daemon.log is a folder',
		act: async (home) => {
			home.dir('data/daemon.log');
			return home.run(models);
		},
		names: 'daemon.log',
	},
	{
		name: 'the data folder is a file',
		act: (home) => home.run(models, { env: { NEARGLOT_HOME: home.file('file') } }),
		names: 'file',
	},
	{
		name: 'the data folder lies below a file',
		act: (home) => home.run(keys, { env: { NEARGLOT_HOME: `${home.file('file')}/data` } }),
		names: 'file',
	},
	{
		name: 'the data folder is relative',
		act: (home) => home.run(models, { env: { NEARGLOT_HOME: 'data' } }),
		names: 'NEARGLOT_HOME',
	},
	{
		name: 'there is no home',
		act: (home) => home.run(models, { env: { NEARGLOT_HOME: '', HOME: '', XDG_DATA_HOME: '' } }),
		names: 'HOME',
	},
	...[
		models,
		keys,
		['doctor'],
		['systems', 'add', 'c', '--from', 'en', '--to', 'de', '--glossary', terms],
	].map(
		(args): Fault => ({
			name: `${args[0]} in a data folder that is read-only`,
			act: (home) => {
				home.dir('data', 0o500);
				return home.run(args, { plainUser: true });
			},
			names: 'data',
		}),
	),
	...[keys, models, ['serve', '--port', '0']].map(
		(args): Fault => ({
			name: `${args[0]} where no file may be longer than nothing`,
			act: (home) => home.run(args, { fileBlocks: 0 }),
			names: 'data',
		}),
	),
	{
		name: 'the file of keys is damaged',
		act: async (home) => {
			await home.run(keys);
			home.file('data/keys.db', 'no database '.repeat(1000));
			return home.run(['keys', 'list']);
		},
		names: 'keys.db',
	},
	{
		name: 'the file of keys is gone',
		act: async (home) => {
			home.file('data/keys.db.made');
			return home.run(['keys', 'list']);
		},
		names: 'keys.db',
	},
	{
		name: 'the file of keys is a folder',
		act: (home) => {
			home.dir('data/keys.db');
			return home.run(keys);
		},
		names: 'keys.db',
	},
	{
		name: 'the file of keys may not be read',
		act: (home) => {
			home.file('data/keys.db', '', 0o000);
			return home.run(['keys', 'list'], { plainUser: true });
		},
		names: 'keys.db',
	},
	{
		name: 'the port is in use',
		act: async (home) => {
			const server = createServer().listen(0, '127.0.0.1');
			await new Promise((resolve) => server.once('listening', resolve));
			const { port } = server.address() as { port: number };
			const said = await home.run(['serve', '--port', String(port)]);
			server.close();
			return said;
		},
		names: 'Port',
	},
	{
		name: 'the address is none of this machine',
		act: (home) => home.run(['serve', '--port', '0', '--host', '203.0.113.7', '--require-key']),
		names: '203.0.113.7',
	},
	...['missing.jinja', 'folder'].map(
		(file): Fault => ({
			name: `the chat template is ${file}`,
			act: (home) => {
				home.dir('folder');
				return home.run(['serve', '--port', '0', '--chat-template', file]);
			},
			names: file,
		}),
	),
	{
		name: 'the settings of the sign-in layer are missing',
		act: (home) => layer(home, gateway('--config', 'none.json')),
		names: 'none.json',
	},
	{
		name: 'the settings of the sign-in layer are no JSON',
		act: (home) => layer(home, gateway('--config', home.file('auth.json'))),
		names: 'auth.json',
	},
	{
		name: 'the settings of the sign-in layer are a folder',
		act: (home) => layer(home, gateway('--config', home.dir('auth.json'))),
		names: 'auth.json',
	},
	{
		name: 'the session store is something else',
		act: (home) => {
			home.file('sessions.db', 'x'.repeat(4096));
			return layer(home, gateway('--config', home.file('auth.json', auth)));
		},
		names: 'sessions.db',
	},
	{
		name: 'the session store is a folder',
		act: (home) => {
			home.dir('sessions.db');
			return layer(home, gateway('--config', home.file('auth.json', auth)));
		},
		names: 'sessions.db',
	},
	{
		name: 'the folder of the sign-in layer is read-only',
		act: (home) => {
			const config = home.file('layer/auth.json', auth);
			home.dir('layer', 0o500);
			return layer(home, gateway('--config', config), { plainUser: true });
		},
		names: 'layer',
	},
	{
		name: 'the keys of the sign-in layer are a folder',
		act: (home) => {
			home.dir('gateway-keys.json');
			return layer(home, gateway('--config', home.file('auth.json', auth)));
		},
		names: 'gateway-keys.json',
	},
	{
		name: 'the sign-in layer may write nothing',
		act: (home) =>
			layer(home, gateway('--config', home.file('auth.json', auth)), { fileBlocks: 0 }),
		names: 'gateway-keys.json',
	},
];
