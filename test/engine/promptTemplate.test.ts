/** Prompt templates of the older services, one text per role, as they write whole chats. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptTemplateJinja } from '../../server/engine/modelFiles/promptTemplate.ts';
import { compileTemplate } from '../../server/engine/template/jinja.ts';
import type { PromptTemplate } from '../../server/protocol/index.ts';

const system = { role: 'system', content: 'S' };
const asked = { role: 'user', content: 'Q' };
const earlier = [
	{ role: 'user', content: 'A' },
	{ role: 'assistant', content: 'B' },
];
const write = (template: PromptTemplate, messages: readonly object[], adds = true) =>
	compileTemplate(promptTemplateJinja(template)).render({
		messages,
		add_generation_prompt: adds,
		start_token: '<s>',
	});

test('the start token comes first and once, whichever text writes the first message', () => {
	const template = { user: '[U]{Content}', prompt: '<s>[P]{Content}', assistant: '[A]{Content}' };
	assert.equal(write(template, [asked]), '<s>[P]Q');
	assert.equal(write(template, [...earlier, asked]), '<s>[U]A[A]B<s>[P]Q');
	const other = { user: '<s>[U]{Content}', prompt: '[P]{Content}', assistant: '[A]{Content}' };
	assert.equal(write(other, [asked]), '<s>[P]Q');
	assert.equal(write(other, [...earlier, asked]), '<s>[U]A[A]B[P]Q');
	assert.equal(write(other, [asked], false), '<s>[U]Q');
	const both = { ...other, prompt: '<s>[P]{Content}' };
	assert.equal(write(both, [asked]), '<s>[P]Q');
	const none = { user: '[U]{Content}' };
	assert.equal(write(none, [...earlier, asked]), '<s>[U]AB[U]Q');
	// What somebody writes is no start token of the template.
	assert.equal(write({ prompt: '{Content}' }, [{ role: 'user', content: '<s>' }]), '<s><s>');
});

test('a system message begins the chat only where the template writes it', () => {
	const template = { system: '<s>[S]{Content}', user: '[U]{Content}' };
	assert.equal(write(template, [system, asked]), '<s>[S]S[U]Q');
	assert.equal(write(template, [asked]), '<s>[U]Q');
	assert.equal(write({ user: '<s>[U]{Content}' }, [system, asked]), '<s>[U]Q');
	assert.equal(write({ prompt: '<s>[P]{Content}' }, [system, asked]), '<s>[P]Q');
});

test('an answer that is to go on is begun after the start token', () => {
	assert.equal(write({ assistant: '[A]{Content}' }, [system]), '<s>[A]');
	const [, answer] = earlier;
	assert.equal(write({ assistant: '<s>[A]{Content}' }, [answer ?? {}], false), '<s>[A]B');
});
