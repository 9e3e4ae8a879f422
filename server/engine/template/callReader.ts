/** Reads the JSON of one tool call as its characters arrive: the name once, the arguments in pieces. */

const nameKeys = new Set(['name', 'tool_name', 'function_name']);
const argumentKeys = new Set(['arguments', 'parameters', 'args']);

/**
 * Follows one JSON object. Constructed with a name, the object itself is the arguments; otherwise it is
 * an object with a name and arguments, possibly inside `{"type":"function","function":{…}}`.
 */
export class CallReader {
	/** The function's name as soon as it is known. */
	name: string | undefined;
	/** Everything read so far, to give back as plain text when it was no call. */
	raw = '';
	/** True after the closing bracket of the whole object. */
	done = false;
	#depth = 0;
	/** Depth of the object that holds name and arguments. */
	#base = 1;
	#stringStart = -1;
	#escaped = false;
	#expectKey = true;
	#key: string | undefined;
	#start = -1;
	#end = -1;
	#given = 0;

	constructor(name?: string) {
		this.name = name;
		if (name === undefined) return;
		this.#base = 0;
		this.#expectKey = false;
		this.#start = 0;
	}

	/** Argument text that arrived since the last call; empty until the name is known. */
	takeArguments(): string {
		if (this.name === undefined) return '';
		const first = this.raw[this.#start];
		if (first !== '{' && first !== '[') return this.#takeWhole();
		const from = Math.max(this.#given, this.#start);
		const to = this.#end < 0 ? this.raw.length : this.#end;
		this.#given = Math.max(to, from);
		return this.raw.slice(from, to);
	}

	/** Takes one UTF-16 unit; the first must be `{`. */
	push(char: string): void {
		const at = this.raw.length;
		this.raw += char;
		if (this.#stringStart >= 0) {
			if (this.#escaped) this.#escaped = false;
			else if (char === '\\') this.#escaped = true;
			else if (char === '"') this.#stringEnds(at);
		} else if (char === '"') {
			this.#stringStart = at;
			this.#valueMayStart(at);
		} else if (char === '{' || char === '[') this.#opens(char, at);
		else if (char === '}' || char === ']') this.#closes(at);
		else if (char === ',') this.#comma(at);
		else if (char !== ':' && char.trim() !== '') this.#valueMayStart(at);
	}

	// Arguments that are a JSON string, a scalar or absent are given in one piece at the end.
	#takeWhole(): string {
		if (!this.done || this.#given > 0) return '';
		this.#given = 1;
		const text = this.#start < 0 ? '' : this.raw.slice(this.#start, this.#end);
		return text.startsWith('"') ? unquote(text) || '{}' : '{}';
	}

	#valueMayStart(at: number): void {
		if (this.#depth !== this.#base || this.#expectKey || this.#start >= 0) return;
		if (this.#key !== undefined && argumentKeys.has(this.#key)) this.#start = at;
	}

	#valueEnds(end: number): void {
		if (this.#depth === this.#base && this.#start >= 0 && this.#end < 0 && !this.#expectKey) {
			this.#end = end;
		}
	}

	#stringEnds(at: number): void {
		const text = this.raw.slice(this.#stringStart, at + 1);
		this.#stringStart = -1;
		if (this.#depth !== this.#base) return;
		if (this.#expectKey) {
			this.#key = unquote(text);
			this.#expectKey = false;
			return;
		}
		if (this.#key !== undefined && nameKeys.has(this.#key)) this.name ??= unquote(text);
		this.#valueEnds(at + 1);
	}

	#opens(char: string, at: number): void {
		this.#valueMayStart(at);
		const isWrapper =
			this.#key === 'function' && char === '{' && this.#depth === this.#base && this.#start < 0;
		this.#depth++;
		if (isWrapper) {
			this.#base = this.#depth;
			this.#expectKey = true;
			this.#key = undefined;
		}
	}

	#closes(at: number): void {
		this.#valueEnds(at);
		this.#depth--;
		if (this.#depth < this.#base && this.#base > 1) {
			this.#base = this.#depth;
			this.#key = undefined;
		}
		this.#valueEnds(at + 1);
		if (this.#depth === 0) {
			this.done = true;
			if (this.#end < 0) this.#end = at + 1;
		}
	}

	#comma(at: number): void {
		if (this.#depth !== this.#base) return;
		this.#valueEnds(at);
		this.#expectKey = true;
	}
}

function unquote(text: string): string {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === 'string' ? value : text;
	} catch {
		return text.slice(1, -1);
	}
}
