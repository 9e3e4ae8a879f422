/** `nearglot systems`: custom translation systems (category = model, glossaries, memories per pair). */

import { resolve } from 'node:path';
import { ownDataFolder } from '../daemon/dataFolder.ts';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { thisMachine } from '../daemon/machine.ts';
import { dataDir } from '../daemon/paths.ts';
import { translateFiles } from '../daemon/translateBackend.ts';
import { createHubHttp } from '../hub/http.ts';
import { defined } from '../protocol/defined.ts';
import { asAppError } from '../protocol/index.ts';
import { listModels, translationSystems } from '../protocol/routeAddresses.ts';
import { genders, tones } from '../protocol/tones.ts';
import { fetchReadings } from '../services/translate/japaneseReadings.ts';
import {
	changeSystem,
	checkPairFiles,
	createCustomSystems,
	removeSystem,
} from '../services/translate/translateSystems.ts';
import { canonicalLanguage } from '../translate/languageCodes.ts';
import { readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { checkNoStandardOutput } from './outputFile.ts';
import { exportMessages, exportSystem } from './systemsExport.ts';

const help = `
Usage: nearglot systems list
       nearglot systems add CATEGORY --from L --to L [--model MODEL] [--glossary FILE …] [--memory FILE …]
                            [--description TEXT] [--tone TONE] [--gender GENDER]
       nearglot systems remove CATEGORY [--from L --to L]
       nearglot systems export CATEGORY --from L --to L --out FILE.tmx|FILE.tbx [--force]
       nearglot systems memory SOURCE-FILE TRANSLATED-FILE --from L --to L --out FILE.tmx [--force]
       nearglot systems readings

A system is chosen with translate --system NAME (or category=NAME in a request). "list" names
them all: custom ones, the models, and chat models, which translate any pair they know.
Without a name no chat model is asked; NEARGLOT_TRANSLATE_SYSTEM names one for a whole server.

"export" writes the sentences of a category as TMX, or its terms as TBX. "memory" makes a
memory of a message file (JSON, ARB, YAML, properties, po) and its translation.

"readings" fetches the dictionary that reads Japanese characters (17 MB, Apache-2.0 and
IPADIC licence), where the installation came without it; npm_config_registry names a mirror.

  --model MODEL      an installed model that was trained for this purpose, or a chat model
                     (chat for the best one here, chat:MODEL)
  --glossary FILE    terms: TSV or CSV (source, target, part of speech, example, its translation), TBX
  --memory FILE      sentences with their translation: TSV, CSV or TMX
  --description TEXT what the texts belong to; for chat models
  --tone TONE        formal, informal or neutral; for chat models
  --gender GENDER    female, male or neutral: of the people meant; for chat models
`;

export const systemsCommand: Command = {
	name: 'systems',
	summary: 'Register glossaries, translation memories and own models for translation.',
	help,
	run: async (args, io) => {
		const [action, ...rest] = args;
		const folder = translateFiles(await ownDataFolder(thisMachine(io.env))).systems;
		switch (action) {
			case 'list':
				return list(folder, io);
			case 'add':
				return add(folder, rest, io);
			case 'remove':
				return remove(folder, rest, io);
			case 'export':
				return exportPair(folder, rest, io);
			case 'memory':
				return exportFiles(rest, io);
			case 'readings':
				return readings(io);
			default:
				throw new UsageError(
					'Say what to do with systems: list, add, remove, export, memory or readings.',
				);
		}
	},
};

async function readings(io: CommandIo): Promise<number> {
	const { readings: folder } = translateFiles(dataDir(thisMachine(io.env)));
	const endpoint = io.env['npm_config_registry'] ?? 'https://registry.npmjs.org';
	const http = createHubHttp({ endpoint });
	try {
		await fetchReadings(http, folder, io.signal);
	} finally {
		http.close();
	}
	io.stdout.write(`The readings are in ${folder}.\n`);
	return 0;
}

async function list(folder: string, io: CommandIo): Promise<number> {
	const systems = await createCustomSystems(folder).list();
	if (systems.length === 0) io.stdout.write('No custom systems.\n');
	for (const { category, pairs } of systems)
		for (const { from, to, model, glossaries, memories } of pairs)
			io.stdout.write(
				`${category}  ${from} → ${to}  model: ${model ?? 'general'}  glossaries: ${glossaries.length}  memories: ${memories.length}\n`,
			);
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const listed = await daemon.call(translationSystems, {}, { signal: io.signal });
	for (const { kind, name } of listed.systems) {
		if (kind === 'model') io.stdout.write(`${name}  a model for its pairs\n`);
		if (kind === 'chat')
			io.stdout.write(
				`${name}  a chat model${name.includes('/') ? ' elsewhere' : ''}, for any pair it knows\n`,
			);
	}
	if (listed.usual !== 'general')
		io.stdout.write(`Without a name this server uses ${listed.usual}.\n`);
	return 0;
}

const categoryName = (name: string | undefined): string => {
	if (name === undefined) throw new UsageError('Say which category.');
	if (!/^[\w.@+-]{1,100}$/.test(name) || name === 'general' || name.startsWith('.'))
		throw new UsageError(
			`'${name}' cannot be a category: letters, digits, . _ @ + - and not 'general'.`,
		);
	return name;
};

const languageOption = (value: string | undefined, name: string): string => {
	const code = canonicalLanguage(value ?? '');
	if (code === undefined) throw new UsageError(`--${name} takes a language, for example de.`);
	return code;
};

async function add(folder: string, args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, {
		from: { type: 'string' },
		to: { type: 'string' },
		model: { type: 'string' },
		glossary: { type: 'string', multiple: true },
		memory: { type: 'string', multiple: true },
		description: { type: 'string' },
		tone: { type: 'string' },
		gender: { type: 'string' },
	});
	const category = categoryName(options.positionals[0]);
	const from = languageOption(options.text('from'), 'from');
	const to = languageOption(options.text('to'), 'to');
	const model = options.text('model');
	const glossaries = options.texts('glossary').map((file) => resolve(file));
	const memories = options.texts('memory').map((file) => resolve(file));
	if (model === undefined && glossaries.length + memories.length === 0)
		throw new UsageError('Give a --model, a --glossary or a --memory.');
	const guidance = defined({
		description: options.text('description'),
		tone: choiceOf(options.text('tone'), 'tone', tones),
		gender: choiceOf(options.text('gender'), 'gender', genders),
	});
	const added = {
		...{ from, to, glossaries, memories },
		...defined({ model }),
		...(Object.keys(guidance).length > 0 ? { guidance } : {}),
	};
	await checkPairFiles(added).catch((error: unknown) => {
		throw new UsageError(asAppError(error).message);
	});
	if (model !== undefined) await checkModel(model, io);
	await changeSystem(folder, category, (pairs) => [
		...pairs.filter((pair) => pair.from !== from || pair.to !== to),
		added,
	]);
	io.stdout.write(`Registered ${category}: ${from} → ${to}.\n`);
	return 0;
}

