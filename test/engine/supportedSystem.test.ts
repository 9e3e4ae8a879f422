/** Systems that no model can run on, as they describe themselves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	type System,
	thisSystem,
	unsupportedReason,
} from '../../server/engine/runtime/supportedSystem.ts';

const linux: System = {
	platform: 'linux',
	arch: 'x64',
	release: '6.1.0',
	processor: 'AMD EPYC',
	glibc: '2.36',
};
const mac: System = {
	platform: 'darwin',
	arch: 'arm64',
	release: '24.6.0',
	processor: 'Apple M2',
	glibc: undefined,
};
const windows: System = { ...linux, platform: 'win32', release: '10.0.26100', glibc: undefined };

test('a system that models run on is not refused, this one among them', () => {
	for (const system of [linux, mac, windows, { ...windows, arch: 'arm64' }, thisSystem()])
		assert.equal(unsupportedReason(system), undefined, JSON.stringify(system));
});

test('elsewhere it is said why not, and what to do instead', () => {
	const cases: [System, RegExp][] = [
		[{ ...mac, arch: 'x64', processor: 'VirtualApple @ 2.50GHz' }, /Rosetta.*arm64/],
		[{ ...mac, arch: 'x64', processor: 'Intel(R) Core(TM) i7' }, /Intel.*team server/],
		[{ ...mac, release: '22.6.0' }, /macOS 14.*Darwin 22/],
		[{ ...linux, glibc: undefined }, /glibc.*Alpine/],
		[{ ...linux, arch: 'riscv64' }, /linux-riscv64.*team server/],
		[{ ...windows, arch: 'ia32' }, /win32-ia32/],
		[{ ...linux, platform: 'freebsd' }, /freebsd-x64/],
	];
	for (const [system, words] of cases) assert.match(unsupportedReason(system) ?? '', words);
});
