/** The grammar of tool calls in a model's own format: forced, or only once the model begins a call. */

import type { StructuralTagFormat, TagFormat } from '@mlc-ai/web-xgrammar';
import type { ToolDefinition } from '../../protocol/index.ts';
import { AppError } from '../../protocol/index.ts';
import type { Constraint } from '../api.ts';
import type { ToolFormat } from '../template/toolFormat.ts';
import { boundCalls } from './boundCalls.ts';
import { checkGrammarSize } from './grammarSize.ts';
import { type PreparedSchema, prepareSchema } from './schemaCheck.ts';

type ToolsConstraint = Extract<Constraint, { kind: 'tools' }>;

/**
 * The structural tag of a tools constraint; `undefined` when nothing is to be enforced.
 * @param toGrammar turns a schema into EBNF
 * @throws AppError `invalid_request` for a named tool that is not there or a schema that cannot be enforced
 */
export async function toolGrammar(
	constraint: ToolsConstraint,
	format: ToolFormat,
	toGrammar: (schema: PreparedSchema) => Promise<string>,
): Promise<StructuralTagFormat | undefined> {
	const { choice, tools, parallel, bound } = constraint;
	if (choice === 'none' || (choice === 'auto' && tools.length === 0)) return undefined;
	const offered = typeof choice === 'string' ? tools : tools.filter(isNamed(choice.name));
	if (offered.length === 0) {
		const why =
			typeof choice === 'string'
				? 'tool_choice asks for a call, but there are no tools.'
				: `tool_choice names '${choice.name}', which is not among the tools.`;
		throw new AppError('invalid_request', why, { param: 'tool_choice' });
	}
	const tags: TagFormat[] = [];
	for (const tool of bound === undefined ? offered : boundCalls(offered, bound)) {
		const index = tools.findIndex(isNamed(tool.function.name));
		const schema = argumentSchema(tool, `tools[${index}].function.parameters`);
		const grammar =
			tool.inputGrammar === undefined ? await toGrammar(schema) : inputCall(tool.inputGrammar);
		tags.push(callTag(tool.function.name, format, grammar));
	}
	return choice === 'auto' ? allowed(tags, format, parallel) : forced(tags, format, parallel);
}

function isNamed(name: string) {
	return (tool: ToolDefinition) => tool.function.name === name;
}

function callTag(name: string, format: ToolFormat, grammar: string): TagFormat {
	const written = format.nameIn === 'object' ? JSON.stringify(name).slice(1, -1) : name;
	const [begin = '', end = ''] = format.call.replace('{name}', () => written).split('{arguments}');
	return { type: 'tag', begin, content: { type: 'grammar', grammar }, end };
}

/** Arguments with one text, which a grammar of its own holds. */
function inputCall(rules: string): string {
	const grammar = `root ::= "{" [ ]? "\\"input\\":" [ ]? "\\"" input "\\"" [ ]? "}"\n${rules}\n`;
	checkGrammarSize(grammar);
	return grammar;
}

function argumentSchema(tool: ToolDefinition, param: string): PreparedSchema {
	const { parameters } = tool.function;
	const given = typeof parameters === 'object' ? parameters : {};
	return prepareSchema({ type: 'object', ...given }, param);
}

function calls(tags: TagFormat[], format: ToolFormat, parallel: boolean): StructuralTagFormat {
	return {
		type: 'tags_with_separator',
		tags,
		separator: format.separator,
		at_least_one: true,
		stop_after_first: !parallel,
	};
}

function forced(tags: TagFormat[], format: ToolFormat, parallel: boolean): StructuralTagFormat {
	const content = calls(tags, format, parallel);
	if (format.close === '') {
		if (format.open === '') return content;
		return {
			type: 'sequence',
			elements: [{ type: 'const_string', value: format.open }, content],
		};
	}
	return { type: 'tag', begin: format.open, content, end: format.close };
}

// Free text until the model writes what opens a call; from there on the call is enforced.
function allowed(
	tags: TagFormat[],
	format: ToolFormat,
	parallel: boolean,
): StructuralTagFormat | undefined {
	if (format.close === '') {
		// Bare JSON may as well be what the user asked for; only a marker makes it a call for certain.
		const marker = format.bare ? format.triggers.find((text) => text.startsWith('<|')) : '';
		if (marker === undefined) return undefined;
		const open = marker + format.open;
		const single = tags.map((tag) => ({ ...tag, begin: open + tag.begin }));
		const trigger = open || commonStart(single.map((tag) => tag.begin));
		return {
			type: 'triggered_tags',
			triggers: [trigger],
			tags: single,
			at_least_one: false,
			stop_after_first: !parallel,
		};
	}
	const content = calls(tags, format, parallel);
	return {
		type: 'triggered_tags',
		triggers: [format.open.trimEnd()],
		tags: [{ type: 'tag', begin: format.open, content, end: format.close }],
		at_least_one: false,
		stop_after_first: true,
	};
}

function commonStart(texts: readonly string[]): string {
	const [first = '', ...rest] = texts;
	let length = first.length;
	for (const text of rest) {
		while (!text.startsWith(first.slice(0, length))) length--;
	}
	// With a single tool the name does not belong to the trigger: any call begins like this.
	const upToName = /^(.*?"name": "|<function=|>>>|\[TOOL_CALLS\]|.*functions\.)/.exec(first)?.[0];
	return upToName === undefined
		? first.slice(0, length)
		: first.slice(0, Math.min(length, upToName.length));
}
