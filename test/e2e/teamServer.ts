/**
 * A team's server as it runs in production, on this machine: an OpenID Connect provider written by
 * others, `nearglot serve`, `nearglot gateway`, and in front of it a wire that notes what passes.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import {
	createServer,
	request as httpRequest,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createPortProbe } from 'node:net';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { type OtherProvider, startOtherProvider } from '../gateway/support/otherProvider.ts';

const root = join(import.meta.dirname, '../..');
/** A VS Code in the browser leads 127.0.0.1 through a path of its own, so the team has the other loopback. */
const originOf = (port: number) => `http://[::1]:${port}`;
const clientSecret = 'e2e-client-secret';
/** What gateway and model server share. */
const gatewaySecret = 'e2e-gateway-secret-of-both';

/** What went over the wire from an editor or a browser. */
export interface Passed {
	readonly method: string;
	/** Path without the query. */
	readonly path: string;
	readonly status: number;
	/** Value of `X-ZUMO-AUTH`. */
	readonly token: string;
	/** Session token in the answer, once that has arrived; within one second a session gets the same. */
	given?: string;
}

/** An answer that stops after its first words until it is let go on. */
export class HeldAnswer {
	readonly path: string;
	/** Its first words are on their way. */
	readonly begun: Promise<void>;
	/** Whoever asked has gone, or was cut off. */
	readonly cut: Promise<void>;
	release = () => {};
	#begin = () => {};
	#cut = () => {};

	constructor(path: string) {
		this.path = path;
		this.begun = new Promise((resolve) => {
			this.#begin = resolve;
		});
		this.cut = new Promise((resolve) => {
			this.#cut = resolve;
		});
	}

	/** Passes a streamed answer on as far as it may go. */
	pipe(answer: IncomingMessage, response: ServerResponse): void {
		const released = new Promise<void>((resolve) => {
			this.release = resolve;
		});
		let waiting = Buffer.alloc(0);
		let begun = false;
		const gate = new Transform({
			transform: (chunk: Buffer, _encoding, done) => {
				waiting = Buffer.concat([waiting, chunk]);
				const words = begun ? null : /"content":"[^"]/.exec(String(waiting));
				if (!words) return done();
				// Up to the end of this event: the rest of a short answer may be in the same piece.
				begun = true;
				const end = waiting.indexOf('\n\n', words.index) + 2;
				done(null, waiting.subarray(0, end));
				waiting = waiting.subarray(end);
				this.#begin();
			},
			flush: (done) => void released.then(() => done(null, waiting)),
		});
		response.once('close', this.#cut);
		answer.pipe(gate).pipe(response);
	}
}

export class TeamServer {
	/** The address people use. */
	readonly origin: string;
	readonly passed: Passed[] = [];
	/** Every session token seen in a request or an answer, and every key: what must be found nowhere. */
	readonly secrets = new Set<string>();
	readonly #dir: string;
	readonly #port: number;
	readonly #provider: OtherProvider;
	readonly #models: { readonly child: ChildProcess; readonly url: string; readonly key: string };
	#gateway: { readonly child: ChildProcess; readonly port: number } | undefined;
	#wire: Server | undefined;
	readonly #held: HeldAnswer[] = [];
	readonly #open = new Map<string, number>();

	private constructor(
		dir: string,
		port: number,
		provider: OtherProvider,
		models: { child: ChildProcess; url: string; key: string },
	) {
		this.#dir = dir;
		this.#port = port;
		this.#provider = provider;
		this.#models = models;
		this.origin = originOf(port);
		this.secrets.add(models.key);
	}

	static async start(dir: string): Promise<TeamServer> {
		rmSync(dir, { recursive: true, force: true });
		mkdirSync(dir, { recursive: true });
		const port = await freePort();
		const provider = await startOtherProvider({
			clientId: 'team',
			clientSecret,
			redirectUri: `${originOf(port)}/.auth/login/corp/callback`,
		});
		const { child, line } = await startCommand(
			['serve', '--port', '0', '--json', '--require-key'],
			{
				NEARGLOT_HOME: join(dir, 'home'),
				NEARGLOT_GATEWAY_SECRET: gatewaySecret,
			},
		);
		const { url, key } = JSON.parse(line) as { url: string; key: string };
		return new TeamServer(dir, port, provider, { child, url, key });
	}

