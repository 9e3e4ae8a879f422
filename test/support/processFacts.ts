/** What the system says of other processes: their program, their children, the libraries they have loaded. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const { platform } = process;

/** What a program of the system prints, without empty lines. */
const lines = (program: string, args: readonly string[]): string[] =>
	execFileSync(program, args, {
		...{ encoding: 'utf8', windowsHide: true },
		// lsof writes letters as they are only where the locale has them.
		env: { ...process.env, LC_ALL: platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8' },
	})
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== '');

const powershell = (script: string): string[] =>
	// Its own way of writing is that of an old console, which has not all letters.
	lines('powershell.exe', [
		...['-NoProfile', '-NonInteractive', '-Command'],
		`[Console]::OutputEncoding = [Text.Encoding]::UTF8; ${script}`,
	]);

/** Path of the program that a process runs. */
export function executableOf(pid: number): string {
	if (platform === 'linux') return readlinkSync(`/proc/${pid}/exe`);
	const [path = ''] =
		platform === 'win32'
			? powershell(`(Get-Process -Id ${pid}).Path`)
			: lines('/bin/ps', ['-o', 'comm=', '-p', String(pid)]);
	return path;
}

export function childrenOf(pid: number): number[] {
	if (platform === 'linux')
		return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
			readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
				.split(' ')
				.filter((child) => child !== '')
				.map(Number),
		);
	if (platform === 'win32')
		return powershell(
			`Get-CimInstance Win32_Process -Filter 'ParentProcessId=${pid}' | ForEach-Object ProcessId`,
		).map(Number);
	return lines('/usr/bin/pgrep', ['-P', String(pid)]).map(Number);
}

/** Paths of the libraries in a process. */
export function librariesOf(pid: number): string[] {
	if (platform === 'linux')
		return readFileSync(`/proc/${pid}/maps`, 'utf8')
			.split('\n')
			.flatMap((line) => /\s(\/.*(?:\.node|\.so[.\d]*))$/.exec(line)?.[1] ?? [])
			.filter((path, index, all) => all.indexOf(path) === index);
	if (platform === 'win32') return powershell(`(Get-Process -Id ${pid}).Modules.FileName`);
	return lines('/usr/sbin/lsof', ['-a', '-p', String(pid), '-d', 'txt', '-Fn'])
		.filter((line) => line.startsWith('n/'))
		.map((line) => line.slice(1));
}

/** What a package brings along so that the system's or somebody else's is not taken. */
const brought = /^(?:lib)?onnxruntime|^koffi.*\.node$|^(?:msvcp|vcruntime)140.*\.dll$/i;

/** Of libraries those that a package brings along. */
export const broughtAlong = (libraries: readonly string[]): string[] =>
	libraries.filter((path) => brought.test(nameOf(path)));

/** Those that lie elsewhere. @param folder as the system writes it, all links resolved */
export const outside = (libraries: readonly string[], folder: string): string[] => {
	const same = (path: string) => (platform === 'win32' ? path.toLowerCase() : path);
	return libraries.filter((path) => !same(path).startsWith(same(folder) + separatorOf(folder)));
};

const separatorOf = (path: string): string => (path.includes('\\') ? '\\' : '/');
const nameOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? '';

/** Whether a program is that of an editor, or one of its helpers, and not Node's. @param editor its program */
export function isOfEditor(program: string, editor: string): boolean {
	const folder = /^.*?\.app(?=\/)/.exec(editor)?.[0] ?? editor.replace(/[\\/][^\\/]*$/, '');
	const isInside = program.toLowerCase().startsWith(folder.toLowerCase() + separatorOf(editor));
	return isInside && !/^node(?:\.exe)?$/i.test(nameOf(program));
}
