/** Grammars in threads: the same masks as on the spot, and nobody waits for what others have compiled. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createConstraintCompiler } from '../../server/engine/grammar/compileConstraint.ts';
import { checkGrammarSize, GrammarTooLarge } from '../../server/engine/grammar/grammarSize.ts';
import { GrammarThreads } from '../../server/engine/grammar/grammarThreads.ts';
import { reasoningTagsOf } from '../../server/engine/template/reasoning.ts';
import { toolFormats } from '../../server/engine/template/toolFormat.ts';
import { hostileSchemas } from '../hostile/models.ts';
import { byteTextModel } from './byteTextModel.ts';

const text = byteTextModel();
const made: GrammarThreads[] = [];
function threadsWith(deadlineMs: number, maxWaitMs?: number): GrammarThreads {
	const threads = new GrammarThreads({
		text,
		format: toolFormats.hermes,
		reasoning: reasoningTagsOf(undefined),
		model: 'm',
		deadlineMs,
		maxWaitMs,
	});
	made.push(threads);
	return threads;
}
after(() => Promise.all(made.map((threads) => threads.close())));

const end = [257];
const longMs = 120_000;
const schema = (name: string) =>
	({
		kind: 'json-schema',
		schema: { type: 'object', properties: { [name]: { type: 'integer' } }, required: [name] },
	}) as const;
const endless = { kind: 'json-schema', schema: hostileSchemas[0]?.make(200) ?? {} } as const;
const isCode = (code: string) => (error: { code?: string }) => error.code === code;

test('an answer is followed as on the spot: masks, refused tokens, steps back and the end', async () => {
	const there = await threadsWith(longMs).compile(schema('a'), end);
	const here = await createConstraintCompiler(text, toolFormats.hermes)(schema('a'), end);
	assert.ok(there !== undefined && here !== undefined);
	const same = () => {
		assert.deepEqual([...(there.mask() ?? [])], [...(here.mask() ?? [])]);
		assert.equal(there.isTerminated(), here.isTerminated());
	};
	const take = (token: number) => assert.equal(there.accept(token), here.accept(token));
	for (const byte of Buffer.from('{"a": 12')) {
		take(byte);
		same();
		take(0x7a);
		same();
	}
	there.rollback(2);
	here.rollback(2);
	same();
	for (const byte of Buffer.from('7}')) take(byte);
	same();
	assert.equal(there.isTerminated(), true);
	there.dispose();
	here.dispose();
});

test('an answer goes on, and others begin, while a schema is compiled', async () => {
	const threads = threadsWith(longMs);
	const first = await threads.compile(schema('a'), end);
	assert.ok(first !== undefined);
	const stop = new AbortController();
	let settled = false;
	const slow = threads.compile(endless, end, '', stop.signal).finally(() => {
		settled = true;
	});
	slow.catch(() => {});
	for (const byte of Buffer.from('{"a": 1}')) assert.equal(first.accept(byte), true);
	assert.equal(first.isTerminated(), true);
	const again = await threads.compile(schema('a'), end);
	const other = await threads.compile(schema('b'), end);
	assert.equal(settled, false, 'the schema was still being compiled');
	stop.abort();
	await assert.rejects(slow, isCode('cancelled'));
	for (const one of [first, again, other]) one?.dispose();
	const later = await threads.compile(schema('c'), end);
	later?.dispose();
});

test('a schema that takes too long is ended with its part and its model', async () => {
	await assert.rejects(
		threadsWith(300).compile(endless, end),
		(error: { code: string; data: object }) => {
			assert.equal(error.code, 'too_expensive');
			assert.deepEqual(error.data, { part: 'schema', model: 'm' });
			return true;
		},
	);
});

test('a schema that is wrong is refused as on the spot, and the next one is compiled', async () => {
	const threads = threadsWith(longMs);
	const wrong = { kind: 'ebnf', grammar: 'root ::= (' } as const;
	await assert.rejects(threads.compile(wrong, end), isCode('invalid_request'));
	(await threads.compile(schema('a'), end))?.dispose();
});

test('whoever sends costly schemas waits for himself, others do not', async () => {
	const threads = threadsWith(longMs, longMs);
	const stop = new AbortController();
	const costly = Array.from({ length: 12 }, (_, index) =>
		threads.compile(
			{ kind: 'json-schema', schema: hostileSchemas[0]?.make(200 + index) ?? {} },
			end,
			'',
			stop.signal,
			'one',
		),
	);
	let settled = 0;
	for (const one of costly)
		one.then(
			() => settled++,
			() => settled++,
		);
	(await threads.compile(schema('a'), end, '', undefined, 'another'))?.dispose();
	(await threads.compile(schema('b'), end))?.dispose();
	assert.equal(settled, 0, 'the costly ones were still at work');
	stop.abort();
	for (const one of costly) await assert.rejects(one, isCode('cancelled'));
});

test('answers of one owner leave threads to others', async () => {
	const threads = threadsWith(longMs, longMs);
	const held = [];
	for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
		held.push(await threads.compile(schema(name), end, '', undefined, 'one'));
	let seventh = false;
	const waiting = threads.compile(schema('g'), end, '', undefined, 'one').then((constraint) => {
		seventh = true;
		return constraint;
	});
	const same = await threads.compile(schema('a'), end, '', undefined, 'one');
	const others = await threads.compile(schema('g'), end, '', undefined, 'another');
	assert.equal(seventh, false, 'the seventh of one owner waits');
	for (const one of held) one?.dispose();
	(await waiting)?.dispose();
	same?.dispose();
	others?.dispose();
});

test('a schema that finds no thread in time is to be sent again', async () => {
	const threads = threadsWith(longMs, 50);
	const stop = new AbortController();
	const costly = [200, 201].map((size) =>
		threads.compile(
			{ kind: 'json-schema', schema: hostileSchemas[0]?.make(size) ?? {} },
			end,
			'',
			stop.signal,
			'one',
		),
	);
	await assert.rejects(
		threads.compile(schema('a'), end, '', undefined, 'one'),
		(error: { code: string; retryAfterS: number }) => {
			assert.equal(error.code, 'overloaded');
			assert.equal(error.retryAfterS, 10);
			return true;
		},
	);
	stop.abort();
	for (const one of costly) await assert.rejects(one, isCode('cancelled'));
});

test('closed threads refuse, and what was being compiled is told so', async () => {
	const threads = threadsWith(longMs);
	const slow = threads.compile(endless, end);
	const refused = assert.rejects(slow, isCode('runner_crashed'));
	await threads.close();
	await refused;
	await assert.rejects(threads.compile(schema('a'), end), isCode('runner_crashed'));
});

test('the size of a grammar is that of its repetitions written out', () => {
	checkGrammarSize('root ::= "a"{1,1000} [b-c]{0,1000} ("d" root){2}');
	checkGrammarSize('root ::= "(((((" [({,9}]{1,99999}');
	for (const grammar of [
		'root ::= ("a"{1,1000}){1,1000}',
		'root ::= (("ab" [c]){1,1000} "d"){0,1000}',
		'root ::= "a"{600000}',
		'root ::= ("a"{1000,}){1000,}',
	])
		assert.throws(() => checkGrammarSize(grammar), GrammarTooLarge, grammar);
});
