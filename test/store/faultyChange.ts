/** Adds an item to a kept list under a fault of `faultyDisk.ts`; says on standard output what came of it. */

import './faultyDisk.ts';
import { stepsTaken } from './faultyDisk.ts';

const { JsonFile } = await import('../../server/store/jsonFile.ts');
const { listFormat } = await import('./kept.ts');
const [path = '', item = ''] = process.argv.slice(2);
stepsTaken();
try {
	await new JsonFile(path, listFormat).change(({ list }) => [{ list: [...list, item] }, undefined]);
	process.stdout.write(`done ${stepsTaken()}`);
} catch (error) {
	process.stdout.write(`failed ${(error as { code?: string }).code} ${(error as Error).message}`);
}
process.exit();
