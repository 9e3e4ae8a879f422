/** Builds the folder given in a process of its own, and says how much memory that took. */

import { readFileSync } from 'node:fs';
import { buildFolder } from '../../server/engine/build/buildFolder.ts';
import { usableMemory } from '../../server/net/usableMemory.ts';

const [source = '', target = ''] = process.argv.slice(2);
const status = () => readFileSync('/proc/self/status', 'utf8');
const peakMegabytes = () => Math.round(Number(/VmHWM:\s+(\d+)/.exec(status())?.[1] ?? 0) / 1024);
const seconds = (): number => {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1e6;
};
/** Of each phase: processor time and memory when it ended. */
const phases: Record<string, { cpuSeconds: number; peakMegabytes: number }> = {};
const loss = await buildFolder(
	{ source: { kind: 'path', path: source }, target, origin: { source } },
	{
		onPlan: async () => {},
		usableBytes: usableMemory,
		onProgress: ({ phase, doneBytes, totalBytes }) => {
			const share = doneBytes / totalBytes;
			if (share === 1) phases[phase] = { cpuSeconds: seconds(), peakMegabytes: peakMegabytes() };
			if (process.send !== undefined && phase === 'build') process.send(share);
		},
	},
);
console.log(JSON.stringify({ phases, loss }));
process.disconnect?.();
