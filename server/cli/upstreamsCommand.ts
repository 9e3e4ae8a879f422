/** `nearglot upstreams`: engines on other machines whose models are used by name. */

import { resolve } from 'node:path';
import { ownDataFolder } from '../daemon/dataFolder.ts';
import { findDaemon } from '../daemon/findDaemon.ts';
import { thisMachine } from '../daemon/machine.ts';
import { openUpstreamFile, upstreamDeps } from '../daemon/upstreamBackend.ts';
import { AppError, type UpstreamUse, upstreamUses } from '../protocol/index.ts';
import { testUpstream } from '../protocol/routeAddresses.ts';
import { createUpstream, testTimeoutMs } from '../remote/upstreams/openaiUpstream.ts';
import {
	checkedAddress,
	checkedName,
	defaultTimeoutS,
	type UpstreamEntry,
	type UpstreamList,
	unknownUpstream,
	withoutUpstream,
	withUpstream,
} from '../remote/upstreams/upstreamFile.ts';
import { listed } from '../remote/upstreams/upstreams.ts';
import type { JsonFile } from '../store/jsonFile.ts';
import { readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { table } from './textTable.ts';

const help = `
Usage: nearglot upstreams add NAME URL [--key-file FILE] [--models PATTERN …] [--for USE,…] [--timeout S]
                              [--allow-http]
       nearglot upstreams list [--json]
       nearglot upstreams remove NAME
       nearglot upstreams test [NAME] [--json]

Engines on other machines that speak the OpenAI interface: vLLM, llama-server, Ollama, LiteLLM, another
Nearglot. A model of one is called NAME/MODEL: nearglot chat lab/qwen3-32b "…". They are used for chat,
completions, embeddings, reranking and transcription of recordings, as far as the engine has them, and
for translation: nearglot translate FILE --to de --system chat:lab/qwen3-32b.
What is asked of one leaves this machine; it is asked only by that name, and nothing else stands in for
it, nor it for anything else.

  URL              base address, which mostly ends with /v1
  --key-file FILE  file with the engine's key, read again for every request (mode 600)
  --models PATTERN models that may be used, * for any text; repeatable (default: all)
  --for USE,…      what it may be used for: ${upstreamUses.join(', ')}
                   (default: all)
  --timeout S      seconds without a sign of life after which an answer is given up (default ${defaultTimeoutS})
  --allow-http     take an address that is not encrypted and not on this machine
  test             asks for the list of models, and says what is wrong

"add" with the NAME of one that is there replaces it. A running daemon sees every change at once.
An engine that the setting nearglot.engines of an editor lists is changed there: what the setting says
counts whenever the editor starts or the setting changes.
`;

type Upstreams = JsonFile<UpstreamList>;

export const upstreamsCommand: Command = {
	name: 'upstreams',
	summary: 'Add engines on other machines, whose models are used by name.',
	help,
	run: async (args, io) => {
		const [action, ...rest] = args;
		const file = openUpstreamFile(await ownDataFolder(thisMachine(io.env)));
		switch (action) {
			case 'add':
				return add(file, rest, io);
			case 'list':
				return list(file, rest, io);
			case 'remove':
				return remove(file, rest, io);
			case 'test':
				return test(file, rest, io);
			default:
				throw new UsageError(
					`Say what to do with upstreams: add, list, remove or test${action === undefined ? '' : `, not '${action}'`}.`,
				);
		}
	},
};

async function add(file: Upstreams, args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, {
		'key-file': { type: 'string' },
		models: { type: 'string', multiple: true },
		for: { type: 'string' },
		timeout: { type: 'string' },
		'allow-http': { type: 'boolean' },
	});
	const [name, url, extra] = options.positionals;
	if (name === undefined || url === undefined || extra !== undefined)
		throw new UsageError(
			'Say its name and address: nearglot upstreams add lab https://vllm.lab:8000/v1',
		);
	const keyFile = options.text('key-file');
	const uses = usesIn(options.text('for'));
	const entry: UpstreamEntry = {
		name: checkedName(name),
		url: checkedAddress(url, options.has('allow-http')),
		models: options.texts('models'),
		...(uses.length === 0 ? {} : { uses }),
		timeoutS: options.integer('timeout', 1, 86_400) ?? defaultTimeoutS,
		...(keyFile === undefined ? {} : { keyFile: resolve(keyFile) }),
	};
	const before = await file.change((now) => [withUpstream(now, entry), now]);
	noteSetting(before, entry.name, io);
	io.stdout.write(
		`Added. What is asked of ${entry.name}/… goes to ${new URL(entry.url).host}. Try it: nearglot upstreams test ${entry.name}\n`,
	);
	return 0;
}

