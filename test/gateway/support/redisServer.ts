/** A Redis server of the test's own, when the machine has one. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createClient } from 'redis';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** False, or why tests with Redis are skipped. */
export const redisMissing: string | false =
	spawnSync('redis-server', ['--version']).status === 0
		? false
		: 'redis-server is not installed (Debian package redis-server)';

export class RedisServer implements AsyncDisposable {
	readonly port: number;
	readonly #folder = temporaryFolder('redis');
	readonly #more: readonly string[];
	#process: ChildProcess | undefined;

	private constructor(port: number, more: readonly string[]) {
		this.port = port;
		this.#more = more;
	}

	/** @param more options of its command line */
	static async start(...more: readonly string[]): Promise<RedisServer> {
		const probe = createServer();
		await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
		const { port } = probe.address() as { port: number };
		await new Promise((resolve) => probe.close(resolve));
		const server = new RedisServer(port, more);
		await server.run();
		return server;
	}

	get url(): string {
		return `redis://127.0.0.1:${this.port}`;
	}

	/** Starts (again) and waits until it answers. */
	async run(): Promise<void> {
		this.#process = spawn(
			'redis-server',
			[
				'--port',
				String(this.port),
				'--bind',
				'127.0.0.1',
				'--save',
				'',
				'--appendonly',
				'yes',
				'--appendfsync',
				'always',
				'--dir',
				this.#folder,
				...this.#more,
			],
			{ stdio: 'ignore' },
		);
		const end = Date.now() + 30_000;
		for (;;) {
			const client = createClient({ url: this.url, socket: { reconnectStrategy: false } });
			client.on('error', () => {});
			try {
				await client.connect();
				await client.ping();
				return;
			} catch (error) {
				if (Date.now() > end) throw error;
				await new Promise((resolve) => setTimeout(resolve, 50));
			} finally {
				if (client.isOpen) client.destroy();
			}
		}
	}

	/** Lets it stand still, or go on. */
	signal(name: 'SIGSTOP' | 'SIGCONT'): void {
		this.#process?.kill(name);
	}

	/** As its administrator. */
	async tell(...command: string[]): Promise<void> {
		const client = createClient({ url: this.url, socket: { reconnectStrategy: false } });
		client.on('error', () => {});
		await client.connect();
		await client.sendCommand(command);
		client.destroy();
	}

	async stop(): Promise<void> {
		const running = this.#process;
		this.#process = undefined;
		if (!running || running.exitCode !== null) return;
		const ended = once(running, 'exit');
		running.kill('SIGKILL');
		await ended;
	}

	/** Ends at once, and all it had kept is gone. */
	async loseDisk(): Promise<void> {
		await this.stop();
		rmSync(this.#folder, { recursive: true, force: true });
		mkdirSync(this.#folder, { recursive: true });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
