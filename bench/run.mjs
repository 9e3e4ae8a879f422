/**
 * `npm run bench`: speed of this engine beside its peers on models of real shapes with random
 * weights. Contestants live in processes of their own and take turns, round by round, so that what
 * else the machine does hits all alike. Prints medians, ranges and ratios; JSON goes to bench/results/.
 *
 *   npm run bench -- [--rounds N] [--only NAME,…] [--threads N] [--no-peers] [--bars]
 *                                  --bars: only what a bar is set for
 *   npm run bench -- quality …        quality of the built-in models instead of speed
 *   npm run bench -- translate …      translation: BLEU, chrF, words a second, latency over HTTP
 *   npm run bench -- students         students of Firefox Translations beside bergamot's WebAssembly
 *   npm run bench -- soak …           minutes of mixed load on a real daemon
 *   npm run bench -- chaos …           faults of processes, hub, files, disks, clocks and the sign-in layer
 *   npm run bench -- flood …           many more requests at once than a daemon can do
 *   npm run bench -- beside …          a short request beside three that never end
 *   npm run bench -- batch …          bulk work: chaos of its workers by seeds, and what it costs
 *   npm run bench -- scale …          servers behind a balancer: measured here, then 10 to 10,000 simulated
 *   npm run bench -- speech …         transcription: spectrogram, formats, Whisper shapes, an hour of sound
 *   npm run bench -- editor …         what is felt in an editor
 *   npm run bench -- completions …    how soon completions of code are there, and how much of them is right
 *   npm run bench -- workspace …      recall, time and size of questions about whole folders
 *   npm run bench -- build …           memory, time and kills of building a model of 8 GB
 *   npm run bench -- hostile …        growth and held loops under hostile input; --bodies N: as many odd requests
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

if (process.argv[2] === 'students') {
	const { studentsCommand } = await import('./students/run.ts');
	process.exit(await studentsCommand());
}

if (process.argv[2] === 'soak') {
	const { soakCommand } = await import('./soak/run.ts');
	process.exit(await soakCommand(process.argv.slice(3)));
}

if (process.argv[2] === 'chaos') {
	const { chaosCommand } = await import('./chaos/run.ts');
	process.exit(await chaosCommand(process.argv.slice(3)));
}

if (process.argv[2] === 'flood') {
	const { runFlood } = await import('./flood/run.ts');
	process.exit(await runFlood(process.argv.slice(3)));
}

if (process.argv[2] === 'beside') {
	const { runBeside } = await import('./beside/run.ts');
	process.exit(await runBeside(process.argv.slice(3)));
}

if (process.argv[2] === 'batch') {
	const { runBatch } = await import('./batch/run.ts');
	process.exit(await runBatch(process.argv.slice(3)));
}

if (process.argv[2] === 'scale') {
	const { runScale } = await import('./scale/run.ts');
	process.exit(await runScale(process.argv.slice(3)));
}

if (process.argv[2] === 'speech') {
	const { runSpeech } = await import('./speech/run.ts');
	process.exit(await runSpeech(process.argv.slice(3)));
}

if (process.argv[2] === 'translate') {
	const { runTranslate } = await import('./translate/run.ts');
	process.exit(await runTranslate(process.argv.slice(3)));
}

if (process.argv[2] === 'editor') {
	const { runEditorBench } = await import('./editor.ts');
	process.exit(await runEditorBench(process.argv.slice(3)));
}

if (process.argv[2] === 'workspace') {
	const { runWorkspaceBench } = await import('./workspace/run.ts');
	process.exit(await runWorkspaceBench(process.argv.slice(3)));
}

if (process.argv[2] === 'hostile') {
	const { runHostile } = await import('./hostile/run.ts');
	process.exit(await runHostile(process.argv.slice(3)));
}

if (process.argv[2] === 'completions') {
	const { runCompletions } = await import('./completions/run.ts');
	process.exit(await runCompletions(process.argv.slice(3)));
}

if (process.argv[2] === 'kernel') {
	const { runKernelBench } = await import('./kernel/run.ts');
	process.exit(await runKernelBench(process.argv.slice(3)));
}

if (process.argv[2] === 'build') {
	const { runBuildBench } = await import('./build/run.ts');
	process.exit(await runBuildBench(process.argv.slice(3)));
}

const { values } = parseArgs({
	options: {
		rounds: { type: 'string', default: '5' },
		only: { type: 'string', default: '' },
		threads: { type: 'string', default: '2' },
		'no-peers': { type: 'boolean', default: false },
		bars: { type: 'boolean', default: false },
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

const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
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
	bandwidthGBs: await readBandwidth(Number(values.threads)),
	cases: [],
	bars: [],
};
console.log(
	`${report.cpu}, ${report.cores} cores, load ${report.loadBefore.map((x) => x.toFixed(1)).join(' ')}`,
);
console.log(`memory read by ${report.threads} threads: ${round(report.bandwidthGBs)} GB/s\n`);

for (const one of cases) {
	if (!isWanted(one.name) || (values.bars && one.bars === undefined)) continue;
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
		console.log(`  ${Math.round(share * 100)} % of the memory's read bandwidth`);
	}
	console.log('');
	report.cases.push({ name: one.name, title: one.title, unit: one.unit, results });
	for (const { against, atLeast } of one.bars ?? []) {
		const ratio = results.find(({ name }) => name === against)?.ours;
		report.bars.push({
			text: `${one.title}: ${results[0]?.name} against ${against}`,
			bar: `≥ ${atLeast}×`,
			measured: ratio === undefined ? 'not measured' : `${ratio.toFixed(2)}×`,
			met: ratio !== undefined && ratio >= atLeast,
		});
	}
}

if (isWanted('eventLoop')) {
	const { measureEventLoop } = await import('./eventLoop.ts');
	const { decoderModel } = await import('./models.ts');
	const blocks = await measureEventLoop(decoderModel(values.models, 32), rounds);
	const daemonMs = median(blocks.map((block) => block.daemonMs));
	const of = (part) => round(median(blocks.map((block) => block[part])));
	console.log(
		`Longest block of an event loop while 8 streams run: daemon ${of('daemonMs')} ms (own computing ${of('daemonBusyMs')} ms), runner ${of('runnerMs')} ms (${of('runnerBusyMs')} ms)\n`,
	);
	report.eventLoop = blocks;
	report.bars.push({
		text: 'Event loop of the daemon while a runner works: longest block',
		bar: '≤ 20 ms',
		measured: `${round(daemonMs)} ms`,
		met: daemonMs <= 20,
	});
}

if (isWanted('sampling')) {
	const { measureSampling } = await import('./sampling.ts');
	report.sampling = measureSampling();
	console.log('Choosing a token among 151,936 (ms): flat row, row with likely entries');
	for (const { name, flatMs, peakedMs } of report.sampling) {
		console.log(`  ${name.padEnd(34)} ${flatMs.toFixed(3)}  ${peakedMs.toFixed(3)}`);
		const most = Math.max(flatMs, peakedMs);
		report.bars.push({
			text: `Sampling, 152k entries: ${name}`,
			bar: '≤ 0.3 ms',
			measured: `${most.toFixed(3)} ms`,
			met: most <= 0.3,
		});
	}
	console.log('');
}

for (const { text, bar, measured, met } of report.bars) {
	console.log(`${met ? 'met   ' : 'NOT MET'} ${bar.padEnd(8)} ${measured.padEnd(12)} ${text}`);
}

const folder = join(here, 'results');
mkdirSync(folder, { recursive: true });
const file = join(folder, `${report.date.replaceAll(':', '-')}.json`);
writeFileSync(file, `${JSON.stringify(report, null, '\t')}\n`);
console.log(`Written to ${file}`);
