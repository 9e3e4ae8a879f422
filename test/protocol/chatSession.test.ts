/** A chat without an editor: turns, branches, stopping and what is sent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	AppError,
	branch,
	type ChatDelta,
	type ChatParams,
	type ChatResult,
	ChatSession,
	firstRead,
	readSlashCommand,
	type Turn,
	toMarkdown,
} from '../../server/protocol/index.ts';
import type { HostMessage } from '../../webview/protocol.ts';
import { answer, type Complete, echo, setUp } from './chatDouble.ts';

test('a question and its answer are two turns, saved, with the system prompt sent first', async () => {
	const { session, posted, saved, asked } = setUp(echo);
	await session.send('one');
	assert.deepEqual(
		branch(session.conversation).map(({ role, text }) => [role, text]),
		[
			['user', 'one'],
			['assistant', 're: one'],
		],
	);
	assert.deepEqual(asked[0]?.messages, [
		{ role: 'system', content: 'Be brief.' },
		{ role: 'user', content: 'one' },
	]);
	assert.equal(asked[0]?.conversation, session.conversation.id, 'for balancers');
	assert.equal(saved.at(-1)?.turns.at(-1)?.text, 're: one');
	assert.equal(session.conversation.title, 'one');
	assert.deepEqual(
		posted.map(({ type }) => type),
		['progress', 'delta', 'end'],
	);
});

test('an edited question is a second branch and sends nothing of the first', async () => {
	const { session, asked } = setUp(echo);
	await session.send('one');
	const [question] = branch(session.conversation);
	await session.edit(question?.id ?? '', 'two');
	assert.deepEqual(
		asked.at(-1)?.messages.map(({ content }) => content),
		['Be brief.', 'two'],
	);
	assert.equal(session.conversation.turns.length, 4);
	session.show(question?.id ?? '');
	assert.deepEqual(
		branch(session.conversation).map(({ text }) => text),
		['one', 're: one'],
	);
});

test('stopping keeps what was written and says so', async () => {
	const { session } = setUp(
		(_params, onDelta, signal) =>
			new Promise((_, reject) => {
				onDelta({ text: 'half' });
				signal.addEventListener('abort', () => reject(new AppError('cancelled')));
			}),
	);
	const asking = session.send('one');
	assert.notEqual(session.state.answering, null);
	session.stop();
	await asking;
	const last = branch(session.conversation).at(-1);
	assert.deepEqual([last?.text, last?.finishReason], ['half', 'stopped']);
	assert.equal(session.state.answering, null);
});

test('a failed answer holds the error, is left out of the next prompt and can be asked again', async () => {
	const { session, asked, how } = setUp(async () => {
		throw new AppError('runner_crashed', 'It ended.');
	});
	await session.send('one');
	const failed = branch(session.conversation).at(-1);
	assert.equal(failed?.error?.code, 'runner_crashed');
	how.complete = echo;
	await session.regenerate(failed?.id ?? '');
	assert.equal(branch(session.conversation).at(-1)?.text, 're: one');
	await session.send('two');
	assert.deepEqual(
		asked.at(-1)?.messages.map(({ content }) => content),
		['Be brief.', 'one', 're: one', 'two'],
	);
});

test('a chat that was left while answering is finished in the store, not in the new one', async () => {
	let finish = (_result: ChatResult) => {};
	const { session, saved } = setUp(() => new Promise((resolve) => (finish = resolve)));
	const asking = session.send('one');
	const old = session.conversation.id;
	session.reset('');
	finish(answer('late'));
	await asking;
	assert.notEqual(session.conversation.id, old);
	assert.equal(session.conversation.turns.length, 0);
	assert.equal(saved.at(-1)?.id, old);
});

test('attachments and the words of a slash command reach the model, its name does not', async () => {
	const { session, asked } = setUp(echo);
	session.attach({ label: 'a.ts:1-2', language: 'ts', text: 'const a = `x`;\n```' });
	await session.send('/explain briefly', { instruction: 'Explain this.' });
	assert.equal(
		asked[0]?.messages.at(-1)?.content,
		'Explain this.\n\na.ts:1-2\n````ts\nconst a = `x`;\n```\n````\n\nbriefly',
	);
	assert.match(toMarkdown(session.conversation), /^# \/explain briefly\n\n## You\n\n/);
});

const attachment = { label: 'a.ts:1-2', language: 'ts', text: 'const a;' };

test('an attachment goes with one question, counts in its preview and stays with the question when that is edited', async () => {
	const { session, asked } = setUp(echo);
	session.attach({ ...attachment, label: 'other.ts' });
	session.attach(attachment);
	session.detach(0);
	assert.deepEqual(session.state.attachments, [attachment]);
	const preview = session.preview('/explain why').messages.at(-1)?.content;
	assert.match(String(preview), /a\.ts:1-2/);
	await session.send('/explain why', { instruction: 'Explain this.' });
	assert.deepEqual(session.state.attachments, [], 'used up');
	await session.send('and then?');
	assert.equal(asked.at(-1)?.messages.at(-1)?.content, 'and then?');
	const [question] = session.conversation.turns;
	await session.edit(question?.id ?? '', '/explain how');
	const edited = String(asked.at(-1)?.messages.at(-1)?.content);
	assert.match(edited, /^Explain this\.\n\na\.ts:1-2/);
	assert.match(edited, /how$/);
	session.attach(attachment);
	session.reset('');
	assert.deepEqual(session.state.attachments, [], 'a new chat has none');
});

test('another answer to a question stands beside the first', async () => {
	const { session, asked } = setUp(echo);
	await session.send('one');
	const [question, first] = session.conversation.turns;
	await session.regenerate(first?.id ?? '');
	const { turns } = session.conversation;
	assert.deepEqual(
		turns.map(({ role, parent }) => [role, parent]),
		[
			['user', null],
			['assistant', question?.id],
			['assistant', question?.id],
		],
	);
	assert.deepEqual(asked[1]?.messages, asked[0]?.messages, 'the first answer is not sent');
});

test('a question is saved before its answer, and other branches are not shown meanwhile', async () => {
	let finish = (_result: ChatResult) => {};
	const { session, saved, how } = setUp(echo);
	await session.send('one');
	const [question, first] = session.conversation.turns;
	how.complete = () => new Promise((resolve) => (finish = resolve));
	const asking = session.edit(question?.id ?? '', 'two');
	assert.deepEqual(
		saved.at(-1)?.turns.map(({ text }) => text),
		['one', 're: one', 'two', ''],
	);
	const { leaf } = session.conversation;
	session.show(first?.id ?? '');
	assert.equal(session.conversation.leaf, leaf);
	finish(answer('done'));
	await asking;
	session.show(first?.id ?? '');
	assert.equal(session.conversation.leaf, first?.id);
});

test('what still arrives for a chat that was left is not shown in the next', async () => {
	const late: { say?: (delta: ChatDelta) => void; finish?: (result: ChatResult) => void } = {};
	const { session, posted } = setUp(
		(_params, onDelta) =>
			new Promise((resolve) => Object.assign(late, { say: onDelta, finish: resolve })),
	);
	const asking = session.send('one');
	session.reset('');
	const before = posted.length;
	late.say?.({ text: 'late', progress: { phase: 'prompt', fraction: 0.5 } });
	assert.equal(posted.length, before);
	assert.deepEqual([session.state.answering, session.state.progress], [null, null]);
	late.finish?.(answer('late'));
	await asking;
	assert.equal(posted.length, before);
});

test('only known slash commands are commands', () => {
	assert.deepEqual(readSlashCommand('/fix  the loop\nnow'), { name: 'fix', rest: 'the loop\nnow' });
	assert.deepEqual(readSlashCommand('/translate'), { name: 'translate', rest: '' });
	assert.equal(readSlashCommand('/usr/bin is a folder'), undefined);
	assert.equal(readSlashCommand('/constructor x'), undefined);
});

const definition = (name: string) => ({ type: 'function' as const, function: { name } });

/** A model that calls a tool first and then says what came back. */
const calling: Complete = async ({ messages }, onDelta) => {
	const last = messages.at(-1);
	if (last?.role === 'tool') {
		onDelta({ text: `it is ${last.content}` });
		return answer(`it is ${last.content}`);
	}
	onDelta({ text: 'Let me look.' });
	const toolCalls = ['time', 'nothing'].map((name, index) => ({
		id: `c${index}`,
		type: 'function' as const,
		function: { name, arguments: '{"zone":"UTC"}' },
	}));
	return { ...answer('Let me look.'), toolCalls, finishReason: 'tool_calls' };
};

