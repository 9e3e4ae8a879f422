/** Debian's HAProxy with the configuration that is shipped, in front of two servers. */

import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from './freePort.ts';
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

/** Starts it, and waits until it listens. */
export async function startBalancer(one: BalancedServer, two: BalancedServer): Promise<Balancer> {
	const bind = `127.0.0.1:${await freePort()}`;
	const child = spawn('haproxy', ['-db', '-f', config], {
		stdio: 'ignore',
		env: {
			...process.env,
			NEARGLOT_BIND: bind,
			NEARGLOT_ONE: `127.0.0.1:${one.port}`,
			NEARGLOT_ONE_OPS: String(one.opsPort),
			NEARGLOT_TWO: `127.0.0.1:${two.port}`,
			NEARGLOT_TWO_OPS: String(two.opsPort),
		},
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

/** Waits until each of both servers gets the conversations of its part. */
export async function untilBothServe(balancer: Balancer): Promise<void> {
	await until('both servers get requests', async () => {
		const names = Array.from({ length: 16 }, (_, at) => balancer.servedBy(`probe ${at}`));
		const served = new Set(await Promise.all(names));
		return served.has('one') && served.has('two') && served.size === 2;
	});
}
