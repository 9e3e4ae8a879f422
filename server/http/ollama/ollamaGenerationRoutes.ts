/** `/api/chat`, `/api/generate`, `/api/embed`, `/api/embeddings`: Ollama's interface over the services of all others. */

import type { Context, Hono } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import { defined } from '../../protocol/defined.ts';
import type { CompletionRequest } from '../../protocol/routes/completions.ts';
import {
	ollamaChat,
	ollamaEmbed,
	ollamaEmbeddings,
	ollamaGenerate,
} from '../../protocol/routes/ollamaGeneration.ts';
import type { ChatEvent } from '../../services/chat/chatService.ts';
import { namingField } from '../../services/fieldNames.ts';
import {
	AnswerLines,
	type Ended,
	type LineOptions,
	listedLogprobs,
} from '../../services/ollama/answerLines.ts';
import {
	chatOfOllama,
	completionOfOllama,
	type OllamaQuestion,
	promptOfOllama,
	ttlOf,
} from '../../services/ollama/chatRequest.ts';
import { embedTruncated } from '../../services/text/embedTruncated.ts';
import type { AppEnv } from '../env.ts';
import { noteFallback } from '../fallbackHeader.ts';
import { answerJson } from '../jsonAnswer.ts';
import { ndjson } from '../ndjsonResponse.ts';
import { noteOmittedTurns } from '../omittedTurns.ts';
import { owned } from '../owner.ts';
import { register } from '../register.ts';
import { announcedBytes } from '../requestBody.ts';
import { type RequestRecord, recordRequest, withMetrics } from '../requestMetrics.ts';
import { withHeaders } from '../streamedAnswer.ts';
import { noteTruncated } from '../truncatedHeader.ts';
import { nameIgnored } from '../unknownFields.ts';

const now = () => new Date().toISOString();

export function registerOllamaGenerationRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, ollamaChat, ({ context, body: request }) => {
		const { model, stream = true } = request;
		const options: LineOptions = { model, kind: 'chat', now };
		if (request.messages === undefined || request.messages.length === 0)
			return onlyLoad(context, backend, request, options);
		return answerChat(context, backend, chatOfOllama(request), options, stream);
	});

	register(app, ollamaGenerate, ({ context, body: request }) => {
		const { model, prompt = '', suffix = '', stream = true } = request;
		const options: LineOptions = { model, kind: 'generate', now };
		if (prompt === '' && suffix === '') return onlyLoad(context, backend, request, options);
		const completion = completionOfOllama(request);
		if (completion !== undefined) return complete(context, backend, completion, options, stream);
		return answerChat(context, backend, promptOfOllama(request), options, stream);
	});

	const checkRoom = (context: Context<AppEnv>): void =>
		backend.embeddings.checkRoom(announcedBytes(context));
	const embed = (
		context: Context<AppEnv>,
		request: { readonly model: string; readonly keep_alive?: number; readonly dimensions?: number },
		input: readonly string[],
		truncate: boolean,
	) => {
		const record = recordRequest(context, backend, request.model);
		return withMetrics(record, async () => {
			const { dimensions, keep_alive: seconds } = request;
			const ttl = seconds === undefined ? undefined : ttlOf(seconds);
			const { outcome, truncated } = await embedTruncated(
				backend,
				owned(context, {
					...{ model: request.model, input: [...input] },
					...defined({ dimensions, ttl }),
				}),
				truncate,
				(found) => noteFallback(context, found),
				context.get('signal'),
			);
			noteTruncated(context, truncated);
			record.model = outcome.model;
			return outcome;
		});
	};
	register(
		app,
		ollamaEmbed,
		async ({ context, body, answer }) => {
			const started = performance.now();
			const { model, input, truncate = true } = body;
			const found = input.length === 0 ? undefined : await embed(context, body, input, truncate);
			if (found === undefined) await backend.host.resolve(model, 'embeddings');
			return answer({
				model,
				embeddings: (found?.vectors ?? []).map((vector) => [...vector]),
				total_duration: nanoseconds(performance.now() - started),
				load_duration: nanoseconds(found?.loadMs ?? 0),
				prompt_eval_count: found?.promptTokens ?? 0,
			});
		},
		{ checkRoom },
	);
	register(
		app,
		ollamaEmbeddings,
		async ({ context, body, answer }) => {
			const outcome = await embed(context, body, [body.prompt], true);
			return answer({ embedding: [...(outcome.vectors[0] ?? [])] });
		},
		{ checkRoom },
	);
}

