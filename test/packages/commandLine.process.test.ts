/**
 * The command line as npm installs it: without a network, without a script, with the one platform's native code.
 * The archives are made here, or lie in the folder that NEARGLOT_PACKED names, as another machine has made them.
 */

import assert from 'node:assert/strict';
import {
	copyFileSync,
	existsSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { npmCommand, root } from '../../scripts/node.mjs';
import { redisMissing } from '../gateway/support/redisServer.ts';
import { mustShareBatches } from './packedBatch.ts';
import { mustRunLargeModel, mustStandFaults } from './packedFaults.ts';
import { packedNode } from './packedServer.ts';
import { options, platform, Workshop } from './workshop.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

let workshop: Workshop;
before(async () => {
	workshop = await Workshop.open();
});
afterEach(() => workshop.stopDaemon());
after(() => workshop.close());

const installed = (...path: string[]) => join(workshop.folder, 'node_modules', ...path);

const nearglot = (...args: string[]) =>
	workshop.run(packedNode, [installed('nearglot/bin/nearglot.cjs'), ...args]);

test('the packages install without a network and run nothing while they do', options, async () => {
	const { bundles, folder } = workshop;
	const made = process.env['NEARGLOT_PACKED'];
	if (made === undefined)
		await workshop.script(
			'scripts/packageNpm.mjs',
			'--bundles',
			bundles,
			'--out',
			folder,
			platform,
		);
	else
		for (const name of readdirSync(made))
			if (name.endsWith(`-${platform}-${version}.tgz`) || name === `nearglot-${version}.tgz`)
				copyFileSync(join(made, name), join(folder, name));
	const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
	assert.equal(archives.length, 2);
	writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
	const [npm, first] = npmCommand() as [string, string[]];
	const quiet = ['--offline', '--no-audit', '--no-fund', '--foreground-scripts'];
	const files = archives.map((name) => `./${name}`);
	const installing = await workshop.run(npm, [...first, 'install', ...quiet, ...files]);
	assert.equal(installing.status, 0, installing.told);
	const native = installed(`@nearglot/runtime-${platform}/node_modules`);
	for (const name of ['onnxruntime-node', 'koffi']) {
		const manifest = JSON.parse(readFileSync(join(native, name, 'package.json'), 'utf8'));
		assert.equal(manifest.scripts, undefined);
		assert.ok(!existsSync(installed(name)));
	}
});

test('each model of the installed packages runs as it should', options, () =>
	workshop.tryServer(
		'the command line',
		installed('nearglot/dist/server.cjs'),
		installed(`@nearglot/runtime-${platform}`),
	),
);

test('the installed server stands what happens to servers', options, () =>
	mustStandFaults(installed('nearglot/dist/server.cjs'), join(workshop.folder, 'home of faults')),
);

test(
	'two installed servers do batches over a Redis',
	{
		skip: options.skip || redisMissing,
	},
	() =>
		mustShareBatches(
			installed('nearglot/dist/server.cjs'),
			join(workshop.folder, 'homes of batches'),
		),
);

const large = {
	skip:
		options.skip ||
		(process.env['NEARGLOT_LARGE_MODEL'] === undefined &&
			'a model of 1.6 GB is tried where NEARGLOT_LARGE_MODEL is set'),
};

test('the installed server runs a large model', large, () =>
	mustRunLargeModel(
		installed('nearglot/dist/server.cjs'),
		join(workshop.folder, 'home of a large model'),
	),
);

test('the installed commands answer and find nothing wrong', options, async () => {
	const answer = await nearglot('chat', 'extract a tar.gz file');
	assert.equal(answer.status, 0, answer.told);
	assert.match(answer.stdout, /tar xf archive\.tar\.gz/);
	const doctor = await nearglot('doctor');
	assert.equal(doctor.status, 0, doctor.told);
	const settings = join(workshop.folder, 'auth.json');
	writeFileSync(settings, '{"platform":{"enabled":false}}');
	const gateway = await nearglot('gateway', '--check', '--config', settings);
	assert.equal(gateway.status, 0, gateway.told);
	// It opens SQLite, of which Node 22 has something to say.
	const keys = await nearglot('keys', 'list');
	assert.equal(keys.status, 0, keys.told);
	for (const { stderr } of [answer, doctor, gateway, keys])
		assert.doesNotMatch(stderr, /ExperimentalWarning/);
});

test('without the package of the platform it is said what to install', options, async () => {
	rmSync(installed('@nearglot'), { recursive: true });
	const answer = await nearglot('chat', 'extract a tar.gz file');
	assert.equal(answer.status, 1);
	assert.match(answer.stderr, new RegExp(`@nearglot/runtime-${platform}`));
});
