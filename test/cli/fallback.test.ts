/** An installation that lacks a part of the fast runtime: models answer, and people are told. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Home, newHome } from '../daemon/home.ts';

/** What is missing, as Node says it. */
const breakage = `
const { Module } = require('node:module');
const load = Module._load;
Module._load = (name, ...rest) => {
	if (name === 'koffi') throw new Error("Cannot find module './static.cjs'\\nRequire stack:\\n- /here");
	return load(name, ...rest);
};
`;
const warning =
	"Models run slower than they could, through session.run: the C API could not be used: Cannot find module './static.cjs'. " +
	'Answers are the same, but come later, and a long run does not stop at once. ' +
	'Install Nearglot again; if this stays, report it.';

let home: Home;
let broken: NodeJS.ProcessEnv;
before(async () => {
	home = await newHome();
	const file = join(home.folder, 'breakage.cjs');
	await writeFile(file, breakage);
	broken = { NODE_OPTIONS: `--require ${JSON.stringify(file)}` };
});
after(() => home.close());

test('doctor fails where the fast runtime does not work, and says what to do', async () => {
	const { stdout, code } = await home.run(['doctor'], '', broken);
	assert.match(stdout, /^chat +starter-chat:1: .*tokens\/s$/m);
	assert.ok(stdout.includes(`FAILED: ${warning}\n`), stdout);
	assert.match(stdout, /^engine +FAILED: /m);
	assert.match(stdout, /^remarks +none$/m);
	assert.equal(code, 1);
});

test('models list warns once, whatever is loaded; models info warns too', async () => {
	const translated = await home.run(['translate', 'Open the file.', '--to', 'de'], '', broken);
	assert.equal(translated.code, 0, translated.stderr);
	const { stdout } = await home.run(['models', 'list'], '', broken);
	assert.equal(stdout.split(`\nWarning: ${warning}\n`).length, 2, stdout);
	const { stdout: info } = await home.run(['models', 'info', 'starter-translate'], '', broken);
	assert.ok(info.endsWith(`\nAs it is loaded now\n  - Warning: ${warning}\n`), info);
});

test('session.run that was asked for is no fault', async () => {
	const own = await newHome({ NEARGLOT_PLAIN_RUNTIME: '1' });
	try {
		const { stdout, code } = await own.run(['doctor']);
		assert.equal(code, 0, stdout);
		assert.match(stdout, /^engine +ONNX Runtime through session\.run$/m);
		assert.match(stdout, /^remarks +starter-chat:1: .*session\.run, as was asked for\.$/m);
	} finally {
		await own.close();
	}
});
