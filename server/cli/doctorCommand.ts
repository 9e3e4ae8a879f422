/** `nearglot doctor`: what was found, tried and measured, as text to copy. */

import { statfs } from 'node:fs/promises';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { findDaemon, findOrStartDaemon } from '../daemon/findDaemon.ts';
import { builtInModelsDir, serverEntry, thisMachine } from '../daemon/machine.ts';
import { dataDir } from '../daemon/paths.ts';
import { busyMs, peopleFiles } from '../daemon/peopleBackend.ts';
import { keyUsage, translateFiles } from '../daemon/translateBackend.ts';
import { usableMemory } from '../net/usableMemory.ts';
import { AppError, asAppError, fallbackOf, productVersion } from '../protocol/index.ts';
import { pushAll } from '../protocol/lists.ts';
import {
	chatCompletions,
	listModels,
	listOwnModels,
	loadModel,
} from '../protocol/routeAddresses.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';
import { forwardClock } from '../services/limits/forwardClock.ts';
import { KeyStore } from '../services/limits/keyStore.ts';
import { TranslateKeyStore } from '../services/translate/translateKeys.ts';
import { makePrivateDir, writeDraft } from '../store/files.ts';
import { setAsideIn } from '../store/jsonFile.ts';
import { removePath } from '../store/movePath.ts';
import { readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { benchRows } from './doctorBench.ts';
import { byteText, table } from './textTable.ts';

type Row = readonly [what: string, result: string];

export const doctorCommand: Command = {
	name: 'doctor',
	summary: 'Check this machine and measure it.',
	help: `
Usage: nearglot doctor [--json] [--bench [--model MODEL]]

Looks at this machine, starts the local server if there is none, asks the built-in model, and prints
what was found, tried and measured. Nothing of it leaves the machine. Exits with 1 when something failed,
also when models run, but slower than they could because something is missing from the installation.

  --bench        measures a chat model on the processor and on every graphics processor that can be used here:
                 tokens a second of a prompt, of one answer, and of eight answers at once
  --model MODEL  the one that is measured (default: the smallest)
`,
	run: async (args, io) => {
		const options = readArgs(args, {
			json: { type: 'boolean' },
			bench: { type: 'boolean' },
			model: { type: 'string' },
		});
		if (options.positionals.length > 0) throw new UsageError('doctor takes no argument.');
		const benchModel = options.text('model');
		if (benchModel !== undefined && !options.has('bench'))
			throw new UsageError('--model says which model --bench measures.');
		const rows: Row[] = [...(await machineRows())];
		let failed = false;
		const attempt = async (what: string, work: () => Promise<string>) => {
			try {
				rows.push([what, await work()]);
			} catch (error) {
				failed = true;
				rows.push([what, `FAILED: ${asAppError(error).message}`]);
			}
		};
		await attempt('data folder', () => dataFolder(io));
		await attempt('keys', () => givenKeys(io));
		await attempt('translate keys', () => translateKeys(io));
		const aside = await setAsideIn(dataDir(thisMachine(io.env)));
		if (aside.length > 0)
			rows.push([
				'kept aside',
				`${aside.join(', ')}: damaged or of a later version; repair and rename, or delete`,
			]);
		await attempt('built-in models', async () => builtInModelsDir() ?? 'none with this build');
		let daemon: DaemonConnection | undefined;
		await attempt('model server', async () => {
			const running = await findDaemon(io.env);
			const started = performance.now();
			daemon = running ?? (await findOrStartDaemon({ env: io.env }, io.signal));
			const { endpoint } = daemon;
			const how = running
				? 'was running'
				: `started in ${Math.round(performance.now() - started)} ms`;
			return `${endpoint.url}, version ${endpoint.version}, process ${endpoint.pid}, ${how}`;
		});
		if (daemon) {
			const connection = daemon;
			await attempt('models', () => modelsRow(connection, io.signal));
			await attempt('chat', () => measureChat(connection, io.signal));
			await attempt('engine', () => engineRow(connection, io.signal));
			await attempt('unfinished', () => unfinishedRow(connection, io.signal));
			await attempt('notes', () => notesRow(connection, io.signal));
			if (options.has('bench'))
				await attempt('bench', async () => {
					pushAll(rows, await benchRows(connection, benchModel, io.signal));
					return 'measured';
				});
		}
		io.stdout.write(
			options.has('json')
				? `${JSON.stringify(Object.fromEntries(rows), null, '\t')}\n`
				: `${table(rows)}\n`,
		);
		return failed ? 1 : 0;
	},
};

async function machineRows(): Promise<Row[]> {
	const [cpu] = cpus();
	return [
		['nearglot', productVersion()],
		['runs from', serverEntry()],
		['node', `${process.version} (${process.execPath})`],
		['system', `${process.platform} ${release()} ${process.arch}`],
		['processor', `${cpu?.model.trim() ?? 'unknown'}, ${availableParallelism()} threads usable`],
		['memory', `${byteText(await usableMemory())} usable of ${byteText(totalmem())}`],
	];
}

async function dataFolder(io: CommandIo): Promise<string> {
	const directory = dataDir(thisMachine(io.env));
	await makePrivateDir(directory);
	// On a full or faulty disk only a try tells.
	await removePath(await writeDraft(join(directory, 'doctor'), 'x'.repeat(probeBytes)), {
		force: true,
	});
	const { bavail, bsize } = await statfs(directory);
	return `${directory}, writable, ${byteText(bavail * bsize)} free`;
}

/** More than a file system puts beside a file's name. */
const probeBytes = 64 * 1024;

/** Keys that other people were given. */
async function givenKeys(io: CommandIo): Promise<string> {
	const { keys: path } = peopleFiles(dataDir(thisMachine(io.env)));
	const store = new KeyStore(
		path,
		forwardClock(() => 0),
		busyMs.command,
	);
	try {
		return String(store.list().length || 'none');
	} finally {
		store.close();
	}
}

/** The files that keep people out while they are lost. */
async function translateKeys(io: CommandIo): Promise<string> {
	const files = translateFiles(dataDir(thisMachine(io.env)));
	const { keys } = await new TranslateKeyStore(files.keys).read();
	keyUsage(files.usage, () => {}).used('');
	return keys.length === 0 ? 'none' : String(keys.length);
}

type Listed = AnswerOf<typeof listModels>['data'][number];

const smallest = (models: readonly Listed[]): Listed | undefined =>
	[...models].sort((left, right) => (left.size_bytes ?? 0) - (right.size_bytes ?? 0))[0];

/** Models of this machine; those of engines elsewhere are asked by people only. */
async function modelsHere(daemon: DaemonConnection, signal: AbortSignal): Promise<Listed[]> {
	const { data } = await daemon.call(listModels, {}, { signal });
	return data.filter(({ state }) => state !== 'remote');
}

async function modelsRow(daemon: DaemonConnection, signal: AbortSignal): Promise<string> {
	const data = await modelsHere(daemon, signal);
	const broken = data.filter((model) => model.problem !== undefined);
	const list = data.map((model) => `${model.id} (${model.task})`).join(', ');
	if (broken.length === 0) return list === '' ? 'none' : list;
	throw new AppError(
		'unsupported_model',
		broken.map((model) => `${model.id}: ${model.problem}`).join(' '),
	);
}

/** Asks the smallest chat model and reports its speed as the engine measured it. */
async function measureChat(daemon: DaemonConnection, signal: AbortSignal): Promise<string> {
	const data = await modelsHere(daemon, signal);
	const model = smallest(
		data.filter((each) => each.task === 'chat-completion' && each.problem === undefined),
	);
	if (!model) return 'no chat model to measure';
	const body = {
		model: model.id,
		messages: [{ role: 'user', content: 'How do I list the files of a folder?' }],
		max_tokens: 64,
	};
	const { timings, usage } = await daemon.call(chatCompletions, { body }, { signal });
	const load = timings.load_ms > 0 ? `loaded in ${Math.round(timings.load_ms)} ms, ` : '';
	return `${model.id}: ${load}${usage.completion_tokens} tokens at ${Math.round(timings.predicted_per_second)} tokens/s`;
}

/** Models in memory, and what their runners tell. */
const loadedModels = (daemon: DaemonConnection, signal: AbortSignal) =>
	daemon.call(listOwnModels, {}, { signal });

/** How the engine of this machine runs models: asked of those in memory, or of the smallest there is. */
async function engineRow(daemon: DaemonConnection, signal: AbortSignal): Promise<string> {
	if ((await loadedModels(daemon, signal)).stats.length === 0) {
		const data = await modelsHere(daemon, signal);
		const model = smallest(data.filter(({ problem }) => problem === undefined));
		if (!model) return 'not tried: there is no model to load';
		await daemon.call(loadModel, { params: { name: model.id } }, { signal });
	}
	const { models, stats } = await loadedModels(daemon, signal);
	const fault = fallbackOf(models);
	if (fault !== undefined) throw new AppError('not_supported', fault.message);
	const fast = stats.every(({ stats: { runtime } }) => runtime === 'c-api');
	return `ONNX Runtime through ${fast ? 'its C API' : 'session.run'}`;
}

/** What the engine says of single models: nothing that people must mend. */
/** What downloads and builds left behind. */
async function unfinishedRow(daemon: DaemonConnection, signal: AbortSignal): Promise<string> {
	const { unfinished } = await daemon.call(listOwnModels, {}, { signal });
	if (unfinished.length === 0) return 'none';
	const parts = unfinished.map(({ name, sizeBytes }) => `${name} (${byteText(sizeBytes)})`);
	return `${parts.join(', ')}: the same download or build goes on; 'nearglot models remove --unfinished NAME' removes it`;
}

async function notesRow(daemon: DaemonConnection, signal: AbortSignal): Promise<string> {
	const { models } = await loadedModels(daemon, signal);
	const notes = models.flatMap(({ id, notices = [] }) =>
		notices.flatMap(({ kind, message }) => (kind === 'note' ? [`${id}: ${message}`] : [])),
	);
	return notes.length === 0 ? 'none' : notes.join(' ');
}
