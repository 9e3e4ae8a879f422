/** The image is built of what the tests install: from the files that .dockerignore lets in, by the Dockerfile's own commands. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').replaceAll(/\\\n/g, ' ');
const instructions = dockerfile.split('\n').filter((line) => /^[A-Z]+ /.test(line));
const folder = temporaryFolder('image');
after(() => rmSync(folder, { recursive: true, force: true }));

/** What an instruction does that it must not; nothing for a good one. */
function faults(lines: readonly string[]): string[] {
	let hasNpmrc = false;
	return lines.flatMap((line) => {
		if (line.startsWith('FROM ')) hasNpmrc = false;
		if (/^COPY (?:\S+ )*\.npmrc /.test(line)) hasNpmrc = true;
		const installs = /\bnpm (?:ci|install)\b/.test(line);
		return [
			...(installs && !hasNpmrc && !line.includes('--ignore-scripts')
				? [`installation scripts run: ${line}`]
				: []),
			...(/\b(?:apt-get|apk|curl|wget|npx)\b/.test(line)
				? [`asks more than the npm registry: ${line}`]
				: []),
		];
	});
}

test('no instruction runs installation scripts or asks anything but the npm registry, and one that does is found', () => {
	assert.deepEqual(faults(instructions), []);
	assert.equal(faults(['FROM a', 'COPY .npmrc ./', 'FROM b', 'RUN npm ci --omit=dev']).length, 1);
	assert.equal(faults(['RUN apt-get update']).length, 1);
	assert.ok(instructions.includes('USER node'));
	const health = instructions.find((line) => line.startsWith('HEALTHCHECK '));
	assert.match(health ?? '', /--start-period=10m/, 'as long as a model of --preload may take');
});

test('the archives of the image are made from the files that .dockerignore lets in', () => {
	const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
	assert.equal(lines.filter((line) => line !== '' && !line.startsWith('#'))[0], '*');
	const tracked = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
	const all = tracked.status === 0 ? tracked.stdout.split('\n') : undefined;
	for (const line of lines.filter((each) => each.startsWith('!'))) {
		const names = globSync(line.slice(1), { cwd: root });
		assert.ok(names.length > 0, `${line} lets nothing in`);
		for (const name of names)
			cpSync(join(root, name), join(folder, name), {
				recursive: true,
				filter: (path) => {
					const own = path.slice(root.length).replace(/^\//, '');
					return all?.some((file) => file === own || file.startsWith(`${own}/`)) ?? true;
				},
			});
	}
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
	const building = instructions.find((line) => line.includes('esbuild.mjs')) ?? '';
	const command = building
		.replace(/^RUN /, '')
		.replaceAll(/(^|&& *)node /g, `$1"${process.execPath}" `)
		.replace('$(node -p process.arch)', process.arch)
		.replace('/packed', './packed');
	const built = spawnSync(command, { cwd: folder, shell: true, encoding: 'utf8' });
	assert.equal(built.status, 0, built.stderr);
	const archives = readdirSync(join(folder, 'packed')).sort();
	assert.equal(archives.length, 2, String(archives));
	assert.match(archives[1] ?? '', /^nearglot-runtime-linux-/);
});