const nanoseconds = (ms: number) => Math.round(ms * 1e6);

/** A request without a question loads its model, or unloads it. */
async function onlyLoad(
	context: Context<AppEnv>,
	backend: Backend,
	{ model: name, keep_alive: seconds }: { readonly model: string; readonly keep_alive?: number },
	options: LineOptions,
): Promise<Response> {
	const started = performance.now();
	const lines = new AnswerLines(options);
	const { id } = await backend.host.resolve(name);
	if (seconds === 0) {
		await backend.host.unload(id, false);
	} else {
		const options = seconds === undefined ? {} : { ttlS: ttlOf(seconds) };
		await using _ = await backend.host.acquire(id, options, context.get('signal'));
	}
	const reason = seconds === 0 ? 'unload' : 'load';
	return answerJson(context, lines.whole({ reason, totalMs: performance.now() - started }));
}

async function answerChat(
	context: Context<AppEnv>,
	backend: Backend,
	{ chat, names }: OllamaQuestion,
	options: LineOptions,
	stream: boolean,
): Promise<Response> {
	const started = performance.now();
	const record = recordRequest(context, backend, options.model);
	const lines = new AnswerLines(options);
	const run: Run = async (onLine, signal) => {
		const onEvent = (event: ChatEvent) => {
			if (event.type === 'omitted') noteOmittedTurns(context, event.turns);
			if (event.type === 'ignored')
				nameIgnored(
					context,
					event.fields.map((name) => names.get(name) ?? name),
				);
			if (event.type === 'fallback') noteFallback(context, event.fallback);
			if (event.type === 'piece') record.firstToken();
			for (const line of lines.take(event)) onLine(line);
		};
		const outcome = await namingField('messages', names.get('messages') ?? '', () =>
			backend.chat.run(owned(context, chat), onEvent, signal),
		);
		record.model = outcome.model;
		record.usage = outcome.usage;
		const { usage, timings, promptTokens } = outcome;
		return {
			reason: lines.reason,
			totalMs: performance.now() - started,
			usage,
			timings,
			...(options.kind === 'chat' ? {} : { context: [...promptTokens, ...lines.tokens] }),
		};
	};
	return respond(context, record, lines, stream, run);
}

/** Prompts that go to the model as they are, or around a gap. */
async function complete(
	context: Context<AppEnv>,
	backend: Backend,
	request: CompletionRequest,
	options: LineOptions,
	stream: boolean,
): Promise<Response> {
	const started = performance.now();
	const record = recordRequest(context, backend, options.model);
	const lines = new AnswerLines(options);
	const run: Run = async (onLine, signal) => {
		let reason: 'stop' | 'length' = 'stop';
		const outcome = await backend.completions.run(
			// Pieces are what both forms of the answer are made of.
			{ ...owned(context, request), stream: true },
			{
				onFallback: (found) => noteFallback(context, found),
				onPiece: ({ text, reason: ended, logprobs }) => {
					record.firstToken();
					reason = ended ?? reason;
					if (text === '' && logprobs === undefined) return;
					const listed = logprobs === undefined ? {} : { logprobs: listedLogprobs(logprobs) };
					onLine(lines.add({ content: text, ...listed }));
				},
			},
			signal,
		);
		record.model = outcome.model;
		record.usage = outcome.usage;
		const { usage, timings } = outcome;
		return { reason, totalMs: performance.now() - started, usage, timings };
	};
	return respond(context, record, lines, stream, run);
}

/** Answers, and tells of every line what it says. */
type Run = (onLine: (line: object) => void, signal: AbortSignal) => Promise<Ended>;

/** The answer as one object, or line by line. */
async function respond(
	context: Context<AppEnv>,
	record: RequestRecord,
	lines: AnswerLines,
	stream: boolean,
	run: Run,
): Promise<Response> {
	const signal = context.get('signal');
	if (!stream)
		return withMetrics(record, async () =>
			answerJson(context, lines.whole(await run(() => {}, signal))),
		);
	const response = await ndjson({ signal, caller: context.get('caller') }, (write, stop) =>
		withMetrics(record, async () => write(lines.last(await run(write, stop)))),
	);
	return withHeaders(context, response);
}