	/** Starts the sign-in layer; people stay signed in over restarts unless `forget`. */
	async open(options: {
		readonly callbacks: readonly string[];
		readonly tokenLifetime?: string;
		readonly forget?: boolean;
	}): Promise<void> {
		await this.close();
		const store = join(this.#dir, 'sessions.db');
		if (options.forget) {
			for (const end of ['', '-wal', '-shm']) rmSync(store + end, { force: true });
		}
		const config = join(this.#dir, 'auth.json');
		writeFileSync(
			config,
			JSON.stringify({
				globalValidation: { redirectToProvider: 'corp' },
				login: { allowedExternalRedirectUrls: options.callbacks },
				identityProviders: {
					customOpenIdConnectProviders: {
						corp: {
							registration: {
								clientId: 'team',
								clientCredential: { clientSecretSettingName: 'CORP_SECRET' },
								openIdConnectConfiguration: {
									wellKnownOpenIdConfiguration: this.#provider.discovery,
								},
							},
							login: { scopes: ['openid', 'email', 'offline_access'] },
						},
					},
				},
				'x-gateway': {
					publicUrl: this.origin,
					store: { kind: 'sqlite', path: store },
					keysFile: join(this.#dir, 'gateway-keys.json'),
					auditFile: join(this.#dir, 'audit.log'),
					...(options.tokenLifetime ? { tokenLifetime: options.tokenLifetime } : {}),
				},
			}),
		);
		const { child, line } = await startCommand(
			['gateway', '--config', config, '--upstream', this.#models.url, '--port', '0', '--json'],
			{ CORP_SECRET: clientSecret, NEARGLOT_GATEWAY_SECRET: gatewaySecret },
		);
		const { port } = new URL((JSON.parse(line) as { url: string }).url);
		this.#gateway = { child, port: Number(port) };
		await this.connect();
	}

	/** Closes the wire: the server cannot be reached, and forgets nothing. */
	async disconnect(): Promise<void> {
		const wire = this.#wire;
		this.#wire = undefined;
		wire?.closeAllConnections();
		if (wire) await new Promise((resolve) => wire.close(resolve));
	}

	async connect(): Promise<void> {
		await this.disconnect();
		const wire = createServer((request, response) => this.#pass(request, response));
		await new Promise<void>((resolve) => wire.listen(this.#port, '::1', resolve));
		this.#wire = wire;
	}

	/** Ends the sign-in layer. */
	async close(): Promise<void> {
		await this.disconnect();
		const gateway = this.#gateway;
		this.#gateway = undefined;
		if (gateway) await ended(gateway.child);
	}

	async stop(): Promise<void> {
		await this.close();
		await ended(this.#models.child);
		await this.#provider.stop();
	}

	/** Lets the next streamed answer of a path begin and wait. */
	hold(path: string): HeldAnswer {
		const held = new HeldAnswer(path);
		this.#held.push(held);
		return held;
	}

	/** How many requests for a path are being answered. */
	openRequests(path: string): number {
		return this.#open.get(path) ?? 0;
	}

	/** How often a path was asked for with success. */
	count(path: string): number {
		return this.passed.filter((row) => row.path === path && row.status < 300).length;
	}

	#pass(request: IncomingMessage, response: ServerResponse): void {
		const token = String(request.headers['x-zumo-auth'] ?? '');
		if (token !== '') this.secrets.add(token);
		const path = (request.url ?? '').split('?')[0] ?? '';
		const onward = httpRequest(
			{
				// A kept connection may be closed by the layer at the moment it is used again.
				agent: false,
				host: '127.0.0.1',
				port: this.#gateway?.port,
				method: request.method,
				path: request.url,
				headers: request.headers,
			},
			(answer) => {
				const status = answer.statusCode ?? 0;
				const row: Passed = { method: request.method ?? '', path, status, token };
				this.passed.push(row);
				response.writeHead(status, answer.rawHeaders);
				let text = '';
				answer.on('data', (chunk: Buffer) => {
					if (path.startsWith('/.auth/')) text += String(chunk);
				});
				answer.on('end', () => {
					const given = /"authenticationToken":"([^"]+)"/.exec(text)?.[1];
					if (given === undefined) return;
					this.secrets.add(given);
					row.given = given;
				});
				const place = this.#held.findIndex((held) => held.path === path);
				if (place < 0 || status !== 200) answer.pipe(response);
				else this.#held.splice(place, 1)[0]?.pipe(answer, response);
			},
		);
		this.#open.set(path, this.openRequests(path) + 1);
		response.once('close', () => this.#open.set(path, this.openRequests(path) - 1));
		onward.once('error', () => response.destroy());
		response.once('close', () => onward.destroy());
		request.pipe(onward);
	}
}

async function startCommand(
	args: readonly string[],
	env: Readonly<Record<string, string>>,
): Promise<{ child: ChildProcess; line: string }> {
	const child = spawn(process.execPath, [join(root, 'dist/server.cjs'), ...args], {
		env: { ...process.env, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let errors = '';
	child.stderr.on('data', (chunk: Buffer) => {
		errors += String(chunk);
	});
	const line = await new Promise<string>((resolve, reject) => {
		let text = '';
		child.stdout.on('data', (chunk: Buffer) => {
			text += String(chunk);
			if (text.includes('\n')) resolve(text);
		});
		child.once('exit', () => reject(new Error(`${args[0]} did not start: ${errors}`)));
	});
	return { child, line };
}

async function ended(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const gone = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGTERM');
	const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
	await gone;
	clearTimeout(timer);
}

async function freePort(): Promise<number> {
	const probe = createPortProbe();
	await new Promise<void>((resolve) => probe.listen(0, '::1', resolve));
	const { port } = probe.address() as AddressInfo;
	await new Promise((resolve) => probe.close(resolve));
	return port;
}
