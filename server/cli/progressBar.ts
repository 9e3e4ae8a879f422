/** One line of progress on a terminal: bar, amount, rate, time left. Silent when it is no terminal. */

import type { DownloadProgress } from '../protocol/index.ts';
import type { TerminalWriter } from './terminal.ts';
import { byteText } from './textTable.ts';

const everyMs = 100;
const barWidth = 24;
/** Before that, a rate says nothing about the time left. */
const settleMs = 3000;

export class ProgressBar {
	readonly #output: TerminalWriter;
	#last = Number.NEGATIVE_INFINITY;
	#shown = false;
	#began: number | undefined;

	constructor(output: TerminalWriter) {
		this.#output = output;
	}

	update(progress: DownloadProgress): void {
		const now = performance.now();
		const done = progress.doneBytes >= progress.totalBytes;
		if (!this.#output.isTTY || (!done && now - this.#last < everyMs)) return;
		this.#last = now;
		this.#shown = true;
		this.#began ??= now;
		this.#output.status(progressLine(progress, now - this.#began >= settleMs));
	}

	/** Leaves the line. */
	end(): void {
		if (this.#shown) this.#output.write('\n');
		this.#shown = false;
		this.#began = undefined;
	}
}

/** `███████·····  45 %  180 MB of 400 MB  12.3 MB/s  18 s left` */
function progressLine(progress: DownloadProgress, isSettled: boolean): string {
	const { doneBytes, totalBytes, bytesPerSecond } = progress;
	const fraction = totalBytes === 0 ? 1 : Math.min(1, doneBytes / totalBytes);
	const full = Math.round(fraction * barWidth);
	const bar = '█'.repeat(full) + '·'.repeat(barWidth - full);
	const percent = `${Math.floor(fraction * 100)} %`.padStart(5);
	const left = bytesPerSecond > 0 ? (totalBytes - doneBytes) / bytesPerSecond : undefined;
	const time = left === undefined || !isSettled || fraction >= 1 ? '' : `  ${timeText(left)} left`;
	return `${bar} ${percent}  ${byteText(doneBytes)} of ${byteText(totalBytes)}  ${byteText(bytesPerSecond)}/s${time}`;
}

/** `18 s`, `3 min 5 s`, `1 h 20 min` */
export function timeText(seconds: number): string {
	const whole = Math.ceil(seconds);
	if (whole < 60) return `${whole} s`;
	if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
	return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
