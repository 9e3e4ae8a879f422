/** `bench -- speech [OPTIONS]`: spectrogram, formats, Whisper shapes, and a long recording through a daemon. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hasProgram } from '../../test/audio/madeAudio.ts';
import { sharedFolder, wavSamples } from '../../test/speech/speechModels.ts';
import { hourReport } from './hour.ts';
import { formatRows, modelRows, type PartRow, spectrogramRows } from './parts.ts';
import { whisperShapes } from './whisperShape.ts';

const usage = `Usage: npm run bench -- speech [OPTIONS]

  --rounds N         default 5
  --sizes A,B        Whisper shapes with random weights: ${Object.keys(whisperShapes).join(', ')} (default tiny,base)
  --threads N        default 2
  --model FOLDER     also transcribe a long recording with this model through a daemon
  --audio FILE       16-bit 16 kHz mono wave file to repeat for it (default: a clip of the shared data)
  --seconds N        how long (default 3600)
  --ggml FILE        the same model for whisper.cpp, whose whisper-cli must be in PATH
  --no-parts         only the long recording
  --json FILE        also write the figures to FILE`;

type Size = keyof typeof whisperShapes;

/** Runs the bench; returns the exit code. */
export async function runSpeech(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			rounds: { type: 'string', default: '5' },
			sizes: { type: 'string', default: 'tiny,base' },
			threads: { type: 'string', default: '2' },
			model: { type: 'string' },
			audio: { type: 'string' },
			seconds: { type: 'string', default: '3600' },
			ggml: { type: 'string' },
			parts: { type: 'boolean', default: true },
			json: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
		allowNegative: true,
	});
	if (values.help) {
		console.log(usage);
		return 0;
	}
	const load = loadavg().map((value) => value.toFixed(1));
	console.log(`${cpus()[0]?.model}, ${cpus().length} cores, load ${load.join(' ')}\n`);
	const rounds = Number(values.rounds);
	const rows: PartRow[] = [];
	const show = (found: readonly PartRow[]) => {
		for (const row of found) {
			rows.push(row);
			const times = row.timesRealTime;
			const speed = times === undefined ? '' : `${times.toFixed(times < 100 ? 1 : 0)} × real time`;
			console.log(`${row.what.padEnd(60)} ${row.ms.toFixed(1).padStart(9)} ms  ${speed}`);
		}
	};
	if (values.parts) {
		show(await spectrogramRows(rounds));
		show(await formatRows());
		const root = join(tmpdir(), 'nearglot-bench');
		mkdirSync(root, { recursive: true });
		for (const size of values.sizes
			.split(',')
			.filter((name): name is Size => name in whisperShapes))
			show(await modelRows(root, size, rounds, Number(values.threads)));
	}
	const reports = values.model === undefined ? [] : await longRecording(values.model, values);
	if (values.json !== undefined)
		await writeFile(values.json, `${JSON.stringify({ load, rows, reports }, null, '\t')}\n`);
	return 0;
}

interface LongOptions {
	readonly audio?: string | undefined;
	readonly seconds: string;
	readonly ggml?: string | undefined;
	readonly threads: string;
}

async function longRecording(model: string, options: LongOptions) {
	const audio = options.audio ?? join(sharedFolder('audio').path, 'jfk.wav');
	if (!existsSync(audio)) throw new Error('There is no clip to repeat; name one with --audio.');
	const clip = wavSamples(audio);
	const reports = [];
	for (const together of [false, true]) {
		const report = await hourReport(resolve(model), clip, Number(options.seconds), together);
		reports.push(report);
		console.log(
			`\n${report.model}, ${report.seconds} s, stretches ${together ? 'together' : 'one by one'}: ` +
				`${report.timesRealTime.toFixed(1)} × real time; daemon +${report.daemonMb.toFixed(0)} MB, ` +
				`runner +${report.runnerMb.toFixed(0)} MB; after a cancel the next one is heard in ` +
				`${report.cancelMs.toFixed(0)} ms (alone ${report.aloneMs.toFixed(0)} ms)`,
		);
	}
	if (options.ggml !== undefined) {
		if (!hasProgram('whisper-cli')) console.log('\nwhisper.cpp: whisper-cli is not in PATH.');
		else whisperCpp(options.ggml, audio, options.threads, clip.length / 16_000);
	}
	return reports;
}

/** The clip alone, since whisper.cpp is asked through its command line. */
function whisperCpp(ggml: string, audio: string, threads: string, seconds: number): void {
	const began = performance.now();
	const args = ['-m', ggml, '-f', audio, '-t', threads];
	const { stderr } = spawnSync('whisper-cli', args, { encoding: 'utf8' });
	const parts = stderr
		.split('\n')
		.filter((line) => /encode time|decode time|total time/.test(line));
	console.log(
		`\nwhisper.cpp, ${seconds.toFixed(1)} s: ${((performance.now() - began) / 1000).toFixed(2)} s with start`,
	);
	console.log(parts.join('\n'));
}
