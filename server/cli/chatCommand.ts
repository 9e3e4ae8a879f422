/** `nearglot chat`: one question, or a conversation when there is a person at both ends. */

import { randomUUID } from 'node:crypto';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { conversationHeaders } from '../protocol/conversationHeader.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, findModel, readAnswer } from '../protocol/index.ts';
import { chatCompletions, listModels } from '../protocol/routeAddresses.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';
import { type ParsedArgs, readArgs } from './args.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { readStdin } from './readStdin.ts';

const help = `
Usage: nearglot chat [MODEL] [PROMPT] [OPTIONS]

Asks a model on this machine: MODEL; else a downloaded one, first one that is loaded; else the built-in one.
Without PROMPT the question is read from standard input; at a terminal a conversation begins: Ctrl+C stops
an answer; an empty line, Ctrl+D or Ctrl+C at the prompt ends it. Lines typed while an answer is written
are asked next.
Turns the model does not read, or has no room for, are left out, the oldest first; a line says so.

  --system S         instructions for the model
  --json             print the whole answer as JSON
  --max-tokens N     longest answer in tokens
  --temperature T    0 = always the most probable token, up to 2
  --exact            activations beside 4-bit weights in single precision: exact, and slower
  --seed N           equal seeds give equal answers
`;

interface Message {
	readonly role: 'system' | 'user' | 'assistant';
	readonly content: string;
}

export const chatCommand: Command = {
	name: 'chat',
	summary: 'Ask a model on this machine.',
	help,
	run: async (args, io) => {
		const options = readArgs(args, {
			system: { type: 'string' },
			json: { type: 'boolean' },
			'max-tokens': { type: 'string' },
			temperature: { type: 'string' },
			seed: { type: 'string' },
			exact: { type: 'boolean' },
		});
		if (options.positionals.length > 2)
			throw new UsageError('chat takes a model and a prompt; put the prompt in quotes.');
		const fields = requestFields(options);
		const daemon = await findOrStartDaemon({ env: io.env }, io.signal);
		const models = await chatModels(daemon, io.signal);
		const [model, prompt] = modelAndPrompt(options.positionals, models);
		const system = options.text('system');
		const messages: Message[] = system === undefined ? [] : [{ role: 'system', content: system }];
		const chat: Chat = {
			...{ daemon, io, fields, model, messages },
			json: options.has('json'),
			headers: conversationHeaders(randomUUID()),
		};
		if (prompt === undefined && io.stdin.isTTY && !chat.json)
			return converse({ ...chat, fields: { ...chat.fields, truncation: 'auto' } });
		const question = prompt ?? (await readStdin(io.stdin)).trim();
		if (question === '')
			throw new UsageError('There is no prompt: give one, or write it to standard input.');
		await turn(chat, question, io.signal);
		return 0;
	},
};

interface Chat {
	readonly daemon: DaemonConnection;
	readonly io: CommandIo;
	/** What a command says of every request. */
	readonly fields: Readonly<Record<string, unknown>>;
	/** The same for all of its turns, so that a balancer before a server tells what belongs together. */
	readonly headers: Readonly<Record<string, string>>;
	/** The one that was named, else the one that gave the first answer: a conversation stays with it. */
	model: string | undefined;
	readonly messages: Message[];
	readonly json: boolean;
	/** The person has been told that oldest turns are left out. */
	isOmittedReported?: boolean;
}

function requestFields(options: ParsedArgs): Record<string, unknown> {
	const maxTokens = options.integer('max-tokens', 1, 1 << 24);
	const temperature = options.number('temperature', 0, 2);
	const seed = options.integer('seed', 0, 2 ** 32 - 1);
	return {
		...defined({
			max_tokens: maxTokens,
			temperature,
			seed,
			exact: options.has('exact') || undefined,
		}),
	};
}

type ListedModel = AnswerOf<typeof listModels>['data'][number];

async function chatModels(daemon: DaemonConnection, signal: AbortSignal): Promise<ListedModel[]> {
	const { data } = await daemon.call(listModels, {}, { signal });
	return data.filter((model) => /^(chat-completion|text-generation)$/.test(model.task));
}

