/** `nearglot usage`: what people have used of this server. */

import { findDaemon } from '../daemon/findDaemon.ts';
import { thisMachine } from '../daemon/machine.ts';
import { dataDir } from '../daemon/paths.ts';
import { busyMs, peopleFiles } from '../daemon/peopleBackend.ts';
import { defined } from '../protocol/defined.ts';
import { deleteUsage, showUsage } from '../protocol/routeAddresses.ts';
import { forwardClock } from '../services/limits/forwardClock.ts';
import { KeyStore } from '../services/limits/keyStore.ts';
import { UsageFileStore } from '../services/limits/usageDatabase.ts';
import { readDay, usageBetween } from '../services/limits/usageReport.ts';
import {
	lastDay,
	type UsageCounts,
	usageCsv,
	usageFields,
	usageGroups,
} from '../services/limits/usageRows.ts';
import { readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { checkPerson } from './peopleCommand.ts';
import { table } from './textTable.ts';

const help = `
Usage: nearglot usage [--from DAY] [--to DAY] [--by person|model|kind|day|row] [--csv|--json]
       nearglot usage delete --person PERSON

What has been used: requests, tokens of prompts (and how many of them came from the cache), tokens of
answers, seconds of sound, characters that were translated. Without --by added up by person; row adds
nothing up. Days are those of Greenwich, such as 2026-01-31, both included.

A person is local (the owner and this user's programs), key:ID of a key (nearglot keys list), or
person:ID of somebody who signs in through a gateway. "delete" forgets what somebody has used, and how their limits
stand. Usage is kept for 400 days, or as long as nearglot serve --usage-days says.
`;

const choices = [...usageGroups, 'row'] as const;

export const usageCommand: Command = {
	name: 'usage',
	summary: 'Show what people have used.',
	help,
	run: async (args, io) => (args[0] === 'delete' ? remove(args.slice(1), io) : show(args, io)),
};

type Shown = Readonly<Record<string, string | number>>;

async function show(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, {
		from: { type: 'string' },
		to: { type: 'string' },
		by: { type: 'string' },
		csv: { type: 'boolean' },
		json: { type: 'boolean' },
	});
	if (options.positionals.length > 0)
		throw new UsageError(`usage takes no argument '${options.positionals[0]}'.`);
	if (options.has('csv') && options.has('json')) throw new UsageError('Say --csv or --json.');
	const word = options.text('by') ?? 'person';
	const by = choices.find((known) => known === word);
	if (by === undefined) throw new UsageError(`--by takes ${choices.join(', ')}, not '${word}'.`);
	const query = {
		...defined({
			from: dayFrom(options.text('from'), 'from'),
			to: dayFrom(options.text('to'), 'to'),
		}),
		by,
	};
	const daemon = await findDaemon(io.env);
	const folder = peopleFiles(dataDir(thisMachine(io.env)));
	const { rows } =
		daemon === undefined
			? await usageBetween(new UsageFileStore(folder.usage, busyMs.command), query)
			: await daemon.call(showUsage, { query }, { signal: io.signal });
	const named = withNames(rows as readonly Shown[], folder.keys);
	if (options.has('json')) io.stdout.data(`${JSON.stringify(named, null, 2)}\n`);
	else if (options.has('csv')) io.stdout.data(usageCsv(named));
	else if (named.length === 0) io.stdout.write('Nothing has been used.\n');
	else io.stdout.write(`${tableOf(named)}\n`);
	return 0;
}

function dayFrom(text: string | undefined, name: string): string | undefined {
	try {
		return readDay(text, name);
	} catch (error) {
		throw new UsageError(`--${name} takes a day such as 2026-01-31, not '${text}'.`, {
			cause: error,
		});
	}
}

/** Rows with the names of keys, also of those that were revoked. */
function withNames(rows: readonly Shown[], path: string): Shown[] {
	let names = new Map<string, string>();
	const store = new KeyStore(path, forwardClock(Date.now), busyMs.command);
	try {
		const all = [...store.revoked(), ...store.list()];
		names = new Map(all.map(({ id, name }) => [`key:${id}`, name]));
	} catch {
		// What has been used is shown without the names, too.
	} finally {
		store.close();
	}
	return rows.map((row) => {
		const key = names.get(String(row['person'] ?? row['name']));
		return key === undefined ? row : { ...row, key };
	});
}

function tableOf(rows: readonly Shown[]): string {
	const texts = ['day', 'person', 'model', 'kind', 'name', 'key'].filter((column) =>
		rows.some((row) => row[column] !== undefined),
	);
	const numbers = usageFields.filter((field) => rows.some((row) => Number(row[field]) > 0));
	const cells = rows.map((row) => [
		...texts.map((column) => String(row[column] ?? '')),
		...numbers.map((field: keyof UsageCounts) => String(Math.round(Number(row[field]) * 10) / 10)),
	]);
	const spaced = (name: string) =>
		name.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();
	return table([[...texts, ...numbers].map(spaced), ...cells]);
}

async function remove(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { person: { type: 'string' } });
	const person = options.text('person');
	if (person === undefined || person === '')
		throw new UsageError('Say whose: nearglot usage delete --person key:ID');
	checkPerson(person);
	const daemon = await findDaemon(io.env);
	const folder = peopleFiles(dataDir(thisMachine(io.env)));
	const deleted =
		daemon === undefined
			? await deleteHere(person, folder)
			: (await daemon.call(deleteUsage, { body: { person } }, { signal: io.signal })).deleted;
	io.stdout.write(`Forgotten: ${deleted} ${deleted === 1 ? 'row' : 'rows'} of ${person}.\n`);
	return 0;
}

/** As the server does it. */
function deleteHere(person: string, { usage, keys }: ReturnType<typeof peopleFiles>) {
	const store = new KeyStore(keys, forwardClock(Date.now), busyMs.command);
	try {
		store.forgetRevoked(person.replace(/^key:/, ''));
	} finally {
		store.close();
	}
	return new UsageFileStore(usage, busyMs.command).delete(person, lastDay);
}
