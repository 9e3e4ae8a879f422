/** What `nearglot keys` does for the translate interface alone: other ways to be let in, secrets of the hosted service. */

import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { defined } from '../protocol/defined.ts';
import type { SecretName } from '../protocol/index.ts';
import { setSecrets } from '../protocol/routeAddresses.ts';
import type { AccessSettings, TranslateKeyStore } from '../services/translate/translateKeys.ts';
import { readArgs } from './args.ts';
import { type CommandIo, UsageError } from './command.ts';
import { readStdin } from './readStdin.ts';

const hostedSecrets: ReadonlyMap<string, SecretName> = new Map(
	Object.entries<SecretName>({
		key: 'translatorKey',
		'client-secret': 'translatorClientSecret',
		'team-key': 'upstreamKey',
	}),
);

/** `nearglot keys hosted`: hands the daemon a secret. */
export async function translatorHosted(args: readonly string[], io: CommandIo): Promise<number> {
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

/** `nearglot keys access`: who may translate besides those with keys. */
export async function translatorAccess(
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
