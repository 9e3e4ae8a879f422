/** The workflow files run on all three systems what a contributor runs, and nothing that is not there. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

interface Step {
	readonly run?: string;
	readonly uses?: string;
	readonly if?: string;
}
interface Job {
	readonly strategy: { readonly matrix: { readonly os: readonly string[] } };
	readonly 'runs-on': string;
	readonly steps: readonly Step[];
}
interface Workflow {
	readonly on: Readonly<Record<string, unknown>>;
	readonly permissions: Readonly<Record<string, string>>;
	readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dirname, '../..');
const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map(
	(file) => [file, parse(readFileSync(join(folder, file), 'utf8')) as Workflow] as const,
);

test('every change is tested on Linux, Windows and macOS, the desktop editor included', () => {
	const jobs = Object.fromEntries(workflows)['test.yml']?.jobs ?? {};
	const [job] = Object.values(jobs);
	assert.deepEqual(
		job?.strategy.matrix.os.map((name) => name.split('-')[0]),
		['ubuntu', 'windows', 'macos'],
	);
	assert.match(job?.['runs-on'] ?? '', /matrix\.os/);
	for (const system of ['Linux', 'Windows', 'macOS']) {
		// The conditions are the two that a step has here: a system, or any other.
		const runs: string[] = (job?.steps ?? [])
			.filter(({ if: when = '' }) => {
				const [, operator, name] = /^runner\.os (==|!=) '(\w+)'$/.exec(when) ?? [];
				return when === '' || (operator === '==') === (name === system);
			})
			.flatMap(({ run }) => (run === undefined ? [] : [run.replace('xvfb-run -a ', '')]));
		assert.deepEqual(runs, ['npm ci', 'npm test', 'npm run test:desktop'], system);
	}
});

test('workflows run scripts that exist, with actions of a fixed version and no right to write', () => {
	const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
		scripts: Record<string, string>;
	};
	for (const [file, { on, permissions, jobs }] of workflows) {
		assert.ok('push' in on && 'pull_request' in on, file);
		assert.deepEqual(permissions, { contents: 'read' }, file);
		for (const { run = '', uses } of Object.values(jobs).flatMap(({ steps }) => steps)) {
			const [, name] = /npm run (\S+)/.exec(run) ?? [];
			if (name !== undefined) assert.ok(Object.hasOwn(scripts, name), `${file}: ${name}`);
			if (uses !== undefined) assert.match(uses, /^actions\/[\w-]+@v\d+$/, file);
		}
	}
});
