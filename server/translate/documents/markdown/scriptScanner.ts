/**
 * JavaScript with elements, read letter by letter: tells whether it surely goes on, so that a parser need not be asked at
 * every brace and empty line. What it cannot tell it calls open to question, and then never says that anything goes on.
 */

/** What stands around a letter: code in brackets, a template, a tag, or the text between two tags. */
type Around = 'bracket' | 'template' | 'tag' | 'endTag' | 'children';
type Token = 'string' | 'pattern' | 'lineComment' | 'blockComment';

const valueFollows = new Set(
	'await case delete do else extends in instanceof new of return throw typeof void yield default'.split(
		' ',
	),
);
const wordLetter = /[$\p{ID_Continue}]/u;
const tagBegin = /[$_>\p{ID_Start}]/u;

export class ScriptScanner {
	readonly #around: Around[] = [];
	#token: Token | undefined;
	/** A letter whose meaning the next one decides. */
	#half = '';
	#last = '';
	#quote = '';
	#isEscaped = false;
	#isClass = false;
	#word = '';
	#isProperty = false;
	/** Whether a value may begin: a slash begins a pattern then, `<` an element. */
	#expectsValue = true;
	#didExpectValue = true;
	/** Behind a brace that ends a block or an object. */
	#isBehindBrace = false;
	#isUnclear = false;

	/**
	 * Whether the script goes on behind the letters read.
	 *
	 * @param depth Brackets that were open where it began.
	 */
	goesOn(depth: number): boolean {
		if (this.#isUnclear) return false;
		if (this.#half === '/' && this.#expectsValue && this.#isCode()) return true;
		return this.#token !== undefined || this.#around.length > depth;
	}

	read(letter: string): void {
		if (this.#isUnclear) return;
		if (this.#token) this.#readToken(this.#token, letter);
		else this.#readPlace(letter);
		this.#last = letter;
	}

	#readPlace(letter: string): void {
		switch (this.#around.at(-1)) {
			case 'template':
				this.#readTemplate(letter);
				break;
			case 'tag':
			case 'endTag':
				this.#readTag(letter);
				break;
			case 'children':
				this.#readChildren(letter);
				break;
			default:
				this.#readCode(letter);
		}
	}

	#isCode(): boolean {
		const around = this.#around.at(-1);
		return around === undefined || around === 'bracket';
	}

	#readToken(token: Token, letter: string): void {
		if (this.#isEscaped) {
			this.#isEscaped = false;
		} else if (token === 'lineComment') {
			if (letter === '\n') this.#token = undefined;
		} else if (token === 'blockComment') {
			if (this.#last === '*' && letter === '/') this.#token = undefined;
		} else if (token === 'string') {
			if (letter === this.#quote) this.#endToken();
			else if (this.#isCode()) {
				if (letter === '\\') this.#isEscaped = true;
				else if (letter === '\n') this.#isUnclear = true;
			}
		} else if (letter === '\\') {
			this.#isEscaped = true;
		} else if (letter === '\n') {
			this.#isUnclear = true;
		} else if (letter === '[') {
			this.#isClass = true;
		} else if (letter === ']') {
			this.#isClass = false;
		} else if (letter === '/' && !this.#isClass) {
			this.#endToken();
		}
	}

	#endToken(): void {
		this.#token = undefined;
		this.#isClass = false;
		this.#endValue();
	}

	#endValue(): void {
		this.#expectsValue = false;
		this.#isBehindBrace = false;
	}

	#readCode(letter: string): void {
		if (this.#half && this.#endHalf(letter)) return;
		if (wordLetter.test(letter)) {
			this.#word += letter;
			return;
		}
		if (this.#word) this.#endWord();
		switch (letter) {
			case ' ':
			case '\t':
			case '\n':
				break;
			case '"':
			case "'":
				this.#token = 'string';
				this.#quote = letter;
				break;
			case '`':
				this.#around.push('template');
				break;
			case '/':
			case '<':
				this.#half = letter;
				break;
			case '{':
			case '(':
			case '[':
				this.#open();
				break;
			case '}':
			case ')':
			case ']':
				this.#around.pop();
				this.#endValue();
				this.#isBehindBrace = letter === '}';
				break;
			default:
				this.#readSign(letter);
		}
	}

	/** Decides on a slash or `<`; true when that took the letter behind it, too. */
	#endHalf(letter: string): boolean {
		const half = this.#half;
		this.#half = '';
		if (half === '/' && (letter === '*' || letter === '/')) {
			this.#token = letter === '*' ? 'blockComment' : 'lineComment';
			// The slash of `/*/` ends nothing.
			this.#isEscaped = letter === '*';
			return true;
		}
		if (this.#isBehindBrace) this.#isUnclear = true;
		if (this.#expectsValue && half === '/') {
			this.#token = 'pattern';
			this.#readToken('pattern', letter);
			return true;
		}
		if (this.#expectsValue && tagBegin.test(letter)) {
			this.#around.push('tag');
			this.#readTag(letter);
			return true;
		}
		this.#expectsValue = true;
		return false;
	}

	#endWord(): void {
		this.#endValue();
		this.#expectsValue = !this.#isProperty && valueFollows.has(this.#word);
		this.#isProperty = false;
		this.#word = '';
	}

	#readSign(letter: string): void {
		const isDoubled = (letter === '+' || letter === '-') && this.#last === letter;
		if (isDoubled) this.#expectsValue = this.#didExpectValue;
		else {
			this.#didExpectValue = this.#expectsValue;
			this.#expectsValue = true;
		}
		this.#isBehindBrace = false;
		this.#isProperty = letter === '.' && this.#last !== '.';
	}

	#open(): void {
		this.#around.push('bracket');
		this.#expectsValue = true;
		this.#isBehindBrace = false;
	}

	#readTemplate(letter: string): void {
		const half = this.#half;
		this.#half = '';
		if (this.#isEscaped) this.#isEscaped = false;
		else if (letter === '\\') this.#isEscaped = true;
		else if (letter === '$') this.#half = letter;
		else if (letter === '{' && half) this.#open();
		else if (letter === '`') this.#endAround();
	}

	#endAround(): void {
		this.#around.pop();
		this.#endValue();
	}

	#readTag(letter: string): void {
		const half = this.#half;
		this.#half = '';
		if (letter === '{') this.#open();
		else if (letter === '"' || letter === "'") {
			this.#token = 'string';
			this.#quote = letter;
		} else if (letter === '/') this.#half = letter;
		else if (letter === '>') {
			const around = this.#around.at(-1);
			if (half !== '/') this.#around.pop();
			if (half !== '/' && around === 'tag') this.#around.push('children');
			else this.#endAround();
		} else if (letter === '<' || half) this.#isUnclear = true;
	}

	#readChildren(letter: string): void {
		const half = this.#half;
		this.#half = '';
		if (half && letter === '/') this.#around.push('endTag');
		else if (half) {
			this.#around.push('tag');
			this.#readTag(letter);
		} else if (letter === '<') this.#half = letter;
		else if (letter === '{') this.#open();
		else if (letter === '}' || letter === '>') this.#isUnclear = true;
	}
}
