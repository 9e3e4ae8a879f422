/** An installation that lacks a part of the fast runtime: models answer, and people are told. */

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Home, newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What is missing, as Node says it. */
const breakage = `throw new Error("Cannot find module './static.cjs'\\nRequire stack:\\n- /here");`;
const warning =
	"Models run slower than they could, through session.run: the C API could not be used: Cannot find module './static.cjs'. " +
	'Answers are the same, but come later, and a long run does not stop at once. ' +
	'Install Nearglot again; if this stays, report it.';

const install = temporaryFolder('install');
let home: Home;
before(async () => {
	const packages = join(install, 'node_modules');
	for (const part of ['package.json', 'server', 'starter/models'])
		cpSync(join(root, part), join(install, part), { recursive: true });
	mkdirSync(join(packages, 'koffi'), { recursive: true });
	for (const name of readdirSync(join(root, 'node_modules')).filter(
		(one) => one !== 'koffi' && !one.startsWith('.'),
	))
		symlinkSync(join(root, 'node_modules', name), join(packages, name), 'junction');
	writeFileSync(join(packages, 'koffi/package.json'), '{"name":"koffi","main":"index.cjs"}');
	writeFileSync(join(packages, 'koffi/index.cjs'), breakage);
	home = await newHome({}, join(install, 'server/main.ts'));
});
after(async () => {
	await home.close();
});

test('doctor fails where the fast runtime does not work, and says what to do', async () => {
	const { stdout, code } = await home.run(['doctor']);
	assert.match(stdout, /^chat +starter-chat:1: .*tokens\/s$/m);
	assert.ok(stdout.includes(`FAILED: ${warning}\n`), stdout);
	assert.match(stdout, /^engine +FAILED: /m);
	assert.match(stdout, /^notes +none$/m);
	assert.equal(code, 1);
});

test('models list warns once, whatever is loaded; models info warns too', async () => {
	const translated = await home.run(['translate', 'Open the file.', '--to', 'de']);
	assert.equal(translated.code, 0, translated.stderr);
	const { stdout } = await home.run(['models', 'list']);
	assert.equal(stdout.split(`\nWarning: ${warning}\n`).length, 2, stdout);
	const { stdout: info } = await home.run(['models', 'info', 'starter-translate']);
	assert.ok(info.endsWith(`\nAs it is loaded now\n  - Warning: ${warning}\n`), info);
});

test('session.run that was asked for is no fault', async () => {
	const own = await newHome({ NEARGLOT_PLAIN_RUNTIME: '1' });
	try {
		const { stdout, code } = await own.run(['doctor']);
		assert.equal(code, 0, stdout);
		assert.match(stdout, /^engine +ONNX Runtime through session\.run$/m);
		assert.match(stdout, /^notes +starter-chat:1: .*session\.run, as was asked for\.$/m);
	} finally {
		await own.close();
	}
});
