/** Which libraries a binary needs before it can be loaded: of Windows (PE), Linux (ELF) and macOS (Mach-O), 64 bit. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { visualCLibraries } from '../../server/engine/runtime/visualC.ts';

/** What a binary of a package needs that lies neither beside it nor in every system of the platform. */
export function openImports(file: string, platform: string): string[] {
	const here = new Set(readdirSync(dirname(file)));
	return importsOf(readFileSync(file)).filter(
		(name) => !isOfSystem(name, platform) && !here.has(basename(name)),
	);
}

/** Libraries that every supported system has, by their names in lower case. */
const systemLibraries: Readonly<Record<string, RegExp>> = {
	linux: /^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d+|ld-linux-[\w-]+\.so\.\d+)$/,
	darwin: /^\/(usr\/lib|system\/library)\//,
	win32:
		/^(kernel32|advapi32|user32|ole32|oleaut32|shell32|shlwapi|dbghelp|dxcore|setupapi|cfgmgr32|ws2_32|bcrypt|rpcrt4|ucrtbase|kernelbase|version|psapi|gdi32|ntdll|d3d12|dxgi|node)\.(dll|exe)$|^api-ms-win-/,
};

/** Whether a library comes with the system, or is told of where it is missing. */
function isOfSystem(name: string, platform: string): boolean {
	const [system = ''] = platform.split('-');
	const own = name.toLowerCase();
	return systemLibraries[system]?.test(own) === true || visualCLibraries.includes(own);
}

/** @returns names as the binary has them; what is loaded only when it is called (delayed imports) is not among them */
export function importsOf(bytes: Buffer): string[] {
	if (isPe(bytes)) return peImports(bytes);
	if (isElf(bytes)) return elfImports(bytes);
	if (bytes.readUInt32LE(0) === 0xfeedfacf) return machImports(bytes);
	throw new Error('This is no binary of a known kind.');
}

/** The processor that a binary is for, in Node's words. */
export function processorOf(bytes: Buffer): string | undefined {
	const [kinds, at] = isPe(bytes)
		? [peProcessors, bytes.readUInt16LE(bytes.readUInt32LE(0x3c) + 4)]
		: isElf(bytes)
			? [elfProcessors, bytes.readUInt16LE(18)]
			: [machProcessors, bytes.readUInt32LE(4)];
	return kinds.get(at);
}

const peProcessors = new Map([
	[0x8664, 'x64'],
	[0xaa64, 'arm64'],
]);
const elfProcessors = new Map([
	[62, 'x64'],
	[183, 'arm64'],
]);
const machProcessors = new Map([
	[0x0100_0007, 'x64'],
	[0x0100_000c, 'arm64'],
]);

const isPe = (bytes: Buffer): boolean => bytes.readUInt16LE(0) === 0x5a4d;
const isElf = (bytes: Buffer): boolean => bytes.readUInt32BE(0) === 0x7f454c46;

/**
 * Why macOS on Apple silicon would end a program that loads a binary; `undefined` where it would not. Each page of the
 * file has a hash in the signature, which lies at its end.
 */
export function signatureFault(bytes: Buffer): string | undefined {
	const command = loadCommandsOf(bytes).find(({ kind }) => kind === 0x1d);
	if (command === undefined) return 'it is not signed';
	const signature = bytes.subarray(bytes.readUInt32LE(command.at + 8));
	for (let k = 0; k < signature.readUInt32BE(8); k++) {
		const directory = signature.subarray(signature.readUInt32BE(16 + 8 * k));
		if (directory.readUInt32BE(0) !== 0xfade0c02) continue;
		const [hashes, pages, limit] = [16, 28, 32].map((at) => directory.readUInt32BE(at)) as [
			number,
			number,
			number,
		];
		const pageBytes = 2 ** directory.readUInt8(39);
		for (let page = 0; page < pages; page++) {
			const text = bytes.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, limit));
			const hash = createHash('sha256').update(text).digest();
			if (!directory.subarray(hashes + 32 * page, hashes + 32 * (page + 1)).equals(hash))
				return `it was changed after it was signed (page ${page})`;
		}
		return undefined;
	}
	return 'its signature has no hashes';
}

