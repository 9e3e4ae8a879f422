/** What is wrong with the data folder is found by doctor and told on the terminal, however the server was started. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Home, newHome } from '../support/home.ts';
import { programArgs } from '../support/program.ts';

let home: Home;
beforeEach(async () => {
	home = await newHome();
});
afterEach(() => home.close());

test('a damaged settings file that the background server meets is told on the terminal, once', async () => {
	await writeFile(join(home.folder, 'models.json'), '{damaged');
	const first = await home.run(['models', 'list']);
	assert.equal(first.code, 0, first.stderr);
	assert.match(first.stderr, /^nearglot models: What was chosen about models could not be read: /m);
	assert.match(first.stderr, /is kept as .*models\.json\.damaged-/);
	assert.equal((await home.run(['models', 'list'])).stderr, '', 'it is told once');
});

test('doctor fails where keys are lost', async () => {
	const made = await home.run(['keys', 'create', 'q', '--quota', '100']);
	assert.equal(made.code, 0, made.stderr);
	const sound = JSON.parse((await home.run(['doctor', '--json'])).stdout);
	assert.equal(sound['keys'], '1');
	assert.equal(sound['translate keys'], 'none');
	assert.match(sound['data folder'], /, writable, .+ free$/);
	assert.ok(!(await readdir(home.folder)).some((name) => name.startsWith('doctor')));
	await writeFile(join(home.folder, 'keys.db'), 'damaged '.repeat(1000));
	await writeFile(join(home.folder, 'translator-keys.json.made'), '');
	const lost = await home.run(['doctor', '--json']);
	assert.equal(lost.code, 1);
	const rows = JSON.parse(lost.stdout);
	assert.match(rows['keys'], /^FAILED: .*keys\.db is missing or damaged/);
	assert.match(rows['translate keys'], /^FAILED: .*translator-keys\.json is missing or damaged/);
});

const mayMount = process.platform === 'linux' && spawnSync('unshare', ['-rm', 'true']).status === 0;
test('doctor tries to write, so that a full disk is no writable one', {
	skip: !mayMount && 'this user may not mount in a name space of its own',
}, async () => {
	const command = [process.execPath, ...programArgs('doctor', '--json')];
	// The disk is there in the name space of this one command only.
	const script = `mount -t tmpfs -o size=64k,mode=700 full "$NEARGLOT_HOME" && { dd if=/dev/zero of="$NEARGLOT_HOME/all" bs=4k 2>/dev/null; exec "$@"; }`;
	const { status, stdout, stderr } = spawnSync(
		'unshare',
		['-rm', 'sh', '-c', script, 'sh', ...command],
		{ env: home.env, encoding: 'utf8' },
	);
	assert.equal(status, 1, stderr);
	assert.match(JSON.parse(stdout)['data folder'], /^FAILED: .*no space left on its disk/);
	await rm(join(home.folder, 'all'), { force: true });
});
