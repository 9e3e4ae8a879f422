/** The Node that a checkout fetches for itself is there for every machine that it names. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
// @ts-expect-error: the scripts are plain JavaScript
import { nodePackages, npmCommand } from '../../scripts/node.mjs';

const run = promisify(execFile);

test('npm has every Node that is fetched, for the machine it is fetched for', async (t) => {
	const [command, before] = npmCommand();
	const view = async (name: string) =>
		JSON.parse(
			(await run(command, [...before, 'view', name, '--json', 'version', 'os', 'cpu'])).stdout,
		);
	const rows = Object.entries(nodePackages as Record<string, string>);
	assert.ok(rows.length >= 5);
	let shown: { version: string; os?: string | string[]; cpu?: string | string[] }[];
	try {
		shown = await Promise.all(rows.map(([, name]) => view(name)));
	} catch (error) {
		// Without a network nothing is fetched either; a name that is not there has this code.
		assert.doesNotMatch(String(error), /E404|ETARGET/);
		return t.skip('npm does not answer');
	}
	for (const [index, [machine, name]] of rows.entries()) {
		const { version, os, cpu } = shown[index] ?? { version: 'none' };
		assert.equal(version, name.slice(name.lastIndexOf('@') + 1));
		const [platform, arch] = machine.split('-');
		assert.equal(String(os), platform, name);
		assert.equal(String(cpu), arch, name);
	}
});
