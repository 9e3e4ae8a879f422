/** `nearglot models load|unload|remove|pin|unpin|add|import|refresh`: short calls of the daemon. */

import { resolve } from 'node:path';
import { findDaemon, findOrStartDaemon } from '../daemon/findDaemon.ts';
import { WaitNotices } from '../hub/waitNotices.ts';
import * as routes from '../protocol/routeAddresses.ts';
import type { Input } from '../protocol/routeClient.ts';
import type { AnswerOf, RequestOf, Route } from '../protocol/routes/route.ts';
import { holdsWeights } from '../services/archivedWeights.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { hubOf } from './hubChoice.ts';
import { pausedLine, printReady, showEvents, switchOf } from './modelsEvents.ts';

type Run = (args: readonly string[], io: CommandIo) => Promise<number>;

function onlyPositional(positionals: readonly string[], what: string): string {
	const [first, ...more] = positionals;
	if (first === undefined || more.length > 0) throw new UsageError(`It takes one ${what}.`);
	return first;
}

export const loadModelCommand: Run = async (args, io) => {
	const options = readArgs(args, {
		ttl: { type: 'string' },
		ep: { type: 'string' },
		exact: { type: 'boolean' },
		keep: { type: 'boolean' },
	});
	const name = onlyPositional(options.positionals, 'model');
	const query = {
		ttl: options.integer('ttl', 0, 30 * 86_400)?.toString(),
		ep: options.text('ep'),
		exact: options.has('exact') ? 'true' : undefined,
		unload: options.has('keep') ? 'false' : undefined,
	};
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	await daemon.call(routes.loadModel, { params: { name }, query }, { signal: io.signal });
	io.stdout.write(`${name} is loaded.\n`);
	return 0;
};

export const unloadModelCommand: Run = async (args, io) => {
	const options = readArgs(args, { force: { type: 'boolean' }, all: { type: 'boolean' } });
	const query = { force: options.has('force') ? 'true' : undefined };
	const daemon = await findDaemon(io.env);
	if (options.has('all')) {
		if (options.positionals.length > 0) throw new UsageError('--all takes no model.');
		await daemon?.call(routes.unloadAllModels, { query }, { signal: io.signal });
		io.stdout.write('No model is in memory.\n');
		return 0;
	}
	const name = onlyPositional(options.positionals, 'model');
	if (daemon === undefined) {
		io.stdout.write(`${name} is not loaded: no model server is running.\n`);
		return 0;
	}
	const input = { params: { name }, query };
	const { status } = await daemon.call(routes.unloadModel, input, { signal: io.signal });
	io.stdout.write(`${name} ${status === 'unloaded' ? 'is unloaded' : 'was not loaded'}.\n`);
	return 0;
};

/** A command of one argument: calls a route, and prints a line made of the answer. */
function calling<R extends Route>(
	route: R,
	what: string,
	body: (name: string, rename: string | undefined) => RequestOf<R>,
	line: (name: string, answer: AnswerOf<R>) => string,
	takesName = false,
): Run {
	return async (args, io) => {
		const options = readArgs(args, takesName ? { name: { type: 'string' } } : {});
		const name = onlyPositional(options.positionals, what);
		const input = { body: body(name, options.text('name')) };
		const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
		const answer = await daemon.call(route, input as Input<R>, { signal: io.signal });
		io.stdout.write(`${line(name, answer)}\n`);
		return 0;
	};
}

export const removeModelCommand: Run = async (args, io) => {
	const options = readArgs(args, { unfinished: { type: 'boolean' } });
	const body = { model: onlyPositional(options.positionals, 'model') };
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	if (options.has('unfinished')) {
		const input = { body };
		const { removed } = await daemon.call(routes.removeUnfinishedModel, input, {
			signal: io.signal,
		});
		io.stdout.write(`What was there of ${removed.name} is removed.\n`);
		return 0;
	}
	const { removed } = await daemon.call(routes.removeModel, { body }, { signal: io.signal });
	io.stdout.write(`${removed.id} is removed.\n`);
	return 0;
};

export const pinModelCommand = calling(
	routes.pinModel,
	'model',
	(model) => ({ model, pinned: true }),
	(name) => `${name} stays loaded once it is.`,
);

