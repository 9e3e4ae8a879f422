/** The one writer of the command line. Nothing else in it may write to a terminal: an architecture test says so. */

import { fstatSync, writeSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { escapedJson, plainText, visibleText } from '../protocol/visibleText.ts';

/** What a {@link TerminalWriter} writes to. */
type Output = Writable &
	Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>> & { readonly fd?: number };

/**
 * The stream. Node takes a file for written when the disk has taken a part of the last piece; here
 * what it has not taken is an error.
 */
function wholeOutput(stream: Output): Output {
	const { fd } = stream;
	if (fd === undefined || !isFile(fd)) return stream;
	return new Writable({
		decodeStrings: true,
		write: (chunk: Buffer, _encoding, done) => {
			try {
				for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
				done();
			} catch (error) {
				done(error as Error);
			}
		},
	});
}

function isFile(fd: number): boolean {
	try {
		return fstatSync(fd).isFile();
	} catch {
		return false;
	}
}

/** Standard output or standard error, as a command sees it. */
export class TerminalWriter {
	readonly #stream: Output;

	constructor(stream: Output) {
		this.#stream = wholeOutput(stream);
	}

	/** Told when something cannot be written. */
	onFault(listener: (error: Error) => void): void {
		this.#stream.on('error', listener);
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

	/** What was asked for where that is no text, or text in an encoding of its own. */
	bytes(data: Uint8Array): void {
		this.#stream.write(data);
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
	forProgram(): Writable {
		return this.#stream;
	}
}
