/** Which libraries a binary needs before it can be loaded: of Windows (PE), Linux (ELF) and macOS (Mach-O), 64 bit. */

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

function machImports(bytes: Buffer): string[] {
	const found: string[] = [];
	let at = 32;
	for (let k = 0; k < bytes.readUInt32LE(16); k++) {
		if (loadCommands.has(bytes.readUInt32LE(at)))
			found.push(textAt(bytes, at + bytes.readUInt32LE(at + 8)));
		at += bytes.readUInt32LE(at + 4);
	}
	return found;
}
