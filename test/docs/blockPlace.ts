/** Where the examples of the documents are run: a folder with what they name, `nearglot` on the path, addresses that answer. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { smallGguf } from '../engine/build/smallGguf.ts';
import { freePort } from '../support/freePort.ts';
import { programArgs } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { root } from './blocks.ts';

/** Longest that one block may take, also where the machine has much else to do. */
export const limitMs = 300_000;

/** A folder with what the examples name. */
export function place(): string {
	const folder = temporaryFolder('docs examples');
	const fixture = (name: string) => join(root, 'test/fixtures', name);
	copyFileSync(fixture('speech/annie.flac'), join(folder, 'annie.flac'));
	// What is in a recording is told from its content.
	copyFileSync(fixture('speech/annie.flac'), join(folder, 'recording.mp3'));
	for (const name of ['talk.mp3', 'meeting.mp3', 'film.mkv', 'one.wav'])
		copyFileSync(fixture('speech/annie.flac'), join(folder, name));
	copyFileSync(join(root, 'README.md'), join(folder, 'README.md'));
	mkdirSync(join(folder, 'guide'));
	writeFileSync(join(folder, 'guide/start.md'), 'The file could not be opened.\n');
	writeFileSync(join(folder, 'notes.txt'), 'The file could not be opened.\n');
	writeFileSync(join(folder, 'terms.tsv'), 'file\tfichier\n');
	copyFileSync(join(root, 'docs/start/built-in-models.md'), join(folder, 'guide.md'));
	const body = { model: 'starter-chat', messages: [{ role: 'user', content: 'list all files' }] };
	const request = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body };
	writeFileSync(join(folder, 'requests.jsonl'), `${JSON.stringify(request)}\n`);
	mkdirSync(join(folder, 'locales'));
	for (const under of ['', 'locales']) {
		writeFileSync(
			join(folder, under, 'en.json'),
			'{"open":"Open the file.","save":"Save the file."}\n',
		);
		writeFileSync(join(folder, under, 'fr.json'), '{"open":"Ouvrir le fichier."}\n');
	}
	writeFileSync(
		join(folder, 'company-ca.pem'),
		readFileSync(join(root, 'test/fixtures/company-ca.pem')),
	);
	// Models as they are carried from one machine to another.
	const carried = join(folder, 'qwen2.5-coder-0.5b');
	cpSync(join(root, 'starter/models/starter-chat'), carried, { recursive: true });
	spawnSync('tar', ['-czf', 'model.tar.gz', 'qwen2.5-coder-0.5b'], { cwd: folder });
	for (const name of ['model.gguf', 'FILE.gguf']) writeFileSync(join(folder, name), smallGguf());
	const git = (...args: string[]) =>
		spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
			cwd: folder,
		});
	git('init');
	git('commit', '--allow-empty', '--message', 'Save the file before it is closed.');
	const bin = join(folder, 'bin');
	mkdirSync(bin);
	const program = programArgs().join('" "');
	for (const [name, args] of [
		['nearglot', '"$@"'],
		// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
		['npx', '"${@:2}"'],
	]) {
		writeFileSync(
			join(bin, String(name)),
			`#!/usr/bin/env bash\nexec "${process.execPath}" "${program}" ${args}\n`,
		);
		chmodSync(join(bin, String(name)), 0o755);
	}
	return folder;
}

/** Ports that the pages name stand for free ones; the address of the running server for it. */
export async function withAddresses(text: string, url: string): Promise<string> {
	const { port } = new URL(url);
	const [serve, gateway] = [await freePort(), await freePort()];
	return text
		.replaceAll(/\bPORT\b/g, port)
		.replaceAll(/\b8080\b/g, String(serve))
		.replaceAll(/\b8000\b/g, String(gateway))
		.replaceAll(
			/^(nearglot gateway .*--upstream \S+)( &)?$/gm,
			`$1 --port ${gateway} --host 127.0.0.1$2`,
		);
}

export interface Ended {
	readonly code: number | null;
	readonly told: string;
}

/** `nearglot` and the Node that runs it first on the path. */
export const pathOf = (folder: string): string =>
	[join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);

export function startIn(
	folder: string,
	env: NodeJS.ProcessEnv,
	command: string,
	args: readonly string[],
): ChildProcess {
	return spawn(command, args, {
		cwd: folder,
		timeout: limitMs,
		env: { ...env, PATH: pathOf(folder) },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
}

/** Runs a program to its end. */
export function runIn(
	folder: string,
	env: NodeJS.ProcessEnv,
	command: string,
	args: readonly string[],
): Promise<Ended> {
	const child = startIn(folder, env, command, args);
	let told = '';
	for (const stream of [child.stdout, child.stderr])
		stream?.setEncoding('utf8').on('data', (text: string) => {
			told += text;
		});
	return new Promise((resolve) => child.once('close', (code) => resolve({ code, told })));
}

/** What a block started in the background ends with it. */
export const script = (text: string) => `set -euo pipefail
trap 'jobs -p | xargs -r kill 2>/dev/null; wait' EXIT
${text}`;
