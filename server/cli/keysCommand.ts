/** `nearglot keys`: subscription keys of the translate interface, and who else may use it. */

import { ownDataFolder } from '../daemon/dataFolder.ts';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { thisMachine } from '../daemon/machine.ts';
import { translateFiles } from '../daemon/translateBackend.ts';
import { defined } from '../protocol/defined.ts';
import type { SecretName } from '../protocol/index.ts';
import { setSecrets } from '../protocol/routeAddresses.ts';
import { type AccessSettings, TranslateKeyStore } from '../services/translate/translateKeys.ts';
import { readArgs, readStdin } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';

const help = `
Usage: nearglot keys list [--json]
       nearglot keys create [LABEL] [--per-minute N] [--per-hour N] [--quota N]
                            [--region R] [--multi-service]
       nearglot keys revoke ID|LABEL
       nearglot keys access [--virtual-network on|off]
                            [--issuer URL --audience A [--role R] [--resource-id ID] | --no-directory]
       nearglot keys hosted key|client-secret|team-key [--forget]

Keys of the translate interface (Ocp-Apim-Subscription-Key). Only their hashes are kept:
a new key is shown once. As soon as there is a key, translate requests need one; the
daemon's own key always works.

  --per-minute N, --per-hour N   characters a key may translate, in sliding windows
  --quota N                      characters a key may translate in all
  --region R                     region the key belongs to
  --multi-service                requests must name the region as well
  --virtual-network on           answer on /translator/text/v3.0 only, key and region needed
  --issuer, --audience, --role   accept tokens of this OpenID Connect directory

A running daemon sees every change at once. "hosted" hands it a secret of the hosted
translate service (team-key: of the team server NEARGLOT_TEAM_URL names), read from standard
input and kept in its memory only; address, region and the like are in NEARGLOT_HOSTED.
VS Code hands over its own ("Nearglot: Manage Keys"): of the two the one that was set last is
used, and --forget takes back the one of the command line.
`;

export const keysCommand: Command = {
	name: 'keys',
	summary: 'Make, list and revoke keys of the translate interface.',
	help,
	run: async (args, io) => {
		const [action, ...rest] = args;
		const machine = thisMachine(io.env);
		const store = new TranslateKeyStore(translateFiles(await ownDataFolder(machine)).keys);
		switch (action) {
			case 'list':
				return list(store, rest, io);
			case 'create':
				return create(store, rest, io);
			case 'revoke':
				return revoke(store, rest, io);
			case 'access':
				return access(store, rest, io);
			case 'hosted':
				return hosted(rest, io);
			default:
				throw new UsageError(
					`Say what to do with keys: list, create, revoke, access or hosted${action === undefined ? '' : `, not '${action}'`}.`,
				);
		}
	},
};

async function list(
	store: TranslateKeyStore,
	args: readonly string[],
	io: CommandIo,
): Promise<number> {
	const options = readArgs(args, { json: { type: 'boolean' } });
	const { keys } = await store.read();
	if (options.has('json')) {
		const rows = keys.map(({ hash: _, ...shown }) => shown);
		io.stdout.data(`${JSON.stringify(rows, null, 2)}\n`);
		return 0;
	}
	if (keys.length === 0) io.stdout.write('No keys. Make one with: nearglot keys create LABEL\n');
	for (const {
		id,
		label,
		region,
		multiService,
		charactersPerMinute,
		charactersPerHour,
		quota,
		createdAt,
	} of keys) {
		const limits = [
			charactersPerMinute === undefined ? '' : `${charactersPerMinute}/min`,
			charactersPerHour === undefined ? '' : `${charactersPerHour}/h`,
			quota === undefined ? '' : `${quota} in all`,
		].filter(Boolean);
		const place = [region ?? '', multiService ? 'multi-service' : ''].filter(Boolean).join(' ');
		io.stdout.write(
			`${id}  ${label.padEnd(20)}  ${createdAt.slice(0, 10)}  ${(limits.join(', ') || 'no limit').padEnd(24)}  ${place}\n`,
		);
	}
	return 0;
}