function withTools(complete: Complete) {
	const posted: HostMessage[] = [];
	const ran: string[] = [];
	let id = 0;
	const session = new ChatSession(
		{
			complete,
			tools: () => ({
				tools: [definition('time')],
				run: async (name, input) => {
					ran.push(`${name} ${input}`);
					return 'noon';
				},
			}),
			save: async () => {},
			post: (message) => void posted.push(message),
			id: () => `id${++id}`,
			now: () => new Date(0),
		},
		{ model: '', system: '' },
	);
	return { session, posted, ran };
}

test('a model may call tools; calls and results are kept, sent again and exported', async () => {
	const asked: ChatParams[] = [];
	const { session, posted, ran } = withTools((params, ...rest) => {
		asked.push(params);
		return calling(params, ...rest);
	});
	const counted = session.preview('what time is it?');
	await session.send('what time is it?');
	const { conversation: _, ...sent } = asked[0] ?? { messages: [] };
	assert.deepEqual(counted, sent, 'what is counted is what is sent');
	assert.deepEqual(ran, ['time {"zone":"UTC"}']);
	const turn = branch(session.conversation).at(-1);
	assert.equal(turn?.text, `it is There is no tool 'nothing'.`);
	assert.deepEqual(turn?.steps, [
		{
			text: 'Let me look.',
			uses: [
				{ id: 'c0', name: 'time', arguments: '{"zone":"UTC"}', result: 'noon' },
				{
					id: 'c1',
					name: 'nothing',
					arguments: '{"zone":"UTC"}',
					result: "There is no tool 'nothing'.",
					failed: true,
				},
			],
		},
	]);
	assert.ok(
		posted.some(
			(message) =>
				message.type === 'turn' &&
				message.answering !== null &&
				message.turn.steps?.[0]?.uses[0]?.result === undefined,
		),
		'a call is shown before its result is there',
	);
	assert.deepEqual(asked[0]?.tools, [definition('time')]);
	await session.send('sure?');
	assert.deepEqual(
		asked.at(-1)?.messages.map(({ role }) => role),
		['user', 'assistant', 'tool', 'tool', 'assistant', 'user', 'assistant', 'tool', 'tool'],
	);
	assert.match(toMarkdown(session.conversation), /\*\*time\*\* `\{"zone":"UTC"\}`/);
});

