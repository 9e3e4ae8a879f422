/** whisper.cpp beside us, where it is installed and a model in its format is at hand. */

import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PartRow } from './parts.ts';

const windowS = 30;
/** Names of its command line in packages and builds. `main`, its old name, may be anything in PATH. */
const programs = ['whisper-cli', 'whisper-cpp', 'whisper.cpp'];

/** The program: `NEARGLOT_WHISPER_CPP` (any name), else the first of its names in PATH. */
export function findWhisperCpp(env: NodeJS.ProcessEnv = process.env): string | undefined {
	const named = env['NEARGLOT_WHISPER_CPP'];
	if (named !== undefined && named !== '') return isProgram(named) ? named : undefined;
	const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
	return folders
		.flatMap((folder) => programs.map((program) => join(folder, program)))
		.find(isProgram);
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** Encoder and decoder per 30 s of a recording, as the program itself counts them. */
export function whisperCppRows(
	program: string,
	ggml: string,
	audio: string,
	audioS: number,
	threads: number,
): PartRow[] {
	const args = ['-m', ggml, '-f', audio, '-t', String(threads), '-bs', '1', '-bo', '1'];
	const began = performance.now();
	const { stdout, stderr, status, error } = spawnSync(program, args, { encoding: 'utf8' });
	const tookMs = performance.now() - began;
	if (error !== undefined || status !== 0)
		throw new Error(`${program} ended with ${error?.message ?? status}: ${stderr.slice(-500)}`);
	const timings = readTimings(`${stdout}\n${stderr}`);
	const row = (what: string, ms: number): PartRow => ({
		what: `whisper.cpp ${what}, per ${windowS} s`,
		ms,
		timesRealTime: (windowS * 1000) / ms,
	});
	const windows = Math.ceil(audioS / windowS);
	return [
		row('encoder', timings.encodeMs / timings.encodeRuns),
		row('decoder (its own number of tokens)', timings.decodeMs / windows),
		{
			what: `whisper.cpp in all, ${audioS.toFixed(1)} s with start`,
			ms: tookMs,
			timesRealTime: (audioS * 1000) / tookMs,
		},
	];
}

export interface WhisperCppTimings {
	readonly encodeMs: number;
	readonly encodeRuns: number;
	/** Prompts, single tokens and tokens of several beams together. */
	readonly decodeMs: number;
}

/** Reads `whisper_print_timings: encode time = 812.34 ms / 1 runs (812.34 ms per run)` and the like. */
export function readTimings(text: string): WhisperCppTimings {
	const read = (name: string) => {
		const found = new RegExp(`${name} time =\\s*([\\d.]+) ms(?: /\\s*(\\d+) runs)?`).exec(text);
		return { ms: Number(found?.[1] ?? 0), runs: Number(found?.[2] ?? 1) };
	};
	const encode = read('encode');
	if (encode.ms === 0) throw new Error('whisper.cpp printed no timings.');
	const decodeMs = ['decode', 'batchd', 'prompt'].reduce((sum, name) => sum + read(name).ms, 0);
	return { encodeMs: encode.ms, encodeRuns: encode.runs, decodeMs };
}