/** What a setting lists comes back from there. */
function noteSetting({ upstreams }: UpstreamList, name: string, io: CommandIo): void {
	if (upstreams.some((entry) => entry.name === name && entry.editor !== undefined))
		io.stderr.write(
			`The setting nearglot.engines of an editor lists '${name}', and what it says counts again when the editor starts: change it there as well.\n`,
		);
}

/** @throws UsageError for a use that there is not */
function usesIn(text = ''): UpstreamUse[] {
	const names = text.split(',').filter((name) => name !== '');
	return names.map((name) => {
		const known = upstreamUses.find((use) => use === name);
		if (known !== undefined) return known;
		throw new UsageError(`--for takes ${upstreamUses.join(', ')}; '${name}' is none of them.`);
	});
}

async function list(file: Upstreams, args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { json: { type: 'boolean' } });
	const { upstreams } = await file.read();
	if (options.has('json')) io.stdout.data(`${JSON.stringify(upstreams, null, 2)}\n`);
	else if (upstreams.length === 0)
		io.stdout.write('No engines on other machines. Add one: nearglot upstreams add NAME URL\n');
	else
		io.stdout.write(
			`${table([
				['NAME', 'ADDRESS', 'MODELS', 'FOR', 'KEY', 'LISTED'],
				...upstreams.map(({ name, url, models, uses = [], keyFile, isKeyInEditor, editor }) => [
					name,
					url,
					models.join(', ') || 'all',
					uses.join(', ') || 'all',
					keyFile ?? (isKeyInEditor ? 'with the editor' : 'none'),
					editor === undefined ? 'here' : 'in a setting',
				]),
			])}\n`,
		);
	return 0;
}

async function remove(file: Upstreams, args: readonly string[], io: CommandIo): Promise<number> {
	const [name] = readArgs(args, {}).positionals;
	if (name === undefined) throw new UsageError('Say which engine: nearglot upstreams remove NAME');
	const before = await file.change((now) => [withoutUpstream(now, name), now]);
	noteSetting(before, name, io);
	io.stdout.write(`Removed ${name}.\n`);
	return 0;
}

async function test(file: Upstreams, args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { json: { type: 'boolean' } });
	const [name] = options.positionals;
	const known = await file.read();
	const chosen = known.upstreams.filter((entry) => name === undefined || entry.name === name);
	if (chosen.length === 0) throw unknownUpstream(known, name);
	const results = await Promise.all(
		chosen.map(async (entry) => {
			try {
				const there = entry.isKeyInEditor ? await findDaemon(io.env) : undefined;
				// It has been handed the key, if an editor is open.
				if (there !== undefined)
					return await there.call(
						testUpstream,
						{ params: { name: entry.name } },
						{ signal: io.signal },
					);
				const engine = createUpstream(entry, upstreamDeps(io.env));
				const models = await engine.models(io.signal, testTimeoutMs);
				return { name: entry.name, models: listed(entry, models).map(({ fullId }) => fullId) };
			} catch (error) {
				if (!(error instanceof AppError)) throw error;
				return { name: entry.name, models: [], problem: error.message };
			}
		}),
	);
	if (options.has('json')) io.stdout.data(`${JSON.stringify(results, null, 2)}\n`);
	else
		for (const { name: tested, models, problem } of results)
			io.stdout.write(
				problem === undefined
					? `${tested}: ${models.length === 0 ? 'answers, and lists no model that may be used' : models.join(', ')}\n`
					: `${tested}: ${problem}\n`,
			);
	return results.some(({ problem }) => problem !== undefined) ? 1 : 0;
}