export const unpinModelCommand = calling(
	routes.pinModel,
	'model',
	(model) => ({ model, pinned: false }),
	(name) => `${name} may be unloaded when unused.`,
);

export const addFolderCommand = calling(
	routes.registerFolder,
	'folder',
	(folder) => ({ folder: resolve(folder) }),
	(name, { models }) => `${name} is used in place: ${models.map(({ id }) => id).join(', ')}.`,
);

export const dropFolderCommand = calling(
	routes.unregisterFolder,
	'folder',
	(folder) => ({ folder: resolve(folder) }),
	(name) => `${name} is not used any more; its files stay.`,
);

export const moveFolderCommand = calling(
	routes.moveModels,
	'folder',
	(folder) => ({ folder: resolve(folder) }),
	(_name, { location }) => `The models are in ${location} now.`,
);

const copyModel = calling(
	routes.importModel,
	'folder or archive',
	(path, name) => ({ path: resolve(path), name }),
	(_name, { model }) => `${model.id} is imported.`,
	true,
);

/** `models import PATH`: a model is copied, weights become one. */
export const importModelCommand: Run = async (args, io) => {
	const options = readArgs(args, {
		name: { type: 'string' },
		quality: { type: 'boolean' },
		keep: { type: 'boolean' },
		'no-quality': { type: 'boolean' },
		'no-keep': { type: 'boolean' },
		plan: { type: 'boolean' },
	});
	const path = resolve(onlyPositional(options.positionals, 'folder, archive or GGUF file'));
	const name = options.text('name');
	const flags = ['quality', 'keep', 'no-quality', 'no-keep', 'plan'] as const;
	const asked = flags.filter((flag) => options.has(flag));
	const notify = (words: string) => io.stderr.write(`${words}\n`);
	const areWeights = await holdsWeights(path, io.signal, notify).catch((error: unknown) => {
		if (io.signal.aborted) throw error;
		// The model server says what speaks against it.
		return false;
	});
	if (!areWeights) {
		if (asked.length > 0)
			throw new UsageError(
				`--${asked[0]} is for weights of which a model is built; ${path} holds none.`,
			);
		const words = `${path} is being copied to the models; what it holds is looked at then.`;
		return new WaitNotices(notify).during(words, copyModel(args, io));
	}
	const body = {
		path,
		name,
		quality: switchOf(options, 'quality'),
		keep: switchOf(options, 'keep'),
		plan: options.has('plan') || undefined,
	};
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	try {
		const events = daemon.stream(
			routes.buildLocalModel,
			{ body },
			{ signal: io.signal, of: 'build' },
		);
		const model = await showEvents(events, io);
		if (model !== undefined) printReady(model, false, io);
		else if (!options.has('plan')) throw daemon.cut('build');
		return 0;
	} catch (error) {
		if (!io.signal.aborted) throw error;
		io.stderr.write(pausedLine('import', args));
		return 130;
	}
};

/** `models draft NAME DRAFT`, or `models draft NAME none`. */
export const draftModelCommand: Run = async (args, io) => {
	const options = readArgs(args, {});
	const [name, draft, ...more] = options.positionals;
	if (name === undefined || draft === undefined || more.length > 0)
		throw new UsageError('models draft takes a model and its draft model, or none.');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	await daemon.call(
		routes.draftModel,
		{ body: { model: name, draft_model: draft === 'none' ? null : draft } },
		{ signal: io.signal },
	);
	io.stdout.write(
		draft === 'none'
			? `${name} has no draft model.\n`
			: `${draft} drafts for ${name} from its next load on.\n`,
	);
	return 0;
};

export const refreshCatalogueCommand: Run = async (args, io) => {
	const options = readArgs(args, {});
	if (options.positionals.length > 0) throw new UsageError('models refresh takes no argument.');
	const hub = hubOf(io.env);
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const { failures } = await daemon.call(
		routes.refreshCatalogue,
		{ body: hub },
		{ signal: io.signal },
	);
	for (const failure of failures) io.stderr.write(`${failure}\n`);
	io.stdout.write(
		failures.length === 0
			? 'The catalogue is up to date.\n'
			: `The catalogue is refreshed, except for ${failures.length} repositories.\n`,
	);
	return failures.length === 0 ? 0 : 1;
};
