/** Debian's HAProxy with the configuration that is shipped, in front of two servers. */

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './freePort.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { until } from './until.ts';

const config = fileURLToPath(new URL('../../deploy/haproxy.cfg', import.meta.url));

/** Why tests with it are skipped; false where it is installed. */
export const haproxyMissing =
	spawnSync('haproxy', ['-v']).status === 0
		? false
		: 'haproxy is not installed (Debian package haproxy)';

export interface BalancedServer {
	readonly port: number;
	/** Where its checks are answered. */
	readonly opsPort: number;
}

export interface Balancer extends Disposable {
	readonly url: string;
	/** `one`, `two`, or undefined where none answers: who serves a conversation. */
	servedBy(conversation: string): Promise<string | undefined>;
}

const names = ['one', 'two', 'three'] as const;

/** Starts it, and waits until it listens; a third server is one more line in each part, as an owner would add it. */
export const startBalancer = (...servers: readonly BalancedServer[]): Promise<Balancer> =>
	startBalancerWith({}, ...servers);

/** The same with more environment variables. */
export async function startBalancerWith(
	more: Readonly<Record<string, string>>,
	...servers: readonly BalancedServer[]
): Promise<Balancer> {
	const bind = `127.0.0.1:${await freePort()}`;
	const own = join(temporaryFolder('balancer'), 'haproxy.cfg');
	writeFileSync(
		own,
		servers.length > 2 ? withThird(readFileSync(config, 'utf8')) : readFileSync(config),
	);
	const addresses = servers.flatMap(({ port, opsPort }, at) => {
		const name = `NEARGLOT_${names[at]?.toUpperCase()}`;
		return [
			[name, `127.0.0.1:${port}`],
			[`${name}_OPS`, String(opsPort)],
		];
	});
	const child = spawn('haproxy', ['-db', '-f', own], {
		stdio: 'ignore',
		env: { ...process.env, NEARGLOT_BIND: bind, ...Object.fromEntries(addresses), ...more },
	});
	const url = `http://${bind}`;
	const call = (conversation: string) =>
		fetch(`${url}/health`, { headers: { 'x-conversation': conversation } });
	await until('the balancer listens', () =>
		call('first').then(
			() => true,
			() => false,
		),
	);
	return {
		url,
		servedBy: async (conversation) =>
			(await call(conversation)).headers.get('x-served-by') ?? undefined,
		[Symbol.dispose]: () => void child.kill('SIGKILL'),
	};
}

const withThird = (text: string): string =>
	text.replaceAll(/^ {2}server two .*$/gm, (line) => {
		const third = line.replaceAll('two', 'three').replaceAll('TWO', 'THREE');
		return `${line}\n${third}`;
	});

/** Waits until each of so many servers gets the conversations of its part. */
export async function untilAllServe(balancer: Balancer, count = 2): Promise<void> {
	await until(`${count} servers get requests`, async () => {
		const names = Array.from({ length: 8 * count }, (_, at) => balancer.servedBy(`probe ${at}`));
		const served = new Set(await Promise.all(names));
		return served.size === count && !served.has(undefined);
	});
}
