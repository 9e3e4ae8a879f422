/**
 * Published chat templates against renderings of the reference (Jinja2 set up as the reference library
 * does; hashes in fixtures/chatTemplates.json), and the help given to templates that know too little.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it, mock } from 'node:test';
import type { PromptMessage } from '../../server/engine/prompt.ts';
import { ChatTemplate } from '../../server/engine/template/chatTemplate.ts';
import { compileTemplate } from '../../server/engine/template/jinja.ts';
import { toolFormatOf } from '../../server/engine/template/toolFormat.ts';
import type { ToolDefinition } from '../../server/protocol/index.ts';
import { caseVariables, chatCases } from '../fixtures/chatCases.ts';
import { publishedTemplates } from '../fixtures/publishedTemplates.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { parseToolCalls } from './parseToolCalls.ts';

const data = sharedFolder('');
const templates = data.skip === false ? publishedTemplates(data.path) : new Map<string, string>();
const hashes: Record<string, string> = JSON.parse(
	readFileSync(new URL('../fixtures/chatTemplates.json', import.meta.url), 'utf8'),
);

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

describe('published chat templates', { skip: data.skip }, () => {
	for (const [name, source] of templates) {
		it(`${name}: every chat the reference renders comes out the same`, (t) => {
			const template = compileTemplate(source);
			let compared = 0;
			// Some templates write today's date; the hashes were made on this one.
			mock.timers.enable({ apis: ['Date'], now: new Date(2026, 0, 2, 12) });
			t.after(() => mock.timers.reset());
			for (const chat of Object.keys(chatCases)) {
				for (const adds of [true, false]) {
					const expected = hashes[`${name} / ${chat} / ${adds}`];
					// Where the reference refuses a chat there is nothing to compare with.
					if (expected === undefined) continue;
					assert.equal(
						hash(template.render(caseVariables(chat, adds))),
						expected,
						`${chat}, ${adds}`,
					);
					compared++;
				}
			}
			assert.ok(compared >= (name.includes('fireworks') ? 0 : 6), `${compared} chats compared`);
		});
	}

	it('there are hundreds of them', () => {
		assert.ok(Object.keys(hashes).length > 300);
		assert.ok(templates.size >= 18);
	});
});

const tool: ToolDefinition = {
	type: 'function',
	function: {
		name: 'get_time',
		description: 'd',
		parameters: { type: 'object', properties: { zone: { type: 'string', description: 'z' } } },
	},
};

const conversation: PromptMessage[] = [
	{ role: 'system', content: 'You are terse.' },
	{ role: 'user', content: 'What time is it?' },
	{
		role: 'assistant',
		content: null,
		tool_calls: [
			{
				id: 'call_1',
				type: 'function',
				function: { name: 'get_time', arguments: '{"zone": "CET"}' },
			},
			{
				id: 'call_2',
				type: 'function',
				function: { name: 'get_time', arguments: '{"zone": "UTC"}' },
			},
		],
	},
	{ role: 'tool', content: 'eleven', tool_call_id: 'call_1' },
	{ role: 'tool', content: 'ten', tool_call_id: 'call_2' },
	{ role: 'assistant', content: 'Eleven, and ten in UTC.' },
	{ role: 'user', content: 'Thanks!' },
];

describe('chats with tools on any template', { skip: data.skip }, () => {
	for (const [name, source] of templates) {
		it(`${name}: system text, tools, two calls and their results all reach the model`, () => {
			const template = new ChatTemplate(source, { bos_token: '<s>', eos_token: '</s>' });
			const text = template.render({ kind: 'chat', messages: conversation, tools: [tool] }, true);
			for (const part of [
				'You are terse.',
				'What time is it?',
				'get_time',
				'CET',
				'UTC',
				'eleven',
				'ten',
			]) {
				assert.ok(text.includes(part), `${part} in:\n${text}`);
			}
			assert.ok(!text.includes('[object'), text);
			assert.ok(!text.includes('\\"zone\\"'), `arguments are quoted twice in:\n${text}`);
		});
	}
});

describe('templates that know little', () => {
	const plain =
		"{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}[{{ m.role }}] {{ m.content }}\n{% endfor %}";

	it('a system message goes into the first user message where there is no place for it', () => {
		const template = new ChatTemplate(plain, {});
		const messages: PromptMessage[] = [
			{ role: 'system', content: 'Be kind.' },
			{ role: 'user', content: 'Hi' },
		];
		assert.equal(template.render({ kind: 'chat', messages }, true), '[user] Be kind.\n\nHi\n');
	});

	it('tools are described in the format their calls are read in', () => {
		const template = new ChatTemplate(plain, {});
		const messages: PromptMessage[] = [{ role: 'user', content: 'Time?' }];
		const text = template.render({ kind: 'chat', messages, tools: [tool] }, true);
		assert.match(text, /"name":"get_time"/);
		const taught = text
			.slice(text.indexOf('exactly this form:'))
			.replace('<function name>', 'get_time')
			.replace('<arguments as JSON object>', '{"zone":"CET"}')
			.replace('exactly this form:\n', '');
		const read = parseToolCalls(toolFormatOf(plain), taught.split('\n\nTime?')[0] as string, [
			'get_time',
		]);
		assert.deepEqual(read.calls, [{ name: 'get_time', arguments: '{"zone":"CET"}' }]);
	});

	it('what a template refuses is a fault of the request, in its own words', () => {
		const strict = new ChatTemplate("{{ raise_exception('Roles must alternate') }}", {});
		assert.throws(
			() => strict.render({ kind: 'chat', messages: [{ role: 'user', content: 'x' }] }, true),
			(error: Error & { code?: string }) =>
				error.code === 'invalid_request' && /Roles must alternate/.test(error.message),
		);
		assert.throws(
			() => new ChatTemplate('{% if %}', {}),
			(error: Error & { code?: string }) => error.code === 'unsupported_model',
		);
	});

	it('break and continue keep what was written before them, also in loops within loops', () => {
		const render = (body: string) => compileTemplate(body).render({});
		const loop = (inner: string) => `{% for i in [1, 2, 3, 4] %}${inner}{% endfor %}.`;
		assert.equal(render(loop('{{ i }}{% if i == 3 %}x{% break %}y{% endif %}')), '123x.');
		assert.equal(render(loop('{{ i }}{% if i == 2 %}x{% continue %}{% endif %};')), '1;2x3;4;.');
		const inner = '{% for j in [1, 2] %}{{ j }}{% if i == 2 %}{% break %}{% endif %}{% endfor %},';
		assert.equal(render(loop(inner)), '12,1,12,12,.');
		assert.equal(render(loop('{% if i == 3 %}{% break %}{% endif %}{{ i }}')), '12.');
		assert.equal(render('{% for i in [] %}{{ i }}{% else %}none{% endfor %}'), 'none');
	});

	it('variables of the request reach the template', () => {
		const template = new ChatTemplate(
			'{{ messages[0].content }}{% if enable_thinking is false %} no{% endif %}',
			{},
		);
		const messages: PromptMessage[] = [{ role: 'user', content: 'x' }];
		assert.equal(
			template.render(
				{ kind: 'chat', messages, templateVariables: { enable_thinking: false } },
				true,
			),
			'x no',
		);
	});
});