/** The oldest system that a binary says it is for: `macOS 14`, `glibc 2.28`; of Windows' it cannot be told. */
export function oldestSystem(bytes: Buffer): string | undefined {
	if (isPe(bytes)) return undefined;
	if (isElf(bytes)) {
		const minors = [...bytes.toString('latin1').matchAll(/\0GLIBC_2\.(\d+)/g)];
		return `glibc 2.${Math.max(...minors.map(([, minor]) => Number(minor)))}`;
	}
	const version = loadCommandsOf(bytes).find(({ kind }) => kind === 0x32);
	return version && `macOS ${bytes.readUInt32LE(version.at + 12) >> 16}`;
}

const textAt = (bytes: Buffer, at: number): string =>
	bytes.toString('latin1', at, bytes.indexOf(0, at));

/** Import directory of the PE format: 20 bytes for each library, whose name is at an address in memory. */
function peImports(bytes: Buffer): string[] {
	const header = bytes.readUInt32LE(0x3c);
	const sections = bytes.readUInt16LE(header + 6);
	const optional = header + 24;
	const table = optional + bytes.readUInt16LE(header + 20);
	const inFile = (address: number): number => {
		for (let k = 0; k < sections; k++) {
			const at = table + 40 * k;
			const from = bytes.readUInt32LE(at + 12);
			if (address >= from && address < from + bytes.readUInt32LE(at + 16))
				return address - from + bytes.readUInt32LE(at + 20);
		}
		throw new Error(`Nothing lies at ${address}.`);
	};
	// PE32+: the directories begin 112 bytes into the optional header; the second one is that of imports.
	const directory = bytes.readUInt32LE(optional + 120);
	if (directory === 0) return [];
	const found: string[] = [];
	for (let at = inFile(directory); bytes.readUInt32LE(at + 12) !== 0; at += 20)
		found.push(textAt(bytes, inFile(bytes.readUInt32LE(at + 12))));
	return found;
}

const dynamicSection = 6;
const needed = 1n;

/** `DT_NEEDED` entries of the dynamic section; their names lie in the table of strings it is linked with. */
function elfImports(bytes: Buffer): string[] {
	const table = Number(bytes.readBigUInt64LE(40));
	const size = bytes.readUInt16LE(58);
	const offsetOf = (section: number) => Number(bytes.readBigUInt64LE(table + size * section + 24));
	for (let section = 0; section < bytes.readUInt16LE(60); section++) {
		const at = table + size * section;
		if (bytes.readUInt32LE(at + 4) !== dynamicSection) continue;
		const names = offsetOf(bytes.readUInt32LE(at + 40));
		const found: string[] = [];
		const end = offsetOf(section) + Number(bytes.readBigUInt64LE(at + 32));
		for (let entry = offsetOf(section); entry < end; entry += 16)
			if (bytes.readBigInt64LE(entry) === needed)
				found.push(textAt(bytes, names + Number(bytes.readBigUInt64LE(entry + 8))));
		return found;
	}
	return [];
}

/** Load commands that name a library that has to be there. */
const loadCommands = new Set([0xc, 0x8000001f, 0x80000023]);

const machImports = (bytes: Buffer): string[] =>
	loadCommandsOf(bytes)
		.filter(({ kind }) => loadCommands.has(kind))
		.map(({ at }) => textAt(bytes, at + bytes.readUInt32LE(at + 8)));

function loadCommandsOf(bytes: Buffer): { readonly kind: number; readonly at: number }[] {
	const found: { kind: number; at: number }[] = [];
	let at = 32;
	for (let k = 0; k < bytes.readUInt32LE(16); k++) {
		found.push({ kind: bytes.readUInt32LE(at), at });
		at += bytes.readUInt32LE(at + 4);
	}
	return found;
}