test('a model that only calls tools is stopped with a reason', async () => {
	const { session, ran } = withTools(async () => ({
		...answer(''),
		toolCalls: [{ id: 'c', type: 'function', function: { name: 'time', arguments: '{}' } }],
	}));
	await session.send('loop');
	assert.equal(ran.length, 8);
	assert.match(branch(session.conversation).at(-1)?.error?.message ?? '', /8 times/);
});

test('a chat asks for its oldest turns to be left out, counts what is left, and keeps how many were', async () => {
	const { session, asked, posted, how } = setUp(echo);
	await session.send('one');
	assert.equal(firstRead(branch(session.conversation)), undefined);
	how.complete = async (_params, onDelta) => {
		onDelta({ omittedTurns: 1 });
		const early = posted.at(-1);
		assert.ok(early?.type === 'turn' && early.answering === early.turn.id);
		assert.equal(early.turn.omittedTurns, 1, 'known before the first word');
		onDelta({ text: 'two!' });
		return { ...answer('two!'), omittedTurns: 1 };
	};
	await session.send('two');
	assert.deepEqual(
		[...asked, session.preview('x')].map(({ truncation }) => truncation),
		['auto', 'auto', 'auto'],
	);
	assert.equal(asked.at(-1)?.messages.length, 4, 'the service leaves out, not the page');
	assert.equal(firstRead(branch(session.conversation))?.text, 'two');
});

test('the mark of what is not read stands where the newest answer begins to read', () => {
	const turn = (id: string, role: Turn['role'], more: Partial<Turn> = {}): Turn => ({
		id,
		parent: null,
		role,
		text: id,
		createdAt: '',
		...more,
	});
	const read = [
		turn('q0', 'user'),
		turn('a0', 'assistant'),
		turn('q1', 'user'),
		turn('failed', 'assistant', { text: '' }),
		turn('q2', 'user'),
		turn('a2', 'assistant', { omittedTurns: 1 }),
	];
	assert.equal(firstRead(read)?.id, 'q1');
	const asking = [...read, turn('q3', 'user'), turn('a3', 'assistant', { text: '' })];
	assert.equal(firstRead(asking)?.id, 'q1', 'nothing is known of the next answer yet');
	const other = [...read, turn('q3', 'user'), turn('a3', 'assistant')];
	assert.equal(firstRead(other), undefined, 'another model reads all');
	assert.equal(firstRead([]), undefined);
});

test('another model answers the same question once, and the chosen one stays', async () => {
	const { session, asked } = setUp(async () => answer('A'));
	session.model = 'small';
	await session.send('Q');
	const first = session.conversation.turns.at(-1);
	await session.regenerate(first?.id ?? '', 'large');
	await session.send('More');
	assert.deepEqual(
		asked.map(({ model }) => model),
		['small', 'large', 'small'],
	);
	const answers = session.conversation.turns.filter(({ parent }) => parent === first?.parent);
	assert.equal(answers.length, 2);
});
