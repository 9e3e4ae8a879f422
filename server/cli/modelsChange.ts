/** `nearglot models load|unload|remove|pin|unpin|add|import|refresh`: short calls of the daemon. */

import { findDaemon, findOrStartDaemon } from '../daemon/client.ts';
import type { ModelInfo } from '../protocol/index.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';

type Run = (args: readonly string[], io: CommandIo) => Promise<number>;

function one(positionals: readonly string[], what: string): string {
	const [first, ...more] = positionals;
	if (first === undefined || more.length > 0) throw new UsageError(`It takes one ${what}.`);
	return first;
}

export const loadModel: Run = async (args, io) => {
	const options = readArgs(args, {
		ttl: { type: 'string' },
		ep: { type: 'string' },
		keep: { type: 'boolean' },
	});
	const name = one(options.positionals, 'model');
	const query = new URLSearchParams();
	const ttl = options.integer('ttl', 0, 30 * 86_400);
	const ep = options.text('ep');
	if (ttl !== undefined) query.set('ttl', String(ttl));
	if (ep !== undefined) query.set('ep', ep);
	if (options.has('keep')) query.set('unload', 'false');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	await daemon.get(`/models/load/${encodeURIComponent(name)}?${query}`, io.signal);
	io.stdout.write(`${name} is loaded.\n`);
	return 0;
};

export const unloadModel: Run = async (args, io) => {
	const options = readArgs(args, { force: { type: 'boolean' }, all: { type: 'boolean' } });
	const force = options.has('force') ? '?force=true' : '';
	const daemon = await findDaemon(io.env);
	if (options.has('all')) {
		if (options.positionals.length > 0) throw new UsageError('--all takes no model.');
		await daemon?.request(`/openai/unloadall${force}`, { signal: io.signal });
		io.stdout.write('No model is in memory.\n');
		return 0;
	}
	const name = one(options.positionals, 'model');
	if (daemon === undefined) {
		io.stdout.write(`${name} is not loaded: no daemon is running.\n`);
		return 0;
	}
	const answer = await daemon.get(`/models/unload/${encodeURIComponent(name)}${force}`, io.signal);
	const gone = (answer as { status: string }).status === 'unloaded';
	io.stdout.write(`${name} ${gone ? 'is unloaded' : 'was not loaded'}.\n`);
	return 0;
};

/** A command that posts `{key: argument, …fixed}` and prints a line made of the answer. */
function posting(
	path: string,
	key: string,
	what: string,
	fixed: Readonly<Record<string, unknown>>,
	line: (name: string, answer: Record<string, unknown>) => string,
): Run {
	return async (args, io) => {
		const options = readArgs(args, path === 'import' ? { name: { type: 'string' } } : {});
		const name = one(options.positionals, what);
		const rename = options.text('name');
		const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
		const response = await daemon.post(
			`/nearglot/models/${path}`,
			{ [key]: name, ...fixed, ...(rename === undefined ? {} : { name: rename }) },
			io.signal,
		);
		io.stdout.write(`${line(name, (await response.json()) as Record<string, unknown>)}\n`);
		return 0;
	};
}

const idOf = (value: unknown) => (value as ModelInfo).id;

export const removeModel = posting(
	'remove',
	'model',
	'model',
	{},
	(_name, answer) => `${idOf(answer['removed'])} is removed.`,
);

export const pinModel = posting(
	'pin',
	'model',
	'model',
	{ pinned: true },
	(name) => `${name} stays loaded once it is.`,
);

export const unpinModel = posting(
	'pin',
	'model',
	'model',
	{ pinned: false },
	(name) => `${name} may be unloaded when unused.`,
);

export const addFolder = posting('register', 'folder', 'folder', {}, (name, answer) => {
	const models = answer['models'] as ModelInfo[];
	return `${name} is used in place: ${models.map(idOf).join(', ')}.`;
});

export const dropFolder = posting(
	'unregister',
	'folder',
	'folder',
	{},
	(name) => `${name} is not used any more; its files stay.`,
);

export const moveFolder = posting(
	'move',
	'folder',
	'folder',
	{},
	(_name, answer) => `The models are in ${String(answer['location'])} now.`,
);

export const importModel = posting(
	'import',
	'path',
	'folder or archive',
	{},
	(_name, answer) => `${idOf(answer['model'])} is imported.`,
);

/** `models draft NAME DRAFT`, or `models draft NAME none`. */
export const draftModel: Run = async (args, io) => {
	const options = readArgs(args, {});
	const [name, draft, ...more] = options.positionals;
	if (name === undefined || draft === undefined || more.length > 0)
		throw new UsageError('models draft takes a model and its draft model, or none.');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	await daemon.post(
		'/nearglot/models/draft',
		{ model: name, draft_model: draft === 'none' ? null : draft },
		io.signal,
	);
	io.stdout.write(
		draft === 'none'
			? `${name} has no draft model.\n`
			: `${draft} drafts for ${name} from its next load on.\n`,
	);
	return 0;
};

export const refreshCatalogue: Run = async (args, io) => {
	const options = readArgs(args, {});
	if (options.positionals.length > 0) throw new UsageError('models refresh takes no argument.');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const response = await daemon.post('/nearglot/models/refresh', {}, io.signal);
	const { failures } = (await response.json()) as { failures: string[] };
	for (const failure of failures) io.stderr.write(`${failure}\n`);
	io.stdout.write(
		failures.length === 0
			? 'The catalogue is up to date.\n'
			: `The catalogue is refreshed, except for ${failures.length} repositories.\n`,
	);
	return failures.length === 0 ? 0 : 1;
};
