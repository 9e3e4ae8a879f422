/**
 * `npm run bench`: speed of this engine beside its peers on models of real shapes with random
 * weights. Contestants live in processes of their own and take turns, round by round, so that what
 * else the machine does hits all alike. Prints medians, ranges and ratios; JSON goes to bench/results/.
 *
 *   npm run bench -- [--rounds N] [--only NAME,…] [--threads N] [--no-peers]
 *   npm run bench -- quality …        quality of the built-in models instead of speed
 *   npm run bench -- translate …      translation: BLEU, chrF, words a second, latency over HTTP
 *   npm run bench -- soak …           minutes of mixed load on a real daemon
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readBandwidth } from './bandwidth.mjs';
import { cases } from './cases.mjs';
import { Contestant } from './contestant.mjs';

const here = dirname(fileURLToPath(import.meta.url));

if (process.argv[2] === 'quality') {
	const { runQuality } = await import('./quality/run.ts');
	process.exit(await runQuality(process.argv.slice(3)));
}

if (process.argv[2] === 'soak') {
	const { soakCommand } = await import('./soak/run.ts');
	process.exit(await soakCommand(process.argv.slice(3)));
}

if (process.argv[2] === 'translate') {
	const { runTranslate } = await import('./translate/run.ts');
	process.exit(await runTranslate(process.argv.slice(3)));
}

const { values } = parseArgs({
	options: {
		rounds: { type: 'string', default: '5' },
		only: { type: 'string', default: '' },
		threads: { type: 'string', default: '2' },
		'no-peers': { type: 'boolean', default: false },
		models: { type: 'string', default: join(tmpdir(), 'nearglot-bench') },
	},
});
const rounds = Number(values.rounds);
const wanted = values.only === '' ? [] : values.only.split(',');
mkdirSync(values.models, { recursive: true });

if (!values['no-peers'] && !existsSync(join(here, 'node_modules'))) {
	console.error('Installing the peers (bench/package.json) …');
	const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
	const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];
	const done = spawnSync(npm, args, {
		cwd: here,
		stdio: 'inherit',
		shell: process.platform === 'win32',
	});
	if (done.status !== 0)
		console.error('The peers could not be installed; only this engine is measured.');
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const round = (value) =>
	value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
const report = {
	date: new Date().toISOString(),
	node: process.version,
	cpu: cpus()[0]?.model,
	cores: cpus().length,
	memoryBytes: totalmem(),
	threads: Number(values.threads),
	loadBefore: loadavg(),
	bandwidthGBs: readBandwidth(),
	cases: [],
};
console.log(
	`${report.cpu}, ${report.cores} cores, load ${report.loadBefore.map((x) => x.toFixed(1)).join(' ')}`,
);
console.log(`memory read by one thread: ${round(report.bandwidthGBs)} GB/s\n`);

for (const one of cases) {
	if (wanted.length > 0 && !wanted.includes(one.name)) continue;
	const contestants = [];
	for (const entry of one.entries) {
		if (entry.peer && (values['no-peers'] || !existsSync(join(here, 'node_modules')))) continue;
		const contestant = new Contestant(entry, { models: values.models, threads: report.threads });
		try {
			await contestant.start();
			contestants.push(contestant);
		} catch (error) {
			console.log(`  ${entry.name} is left out: ${error.message}`);
			await contestant.stop();
		}
	}
	for (let index = 0; index <= rounds; index++) {
		for (const contestant of contestants) {
			try {
				const value = await contestant.measure(index);
				// The first round warms up and does not count.
				if (index > 0) contestant.values.push(value);
			} catch (error) {
				console.log(`  ${contestant.entry.name}: ${error.message}`);
			}
		}
	}
	const memory = await Promise.all(contestants.map((contestant) => contestant.residentBytes()));
	for (const contestant of contestants) await contestant.stop();
	const first = contestants[0];
	console.log(`${one.title} (${one.unit}), ${rounds} rounds, load ${loadavg()[0].toFixed(1)}`);
	const results = contestants.map((contestant, k) => {
		const numbers = contestant.values;
		const ratios = numbers.map((value, at) => first.values[at] / value).filter(Number.isFinite);
		return {
			name: contestant.entry.name,
			median: median(numbers),
			min: Math.min(...numbers),
			max: Math.max(...numbers),
			values: numbers,
			ours: k === 0 ? undefined : median(one.lowerIsBetter ? ratios.map((x) => 1 / x) : ratios),
			loadMs: contestant.loadMs,
			residentBytes: memory[k],
		};
	});
	for (const result of results) {
		if (result.values.length === 0) continue;
		const ratio = result.ours === undefined ? '' : `first is ${result.ours.toFixed(2)}×`;
		const range = `[${round(result.min)}–${round(result.max)}]`;
		console.log(
			`  ${result.name.padEnd(34)} ${round(result.median).padStart(8)} ${range.padEnd(18)} ${ratio.padEnd(16)} load ${Math.round(result.loadMs)} ms, ${Math.round(result.residentBytes / 1e6)} MB`,
		);
	}
	if (one.bytesPerToken !== undefined && results[0]?.median) {
		const share = (results[0].median * one.bytesPerToken) / 1e9 / report.bandwidthGBs;
		console.log(`  ${Math.round(share * 100)} % of one thread's read bandwidth`);
	}
	console.log('');
	report.cases.push({ name: one.name, title: one.title, unit: one.unit, results });
}

const folder = join(here, 'results');
mkdirSync(folder, { recursive: true });
const file = join(folder, `${report.date.replaceAll(':', '-')}.json`);
writeFileSync(file, `${JSON.stringify(report, null, '\t')}\n`);
console.log(`Written to ${file}`);
