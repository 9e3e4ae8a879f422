import assert from 'node:assert/strict';
import {
	existsSync,
	mkdirSync,
	readdirSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { listingOf, unlessEmpty } from '../../server/hub/unfinished.ts';
import {
	listUnfinished,
	maxUnfinishedAgeMs,
	removeOldUnfinished,
	removeUnfinished,
} from '../../server/hub/unfinishedModels.ts';
import { AppError } from '../../server/protocol/index.ts';
import { lockFile } from '../../server/store/lock.ts';
import { thisProcess } from '../../server/store/processIdentity.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 5, 1);

describe('what was not finished', () => {
	const base = temporaryFolder();
	let count = 0;
	/** A folder of models in which builds were left behind so long ago. */
	function left(ages: Readonly<Record<string, number>>): string {
		const models = join(base, String(count++));
		for (const [name, age] of Object.entries(ages)) {
			const folder = join(models, '.downloads', name);
			mkdirSync(join(folder, '.building'), { recursive: true });
			writeFileSync(join(folder, '.building', 'data'), Buffer.alloc(100_000));
			writeFileSync(`${folder}.files.json`, '{}');
			const at = new Date(now - age);
			for (const path of ['.building/data', '.building', ''])
				utimesSync(join(folder, path), at, at);
		}
		return models;
	}

	it('is listed with what it takes on the disk and when it was last touched', async () => {
		const models = left({ a: 3 * day, b: day });
		const sparse = join(models, '.downloads', 'b', '.building', 'sparse');
		writeFileSync(sparse, 'x');
		truncateSync(sparse, 1e12);
		writeFileSync(join(models, '.downloads', 'a.lock'), '');
		const found = await listUnfinished(models);
		assert.deepEqual(found.map(({ name }) => name).sort(), ['a', 'b']);
		assert.equal(found.find(({ name }) => name === 'a')?.changedAt, now - 3 * day);
		for (const { sizeBytes } of found) assert.ok(sizeBytes > 90_000 && sizeBytes < 400_000);
		assert.deepEqual(await listUnfinished(join(base, 'nowhere')), []);
	});

	it('is found by the name that the model would have', async () => {
		const models = left({ 'tiny@1': 0, 'own@1': 0, 'own@2': 0, plain: 0 });
		const removed = async (name: string) => (await removeUnfinished(models, name)).name;
		assert.equal(await removed('Tiny'), 'tiny@1');
		await assert.rejects(removed('own'), { message: /Those that were: .*own@1/ });
		assert.equal(await removed('own:2'), 'own@2');
		assert.equal(await removed('own'), 'own@1');
		assert.equal(await removed('plain'), 'plain');
		await assert.rejects(removed('plain'), { code: 'not_found', message: /None was\.$/ });
	});

	it('is nothing where nothing has come yet', async () => {
		const models = join(base, String(count++));
		const [empty, begun] = ['empty', 'begun'].map((name) => join(models, '.downloads', name));
		assert.ok(empty && begun);
		for (const folder of [empty, begun]) {
			mkdirSync(join(folder, 'source', 'inner'), { recursive: true });
			writeFileSync(`${folder}.files.json`, '{}');
		}
		writeFileSync(join(begun, 'source', 'inner', 'config.json.part'), '');
		for (const folder of [empty, begun, join(models, 'nowhere')]) {
			await using _rest = unlessEmpty(folder);
		}
		assert.deepEqual(readdirSync(join(models, '.downloads')).sort(), ['begun', 'begun.files.json']);
	});

	it('leaves the error of its scope where it cannot be removed', async () => {
		const folder = join(base, String(count++), '.downloads', 'held');
		mkdirSync(folder, { recursive: true });
		// Stands for a file that another program holds: it cannot be removed either.
		mkdirSync(listingOf(folder));
		const fetched = async () => {
			await using _rest = unlessEmpty(folder);
			throw new AppError('forbidden');
		};
		await assert.rejects(fetched, { code: 'forbidden' });
	});

	it('goes when nobody has come back to it for a month', async () => {
		const models = left({ old: maxUnfinishedAgeMs + day, young: maxUnfinishedAgeMs - day });
		assert.deepEqual(
			(await removeOldUnfinished(models, now)).map(({ name }) => name),
			['old'],
		);
		assert.deepEqual(
			['old', 'old.files.json', 'young', 'young.files.json'].map((name) =>
				existsSync(join(models, '.downloads', name)),
			),
			[false, false, true, true],
		);
	});

	it('leaves no notes where there is nothing to go on with, as after a process that was killed', async () => {
		const models = left({ begun: 0 });
		const path = (name: string) => join(models, '.downloads', name);
		const draft = 'ended.flags.json.0123456789ab.tmp';
		for (const name of ['ended.files.json', 'ended.flags.json', draft])
			writeFileSync(path(name), '{}');
		utimesSync(path(draft), 0, 0);
		const gone = { ...thisProcess(), pid: 999_999_999, token: 'x' };
		writeFileSync(path('killed.lock'), JSON.stringify(gone));
		mkdirSync(path('empty/source'), { recursive: true });
		writeFileSync(path('working.files.json'), '{}');
		await using _lock = await lockFile(path('working.lock'));
		// Nobody takes the lock of what can be gone on with: whoever does would have to wait.
		writeFileSync(path('begun.lock'), JSON.stringify(gone));
		assert.deepEqual(await removeOldUnfinished(models, now), []);
		const names = readdirSync(join(models, '.downloads')).sort();
		assert.deepEqual(names, [
			...['begun', 'begun.files.json', 'begun.lock'],
			...['working.files.json', 'working.lock'],
		]);
	});

	it('is removed by name, by no path, and not while somebody works on it', async () => {
		const models = left({ a: 2 * maxUnfinishedAgeMs });
		mkdirSync(join(models, 'finished'));
		for (const name of ['../finished', 'finished', '..', '', 'a/.building'])
			await assert.rejects(removeUnfinished(models, name), { code: 'not_found' });
		{
			await using _lock = await lockFile(join(models, '.downloads', 'a.lock'));
			await assert.rejects(removeUnfinished(models, 'a'), { code: 'conflict' });
			assert.deepEqual(await removeOldUnfinished(models, now), [], 'nor by its age');
		}
		assert.equal((await removeUnfinished(models, 'a')).name, 'a');
		assert.deepEqual(await listUnfinished(models), []);
		assert.ok(existsSync(join(models, 'finished')));
	});
});
