/** Every file that the source writes into its data folder, and every one of the gateway, stands in docs/data.md with how long it is kept. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDocument, root } from './blocks.ts';

const page = readDocument('docs/data.md');
/** Rows of tables of four columns: names in the first, how long in the third. */
const rows = [...page.matchAll(/^\| (.+?) \| (.+?) \| (.*?) \| (.*?) \|$/gm)].map(
	([, names = '', , kept = '']) => ({
		names: [...names.matchAll(/`([\w.-]+)\/?`/g)].map(([, name = '']) => name),
		kept: kept.trim(),
	}),
);

/** Names that sources join to the data folder, and those of the gateway. */
function written(): Set<string> {
	const text = globSync('server/**/*.ts', { cwd: root })
		.map((name) => readFileSync(join(root, name), 'utf8'))
		.join('\n');
	const joined = text.matchAll(
		/join\((?:await )?(?:\w+\.)*(?:dataDir(?:\([^()]*(?:\([^()]*\))?[^()]*\))?|directory), '([\w.-]+)/g,
	);
	const gateway = text.matchAll(/'(gateway-[\w.-]+\.(?:db|json))'/g);
	return new Set([...joined, ...gateway].map(([, name = '']) => name));
}

test('every file the source writes is documented, and none besides', () => {
	const found = written();
	assert.ok(found.size >= 20, [...found].join(' '));
	const named = new Set(rows.flatMap(({ names }) => names));
	assert.deepEqual(
		[...found].filter((name) => !named.has(name)),
		[],
		'written, not documented',
	);
	// Of these the names are made in another way.
	const others = ['daemon.log.1', 'sessions.db', 'x-gateway.store', 'login.tokenStore', 'models'];
	others.push('x-gateway.keysFile', 'x-gateway.auditFile');
	assert.deepEqual(
		[...named].filter((name) => !found.has(name) && !others.includes(name)),
		[],
		'documented, not written',
	);
});

test('of every file it is said how long it is kept', () => {
	assert.ok(rows.length > 20);
	assert.deepEqual(
		rows.filter(({ kept }) => kept === ''),
		[],
	);
});
