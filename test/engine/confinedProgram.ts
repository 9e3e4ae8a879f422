/** A process that confines itself and then tries, natively and from other threads, what it gave up. */

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { confine } from '../../server/engine/runtime/confine.ts';
import { loadKoffi } from '../../server/engine/runtime/nativePackages.ts';

const [own = '', other = ''] = process.argv.slice(2);
const server = createServer().listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as { port: number };
const isConfined = confine([own, join(own, 'absent')]);

const attempt = async (what: () => unknown): Promise<string> => {
	try {
		await what();
		return 'done';
	} catch (error) {
		return (error as NodeJS.ErrnoException).code ?? String(error);
	}
};
const libc = loadKoffi().load(null);
const creat = libc.func('int creat(const char* path, uint32_t mode)');
const execute = libc.func('int system(const char* command)');
const natively = (path: string): string => (Number(creat(path, 0o600)) >= 0 ? 'done' : 'refused');
const results = {
	isConfined,
	own: await attempt(() => {
		mkdirSync(join(own, 'sub'));
		writeFileSync(join(own, 'sub', '.new'), 'x');
		renameSync(join(own, 'sub', '.new'), join(own, 'sub', 'graph'));
		writeFileSync(join(own, 'sub', 'graph'), 'y');
		rmSync(join(own, 'sub', 'graph'));
	}),
	ownNatively: natively(join(own, 'native')),
	read: readFileSync(join(other, 'kept'), 'utf8'),
	write: await attempt(() => writeFileSync(join(other, 'x'), 'x')),
	truncate: await attempt(() => writeFileSync(join(other, 'kept'), '')),
	remove: await attempt(() => rmSync(join(other, 'kept'))),
	carryOff: await attempt(() => renameSync(join(other, 'kept'), join(own, 'kept'))),
	natively: natively(join(other, 'native')),
	null: await attempt(() => writeFile('/dev/null', 'x')),
	command: Number(execute('true')) === 0 ? 'done' : 'refused',
	connection: await attempt(
		() =>
			new Promise((resolve, reject) => {
				connect(port, '127.0.0.1').once('connect', resolve).once('error', reject);
			}),
	),
	privileges: /NoNewPrivs:\t(\d)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1],
};
process.stdout.write(JSON.stringify(results), () => process.exit(0));
