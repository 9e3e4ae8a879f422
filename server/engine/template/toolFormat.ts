/** How a model family writes tool calls; found in its chat template, never guessed from a name. */

import { readChatTemplate } from '../modelFiles/templateFile.ts';

/** Names of the known ways to write a tool call. */
export type ToolFormatName =
	| 'hermes'
	| 'llama3'
	| 'function-tag'
	| 'functionary'
	| 'mistral'
	| 'mistral-args'
	| 'phi4'
	| 'functools'
	| 'gemma'
	| 'deepseek'
	| 'cohere'
	| 'cohere-action'
	| 'harmony'
	| 'json';

/** Everything parser and grammar need to know of a way to write calls. */
export interface ToolFormat {
	readonly name: ToolFormatName;
	/** Texts that open calls anywhere in the answer. */
	readonly triggers: readonly string[];
	/** The answer may also begin with the bare JSON of a call (or with a fenced block of it). */
	readonly bare: boolean;
	/** Where the function's name stands: in the JSON object, or in the text before it. */
	readonly nameIn: 'object' | 'header';
	/** What stands right before, between and after calls when a grammar writes them. */
	readonly open: string;
	readonly separator: string;
	readonly close: string;
	/** One call; `{name}` and `{arguments}` stand for the parts. */
	readonly call: string;
	/** Pattern of the name in the text before the arguments, for `nameIn: 'header'`. */
	readonly header?: RegExp;
	/** Special tokens that must reach the parser as text. */
	readonly markers: readonly string[];
}

const object = '{"name": "{name}", "arguments": {arguments}}';

