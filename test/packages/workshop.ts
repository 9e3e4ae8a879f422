/** A folder in which packages are made from bundles as they are shipped, and where programs run with an own home. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { delimiter, dirname, join, relative, sep } from 'node:path';
// @ts-expect-error: the scripts are plain JavaScript
import { nativePlatforms } from '../../scripts/nativeFiles.mjs';
// @ts-expect-error: the scripts are plain JavaScript
import { root } from '../../scripts/node.mjs';
import { gone } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { type Figures, figuresLine, PackedServer } from './packedServer.ts';

export const platform = `${process.platform}-${process.arch}`;

/** Tests that run a package of this platform. */
export const options = {
	skip: !nativePlatforms.includes(platform) && `no package for ${platform}`,
};

interface Run {
	readonly status: number | string | null | undefined;
	readonly stdout: string;
	readonly stderr: string;
	readonly told: string;
}

export class Workshop {
	readonly folder: string;
	/** Bundles as they are shipped; those in dist/ are for development. */
	readonly bundles: string;

	private constructor(folder: string) {
		this.folder = folder;
		this.bundles = join(folder, 'bundles');
	}

	/** @param packed a folder of packages that are there already; then there are no bundles */
	static async open(packed?: string): Promise<Workshop> {
		const workshop = new Workshop(temporaryFolder('packed ü'));
		if (packed !== undefined) return workshop;
		await workshop.script('esbuild.mjs', '--production', '--out', workshop.bundles);
		return workshop;
	}

	close(): Promise<void> {
		return rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
	}

	/** Runs a program to its end, with an own Node first: `npm` may come with an older one. */
	run(command: string, args: readonly string[], cwd = this.folder): Promise<Run> {
		const env = {
			...process.env,
			PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
			NEARGLOT_HOME: join(this.folder, 'data'),
			HOME: this.folder,
			npm_config_cache: join(this.folder, 'cache'),
			npm_config_update_notifier: 'false',
		};
		return new Promise((resolve) => {
			execFile(command, args, { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
				resolve({ status: error ? error.code : 0, stdout, stderr, told: `${stdout}${stderr}` }),
			);
		});
	}

	/** Runs one of the project's scripts; it must succeed. */
	async script(name: string, ...args: string[]): Promise<void> {
		const done = await this.run(process.execPath, [join(root, name), ...args], root);
		assert.equal(done.status, 0, done.told);
	}

	/** Ends the daemon that a command line has started, if one was, and that would wait for more work. */
	async stopDaemon(): Promise<void> {
		const file = join(this.folder, 'data/endpoint.json');
		if (!existsSync(file)) return;
		const { pid } = JSON.parse(readFileSync(file, 'utf8'));
		process.kill(pid, 'SIGTERM');
		await gone(pid);
	}

	/**
	 * Starts the server of a package and asks each built-in model, which must run as it should; then prints how
	 * fast they are beside those of the server that is built in the checkout.
	 * @param entry the server's bundle in the package
	 * @param place the folder of the package and of those beside it
	 */
	async tryServer(name: string, entry: string, place: string): Promise<void> {
		await using packed = await PackedServer.start(entry, join(this.folder, 'home'));
		await packed.mustRunAsItShould();
		const loaded = packed.mustLoadOnlyFrom(place);
		const needed = ['onnxruntime', 'koffi.node', ...visualCInPackage(place)];
		for (const part of needed)
			assert.ok(
				[...loaded].some((file) => file.includes(part)),
				`${part} is not among ${[...loaded].join(', ')}`,
			);
		// Where the archives of another machine are tried, nothing of the checkout is built.
		if (process.env['NEARGLOT_PACKED'] !== undefined) return;
		await using own = await PackedServer.start(
			join(root, 'dist/server.cjs'),
			join(this.folder, 'home of the checkout'),
		);
		await own.mustRunAsItShould();
		const measured: [string, PackedServer, Figures[]][] = [
			[name, packed, []],
			['the checkout', own, []],
		];
		// In turns, so that whatever else the machine does meets both.
		for (let round = 0; round < 3; round++)
			for (const [, server, figures] of measured) figures.push(await server.measure());
		for (const [what, , figures] of measured) console.log(figuresLine(what, figures));
	}
}

/**
 * The Visual C++ runtime that a package for Windows brings along; one that was made by a release must. Windows loads
 * those that the library names before it begins.
 */
function visualCInPackage(place: string): string[] {
	if (process.platform !== 'win32') return [];
	const found = filesOf(place).flatMap((file) => /[^/]*140[^/]*\.dll$/.exec(file)?.[0] ?? []);
	if (process.env['NEARGLOT_PACKED'] !== undefined)
		assert.ok(found.length >= 4, `the package has no Visual C++ runtime: ${found.join()}`);
	return found.map((name) => name.toLowerCase());
}

/** Files below a folder, with / on every system. */
export function filesOf(path: string): string[] {
	return readdirSync(path, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(path, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}
