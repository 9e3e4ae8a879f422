/**
 * The microphone of this machine through whatever recording program is installed: PipeWire, PulseAudio,
 * ALSA, SoX or ffmpeg. Programs that are there but find no microphone are passed over.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { notify } from '../store/notices.ts';
import { programPath } from '../store/programs.ts';
import { noticeSilence } from './deniedMicrophone.ts';
import { plainSamples } from './plainSamples.ts';

/** Samples per second of {@link openSystemMicrophone}. */
export const microphoneRateHz = 16_000;

export interface MicrophoneProgram {
	readonly name: string;
	readonly args: readonly string[];
}

export interface OpenMicrophone {
	/** The program that records. */
	readonly program: string;
	/** 16 kHz mono as they are recorded; ends after {@link stop}. */
	readonly samples: AsyncIterable<Int16Array>;
	/** Ends the recording; what was recorded is still given. */
	stop(): void;
}

/** A program that gave no sound for this long has none. On macOS it may wait until a person has allowed it. */
const silenceMs = (platform: NodeJS.Platform): number => (platform === 'darwin' ? 60_000 : 5000);
/** After this time a person hears what is waited for. */
const noticeMs = 3000;
/** Listing the devices takes a moment. */
const listMs = 5000;
const rate = String(microphoneRateHz);
const sox = (...device: string[]) => [
	...['-q', ...device, '-t', 'raw', '-r', rate, '-e', 'signed-integer', '-b', '16'],
	...['-c', '1', '-L', '-'],
];
const ffmpeg = (...input: string[]) => [
	...['-nostdin', '-v', 'error', ...input, '-ac', '1', '-ar', rate, '-f', 's16le', 'pipe:1'],
];

/** The programs worth trying, the best first. `dshowDevice` is the name Windows gives the microphone. */
export function microphonePrograms(
	platform: NodeJS.Platform,
	dshowDevice?: string,
): readonly MicrophoneProgram[] {
	if (platform === 'darwin')
		return [
			{ name: 'sox', args: sox('-t', 'coreaudio', 'default') },
			{ name: 'ffmpeg', args: ffmpeg('-f', 'avfoundation', '-i', ':default') },
		];
	if (platform === 'win32')
		return [
			{ name: 'sox', args: sox('-t', 'waveaudio', 'default') },
			...(dshowDevice === undefined
				? []
				: [{ name: 'ffmpeg', args: ffmpeg('-f', 'dshow', '-i', `audio=${dshowDevice}`) }]),
		];
	return [
		{ name: 'pw-record', args: ['--rate', rate, '--channels', '1', '--format', 's16', '-'] },
		{
			name: 'parecord',
			args: ['--raw', `--rate=${rate}`, '--channels=1', '--format=s16le', '--latency-msec=100'],
		},
		{ name: 'arecord', args: ['-q', '-t', 'raw', '-f', 'S16_LE', '-r', rate, '-c', '1'] },
		{ name: 'sox', args: sox('-d') },
		{ name: 'ffmpeg', args: ffmpeg('-f', 'pulse', '-i', 'default') },
		{ name: 'ffmpeg', args: ffmpeg('-f', 'alsa', '-i', 'default') },
	];
}

/**
 * Starts recording. Throws `not_supported` that lists what was tried and what each program said;
 * `cancelled` when the signal aborts before the first sound.
 *
 * @param onNotice hears what a person should know while it records: what is waited for, that nothing but silence comes
 */
export async function openSystemMicrophone(
	env: NodeJS.ProcessEnv,
	platform: NodeJS.Platform,
	signal?: AbortSignal,
	onNotice: (text: string) => void = notify,
): Promise<OpenMicrophone> {
	const device = platform === 'win32' ? await windowsMicrophone(env, signal) : undefined;
	const tried: string[] = [];
	for (const program of microphonePrograms(platform, device)) {
		if (signal?.aborted) throw new AppError('cancelled');
		const found = await tryProgram(program, { env, platform, signal, onNotice });
		if (typeof found !== 'string') return found;
		if (found !== '') tried.push(`${program.name}: ${found}`);
	}
	const names = [...new Set(microphonePrograms(platform, 'x').map(({ name }) => name))].join(', ');
	throw new AppError(
		'not_supported',
		tried.length === 0
			? `There is no program here that records a microphone. Install one of ${names}, or record on the recorder page of the editor.`
			: `No microphone could be opened (${tried.join('; ')}). Plug one in, or record on the recorder page of the editor.`,
	);
}

