/** Custom tools: for a model they are functions with one text; the caller gets and sends that text alone. */

import { defined } from '../../protocol/defined.ts';
import type { ToolDefinition } from '../../protocol/index.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import type { ChatTool, CustomTool } from '../../protocol/routes/customTools.ts';
import { inputGrammar } from './inputGrammar.ts';

const textInput = {
	type: 'object',
	properties: { input: { type: 'string' } },
	required: ['input'],
	additionalProperties: false,
};

type Tools = Pick<ChatRequest, 'tools' | 'functions'>;

/**
 * The tools of a request as functions, with the grammars that hold their inputs.
 * @throws AppError `unsupported_parameter` for the grammar of a custom tool that cannot be enforced
 */
export function functionsOf({ tools, functions }: Tools): readonly ToolDefinition[] {
	return (tools ?? functions ?? []).map((tool, index) => {
		if (tool.type === 'function' || tool.format?.type !== 'grammar') return shownTool(tool);
		const param = `tools[${index}]${tool.grammarAt ?? ''}`;
		return { ...shownTool(tool), inputGrammar: inputGrammar(tool.format, param) };
	});
}

/** The tools of a request as templates write them, whatever their grammars say. */
export const shownTools = ({ tools, functions }: Tools): readonly ToolDefinition[] =>
	(tools ?? functions ?? []).map(shownTool);

function shownTool(tool: ChatTool): ToolDefinition {
	if (tool.type === 'function') return tool;
	const description = described(tool);
	return {
		type: 'function',
		function: { name: tool.name, ...defined({ description }), parameters: textInput },
	};
}

function described({ description, format }: CustomTool): string | undefined {
	if (format?.type !== 'grammar') return description;
	const rule = `The input follows this ${format.syntax} grammar:\n${format.definition}`;
	return description === undefined ? rule : `${description}\n${rule}`;
}

/** What follows the backslash of a short escape. */
const escapes = new Map(
	Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }),
);
const opening = /^\s*\{\s*"input"\s*:\s*"/;
const squeezedOpening = '{"input":"';

/** The text in `{"input": "…"}`, while that arrives. */
export class CustomInput {
	#state: 'before' | 'inside' | 'after' | 'bare' = 'before';
	/** What cannot be read yet: of an opening, of an escape, or the first half of a character. */
	#held = '';

	/** Takes the next piece of the arguments; gives what it adds to the text. */
	push(piece: string): string {
		if (this.#state === 'after') return '';
		if (this.#state === 'bare') return piece;
		const text = this.#held + piece;
		this.#held = '';
		if (this.#state === 'inside') return this.#inside(text);
		const found = opening.exec(text)?.[0];
		if (found !== undefined) {
			this.#state = 'inside';
			return this.#inside(text.slice(found.length));
		}
		const squeezed = text.replaceAll(/\s/g, '');
		if (squeezed.length < squeezedOpening.length && squeezedOpening.startsWith(squeezed)) {
			this.#held = text.trimStart();
			return '';
		}
		// A model that no grammar holds may write another object, or none.
		this.#state = 'bare';
		return text;
	}

	#inside(text: string): string {
		let out = '';
		let at = 0;
		while (at < text.length) {
			if (text[at] === '"') {
				this.#state = 'after';
				return out;
			}
			const [unit, length] = unitAt(text, at);
			const isHalf = /^[\ud800-\udbff]$/.test(unit);
			const [low, lowLength] = isHalf ? unitAt(text, at + length) : ['', 0];
			if (length === 0 || (isHalf && lowLength === 0)) {
				this.#held = text.slice(at);
				return out;
			}
			const isPair = isHalf && /^[\udc00-\udfff]$/.test(low);
			out += isPair ? unit + low : unit;
			at += isPair ? length + lowLength : length;
		}
		return out;
	}
}

/** One UTF-16 unit of a text in JSON, and how long it is there: 0 where its end has not come. */
function unitAt(text: string, at: number): readonly [unit: string, length: number] {
	const first = text[at];
	if (first === undefined) return ['', 0];
	if (first !== '\\') return [first, 1];
	const kind = text[at + 1];
	if (kind === undefined) return ['', 0];
	if (kind !== 'u') return [escapes.get(kind) ?? kind, 2];
	const digits = text.slice(at + 2, at + 6);
	if (/^[0-9a-fA-F]{4}$/.test(digits)) return [String.fromCharCode(Number.parseInt(digits, 16)), 6];
	return digits.length === 4 ? [kind, 2] : ['', 0];
}

/** The text of a custom tool's call, also of one that was cut short. */
export const inputOf = (json: string): string => new CustomInput().push(json);