async function create(
	store: TranslateKeyStore,
	args: readonly string[],
	io: CommandIo,
): Promise<number> {
	const options = readArgs(args, {
		'per-minute': { type: 'string' },
		'per-hour': { type: 'string' },
		quota: { type: 'string' },
		region: { type: 'string' },
		'multi-service': { type: 'boolean' },
		json: { type: 'boolean' },
	});
	const most = 1e12;
	const perMinute = options.integer('per-minute', 1, most);
	const perHour = options.integer('per-hour', 1, most);
	const quota = options.integer('quota', 1, most);
	const region = options.text('region');
	const { key, entry } = await store.create(
		{
			label: options.positionals[0] ?? 'unnamed',
			multiService: options.has('multi-service'),
			...defined({ region, charactersPerMinute: perMinute, charactersPerHour: perHour, quota }),
		},
		new Date(),
	);
	if (options.has('json')) io.stdout.data(`${JSON.stringify({ id: entry.id, key })}\n`);
	else {
		io.stdout.data(`${key}\n`);
		if (io.stderr.isTTY)
			io.stderr.write(`Key ${entry.id} (${entry.label}). It is not shown again.\n`);
	}
	return 0;
}

async function revoke(
	store: TranslateKeyStore,
	args: readonly string[],
	io: CommandIo,
): Promise<number> {
	const [name] = readArgs(args, {}).positionals;
	if (name === undefined) throw new UsageError('Say which key: nearglot keys revoke ID');
	const entry = await store.revoke(name);
	io.stdout.write(`Revoked ${entry.id} (${entry.label}).\n`);
	return 0;
}

const hostedSecrets: ReadonlyMap<string, SecretName> = new Map(
	Object.entries<SecretName>({
		key: 'translatorKey',
		'client-secret': 'translatorClientSecret',
		'team-key': 'upstreamKey',
	}),
);

async function hosted(args: readonly string[], io: CommandIo): Promise<number> {
	const options = readArgs(args, { forget: { type: 'boolean' } });
	const [what = ''] = options.positionals;
	const name = hostedSecrets.get(what);
	if (name === undefined)
		throw new UsageError(
			'Say which secret: nearglot keys hosted key (or client-secret, team-key).',
		);
	const secret = options.has('forget') ? null : (await readStdin(io.stdin)).trim();
	if (secret === '')
		throw new UsageError('Give the secret on standard input: nearglot keys hosted key < FILE');
	const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
	const { names } = await daemon.call(
		setSecrets,
		{ body: { [name]: secret } },
		{ signal: io.signal },
	);
	if (secret !== null)
		io.stdout.write('The running model server has it now and forgets it when it ends.\n');
	else if (names.includes(name))
		io.stdout.write(
			'Forgotten. The one that an editor has handed over is used now ("Nearglot: Manage Keys").\n',
		);
	else io.stdout.write('Forgotten.\n');
	return 0;
}

async function access(
	store: TranslateKeyStore,
	args: readonly string[],
	io: CommandIo,
): Promise<number> {
	const options = readArgs(args, {
		'virtual-network': { type: 'string' },
		issuer: { type: 'string' },
		audience: { type: 'string' },
		role: { type: 'string' },
		'resource-id': { type: 'string' },
		'no-directory': { type: 'boolean' },
	});
	const network = options.text('virtual-network');
	if (network !== undefined && network !== 'on' && network !== 'off')
		throw new UsageError('--virtual-network takes on or off.');
	const issuer = options.text('issuer');
	const audience = options.text('audience');
	if ((issuer === undefined) !== (audience === undefined))
		throw new UsageError('A directory needs both --issuer and --audience.');
	const role = options.text('role');
	const resourceId = options.text('resource-id');
	const named =
		issuer !== undefined && audience !== undefined
			? {
					issuer,
					audience,
					...defined({ role, resourceId }),
				}
			: undefined;
	const { virtualNetwork, directory } = await store.changeAccess((before): AccessSettings => {
		const directory = named ?? (options.has('no-directory') ? undefined : before.directory);
		return {
			virtualNetwork: network === undefined ? before.virtualNetwork : network === 'on',
			...(directory ? { directory } : {}),
		};
	});
	io.stdout.write(
		`Virtual network: ${virtualNetwork ? 'on' : 'off'}\nDirectory: ${directory ? `${directory.issuer}, audience ${directory.audience}${directory.role === undefined ? '' : `, role ${directory.role}`}` : 'none'}\n`,
	);
	return 0;
}
