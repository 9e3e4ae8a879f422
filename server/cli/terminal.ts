/** The one writer of the command line. Nothing else in it may write to a terminal: an architecture test says so. */

import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { escapedJson, plainText, visibleText } from '../protocol/visibleText.ts';

/** Standard output or standard error, as a command sees it. */
export class TerminalWriter {
	readonly #stream: NodeJS.WriteStream;

	constructor(stream: NodeJS.WriteStream) {
		this.#stream = stream;
	}

	get isTTY(): boolean {
		return this.#stream.isTTY === true;
	}

	/** Letters in a line; 80 where that is not known. */
	get columns(): number {
		return this.#stream.columns || 80;
	}

	/** Words for a person: names, lists, messages. What steers a terminal or hides is left out everywhere. */
	write(text: string): void {
		this.#stream.write(visibleText(text));
	}

	/** What was asked for: exact in a file or pipe; on a terminal what steers it is left out. */
	data(text: string): void {
		this.#stream.write(this.isTTY ? plainText(text) : text);
	}

	/** Puts a line in the place of the current one, without ending it. Silent when this is no terminal. */
	status(line: string): void {
		if (!this.isTTY) return;
		const shown = visibleText(line)
			.replaceAll('\n', ' ')
			.slice(0, this.columns - 1);
		this.#stream.write(`\r${shown}\u001b[K`);
	}

	/** Questions to the person; what they type appears here. */
	questions(stdin: NodeJS.ReadStream): Interface {
		return createInterface({ input: stdin, output: this.#stream });
	}

	/** A log of JSON lines, harmless to look at. */
	log(): Writable {
		return new Writable({
			decodeStrings: false,
			write: (chunk: unknown, _encoding, done) =>
				void this.#stream.write(escapedJson(String(chunk)), done),
		});
	}

	/** The stream itself, for protocols whose reader is a program. */
	forProgram(): NodeJS.WriteStream {
		return this.#stream;
	}
}
