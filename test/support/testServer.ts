/** A backend with its HTTP interface inside the test's own process, on a free port. */

import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Backend, type BackendSettings, createBackend } from '../../server/daemon/backend.ts';
import { builtInModelsDir } from '../../server/daemon/machine.ts';
import { runnerCommandLine, runnerThreads } from '../../server/daemon/runnerWall.ts';
import { signPerson } from '../../server/gateway/identity/signedPerson.ts';
import { type ListenOptions, listen } from '../../server/http/listen.ts';
import { memberRole, personHeader, roleHeader } from '../../server/protocol/index.ts';
import { Client, sender } from '../../server/protocol/routeClient.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { programFile } from './program.ts';
import { temporaryFolder } from './temporaryFolder.ts';

export interface TestServer {
	readonly url: string;
	readonly backend: Backend;
	/** Where it keeps things. */
	readonly dataDir: string;
	readonly key: string;
	/** Headers that show the key. */
	readonly keyed: Readonly<Record<string, string>>;
	/** Headers of somebody who came through a sign-in layer, signed in. */
	member(id?: string): Readonly<Record<string, string>>;
	/** Why the daemon would have ended. */
	readonly stopped: string[];
	/** The owner's requests; an answer outside 2xx rejects. */
	readonly client: Client;
	post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
	close(): Promise<void>;
}

export interface TestServerOptions {
	readonly modelsDir?: string;
	/** Runner that obeys the prompt instead of a model. */
	readonly fakeRunner?: boolean;
	readonly settings?: Partial<BackendSettings>;
	readonly listen?: Partial<ListenOptions>;
	readonly env?: NodeJS.ProcessEnv;
}

/** What the server proves itself with to those who read it in `endpoint.json`. */
export const serverSecret = 'secret-of-the-test-server';
/** What a sign-in layer in front of a test's server shares with it. */
export const gatewaySecret = 'a secret of gateway and server';

/** The runner of the bundle that a whole run has just built; single files of tests run the sources. */
const bundledRunner = programFile.endsWith('.cjs')
	? join(dirname(programFile), 'runner.cjs')
	: undefined;
const fake = fileURLToPath(new URL('./fakeRunner.ts', import.meta.url));

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
	const home = temporaryFolder('http');
	const key = 'key-of-the-test-server';
	const stopped: string[] = [];
	const env = { ...process.env, ...options.env };
	const settings: BackendSettings = {
		modelsDir: options.modelsDir ?? join(home, 'models'),
		builtInDir: builtInModelsDir(),
		dataDir: home,
		pipePath: join(home, 'daemon.sock'),
		proofSecret: serverSecret,
		version: '1.2.3',
		persistent: true,
		env,
		models: { defaultTtlS: 0, loadTimeoutMs: 120_000 },
		metricLabels: [],
		stop: (reason) => stopped.push(reason),
		...options.settings,
	};
	const backend = await createBackend(settings, {
		log: silentLogger,
		...(bundledRunner === undefined
			? {}
			: {
					runner: () =>
						runnerCommandLine(
							runnerThreads(settings.env),
							settings.dataDir,
							tmpdir(),
							bundledRunner,
						),
				}),
		...(options.fakeRunner
			? {
					runner: () => ({
						file: process.execPath,
						args: ['--disable-warning=ExperimentalWarning', fake],
						env,
					}),
				}
			: {}),
	});
	const listener = await listen(backend, {
		port: 0,
		host: '127.0.0.1',
		key,
		requireKey: false,
		allowedOrigins: [],
		allowedHosts: [],
		gatewaySecrets: async () => [gatewaySecret],
		...options.listen,
	});
	return {
		dataDir: home,
		url: listener.url,
		backend,
		key,
		keyed: { authorization: `Bearer ${key}` },
		member: (id = '0'.repeat(32)) => ({
			[roleHeader]: memberRole,
			[personHeader]: signPerson(gatewaySecret, `sid:${id}`, Date.now()),
		}),
		stopped,
		client: new Client(
			sender({ fetch: (path, init) => fetch(new URL(path, listener.url), init), key }),
		),
		post: (path, body, init = {}) =>
			fetch(new URL(path, listener.url), {
				method: 'POST',
				body: typeof body === 'string' ? body : JSON.stringify(body),
				...init,
				headers: { 'content-type': 'application/json', ...init.headers },
			}),
		close: async () => {
			await listener.close();
			await backend.close();
			// What is written late would come into the folder that is removed.
			await backend.save();
			await rm(home, { recursive: true, force: true });
		},
	};
}

/** The `data:` values of a stream, parsed; `[DONE]` stays text. */
export async function sseData(response: Response): Promise<unknown[]> {
	const text = await response.text();
	return text
		.split('\n')
		.filter((line) => line.startsWith('data: '))
		.map((line) => line.slice(6))
		.map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
}
