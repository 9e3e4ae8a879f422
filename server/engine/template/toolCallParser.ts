/** Finds tool calls in an answer while it streams; everything else passes through as content. */

import { CallReader } from './callReader.ts';
import type { ToolFormat } from './toolFormat.ts';

/** A piece of a call: the name comes once, first; then argument text in order. */
export interface ToolCallDelta {
	/** Which call of the answer, from 0. */
	readonly index: number;
	readonly name?: string;
	readonly arguments?: string;
}

/** What a piece of the answer turned into. */
export interface ToolParserOutput {
	/** Text for the user. */
	readonly content: string;
	readonly calls: readonly ToolCallDelta[];
}

/** Longest text without a name that is still held back as a possible bare call. */
const bareLimit = 4096;

/**
 * Streaming parser of one answer.
 * @example const parser = new ToolCallParser(format, ['get_weather']); parser.push(text); parser.end();
 */
export class ToolCallParser {
	readonly #format: ToolFormat;
	readonly #names: ReadonlySet<string>;
	#state: 'content' | 'calls' | 'call' = 'content';
	/** Text not yet decided on. */
	#held = '';
	#anyContent = false;
	#header = '';
	#reader: CallReader | undefined;
	#bare = false;
	#count = 0;
	#announced = false;
	/** The text that opened the calls, to give back when none follows. */
	#opening = '';
	#content = '';
	#calls: ToolCallDelta[] = [];

	/** @param names the functions on offer: a bare JSON object is a call only when it names one */
	constructor(format: ToolFormat, names: readonly string[]) {
		this.#format = format;
		this.#names = new Set(names);
	}

	/** Number of calls found so far. */
	get callCount(): number {
		return this.#count;
	}

	/** Takes the next piece of the answer. */
	push(text: string): ToolParserOutput {
		this.#held += text;
		while (this.#step());
		return this.#take();
	}

	/** Takes the end of the answer: what was held back is content, or the rest of a call that was cut. */
	end(): ToolParserOutput {
		if (this.#state === 'call' && this.#reader !== undefined) this.#giveUpOrKeep(this.#reader);
		else if (this.#state === 'calls' && this.#count === 0) this.#emit(this.#opening + this.#header);
		if (this.#state === 'content') this.#emit(this.#held);
		this.#held = '';
		return this.#take();
	}

	#step(): boolean {
		if (this.#state === 'content') return this.#inContent();
		if (this.#state === 'calls') return this.#betweenCalls();
		return this.#inCall();
	}

	#inContent(): boolean {
		const { triggers, bare } = this.#format;
		if (bare && !this.#anyContent && this.#count === 0) {
			const start = this.#held.trimStart();
			if (start === '') return false;
			if (isFenceBegin(start)) return false;
			const fenced = /^```(?:json)?\s*\n\s*(?=[{[])/.exec(start)?.[0] ?? '';
			const body = start.slice(fenced.length);
			if (body.startsWith('{') || (body.startsWith('[') && /^\[\s*(\{|$)/.test(body))) {
				this.#open(this.#held.slice(0, this.#held.length - body.length), body, true);
				return true;
			}
		}
		for (const trigger of triggers) {
			const at = this.#held.indexOf(trigger);
			if (at < 0) continue;
			const before = this.#held.slice(0, at).trimEnd();
			const after = this.#held.slice(at + trigger.length);
			this.#emit(before);
			this.#open(this.#held.slice(before.length, at + trigger.length), after, false);
			return true;
		}
		const keep = Math.max(...triggers.map((trigger) => overlap(this.#held, trigger)), 0);
		const free = this.#held.length - keep;
		// White space before a call belongs to the call, so it waits too.
		const text = this.#held.slice(0, free);
		const solid = text.trimEnd().length;
		this.#emit(this.#held.slice(0, solid));
		this.#held = this.#held.slice(solid);
		return false;
	}

	#open(opening: string, rest: string, bare: boolean): void {
		this.#state = 'calls';
		this.#opening = opening;
		this.#bare = bare;
		this.#header = '';
		this.#held = rest;
	}

	// Collects what stands before the next `{`; for header formats that holds the function's name.
	#betweenCalls(): boolean {
		const at = this.#held.indexOf('{');
		if (at < 0) {
			this.#header += this.#held;
			this.#held = '';
			return false;
		}
		this.#header += this.#held.slice(0, at);
		this.#held = this.#held.slice(at);
		const name = this.#format.nameIn === 'header' ? this.#nameInHeader() : undefined;
		this.#reader = new CallReader(name);
		this.#announced = false;
		this.#state = 'call';
		return true;
	}

	#nameInHeader(): string | undefined {
		const found = this.#format.header?.exec(lastLineOfCall(this.#header))?.[1]?.trim();
		return found === undefined || found === '' ? undefined : found;
	}

	#inCall(): boolean {
		const reader = this.#reader as CallReader;
		let used = 0;
		while (used < this.#held.length && !reader.done) reader.push(this.#held[used++] as string);
		this.#held = this.#held.slice(used);
		if (this.#bare && this.#rejectsBare(reader)) return this.#held !== '';
		this.#report(reader);
		if (!reader.done) return false;
		if (reader.name === undefined) {
			this.#notACall(reader);
			return this.#held !== '';
		}
		this.#count++;
		this.#reader = undefined;
		this.#header = '';
		this.#opening = '';
		this.#state = 'calls';
		return this.#held !== '';
	}

	#report(reader: CallReader): void {
		if (reader.name === undefined) return;
		if (!this.#announced) {
			this.#announced = true;
			this.#calls.push({ index: this.#count, name: reader.name });
		}
		const text = reader.takeArguments();
		if (text !== '') this.#calls.push({ index: this.#count, arguments: text });
	}

	#rejectsBare(reader: CallReader): boolean {
		const unknown = reader.name !== undefined && !this.#names.has(reader.name);
		if (!unknown && !(reader.name === undefined && reader.raw.length > bareLimit)) return false;
		this.#notACall(reader);
		return true;
	}

	#notACall(reader: CallReader): void {
		this.#state = 'content';
		this.#anyContent = true;
		this.#emit(this.#opening + this.#header + reader.raw);
		this.#reader = undefined;
	}

	#giveUpOrKeep(reader: CallReader): void {
		if (reader.name === undefined) this.#notACall(reader);
		else this.#report(reader);
	}

	#emit(text: string): void {
		if (text === '') return;
		if (text.trim() !== '') this.#anyContent = true;
		this.#content += text;
	}

	#take(): ToolParserOutput {
		const output = { content: this.#content, calls: this.#calls };
		this.#content = '';
		this.#calls = [];
		return output;
	}
}

// Only the text since the last call's end counts: `…```<end of call>\n<begin of call>function<sep>name`.
function lastLineOfCall(header: string): string {
	const ends = [
		'</function>',
		'<｜tool▁call▁end｜>',
		'[TOOL_CALLS]',
		'>>>',
		'<function=',
		'<|message|>',
	];
	let from = 0;
	for (const end of ends) {
		const at = header.lastIndexOf(end);
		if (at >= 0 && at + end.length < header.length) from = Math.max(from, at + end.length);
	}
	return header.slice(from);
}

// "``", "```js", "```json" may still become a fenced call; decided when the line ends.
function isFenceBegin(text: string): boolean {
	return '```json'.startsWith(text) || /^```(?:json)?\s*$/.test(text);
}

function overlap(text: string, trigger: string): number {
	for (let length = Math.min(trigger.length - 1, text.length); length > 0; length--) {
		if (text.endsWith(trigger.slice(0, length))) return length;
	}
	return 0;
}