const exportArguments = {
	from: { type: 'string' },
	to: { type: 'string' },
	out: { type: 'string' },
	force: { type: 'boolean' },
} as const;

async function exportPair(folder: string, args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, exportArguments);
	const category = categoryName(options.positionals[0]);
	const from = languageOption(options.text('from'), 'from');
	const to = languageOption(options.text('to'), 'to');
	const known = (await createCustomSystems(folder).list()).find(
		(system) => system.category === category,
	);
	const pair = known?.pairs.find((one) => one.from === from && one.to === to);
	if (!pair) throw new UsageError(`There is no category '${category}' from ${from} to ${to}.`);
	const files = { out: outOption(options.text('out')), force: options.has('force') };
	return exportSystem(folder, category, pair, files, io);
}

async function exportFiles(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, exportArguments);
	const [source, target, ...others] = options.positionals;
	if (source === undefined || target === undefined || others.length > 0)
		throw new UsageError('Name a message file and its translation.');
	const languages = {
		from: languageOption(options.text('from'), 'from'),
		to: languageOption(options.text('to'), 'to'),
	};
	const files = { out: outOption(options.text('out')), force: options.has('force') };
	return exportMessages({ source, target }, languages, files, io);
}

function outOption(out: string | undefined): string {
	if (out === undefined) throw new UsageError('--out names the file to write.');
	checkNoStandardOutput('out', out, 'the ending of the file says what is written');
	return out;
}

function choiceOf<T extends string>(
	value: string | undefined,
	name: string,
	values: readonly T[],
): T | undefined {
	const found = values.find((one) => one === value);
	if (value !== undefined && found === undefined)
		throw new UsageError(`--${name} takes ${values.join(', ')}.`);
	return found;
}

async function checkModel(name: string, io: CommandIo): Promise<void> {
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const { data } = await daemon.call(listModels, {}, { signal: io.signal });
	const translators = data.filter(({ task }) => task === 'translation').map(({ id }) => id);
	if (translators.includes(name)) return;
	const { systems } = await daemon.call(translationSystems, {}, { signal: io.signal });
	const chats = systems.filter(({ kind }) => kind === 'chat');
	const bare = name.replace(/^chat:/i, '');
	if (chats.length > 0 && name.toLowerCase() === 'chat') return;
	if (chats.some(({ model = '' }) => model === bare || model.replace(/:\d+$/, '') === bare)) return;
	const shown =
		translators.length === 0 ? 'None is here yet.' : `Here are: ${translators.join(', ')}.`;
	throw new UsageError(
		`'${name}' is neither a translation model nor a chat model on this machine. ${shown}`,
	);
}

async function remove(folder: string, args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { from: { type: 'string' }, to: { type: 'string' } });
	const category = categoryName(options.positionals[0]);
	const systems = await createCustomSystems(folder).list();
	if (!systems.some((system) => system.category === category && system.pairs.length > 0))
		throw new UsageError(`There is no category '${category}'.`);
	const from = options.text('from');
	if (from === undefined) {
		await removeSystem(folder, category);
		io.stdout.write(`Removed ${category}. Files it referred to were left alone.\n`);
		return 0;
	}
	const source = languageOption(from, 'from');
	const target = languageOption(options.text('to'), 'to');
	await changeSystem(folder, category, (pairs) =>
		pairs.filter((pair) => pair.from !== source || pair.to !== target),
	);
	io.stdout.write(`Removed ${source} → ${target} from ${category}.\n`);
	return 0;
}
