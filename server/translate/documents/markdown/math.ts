/**
 * Formulas for the Markdown parser: `$…$` and `$$…$$` in lines, and blocks between lines of `$$`. A single dollar
 * sign begins one only where no space follows and ends one only where no space is before and no digit behind, so
 * that prices are none.
 */

import type {
	Code,
	Construct,
	Effects,
	Extension,
	State,
	TokenizeContext,
} from 'micromark-util-types';

declare module 'micromark-util-types' {
	interface TokenTypeMap {
		mathText: 'mathText';
		mathTextSequence: 'mathTextSequence';
		mathTextData: 'mathTextData';
		mathFlow: 'mathFlow';
		mathFlowFence: 'mathFlowFence';
		mathFlowData: 'mathFlowData';
	}
}

const dollar = 36;
const isLineEnd = (code: Code): boolean => code !== null && code < -2;
const isSpace = (code: Code): boolean => code === null || code < 0 || code === 32;
const isDigit = (code: Code): boolean => code !== null && code >= 48 && code <= 57;

const mathText: Construct = {
	name: 'mathText',
	previous(code) {
		return code !== dollar || this.events.at(-1)?.[1].type === 'characterEscape';
	},
	tokenize: tokenizeText,
};

function tokenizeText(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
	let size = 0;
	let closing = 0;
	let wasSpace = false;

	const begin: State = (code) => {
		effects.enter('mathText');
		effects.enter('mathTextSequence');
		return open(code);
	};
	const open: State = (code) => {
		if (code === dollar) {
			effects.consume(code);
			size++;
			return open;
		}
		if (size > 2 || (size === 1 && isSpace(code))) return nok(code);
		effects.exit('mathTextSequence');
		return between(code);
	};
	const between: State = (code) => {
		if (code === null) return nok(code);
		if (code === dollar) {
			effects.enter('mathTextSequence');
			closing = 0;
			return close(code);
		}
		if (isLineEnd(code)) {
			effects.enter('lineEnding');
			effects.consume(code);
			effects.exit('lineEnding');
			wasSpace = true;
			return between;
		}
		effects.enter('mathTextData');
		return data(code);
	};
	const data: State = (code) => {
		if (code === null || code === dollar || isLineEnd(code)) {
			effects.exit('mathTextData');
			return between(code);
		}
		wasSpace = isSpace(code);
		effects.consume(code);
		// What a backslash stands before ends nothing.
		return code === 92 ? escaped : data;
	};
	const escaped: State = (code) => {
		if (code === null || isLineEnd(code)) return data(code);
		wasSpace = false;
		effects.consume(code);
		return data;
	};
	const close: State = (code) => {
		if (code === dollar) {
			effects.consume(code);
			closing++;
			return close;
		}
		if (closing === size && (size === 2 || (!wasSpace && !isDigit(code)))) {
			effects.exit('mathTextSequence');
			effects.exit('mathText');
			return ok(code);
		}
		// Two prices in a line are no formula.
		return nok(code);
	};
	return begin;
}

const nonLazy: Construct = {
	partial: true,
	tokenize(effects, ok, nok) {
		return (code) => {
			if (code === null) return nok(code);
			effects.enter('lineEnding');
			effects.consume(code);
			effects.exit('lineEnding');
			return (next) => (this.parser.lazy[this.now().line] ? nok(next) : ok(next));
		};
	},
};

/** A line of at least two dollar signs and nothing else. */
const closingFence: Construct = {
	partial: true,
	tokenize(effects, ok, nok) {
		let size = 0;
		let indent = 0;
		const start: State = (code) => {
			effects.enter('mathFlowFence');
			return prefix(code);
		};
		const prefix: State = (code) => {
			if (code === 32 && indent < 3) {
				indent++;
				effects.consume(code);
				return prefix;
			}
			return sequence(code);
		};
		const sequence: State = (code) => {
			if (code === dollar) {
				size++;
				effects.consume(code);
				return sequence;
			}
			return size < 2 ? nok(code) : after(code);
		};
		const after: State = (code) => {
			if (code === null || isLineEnd(code)) {
				effects.exit('mathFlowFence');
				return ok(code);
			}
			if (!isSpace(code)) return nok(code);
			effects.consume(code);
			return after;
		};
		return start;
	},
};

const mathFlow: Construct = { name: 'mathFlow', concrete: true, tokenize: tokenizeFlow };

function tokenizeFlow(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
	let size = 0;
	const start: State = (code) => {
		effects.enter('mathFlow');
		effects.enter('mathFlowFence');
		return sequence(code);
	};
	const sequence: State = (code) => {
		if (code === dollar) {
			size++;
			effects.consume(code);
			return sequence;
		}
		return size < 2 ? nok(code) : meta(code);
	};
	const meta: State = (code) => {
		if (code === dollar) return nok(code);
		if (code === null || isLineEnd(code)) {
			effects.exit('mathFlowFence');
			return this.interrupt ? ok(code) : next(code);
		}
		effects.consume(code);
		return meta;
	};
	const next: State = (code) => {
		if (code === null) return after(code);
		return effects.attempt(nonLazy, line, after)(code);
	};
	const line: State = (code) => effects.attempt(closingFence, after, content)(code);
	const content: State = (code) => {
		if (code === null) return after(code);
		if (isLineEnd(code)) return next(code);
		effects.enter('mathFlowData');
		return data(code);
	};
	const data: State = (code) => {
		if (code === null || isLineEnd(code)) {
			effects.exit('mathFlowData');
			return code === null ? after(code) : next(code);
		}
		effects.consume(code);
		return data;
	};
	const after: State = (code) => {
		effects.exit('mathFlow');
		return ok(code);
	};
	return start;
}

export const math: Extension = { flow: { [dollar]: mathFlow }, text: { [dollar]: mathText } };