/**
 * One argument is a model when it is the name of one, and the prompt otherwise. Which model answers where none is
 * named, the server decides.
 */
export function modelAndPrompt(
	positionals: readonly string[],
	models: readonly Pick<ListedModel, 'id' | 'alias'>[],
): [model: string | undefined, prompt: string | undefined] {
	const [first, second] = positionals;
	if (first !== undefined && second !== undefined) return [first, second];
	const names = models.map(({ id, alias }) => {
		const [name = id, version = ''] = id.split(':');
		return { id, name, version, alias };
	});
	if (first !== undefined && findModel(names, first)) return [first, undefined];
	return [undefined, first];
}

/** Ctrl+C stops an answer, and between answers the conversation. */
async function converse(chat: Chat): Promise<number> {
	const { io } = chat;
	const lines = io.stderr.questions(io.stdin);
	const whole = new AbortController();
	/** Of the answer that is on its way. */
	let answer: AbortController | undefined;
	let ended = false;
	/** Typed while an answer was written, and not yet asked. */
	const waiting: string[] = [];
	lines.on('line', (line) => {
		if (line.trim() !== '') waiting.push(line.trim());
	});
	lines.on('SIGINT', () => (answer ?? whole).abort());
	lines.once('close', () => {
		ended = true;
		answer?.abort();
	});
	const signal = AbortSignal.any([io.signal, whole.signal]);
	try {
		while (!ended) {
			const next = waiting.shift();
			if (next !== undefined) io.stderr.write(`> ${next}\n`);
			const question = next ?? (await lines.question('> ', { signal })).trim();
			if (question === '') return 0;
			answer = new AbortController();
			const stopped = answer.signal;
			await turn(chat, question, AbortSignal.any([io.signal, stopped])).catch((error: unknown) =>
				reportFailure(chat, error, stopped.aborted),
			);
			answer = undefined;
		}
		return 0;
	} catch (error) {
		if (signal.aborted) return 130;
		if (ended) return 0;
		throw error;
	} finally {
		lines.close();
	}
}

/** A failed or stopped answer does not end a conversation: what arrived of it stays, the person may go on. */
function reportFailure({ io, messages }: Chat, error: unknown, stopped: boolean): void {
	if (io.signal.aborted || !(stopped || error instanceof AppError)) throw error;
	if (messages.at(-1)?.role === 'user') messages.pop();
	io.stderr.write(`nearglot chat: ${stopped ? 'stopped.' : (error as AppError).message}\n`);
}

/** Once in a conversation, before the first answer that does not know all of it. */
function reportOmitted(chat: Chat): void {
	if (chat.isOmittedReported) return;
	chat.isOmittedReported = true;
	chat.io.stderr.write(
		'nearglot chat: the model does not read all of this conversation: from here on the oldest turns are left out.\n',
	);
}

/** One question and its answer, which stays in the conversation as far as it came. */
async function turn(chat: Chat, question: string, signal: AbortSignal): Promise<void> {
	const { daemon, io, fields, messages, headers } = chat;
	messages.push({ role: 'user', content: question });
	const body = { ...fields, ...defined({ model: chat.model }), messages, stream: !chat.json };
	const response = await daemon.open(chatCompletions, { body, headers }, { signal });
	if (chat.json) {
		io.stdout.data(`${JSON.stringify(await response.json(), null, '\t')}\n`);
		return;
	}
	let content = '';
	try {
		const { finishReason, model } = await readAnswer(response, {
			model: chat.model ?? '',
			signal,
			onDelta: ({ text = '', omittedTurns }) => {
				if (omittedTurns !== undefined) reportOmitted(chat);
				content += text;
				io.stdout.data(text);
			},
		});
		if (model !== '') chat.model = model;
		if (finishReason === 'length')
			io.stderr.write('\nnearglot chat: the answer was cut at its longest length.\n');
	} finally {
		if (content !== '') messages.push({ role: 'assistant', content });
		io.stdout.write('\n');
	}
}
