/** `nearglot keys`: keys that other people are given, what they are for and how much they may use. */

import { ownDataFolder } from '../daemon/dataFolder.ts';
import { thisMachine } from '../daemon/machine.ts';
import { busyMs, peopleFiles } from '../daemon/peopleBackend.ts';
import { translateFiles } from '../daemon/translateBackend.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { forwardClock } from '../services/limits/forwardClock.ts';
import { KeyStore, type PersonKey } from '../services/limits/keyStore.ts';
import { TranslateKeyStore } from '../services/translate/translateKeys.ts';
import { readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { limitOptions, limitsText, readExpiry, readLimits, readScopes } from './keyOptions.ts';
import { table } from './textTable.ts';
import { translatorAccess, translatorHosted } from './translatorKeys.ts';

const help = `
Usage: nearglot keys list [--json]
       nearglot keys create [NAME] [--for WHAT[,WHAT]] [--tokens-per-minute N] [--tokens-per-day N]
                            [--seconds-per-minute N] [--seconds-per-day N]
                            [--characters-per-minute N] [--characters-per-day N] [--expires DATE|DAYSd]
                            [--per-hour N] [--quota N] [--region R] [--multi-service] [--json]
       nearglot keys rotate ID|NAME [--expires DATE|DAYSd] [--json]
       nearglot keys revoke ID|NAME
       nearglot keys people [--tokens-per-minute N …] [--no-limits]
       nearglot keys access [--virtual-network on|off]
                            [--issuer URL --audience A [--role R] [--resource-id ID] | --no-directory]
       nearglot keys hosted key|client-secret|team-key [--forget]

Keys for other people and programs. Only their hashes are kept: a new key is shown once. The daemon's
own key stays the owner's, opens everything and has no limits.

  --for WHAT            chat, embeddings, rerank, speech, translate, or all (default: translate)
  --tokens-per-…        of prompts and answers; --seconds-per-… of sound; --characters-per-… of texts to
                        translate. A minute and a day slide: they end with now
  --expires WHEN        a day (2027-01-31), or a number of days (90d)
  rotate                gives a key another secret; the one before stops working at once
  people                limits of everybody who signs in through a gateway, each for themselves; without
                        options it shows them

As soon as there is a key for translation, requests to translate need one. For the translate interface:

  --per-minute N        as --characters-per-minute
  --per-hour N          characters in a sliding hour, to be used evenly
  --quota N             characters in all
  --region R            region the key belongs to
  --multi-service       requests must name the region as well
  --virtual-network on  answer on /translator/text/v3.0 only, key and region needed
  --issuer, --audience, --role   accept tokens of this OpenID Connect directory

A running daemon sees every change at once. "hosted" hands it a secret of the hosted
translate service (team-key: of the team server NEARGLOT_TEAM_URL names), read from standard
input and kept in its memory only; address, region and the like are in NEARGLOT_HOSTED.
VS Code hands over its own ("Nearglot: Manage Keys"): of the two the one that was set last is
used, and --forget takes back the one of the command line.

What keys have used is shown by: nearglot usage
`;

interface Stores {
	readonly keys: KeyStore;
	/** Keys of earlier versions, and who else may translate. */
	readonly translator: TranslateKeyStore;
}

export const keysCommand: Command = {
	name: 'keys',
	summary: 'Make, list and revoke keys for other people, with limits.',
	help,
	run: async (args, io) => {
		const [action, ...rest] = args;
		const folder = await ownDataFolder(thisMachine(io.env));
		const keys = new KeyStore(peopleFiles(folder).keys, forwardClock(Date.now), busyMs.command);
		const stores = { keys, translator: new TranslateKeyStore(translateFiles(folder).keys) };
		try {
			switch (action) {
				case 'list':
					return await list(stores, rest, io);
				case 'create':
					return create(stores, rest, io);
				case 'rotate':
					return rotate(stores, rest, io);
				case 'revoke':
					return await revoke(stores, rest, io);
				case 'people':
					return people(stores, rest, io);
				case 'access':
					return await translatorAccess(stores.translator, rest, io);
				case 'hosted':
					return await translatorHosted(rest, io);
				default:
					throw new UsageError(
						`Say what to do with keys: list, create, rotate, revoke, people, access or hosted${action === undefined ? '' : `, not '${action}'`}.`,
					);
			}
		} finally {
			keys.close();
		}
	},
};

async function list(
	{ keys, translator }: Stores,
	args: readonly string[],
	io: CommandIo,
): Promise<number> {
	const options = readArgs(args, { json: { type: 'boolean' } });
	const all = keys.list();
	const { keys: older } = await translator.read();
	if (options.has('json')) {
		const rows = [
			...all.map(({ hash: _, ...entry }) => ({
				...entry,
				createdAt: new Date(entry.createdAt).toISOString(),
				...(entry.expiresAt === undefined
					? {}
					: { expiresAt: new Date(entry.expiresAt).toISOString() }),
			})),
			...older.map(({ hash: _, label, ...entry }) => ({
				...{ name: label, scopes: ['translate'], limits: {} },
				...entry,
			})),
		];
		io.stdout.data(`${JSON.stringify(rows, null, 2)}\n`);
		return 0;
	}
	if (all.length + older.length === 0) {
		io.stdout.write('No keys. Make one with: nearglot keys create NAME --for chat\n');
		return 0;
	}
	const rows = all.map((entry) => [
		entry.id,
		entry.name,
		entry.scopes.join(','),
		day(entry.createdAt),
		endText(keys, entry),
		[limitsText(entry.limits), translatorText(entry.translator ?? {})].filter(Boolean).join(', '),
	]);
	const earlier = older.map(({ id, label, createdAt, ...entry }) => {
		const { charactersPerMinute } = entry;
		const perMinute =
			charactersPerMinute === undefined ? '' : `${charactersPerMinute} characters a minute`;
		const limits = [perMinute, translatorText(entry)].filter(Boolean).join(', ') || 'no limit';
		return [id, label, 'translate', createdAt.slice(0, 10), '', limits];
	});
	io.stdout.write(
		`${table([['ID', 'NAME', 'FOR', 'MADE', 'EXPIRES', 'LIMITS'], ...rows, ...earlier])}\n`,
	);
	return 0;
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const endText = (keys: KeyStore, entry: PersonKey): string =>
	entry.expiresAt === undefined
		? 'never'
		: keys.hasExpired(entry)
			? 'has expired'
			: day(entry.expiresAt);

function translatorText({
	charactersPerHour,
	quota,
	region,
	multiService,
}: NonNullable<PersonKey['translator']>): string {
	return [
		charactersPerHour === undefined ? '' : `${charactersPerHour} characters an hour`,
		quota === undefined ? '' : `${quota} characters in all`,
		region ?? '',
		multiService ? 'multi-service' : '',
	]
		.filter(Boolean)
		.join(', ');
}

function create({ keys }: Stores, args: readonly string[], io: CommandIo): number {
	const options = readArgs(args, {
		...limitOptions,
		name: { type: 'string' },
		for: { type: 'string' },
		expires: { type: 'string' },
		'per-minute': { type: 'string' },
		'per-hour': { type: 'string' },
		quota: { type: 'string' },
		region: { type: 'string' },
		'multi-service': { type: 'boolean' },
		json: { type: 'boolean' },
	});
	const [label, extra] = options.positionals;
	const named = options.text('name');
	if (extra !== undefined || (label !== undefined && named !== undefined))
		throw new UsageError('A key has one name: nearglot keys create NAME');
	const scopes = readScopes(options.text('for'));
	const max = 1e12;
	const charactersPerMinute = options.integer('per-minute', 1, max);
	const region = options.text('region');
	const translator = defined({
		region,
		multiService: options.has('multi-service') || undefined,
		charactersPerHour: options.integer('per-hour', 1, max),
		quota: options.integer('quota', 1, max),
	});
	const isTranslator = Object.keys(translator).length > 0 || charactersPerMinute !== undefined;
	if (isTranslator && !scopes.includes('translate'))
		throw new UsageError(
			'--per-…, --quota, --region and --multi-service are about --for translate.',
		);
	const expiresAt = readExpiry(options.text('expires'), Date.now());
	const made = keys.create({
		...{ name: named ?? label ?? 'unnamed', scopes },
		limits: { ...defined({ charactersPerMinute }), ...readLimits(options) },
		...(Object.keys(translator).length === 0 ? {} : { translator }),
		...defined({ expiresAt }),
	});
	show(made, options.has('json'), io);
	return 0;
}

function show(
	{ key, entry }: { readonly key: string; readonly entry: PersonKey },
	isJson: boolean,
	io: CommandIo,
): void {
	if (isJson) io.stdout.data(`${JSON.stringify({ id: entry.id, key })}\n`);
	else {
		io.stdout.data(`${key}\n`);
		if (io.stderr.isTTY)
			io.stderr.write(
				`Key ${entry.id} (${entry.name}) for ${entry.scopes.join(', ')}; ${limitsText(entry.limits)}. It is not shown again.\n`,
			);
	}
}

function rotate({ keys }: Stores, args: readonly string[], io: CommandIo): number {
	const options = readArgs(args, { expires: { type: 'string' }, json: { type: 'boolean' } });
	const [name] = options.positionals;
	if (name === undefined) throw new UsageError('Say which key: nearglot keys rotate ID');
	const expiresAt = readExpiry(options.text('expires'), Date.now());
	show(keys.rotate(name, expiresAt), options.has('json'), io);
	return 0;
}

async function revoke(
	{ keys, translator }: Stores,
	args: readonly string[],
	io: CommandIo,
): Promise<number> {
	const [name] = readArgs(args, {}).positionals;
	if (name === undefined) throw new UsageError('Say which key: nearglot keys revoke ID');
	try {
		const entry = keys.revoke(name);
		io.stdout.write(`Revoked ${entry.id} (${entry.name}).\n`);
	} catch (error) {
		const { keys: older } = await translator.read();
		const isOlder = older.some(({ id, label }) => id === name || label === name);
		if (!isOlder || !(error instanceof AppError) || error.code !== 'not_found') throw error;
		const entry = await translator.revoke(name);
		io.stdout.write(`Revoked ${entry.id} (${entry.label}).\n`);
	}
	return 0;
}

function people({ keys }: Stores, args: readonly string[], io: CommandIo): number {
	const options = readArgs(args, { ...limitOptions, 'no-limits': { type: 'boolean' } });
	const limits = readLimits(options);
	const isSet = Object.keys(limits).length > 0;
	if (isSet && options.has('no-limits'))
		throw new UsageError('Give limits, or --no-limits, and not both.');
	if (isSet || options.has('no-limits')) keys.setPeopleLimits(limits);
	io.stdout.write(`Each person who signs in: ${limitsText(keys.peopleLimits)}\n`);
	return 0;
}
