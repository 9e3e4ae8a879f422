/** The command line where no model runs, such as on a Mac with an Intel processor or on Alpine Linux; skipped on all others. */

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { npmCommand, root } from '../../scripts/node.mjs';
import { thisSystem, unsupportedReason } from '../../server/engine/runtime/supportedSystem.ts';
import { platform, Workshop } from './workshop.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

let workshop: Workshop | undefined;
after(async () => {
	await workshop?.stopDaemon();
	await workshop?.close();
});

const options = {
	skip: unsupportedReason(thisSystem()) === undefined && `models run on this ${platform}`,
};

test('where no model runs it is said so, with what to do instead', options, async () => {
	workshop = await Workshop.open();
	const { bundles, folder } = workshop;
	const name = `nearglot-${version}.tgz`;
	const made = process.env['NEARGLOT_PACKED'];
	if (made === undefined)
		await workshop.script(
			'scripts/packageNpm.mjs',
			'--bundles',
			bundles,
			'--out',
			folder,
			'linux-x64',
		);
	else copyFileSync(join(made, name), join(folder, name));
	writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
	const [npm, first] = npmCommand() as [string, string[]];
	const quiet = ['--offline', '--no-audit', '--no-fund', '--omit=optional'];
	const installing = await workshop.run(npm, [...first, 'install', ...quiet, `./${name}`]);
	assert.equal(installing.status, 0, installing.told);
	const main = join(folder, 'node_modules/nearglot/bin/nearglot.cjs');
	const answer = await workshop.run(process.execPath, [main, 'chat', 'hi']);
	assert.equal(answer.status, 1, answer.told);
	assert.match(answer.stderr, /[Mm]odels? .*(?:team server|Rosetta)/);
	assert.doesNotMatch(answer.stderr, /npm install/);
});
