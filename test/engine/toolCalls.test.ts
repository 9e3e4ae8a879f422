/** Tool calls of every format, whole and streamed one character at a time. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ToolCallParser } from '../../server/engine/template/toolCallParser.ts';
import { type ToolFormatName, toolFormats } from '../../server/engine/template/toolFormat.ts';
import { parseToolCalls } from './parseToolCalls.ts';

interface Case {
	readonly format: ToolFormatName;
	readonly title: string;
	readonly text: string;
	readonly content: string;
	readonly calls: readonly (readonly [name: string, args: unknown])[];
}

const weather = { city: 'Zürich {"}', unit: 'C' };
const json = JSON.stringify(weather);

const cases: readonly Case[] = [
	{
		format: 'hermes',
		title: 'two calls after a sentence',
		text: `Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": ${json}}\n</tool_call>\n<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>`,
		content: 'Let me look.',
		calls: [
			['get_weather', weather],
			['get_time', {}],
		],
	},
	{
		format: 'hermes',
		title: 'arguments before the name, arguments as a string, and no arguments at all',
		text: `<tool_call>{"arguments": ${json}, "name": "get_weather"}</tool_call><tool_call>{"name":"get_time","arguments":"{\\"a\\":1}"}</tool_call><tool_call>{"name":"get_time"}</tool_call>`,
		content: '',
		calls: [
			['get_weather', weather],
			['get_time', { a: 1 }],
			['get_time', {}],
		],
	},
	{
		format: 'hermes',
		title: 'an answer that only talks about JSON',
		text: 'Use {"name": "get_weather"} < tool_call> and so on.\n',
		content: 'Use {"name": "get_weather"} < tool_call> and so on.\n',
		calls: [],
	},
	{
		format: 'llama3',
		title: 'a bare object',
		text: `{"name": "get_weather", "parameters": ${json}}`,
		content: '',
		calls: [['get_weather', weather]],
	},
	{
		format: 'llama3',
		title: 'a bare object of the wrapped kind, and a second one',
		text: `{"type": "function", "function": {"name": "get_weather", "parameters": ${json}}}; {"name": "get_time", "parameters": {"zone": [1, 2]}}`,
		content: '',
		calls: [
			['get_weather', weather],
			['get_time', { zone: [1, 2] }],
		],
	},
	{
		format: 'llama3',
		title: 'an object that names no tool stays text',
		text: '{"name": "Ada", "age": 36} is the record.',
		content: '{"name": "Ada", "age": 36} is the record.',
		calls: [],
	},
	{
		format: 'llama3',
		title: 'after the Python tag',
		text: `<|python_tag|>{"name": "get_weather", "parameters": ${json}}`,
		content: '',
		calls: [['get_weather', weather]],
	},
	{
		format: 'mistral',
		title: 'a list of two',
		text: `[TOOL_CALLS][{"name": "get_weather", "arguments": ${json}, "id": "abcdefghi"}, {"name": "get_time", "arguments": {}, "id": "123456789"}]`,
		content: '',
		calls: [
			['get_weather', weather],
			['get_time', {}],
		],
	},
	{
		format: 'mistral-args',
		title: 'the newer form, twice, once with an id',
		text: `[TOOL_CALLS]get_weather[ARGS]${json}[TOOL_CALLS]get_time[CALL_ID]123456789[ARGS]{}`,
		content: '',
		calls: [
			['get_weather', weather],
			['get_time', {}],
		],
	},
	{
		format: 'phi4',
		title: 'a list between tags',
		text: `<|tool_call|>[{"type": "function", "function": {"name": "get_weather", "arguments": ${json}}}]<|/tool_call|>`,
		content: '',
		calls: [['get_weather', weather]],
	},
	{
		format: 'phi4',
		title: 'the functools spelling',
		text: `functools[{"name": "get_weather", "arguments": ${json}}]`,
		content: '',
		calls: [['get_weather', weather]],
	},
	{
		format: 'gemma',
		title: 'a fenced object',
		text: `\`\`\`json\n{"name": "get_weather", "parameters": ${json}}\n\`\`\``,
		content: '',
		calls: [['get_weather', weather]],
	},
	{
		format: 'gemma',
		title: 'a fenced object that is no call',
		text: '```json\n{"a": 1}\n```\nThat is it.',
		content: '```json\n{"a": 1}\n```\nThat is it.',
		calls: [],
	},
	{
		format: 'deepseek',
		title: 'two calls with fences',
		text: `Sure.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n\`\`\`json\n${json}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time\n\`\`\`json\n{}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
		content: 'Sure.',
		calls: [
			['get_weather', weather],
			['get_time', {}],
		],
	},
	{
		format: 'deepseek',
		title: 'the form without fences',
		text: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>${json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
		content: '',
		calls: [['get_weather', weather]],
	},
	{
		format: 'function-tag',
		title: 'two tags',
		text: `<function=get_weather>${json}</function>\n<function=get_time>{}</function>`,
		content: '',
		calls: [
			['get_weather', weather],
			['get_time', {}],
		],
	},
	{
		format: 'cohere',
		title: 'an action list',
		text: `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": ${json}}\n]<|END_ACTION|>`,
		content: '',
		calls: [['get_weather', weather]],
	},
	{
		format: 'harmony',
		title: 'a commentary message',
		text: `<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>${json}`,
		content: '',
		calls: [['get_weather', weather]],
	},
];

const names = ['get_weather', 'get_time'];

describe('tool calls in an answer', () => {
	for (const item of cases) {
		it(`${item.format}: ${item.title}`, () => {
			const whole = parseToolCalls(toolFormats[item.format], item.text, names);
			assert.equal(whole.content, item.content);
			assert.deepEqual(
				whole.calls.map((call) => [call.name, JSON.parse(call.arguments)]),
				item.calls,
			);
			const parser = new ToolCallParser(toolFormats[item.format], names);
			const outputs = [...item.text].map((char) => parser.push(char));
			outputs.push(parser.end());
			assert.equal(outputs.map((output) => output.content).join(''), item.content);
			const deltas = outputs.flatMap((output) => output.calls);
			for (const [index, call] of item.calls.entries()) {
				const own = deltas.filter((delta) => delta.index === index);
				assert.deepEqual(
					own.map((delta) => delta.name),
					[call[0], ...own.slice(1).map(() => undefined)],
				);
				assert.deepEqual(JSON.parse(own.map((delta) => delta.arguments ?? '').join('')), call[1]);
			}
		});
	}

	it('a call that is cut off keeps its name and the arguments so far', () => {
		const cut = parseToolCalls(
			toolFormats.hermes,
			'<tool_call>\n{"name": "get_weather", "arguments": {"city": "Be',
			names,
		);
		assert.deepEqual(cut.calls, [{ name: 'get_weather', arguments: '{"city": "Be' }]);
	});

	it('a tag without a call is given back as text', () => {
		const text = 'The tag <tool_call> opens a call';
		assert.equal(parseToolCalls(toolFormats.hermes, text, names).content, text);
	});

	it('what every format writes is what it reads', () => {
		for (const format of Object.values(toolFormats)) {
			const write = (name: string, args: string) =>
				format.call.replace('{name}', name).replace('{arguments}', () => args);
			const text = `${format.open}${write('get_weather', json)}${format.separator}${write('get_time', '{}')}${format.close}`;
			const read = parseToolCalls(format, text, names);
			assert.deepEqual(
				read.calls.map((call) => [call.name, JSON.parse(call.arguments)]),
				[
					['get_weather', weather],
					['get_time', {}],
				],
				format.name,
			);
			assert.equal(read.content, '', format.name);
		}
	});
});
