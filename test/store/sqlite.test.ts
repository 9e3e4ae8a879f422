/** The remark of Node 22 about SQLite, which a person who runs a command cannot do anything about. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutRemark } from '../../server/store/sqlite.ts';

/** A process that collects what it is warned of. */
function listening() {
	const warned: unknown[][] = [];
	const emitWarning = (...args: unknown[]) => void warned.push(args);
	return { node: { emitWarning } as unknown as typeof process, emitWarning, warned };
}

test('of what Node says while SQLite is loaded the one remark is left out, and nothing before or after', () => {
	const { node, emitWarning, warned } = listening();
	const said = 'SQLite is an experimental feature and might change at any time';
	const others = [
		['Importing WASI is an experimental feature', 'ExperimentalWarning'],
		['SQLite is an experimental feature, they say', 'DeprecationWarning'],
		[new Error(said)],
	] as const;
	const warn = (args: readonly unknown[]) => Reflect.apply(node.emitWarning, node, [...args]);
	const result = withoutRemark(() => {
		warn([said, 'ExperimentalWarning']);
		for (const args of others) warn(args);
		return 7;
	}, node);
	assert.equal(result, 7);
	assert.deepEqual(
		warned.map(([warning, type]) => [warning, type]),
		others.map(([warning, type]) => [warning, type]),
	);
	assert.equal(node.emitWarning, emitWarning);
	warn([said, 'ExperimentalWarning']);
	assert.equal(warned.length, others.length + 1);
});

test('a SQLite that does not load leaves warnings as they were', () => {
	const { node, emitWarning } = listening();
	assert.throws(
		() =>
			withoutRemark(() => {
				throw new Error('no SQLite');
			}, node),
		/no SQLite/,
	);
	assert.equal(node.emitWarning, emitWarning);
});
