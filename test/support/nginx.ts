/** Debian's nginx with the configuration that is shipped, in front of servers. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './freePort.ts';
import { needsSignals } from './systemNeeds.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { until } from './until.ts';

const config = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url));

/** Why tests with it are skipped; false where it is installed. */
export const nginxMissing =
	needsSignals ||
	(spawnSync('nginx', ['-v']).status === 0
		? false
		: 'nginx is not installed (Debian package nginx-light)');

export interface Nginx {
	readonly url: string;
	/** One more line for each further port, as an owner would add it; what is open goes on. */
	reload(ports: readonly number[]): void;
	stop(): Promise<void>;
}

/** Starts it before servers at two ports or more, and waits until it listens. */
export async function startNginx(first: readonly number[]): Promise<Nginx> {
	const folder = temporaryFolder('nginx');
	mkdirSync(join(folder, 'logs'));
	const port = await freePort();
	const path = join(folder, 'nginx.conf');
	const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
		(name) => `${name}_temp_path ${join(folder, name)};`,
	);
	const write = ([one, two, ...more]: readonly number[]) => {
		const own = readFileSync(config, 'utf8')
			.replace('server 10.0.0.1:8080', `server 127.0.0.1:${one}`)
			.replace(/^( *)server 10\.0\.0\.2:8080(.*)$/m, (_line, space: string, rest: string) =>
				[two, ...more].map((each) => `${space}server 127.0.0.1:${each}${rest}`).join('\n'),
			)
			.replace('listen 8000', `listen 127.0.0.1:${port}`);
		assert.ok(!own.includes(' 10.0.0.') && !own.includes('listen 8000'), 'places were filled in');
		writeFileSync(
			path,
			`daemon off; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'logs/error.log')};
events {}
http { access_log off; ${temporary.join(' ')}
${own} }`,
		);
		const tested = spawnSync('nginx', ['-t', '-p', folder, '-c', path], { encoding: 'utf8' });
		assert.equal(tested.status, 0, tested.stderr);
	};
	write(first);
	const child = spawn('nginx', ['-p', folder, '-c', path], { stdio: 'ignore' });
	const url = `http://127.0.0.1:${port}`;
	await until('nginx listens', () =>
		fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) }).then(
			() => true,
			() => false,
		),
	);
	return {
		url,
		reload: (ports) => {
			write(ports);
			child.kill('SIGHUP');
		},
		stop: async () => {
			const ended = new Promise((resolve) => child.once('close', resolve));
			child.kill('SIGTERM');
			await ended;
		},
	};
}
