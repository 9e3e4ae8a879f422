/** Habits that keep tests quick and make them fail with a message: they wait for conditions, not for a while. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
	.map((file) => file.split(sep).join('/'))
	.filter((file) => file.endsWith('.ts') && !/^\.work\/|testHabits/.test(file))
	.map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

test('there is one way to wait for a condition', () => {
	const own = files.filter(
		({ file, text }) =>
			/(async|export) function until\(|const until = (async )?\(/.test(text) &&
			file !== 'support/until.ts',
	);
	assert.deepEqual(
		own.map(({ file }) => file),
		[],
	);
	const loops = files.filter(({ text }) =>
		/while \([^\n]*\)\s*(await new Promise|\{\s*await new Promise)\(\(resolve\) => setTimeout/.test(
			text,
		),
	);
	assert.deepEqual(
		loops.map(({ file }) => file),
		[],
	);
});

test('a page is not asked to wait for an asynchronous condition: a promise counts as yes there', () => {
	const found = files.filter(({ text }) => /waitForFunction\(\s*async\b/.test(text));
	assert.deepEqual(
		found.map(({ file }) => file),
		[],
	);
});

/** Where only time can show that nothing happens, with the reason. */
const sleeps: Readonly<Record<string, string>> = {
	'jobs/s3Store.process.test.ts': 'a reader must be slower than a store is waited for',
	'audio/threadedDecode.process.test.ts':
		'a thread must have had the time to read what it must not read',
	'conformance/translateOdd.process.test.ts':
		'two requests must both stand in the queue, which shows nothing outside',
};

test('no test sleeps for a fixed time before it looks', () => {
	const found = files
		.filter(({ file }) => file.endsWith('.test.ts'))
		.filter(({ text }) => /(setTimeout\(resolve, |sleep\(|wait\()\d[\d_]{2,}\)/.test(text))
		.map(({ file }) => file);
	assert.deepEqual(found.sort(), Object.keys(sleeps).sort());
});

test('folders of tests and the shared data are found by one helper each', () => {
	const helpers = new Map([
		[
			'support/temporaryFolder.ts',
			/mkdtemp(Sync)?\(\s*join\(\s*(os\.)?tmpdir\(\)|mkdtempSync\(join\(place,/,
		],
		['support/sharedData.ts', /NEARGLOT_SHARED/],
	]);
	// It runs in the extension host, bundled.
	const apart = 'e2e/suite/ai.ts';
	for (const [helper, pattern] of helpers)
		assert.deepEqual(
			files
				.filter(({ file, text }) => file !== apart && pattern.test(text))
				.map(({ file }) => file),
			[helper],
		);
});

test('what a file puts in place of clocks and functions lasts as long as its tests: others share the process', () => {
	assert.deepEqual(
		files.filter(({ text }) => /^mock\./m.test(text)).map(({ file }) => file),
		[],
	);
});

/** What not every system has, by what a test of it says. */
const notEverywhere: Readonly<Record<string, RegExp>> = {
	'needsSignals, or needsFreezing': /\bkill\([^)]*'SIG(?!KILL')[A-Z0-9]+'/,
	needsModes: /\.mode & 0o|\bchmod(?:Sync)?\(/,
	'needsFileLinks, or a junction': /\bsymlink(?:Sync)?\((?![^;]*'junction'\))/,
	needsShell: /#!(?:\/|\$\{)|'(?:\/bin\/)?(?:ba)?sh',|'mkfifo'/,
	'needsLinux, or another file': /'\/(?:dev|proc|etc)\//,
};
/** Where the system's way does as well, with the reason. */
const asWellElsewhere: Readonly<Record<string, string>> = {
	'daemon/windowsKills.process.test.ts': 'a kill is what it is about, and Windows has it',
	'packages/wine.process.test.ts': 'asked for where Wine is',
	'extension/chat/toTerminal.test.ts': 'names, not shells',
	'cli/namedFile.test.ts': 'names, not files',
	'webview/mentions.test.ts': 'names, not files',
	'hub/archive.test.ts': 'names, not files',
	'hub/tarReader.test.ts': 'names, not files',
	'hub/names.test.ts': 'names, not files',
	'hub/downloadModel.process.test.ts': 'names, not files',
	'http/speechRoutes.process.test.ts': 'a name that is refused',
	'lsp/prose/translateRange.test.ts': 'a script that nobody runs',
	'docs/blockPlace.ts': 'used by tests that need a shell and say so',
	'docs/frontProxies.ts': 'used where Caddy and nginx are',
	'engine/signedSums.model.test.ts': 'asked for only where it is there',
	'engine/confinedProgram.ts': 'run by a test for Linux',
	'jobs/batchProcesses.ts': 'its callers are skipped where there is no freezing',
	'faults/faultHome.ts': 'run by a test that is not for Windows',
	'faults/workFaults.ts': 'run by a test that is not for Windows',
	'gateway/everyWay.ts': 'run by a test for Linux',
	'support/watched.ts': 'run by tests for Linux',
	'support/silentMachine.ts': 'run by tests for Linux',
	'engine/prunedHead.model.test.ts': 'rights are given, none is taken',
	'engine/speech/reference.model.test.ts': 'rights are given, none is taken',
	'translate/documents/otherReaders.process.test.ts': 'only where programs of Unix are there',
	'translate/documents/placeholders.process.test.ts': 'only where programs of Unix are there',
};

test('what a test needs and Windows or macOS has not, it says and is skipped for, with the reason', () => {
	const own = /^(?:e2e|deploy|bench|fixtures)\//;
	const says = /systemNeeds\.ts'|process\.platform|whyNoTrace\(|existsSync\('\/proc/;
	const needing = files.flatMap(({ file, text }) => {
		if (own.test(file)) return [];
		const needs = Object.keys(notEverywhere).filter((need) => notEverywhere[need]?.test(text));
		return needs.length > 0 && !says.test(text) ? [`${file}: ${needs.join(', ')}`] : [];
	});
	assert.deepEqual(
		needing.filter((line) => !(line.split(':')[0]! in asWellElsewhere)),
		[],
	);
	assert.deepEqual(
		Object.keys(asWellElsewhere).filter((file) => !needing.some((line) => line.startsWith(file))),
		[],
		'no longer needed in the list',
	);
	const silent = files.filter(({ text }) =>
		/\bskip: process\.platform [!=]== '\w+'\s*[,}]/.test(text),
	);
	assert.deepEqual(
		silent.map(({ file }) => file),
		[],
		'a reason is to be printed',
	);
});
