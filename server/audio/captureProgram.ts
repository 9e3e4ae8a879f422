/** The microphone of this computer through a program that is installed: raw samples on its output. */

import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AppError } from '../protocol/index.ts';

/** What every program is told to give: signed 16-bit little-endian mono. */
export const captureRateHz = 16_000;

export interface CaptureProgram {
	readonly name: string;
	readonly path: string;
	readonly args: readonly string[];
}

/** A program that gives no sound for this long has no microphone. */
const firstSoundMs = 4000;

const rate = String(captureRateHz);
const raw = ['-t', 'raw', '-b', '16', '-e', 'signed', '-c', '1', '-r', rate];
const ffmpeg = (...input: string[]) => [
	...['-hide_banner', '-loglevel', 'error', '-nostdin', ...input],
	...['-ac', '1', '-ar', rate, '-f', 's16le', '-'],
];

/** In the order they are tried, by platform. Windows names its microphones: the recorder page is for it. */
const programs: Readonly<Partial<Record<NodeJS.Platform, readonly [string, readonly string[]][]>>> =
	{
		linux: [
			['pw-record', ['--raw', '--rate', rate, '--channels', '1', '--format', 's16', '-']],
			[
				'parecord',
				['--raw', `--rate=${rate}`, '--channels=1', '--format=s16le', '--latency-msec=50'],
			],
			['arecord', ['-q', '-t', 'raw', '-f', 'S16_LE', '-c', '1', '-r', rate]],
			['sox', ['-q', '-d', ...raw, '-']],
			['ffmpeg', ffmpeg('-f', 'pulse', '-i', 'default')],
			['ffmpeg', ffmpeg('-f', 'alsa', '-i', 'default')],
		],
		darwin: [
			['sox', ['-q', '-d', ...raw, '-']],
			['ffmpeg', ffmpeg('-f', 'avfoundation', '-i', ':default')],
		],
	};

/** Programs on the path of this computer that can record, best first. */
export function capturePrograms(
	env: NodeJS.ProcessEnv,
	platform: NodeJS.Platform = process.platform,
): CaptureProgram[] {
	const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
	return (programs[platform] ?? []).flatMap(([name, args]) => {
		const path = folders.map((folder) => join(folder, name)).find(isProgram);
		return path === undefined ? [] : [{ name, path, args }];
	});
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

export interface Capture {
	readonly program: string;
	/** 16 kHz mono s16le; ends after {@link stop}. */
	readonly pieces: AsyncIterable<Uint8Array>;
	/** Ends the recording; what the program has still to say arrives in `pieces`. */
	stop(): void;
}

/**
 * Starts the first program that gives sound. Throws `not_supported` with what each of them said when
 * there is none, and `cancelled`.
 */
export async function startCapture(
	candidates: readonly CaptureProgram[],
	signal: AbortSignal,
): Promise<Capture> {
	const said: string[] = [];
	for (const candidate of candidates) {
		signal.throwIfAborted();
		const capture = await tryProgram(candidate, signal, said);
		if (capture) return capture;
	}
	const reasons =
		said.length === 0 ? 'none of pw-record, arecord, sox and ffmpeg is installed' : said.join('; ');
	throw new AppError(
		'not_supported',
		`No program of this computer records the microphone: ${reasons}.`,
	);
}

async function tryProgram(
	{ name, path, args }: CaptureProgram,
	signal: AbortSignal,
	said: string[],
): Promise<Capture | undefined> {
	const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
	const kill = () => child.kill('SIGKILL');
	signal.addEventListener('abort', kill, { once: true });
	child.once('close', () => signal.removeEventListener('abort', kill));
	let complaint = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		complaint = (complaint + text).slice(-300);
	});
	if (await givesSound(child)) return capturing(name, child, signal);
	kill();
	signal.throwIfAborted();
	const reason = complaint.trim().split('\n').at(-1) ?? '';
	said.push(`${name}: ${reason === '' ? 'no sound' : reason}`);
	return undefined;
}

function givesSound(child: ChildProcess): Promise<boolean> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => resolve(false), firstSoundMs);
		const settle = (sound: boolean) => {
			clearTimeout(timer);
			resolve(sound);
		};
		child.stdout?.once('readable', () => settle((child.stdout?.readableLength ?? 0) > 0));
		child.once('error', () => settle(false));
		child.once('close', () => settle(false));
	});
}

function capturing(program: string, child: ChildProcess, signal: AbortSignal): Capture {
	let stopped = false;
	async function* pieces(): AsyncGenerator<Uint8Array> {
		for await (const piece of child.stdout ?? []) yield piece as Uint8Array;
		if (!stopped && !signal.aborted) {
			throw new AppError(
				'not_supported',
				`${program} has stopped recording: is the microphone still there?`,
			);
		}
	}
	return {
		program,
		pieces: pieces(),
		stop: () => {
			stopped = true;
			// The programs flush on this; one that does not is ended soon after.
			child.kill('SIGINT');
			setTimeout(() => child.kill('SIGKILL'), 2000).unref();
		},
	};
}
