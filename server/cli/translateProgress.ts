/** How far the translation of many files is: files, words, rate and time left in one line of a terminal. */

import { timeText } from './progressBar.ts';
import type { TerminalWriter } from './terminal.ts';

const everyMs = 200;
/** Letters to translate of each byte of a file, before any file has told. */
const usualShare = 0.6;
const word =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+){0,20}/gu;

export class TranslateProgress {
	readonly #output: TerminalWriter;
	readonly #now: () => number;
	readonly #began: number;
	readonly #totalFiles: number;
	readonly #totalBytes: number;
	#files = 0;
	#words = 0;
	#letters = 0;
	/** Of the files that are done: letters that were translated for each byte are known from them. */
	#doneBytes = 0;
	#last = Number.NEGATIVE_INFINITY;
	#isShown = false;

	/** @param total Files, each language again, and their bytes */
	constructor(
		output: TerminalWriter,
		total: { readonly files: number; readonly bytes: number },
		now: () => number = () => performance.now(),
	) {
		this.#output = output;
		this.#totalFiles = total.files;
		this.#totalBytes = total.bytes;
		this.#now = now;
		this.#began = now();
	}

	/** Texts were translated. */
	add(texts: readonly string[]): void {
		for (const text of texts) {
			this.#words += text.match(word)?.length ?? 0;
			this.#letters += text.length;
		}
		this.#show();
	}

	/** A file is done; a line about it may be given. */
	finish(bytes: number, line?: string): void {
		this.#files++;
		this.#doneBytes += bytes;
		if (line !== undefined) this.print(line);
		this.#show();
	}

	/** Prints a line in the place of the progress. */
	print(line: string): void {
		this.#clear();
		this.#output.write(`${line}\n`);
	}

	/** Takes the line away; says what was done in how long. */
	end(): string {
		this.#clear();
		const seconds = (this.#now() - this.#began) / 1000;
		const rate = seconds > 0 ? Math.round(this.#words / seconds) : 0;
		return `${this.#words} words in ${timeText(seconds)} (${rate} a second)`;
	}

	/** `12 of 340 files  4512 words  210 words/s  3 min 5 s left` */
	get line(): string {
		const seconds = (this.#now() - this.#began) / 1000;
		const share = this.#files === 0 ? usualShare : this.#letters / Math.max(1, this.#doneBytes);
		const all = this.#totalBytes * Math.max(share, 0.01);
		const isTelling = seconds > 1 && this.#letters > 0;
		const rate = isTelling ? this.#letters / seconds : 0;
		const left = rate > 0 ? Math.max(0, all - this.#letters) / rate : undefined;
		const parts = [
			`${this.#files} of ${this.#totalFiles} files`,
			`${this.#words} words`,
			...(isTelling ? [`${Math.round(this.#words / seconds)} words/s`] : []),
			...(left === undefined ? [] : [`${timeText(left)} left`]),
		];
		return parts.join('  ');
	}

	#show(): void {
		const now = this.#now();
		if (!this.#output.isTTY || now - this.#last < everyMs) return;
		this.#last = now;
		this.#isShown = true;
		this.#output.status(this.line);
	}

	#clear(): void {
		if (this.#isShown) this.#output.status('');
		this.#isShown = false;
		this.#last = Number.NEGATIVE_INFINITY;
	}
}
