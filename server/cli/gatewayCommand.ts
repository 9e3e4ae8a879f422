/** `nearglot gateway`: the gateway in front of a team's server. */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { ownDataFolder } from '../daemon/dataFolder.ts';
import { thisMachine } from '../daemon/machine.ts';
import type { GatewaySettings } from '../gateway/config/gatewaySettings.ts';
import { type ParsedSettings, parseSettings } from '../gateway/config/parseSettings.ts';
import { resolvePaths } from '../gateway/config/resolvePaths.ts';
import { authSchema } from '../gateway/config/schema.ts';
import { emulatedProviders } from '../gateway/emulate/emulatedProvider.ts';
import { emulatedKeys, emulatedSettings } from '../gateway/emulate/emulatedSettings.ts';
import { leaveFilesToOwner } from '../gateway/fileAccess.ts';
import { startGateway } from '../gateway/gateway.ts';
import { ensureSharedSecret, gatewaySecretName } from '../gateway/keys/sharedSecret.ts';
import { openParts } from '../gateway/openParts.ts';
import { Upstream } from '../gateway/proxy/upstream.ts';
import { retryingFetch } from '../net/closedUnanswered.ts';
import { defaultDrainS } from '../net/ending.ts';
import { defined } from '../protocol/defined.ts';
import { isRecord } from '../protocol/errorBody.ts';
import { AppError } from '../protocol/errors.ts';
import { asAppError } from '../protocol/errorWire.ts';
import { documentAddress } from '../protocol/published.ts';
import { homeFolder } from '../store/homeFolder.ts';
import { windowsFolders } from '../store/windowsFolders.ts';
import { readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { rereadsOnHangup } from './endSignals.ts';
import { fileProblem } from './fileProblem.ts';
import { endSessions, listSessions, userIdOf } from './gatewaySessions.ts';

const help = `
Usage: nearglot gateway --config auth.json --upstream URL [--port N] [--host H]
       nearglot gateway --config auth.json --check [--json]
       nearglot gateway --emulate --upstream URL [--config auth.json] [--port N]
       nearglot gateway --config auth.json --sessions [--json]
       nearglot gateway --config auth.json --end-sessions PERSON [--upstream URL] [--json]
       nearglot gateway --schema

Signs people in with the providers in auth.json, keeps their sessions, and passes their requests to
the app at URL with identity headers. Nothing else can reach the app through it.

  --config FILE    Settings, in the published auth settings form; own additions under x-gateway
  --upstream URL   The app: http://127.0.0.1:8080, https://…, or unix:/path/to/socket
  --port N         Port to listen on (8000; 0 takes a free one)
  --host H         Address to listen on (127.0.0.1; 0.0.0.0 for other machines)
  --drain S        Seconds that open answers get when it is told to end (x-gateway.shutdownSeconds, else ${defaultDrainS})
  --check          Say whether the settings can be used, and end
  --emulate        For developers: instead of asking providers, a form says who signs in, with which roles
                   and claims. Listens on this computer only, for an app on this computer; keeps nothing
  --sessions       List who is signed in, with the id that PERSON means. Beside a running gateway
  --end-sessions PERSON  Sign PERSON out everywhere (browsers, editors, devices): sid:ID of that list or of the
                   audit log, or person:ID of "nearglot usage". First take away that they may come in again.
                   With --upstream, what a Nearglot model server does for them in the background ends too
  --schema         Print the JSON Schema of the settings, for completion in an editor
  --json           Print one line {"url","adminUrl","pid"} when ready; with --check, --sessions and
                   --end-sessions what they say, as JSON

Secrets are read from the environment variables that auth.json names. Give NEARGLOT_GATEWAY_SECRET (64 random
hex digits) to a Nearglot model server at URL as well: the gateway signs with it who is signed in. SIGHUP reads the keys
again and goes on in a new audit file when the old one was moved. SIGTERM ends it softly: /.auth/readyz is 503 at once,
open answers get their time; a second signal ends it at once.
${documentAddress('team-server.md')} shows a whole setup.
`;

interface Flags {
	/** Absent only when providers are emulated. */
	readonly config: string | undefined;
	readonly emulate: boolean;
	readonly upstream: string | undefined;
	readonly port: number;
	readonly host: string;
	/** Absent: that of the settings. */
	readonly drainMs: number | undefined;
	readonly check: boolean;
	readonly sessions: boolean;
	/** `sid:` and 32 hex digits. */
	readonly endSessions: string | undefined;
	readonly json: boolean;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const flagTypes = {
	...{ config: text, upstream: text, port: text, host: text, drain: text, 'end-sessions': text },
	...{ emulate: flag, check: flag, sessions: flag, json: flag },
};

export const gatewayCommand: Command = {
	name: 'gateway',
	summary: 'Authentication proxy in front of a team server',
	outlivesOutput: true,
	help,
	async run(args, io) {
		if (args.includes('--schema')) {
			const other = args.find((word) => word !== '--schema' && word !== '--json');
			if (other !== undefined) throw new UsageError(`${other} does not go with --schema.`);
			io.stdout.data(`${JSON.stringify(authSchema(), null, '\t')}\n`);
			return 0;
		}
		const flags = readFlags(args);
		if (flags.emulate) return emulate(flags, io);
		const { settings, warnings } = load(flags, io);
		for (const { path, message } of warnings) io.stderr.write(`warning: ${path} ${message}\n`);
		if (flags.check) {
			// Names the mistakes of the address too, without connecting.
			if (flags.upstream !== undefined) new Upstream(flags.upstream)[Symbol.dispose]();
			await check(settings);
			const found = summary(settings);
			if (flags.json)
				io.stdout.data(`${JSON.stringify({ config: flags.config, ...found, warnings })}\n`);
			else io.stdout.write(`${flags.config} can be used.\n${summaryText(found)}`);
			return 0;
		}
		if (flags.sessions) return listSessions(settings, flags.json, io);
		if (flags.endSessions !== undefined)
			return endSessions(
				flags.upstream === undefined ? settings : await withPersonSecret(settings, io),
				flags.endSessions,
				flags,
				io,
			);
		if (flags.upstream === undefined)
			throw new UsageError('--upstream is needed: the address of the app. See --help.');
		return serve(await withPersonSecret(settings, io), flags.upstream, flags, io);
	},
};

function readFlags(args: readonly string[]): Flags {
	const options = readArgs(args, flagTypes);
	const [extra] = options.positionals;
	if (extra !== undefined)
		throw new UsageError(`gateway takes no argument '${extra}'. See --help.`);
	const [config, upstream, host] = ['config', 'upstream', 'host'].map(options.text);
	const emulate = options.has('emulate');
	if (config === undefined && !emulate)
		throw new UsageError('--config is needed: the file with the auth settings. See --help.');
	const person = options.text('end-sessions');
	const actions = [emulate, options.has('check'), options.has('sessions'), person !== undefined];
	if (actions.filter((each) => each).length > 1)
		throw new UsageError(
			'--emulate, --check, --sessions and --end-sessions are for one at a time. See --help.',
		);
	const port = options.integer('port', 0, 65_535) ?? 8000;
	const drainS = options.number('drain', 0, 86_400);
	return {
		...{ config, emulate, upstream, port },
		host: host ?? '127.0.0.1',
		drainMs: drainS === undefined ? undefined : drainS * 1000,
		check: options.has('check'),
		sessions: options.has('sessions'),
		endSessions: person === undefined ? undefined : userIdOf(person),
		json: options.has('json'),
	};
}

function load(flags: Flags, io: CommandIo): ParsedSettings {
	const config = flags.config ?? '';
	const parsed = parseSettings(readConfig(config), io.env, flags);
	return { ...parsed, settings: resolvePaths(parsed.settings, dirname(resolve(config))) };
}

function readConfig(config: string): unknown {
	let file: unknown;
	try {
		// Some editors put a byte order mark before it.
		file = JSON.parse(readFileSync(config, 'utf8').replace(/^\uFEFF/, ''));
	} catch (error) {
		const why =
			error instanceof SyntaxError
				? `is not JSON${jsonPlace(error)}`
				: `cannot be read: ${fileProblem(error)}`;
		throw new AppError('invalid_request', `The settings file ${config} ${why}.`, {
			cause: error,
		});
	}
	if (!isRecord(file)) {
		throw new AppError('invalid_request', `The settings file ${config} must hold a JSON object.`);
	}
	return file;
}

/** Where the mistake is; the message of the engine quotes the file, which may hold secrets. */
function jsonPlace({ message }: SyntaxError): string {
	const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
	return line === undefined ? '' : `: see line ${line}, column ${column}`;
}

async function emulate(flags: Flags, io: CommandIo): Promise<number> {
	if (flags.upstream === undefined)
		throw new UsageError('--upstream is needed: the address of the app. See --help.');
	const file = flags.config === undefined ? {} : readConfig(flags.config);
	const { settings, warnings } = emulatedSettings(
		file,
		flags,
		flags.upstream,
		io.env[gatewaySecretName],
	);
	for (const { path, message } of warnings) io.stderr.write(`warning: ${path} ${message}\n`);
	io.stderr.write(
		'warning: providers are emulated: whoever can open this address says who they are. For development only.\n',
	);
	return serve(await withPersonSecret(settings, io), flags.upstream, flags, io);
}

/** Without a secret in the environment, the one in the user's data folder, which a model server there reads. */
async function withPersonSecret(
	settings: GatewaySettings,
	io: CommandIo,
): Promise<GatewaySettings> {
	if (settings.headers.personSecret !== undefined) return settings;
	try {
		const personSecret = await ensureSharedSecret(await ownDataFolder(thisMachine(io.env)));
		return { ...settings, headers: { ...settings.headers, personSecret } };
	} catch (error) {
		io.stderr.write(
			`warning: ${asAppError(error).message} Without ${gatewaySecretName} a Nearglot model server takes nobody for signed in; other apps do not need it.\n`,
		);
		return settings;
	}
}

async function serve(
	settings: GatewaySettings,
	upstream: string,
	flags: Flags,
	io: CommandIo,
): Promise<number> {
	const now = Date.now;
	const parts = await openParts(settings, {
		now,
		log: io.stderr.log(),
		...(flags.emulate ? { keys: emulatedKeys(now) } : {}),
	});
	if (process.platform === 'win32')
		for (const file of await leaveFilesToOwner(settings, windowsFolders(homeFolder(), io.env)))
			io.stderr.write(
				`warning: Other users may read ${file}: its drive keeps no access lists, or the file belongs to somebody else.\n`,
			);
	const gateway = await startGateway(settings, upstream, flags, {
		parts,
		fetch: retryingFetch,
		now,
		...(flags.emulate ? { providers: emulatedProviders(now) } : {}),
	});
	const reload = () => gateway.reload();
	// Elsewhere the end of the terminal ends a command; here it means: read the keys again, and log anew. Windows
	// closes a console with it and ends the process seconds later, so there it stays the end.
	if (rereadsOnHangup(process.platform)) {
		process.removeAllListeners('SIGHUP');
		process.on('SIGHUP', reload);
	}
	const ready = {
		url: gateway.url,
		...defined({ adminUrl: gateway.adminUrl }),
		pid: process.pid,
	};
	io.stdout.write(
		flags.json
			? `${JSON.stringify(ready)}\n`
			: `Signing in people for ${gateway.settings.publicUrl.origin}, listening on ${gateway.url}, app at ${upstream}.\n`,
	);
	await new Promise<void>((resolve) => {
		if (io.signal.aborted) resolve();
		else io.signal.addEventListener('abort', () => resolve(), { once: true });
	});
	process.off('SIGHUP', reload);
	await gateway.close(flags.drainMs);
	return 0;
}

/** Opens what a start opens, asks the store, and closes it again. */
async function check(settings: GatewaySettings): Promise<void> {
	await using parts = await openParts(settings, {
		now: Date.now,
		// A check is no event.
		log: new Writable({ write: (_chunk, _encoding, done) => done() }),
		make: false,
	});
	await parts.store.prove();
}

/** What is looked at first of settings that can be used. */
function summary({ publicUrl, providers, enabled, access, store, forwardProxy }: GatewaySettings) {
	return {
		address: publicUrl.origin,
		providers: providers.map(({ name }) => name),
		/** Absent: everything is passed on. */
		...(enabled ? { withoutSession: access.action } : {}),
		openPaths: access.excludedPaths,
		store: store.kind === 'sqlite' ? store.path : 'redis',
		proxiesInFront: {
			hops: forwardProxy.trustedHops,
			...defined({ from: forwardProxy.trustedPeers }),
		},
	};
}

function summaryText(found: ReturnType<typeof summary>): string {
	const rows = [
		['address', found.address],
		['providers', found.providers.join(', ') || 'none'],
		[
			'without a session',
			found.withoutSession ?? 'everything is passed on (platform.enabled is false)',
		],
		['open paths', found.openPaths.join(', ') || 'none'],
		['store', found.store],
		['proxies in front', proxies(found.proxiesInFront)],
	];
	return rows.map(([name, value]) => `  ${name!.padEnd(18)} ${value}\n`).join('');
}

function proxies({ hops, from }: ReturnType<typeof summary>['proxiesInFront']): string {
	if (hops === 0) return 'none';
	return `${hops}${from === undefined ? '' : `, calling from ${from.join(', ') || 'nowhere'}`}`;
}