/** Every known format by name. */
export const toolFormats: Readonly<Record<ToolFormatName, ToolFormat>> = {
	hermes: {
		name: 'hermes',
		triggers: ['<tool_call>'],
		bare: false,
		nameIn: 'object',
		open: '<tool_call>\n',
		separator: '\n</tool_call>\n<tool_call>\n',
		close: '\n</tool_call>',
		call: object,
		markers: ['<tool_call>', '</tool_call>'],
	},
	llama3: {
		name: 'llama3',
		triggers: ['<|python_tag|>'],
		bare: true,
		nameIn: 'object',
		open: '',
		separator: '; ',
		close: '',
		call: '{"name": "{name}", "parameters": {arguments}}',
		markers: ['<|python_tag|>'],
	},
	'function-tag': {
		name: 'function-tag',
		triggers: ['<function='],
		bare: false,
		nameIn: 'header',
		open: '',
		separator: '\n',
		close: '',
		call: '<function={name}>{arguments}</function>',
		header: /^\s*([^>]+)>/,
		markers: ['<|python_tag|>'],
	},
	functionary: {
		name: 'functionary',
		triggers: ['>>>'],
		bare: false,
		nameIn: 'header',
		open: '',
		separator: '\n',
		close: '',
		call: '>>>{name}\n{arguments}',
		header: /^\s*([^\n]+)\n/,
		markers: [],
	},
	mistral: {
		name: 'mistral',
		triggers: ['[TOOL_CALLS]'],
		bare: false,
		nameIn: 'object',
		open: '[TOOL_CALLS][',
		separator: ', ',
		close: ']',
		call: object,
		markers: ['[TOOL_CALLS]', '[ARGS]', '[CALL_ID]'],
	},
	'mistral-args': {
		name: 'mistral-args',
		triggers: ['[TOOL_CALLS]'],
		bare: false,
		nameIn: 'header',
		open: '[TOOL_CALLS]',
		separator: '[TOOL_CALLS]',
		close: '',
		call: '{name}[ARGS]{arguments}',
		header: /^\s*([^[{]+?)\s*(?:\[CALL_ID\][^[]*)?(?:\[ARGS\])?\s*$/,
		markers: ['[TOOL_CALLS]', '[ARGS]', '[CALL_ID]'],
	},
	phi4: {
		name: 'phi4',
		triggers: ['<|tool_call|>', 'functools'],
		bare: false,
		nameIn: 'object',
		open: '<|tool_call|>[',
		separator: ', ',
		close: ']<|/tool_call|>',
		call: object,
		markers: ['<|tool_call|>', '<|/tool_call|>'],
	},
	functools: {
		name: 'functools',
		triggers: ['functools'],
		bare: false,
		nameIn: 'object',
		open: 'functools[',
		separator: ', ',
		close: ']',
		call: object,
		markers: [],
	},
	gemma: {
		name: 'gemma',
		triggers: ['```tool_call', '```tool_code'],
		bare: true,
		nameIn: 'object',
		open: '',
		separator: '\n',
		close: '',
		call: '{"name": "{name}", "parameters": {arguments}}',
		markers: [],
	},
	deepseek: {
		name: 'deepseek',
		triggers: ['<｜tool▁calls▁begin｜>', '<｜tool▁call▁begin｜>'],
		bare: false,
		nameIn: 'header',
		open: '<｜tool▁calls▁begin｜>',
		separator: '\n',
		close: '<｜tool▁calls▁end｜>',
		call: '<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{arguments}\n```<｜tool▁call▁end｜>',
		header:
			/(?:function<｜tool▁sep｜>|<｜tool▁call▁begin｜>|^)\s*([^\s<｜]+)\s*(?:<｜tool▁sep｜>)?\s*(?:```(?:json)?)?\s*$/,
		markers: [
			'<｜tool▁calls▁begin｜>',
			'<｜tool▁call▁begin｜>',
			'<｜tool▁sep｜>',
			'<｜tool▁call▁end｜>',
			'<｜tool▁calls▁end｜>',
		],
	},
	cohere: {
		name: 'cohere',
		triggers: ['<|START_ACTION|>'],
		bare: false,
		nameIn: 'object',
		open: '<|START_ACTION|>[\n    ',
		separator: ',\n    ',
		close: '\n]<|END_ACTION|>',
		call: '{"tool_name": "{name}", "parameters": {arguments}}',
		markers: ['<|START_ACTION|>', '<|END_ACTION|>'],
	},
	'cohere-action': {
		name: 'cohere-action',
		triggers: ['Action: ```json', 'Action:```json'],
		bare: false,
		nameIn: 'object',
		open: 'Action: ```json\n[\n    ',
		separator: ',\n    ',
		close: '\n]```',
		call: '{"tool_name": "{name}", "parameters": {arguments}}',
		markers: [],
	},
	harmony: {
		name: 'harmony',
		triggers: ['<|channel|>commentary to=functions.'],
		bare: false,
		nameIn: 'header',
		open: '',
		separator: '<|call|><|start|>assistant',
		close: '',
		call: '<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}',
		header: /(?:to=functions\.|^)([\w.-]+)(?:\s|<|$)/,
		markers: ['<|channel|>', '<|constrain|>', '<|message|>', '<|start|>'],
	},
	json: {
		name: 'json',
		triggers: ['<tool_call>'],
		bare: true,
		nameIn: 'object',
		open: '<tool_call>\n',
		separator: '\n</tool_call>\n<tool_call>\n',
		close: '\n</tool_call>',
		call: object,
		markers: ['<tool_call>', '</tool_call>'],
	},
};

/** First match wins; the texts are what the published templates hold. */
const signs: readonly (readonly [RegExp, ToolFormatName])[] = [
	[/<\|channel\|>/, 'harmony'],
	[/tool▁calls▁begin/, 'deepseek'],
	[/\[TOOL_CALLS\][\s\S]*\[ARGS\]/, 'mistral-args'],
	[/\[TOOL_CALLS\]/, 'mistral'],
	[/<\|START_ACTION\|>/, 'cohere'],
	[/Action:\s*```json/, 'cohere-action'],
	[/<\|tool_call\|>|<\|tool\|>/, 'phi4'],
	[/functools\[/, 'functools'],
	[/>>>all|>>>\$?\{?recipient/, 'functionary'],
	[/<tool_call>/, 'hermes'],
	[/<function=/, 'function-tag'],
	[/<\|python_tag\|>|"parameters": dictionary|Environment: ipython/, 'llama3'],
	[/<start_of_turn>/, 'gemma'],
];

/** The format a template teaches; `json` (Hermes tags in a system message of our own) when it teaches none. */
export function toolFormatOf(template: string | undefined): ToolFormat {
	for (const [sign, name] of signs) {
		if (template !== undefined && sign.test(template)) return toolFormats[name];
	}
	return toolFormats.json;
}

/** {@link toolFormatOf} of the template of a model folder. */
export async function loadToolFormat(folder: string): Promise<ToolFormat> {
	return toolFormatOf(await readChatTemplate(folder, true));
}
