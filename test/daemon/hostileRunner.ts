/** In the place of a runner, with all its rights: tries what a model must not reach, and says what came of it. */

import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

const [home = '', model = '', elsewhere = ''] = process.argv.slice(2);

function attempt(what: () => unknown): string {
	try {
		what();
		return 'done';
	} catch (error) {
		return (error as NodeJS.ErrnoException).code ?? String(error);
	}
}

const write = (path: string) => attempt(() => writeFileSync(path, 'x'));
const results: Record<string, unknown> = {
	environment: process.env,
	folder: process.cwd(),
	emptyFolder: readdirSync('.').length === 0,
	home: write(join(home, '.bashrc')),
	remove: attempt(() => rmSync(join(home, 'kept'))),
	otherModel: write(join(elsewhere, 'config.json')),
	aboveScratch: write(join(dirname(process.cwd()), 'nearglot-not-ours')),
	command: attempt(() => {
		const { error } = spawnSync('true');
		if (error) throw error;
	}),
	scratch: write('own'),
	ownModel: write(join(model, 'config.json')),
};
const inWorker = `try { require('node:fs').writeFileSync(${JSON.stringify(join(home, 'worker'))}, 'x'); } catch (error) { require('node:worker_threads').parentPort.postMessage(error.code); }`;
const worker = new Worker(inWorker, { eval: true });
worker.on('message', (code) => {
	results['worker'] = code;
});
worker.on('exit', () => process.stdout.write(JSON.stringify(results)));
