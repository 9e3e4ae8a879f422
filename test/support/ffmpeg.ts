/** Other programs that read and write recordings. */

import { spawnSync } from 'node:child_process';

/** Whether a program is installed. */
export function hasProgram(name: string): boolean {
	return spawnSync(name, ['-version'], { stdio: 'ignore' }).error === undefined;
}

/** 16 kHz mono as ffmpeg hears it. */
export function ffmpegReference(path: string): Float32Array {
	const made = spawnSync(
		'ffmpeg',
		['-v', 'error', '-i', path, '-ac', '1', '-ar', '16000', '-f', 'f32le', 'pipe:1'],
		{ maxBuffer: 1 << 28 },
	);
	const bytes = new Uint8Array(made.stdout);
	return new Float32Array(bytes.buffer, 0, bytes.length >> 2);
}