interface Surroundings {
	readonly env: NodeJS.ProcessEnv;
	readonly platform: NodeJS.Platform;
	readonly signal: AbortSignal | undefined;
	readonly onNotice: (text: string) => void;
}

type Recorder = ChildProcessByStdio<null, Readable, Readable>;

/** The microphone, or what the program complained of; an empty text when it is not installed. */
async function tryProgram(
	{ name, args }: MicrophoneProgram,
	{ env, platform, signal, onNotice }: Surroundings,
): Promise<OpenMicrophone | string> {
	const program = programPath(name, env);
	if (program === undefined) return '';
	const child = spawn(program, args, {
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
		windowsHide: true,
	});
	// Sound that nobody reads when the program ends would be thrown away with it.
	const sound = child.stdout.pipe(new PassThrough({ highWaterMark: 1 << 22 }));
	let complaint = '';
	child.stderr.on('data', (chunk: Buffer) => {
		complaint = (complaint + chunk.toString()).slice(-500);
	});
	const first = await new Promise<'sound' | 'none' | 'ended' | 'quiet' | 'cancelled'>((resolve) => {
		const timer = setTimeout(() => resolve('quiet'), silenceMs(platform));
		const words = setTimeout(
			() =>
				onNotice('Waiting for the microphone. The system may be asking whether it may be used.'),
			noticeMs,
		);
		const settle = (value: 'sound' | 'none' | 'ended' | 'cancelled') => {
			clearTimeout(timer);
			clearTimeout(words);
			resolve(value);
		};
		child.once('error', () => settle('none'));
		child.once('close', () => settle('ended'));
		sound.once('readable', () => {
			// Being readable with nothing in it is the end.
			if (sound.readableLength > 0) settle('sound');
		});
		signal?.addEventListener('abort', () => settle('cancelled'), { once: true });
	});
	if (first === 'sound')
		return {
			program: name,
			samples: noticeSilence(plainSamples(sound), platform, onNotice),
			stop: () => end(child),
		};
	end(child);
	sound.destroy();
	if (first === 'none') return '';
	if (first === 'cancelled') throw new AppError('cancelled');
	const said = complaint.trim().split('\n').at(-1)?.trim().slice(0, 160);
	return said || (first === 'quiet' ? 'it gave no sound' : 'it ended at once');
}

function end(child: Recorder): void {
	// SIGTERM lets each of these programs write out what it has.
	if (child.exitCode === null) child.kill();
}

/** The first audio device ffmpeg lists on Windows. */
async function windowsMicrophone(
	env: NodeJS.ProcessEnv,
	signal: AbortSignal | undefined,
): Promise<string | undefined> {
	const args = ['-hide_banner', '-list_devices', 'true', '-f', 'dshow', '-i', 'dummy'];
	const program = programPath('ffmpeg', env);
	if (program === undefined) return undefined;
	const child = spawn(program, args, {
		env,
		stdio: ['ignore', 'ignore', 'pipe'],
		windowsHide: true,
		timeout: listMs,
		...defined({ signal }),
	});
	let text = '';
	child.stderr.on('data', (chunk: Buffer) => {
		text += chunk.toString();
	});
	await new Promise<void>((resolve) => {
		child.once('error', () => resolve());
		child.once('close', () => resolve());
	});
	return firstDshowAudio(text);
}

/** Name of the first audio device in ffmpeg's list, in its old and its new form. */
export function firstDshowAudio(list: string): string | undefined {
	const tagged = /"([^"]+)" \(audio\)/.exec(list)?.[1];
	if (tagged !== undefined) return tagged;
	const after = list.split('DirectShow audio devices')[1];
	return after === undefined ? undefined : /"([^"@]+)"/.exec(after)?.[1];
}
