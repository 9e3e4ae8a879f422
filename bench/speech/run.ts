/** `bench -- speech [OPTIONS]`: spectrogram, formats, Whisper shapes, and a long recording through a daemon. */

import { existsSync, mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { wavSamples } from '../../test/support/madeAudio.ts';
import { sharedFolder } from '../../test/support/sharedData.ts';
import { hourReport } from './hour.ts';
import { formatRows, type PartRow, shapeRows, spectrogramRows, starterRows } from './parts.ts';
import { findWhisperCpp, whisperCppRows } from './whisperCpp.ts';
import { whisperShapes } from './whisperShape.ts';

const usage = `Usage: npm run bench -- speech [OPTIONS]

  --rounds N         default 5
  --sizes A,B        Whisper shapes with random weights: ${Object.keys(whisperShapes).join(', ')} (default all)
  --threads N        default 2
  --model FOLDER     also transcribe a long recording with this model through a daemon
  --audio FILE       16-bit 16 kHz mono wave file to repeat for it (default: a clip of the shared data)
  --seconds N        how long (default 3600)
  --ggml FILE        a Whisper model for whisper.cpp (NEARGLOT_WHISPER_CPP, or whisper-cli in PATH), heard for comparison
  --no-parts         only the long recording
  --json FILE        also write the figures to FILE`;

type Size = keyof typeof whisperShapes;

/** Runs the bench; returns the exit code. */
export async function runSpeech(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			rounds: { type: 'string', default: '5' },
			sizes: { type: 'string', default: Object.keys(whisperShapes).join() },
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
			show(await shapeRows(root, size, rounds, Number(values.threads)));
		show(await starterRows(rounds, Number(values.threads)));
	}
	show(cppRows(values));
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
	const audio = clipOf(options);
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
	return reports;
}

/** Says what is missing for the comparison; it is left out then. */
function cppRows(options: LongOptions): PartRow[] {
	const program = findWhisperCpp();
	if (program === undefined || options.ggml === undefined) {
		const missing =
			program === undefined
				? 'no whisper-cli was found (NEARGLOT_WHISPER_CPP or PATH)'
				: `${program} needs a model: --ggml FILE`;
		console.log(`whisper.cpp is not measured: ${missing}.`);
		return [];
	}
	const audio = clipOf(options);
	const seconds = wavSamples(audio).length / 16_000;
	return whisperCppRows(program, options.ggml, audio, seconds, Number(options.threads));
}

function clipOf({ audio = join(sharedFolder('audio').path, 'jfk.wav') }: LongOptions): string {
	if (!existsSync(audio)) throw new Error('There is no recording to hear; name one with --audio.');
	return audio;
}
