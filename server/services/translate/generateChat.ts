/** Chat models translate through the chat service, with its queue, templates and schemas. */

import { setTimeout } from 'node:timers/promises';
import { AppError, type JsonSchema } from '../../protocol/index.ts';
import type { ChatService } from '../chat/chatService.ts';
import type { ChatPromptRequest, GenerateChat } from './chatTranslator.ts';

type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;

/** Tries of an engine elsewhere that lets only so many requests through at a time. */
const maxTries = 6;
/** Seconds; who is to wait for longer is told instead. */
const maxWaitS = 60;

const usualSleep: Sleep = (milliseconds, signal) =>
	setTimeout(milliseconds, undefined, signal ? { signal } : {});

/** Asks models, those of engines elsewhere as often as these want; greedy, so that equal texts get equal answers. */
export function generateChatOf(
	chat: Pick<ChatService, 'run'>,
	sleep: Sleep = usualSleep,
): GenerateChat {
	/** Models of engines that hold no answer to a schema; what they answer is checked all the same. */
	const schemaless = new Set<string>();
	return async (question, signal) => {
		const { model } = question;
		for (let attempt = 1; ; attempt++) {
			const hasSchema = !schemaless.has(model);
			try {
				return await generate(chat, question, hasSchema, signal);
			} catch (error) {
				if (!isElsewhere(model) || !(error instanceof AppError)) throw error;
				if (hasSchema && refusesSchema(error)) {
					schemaless.add(model);
					continue;
				}
				const waitS = error.retryAfterS ?? 2 ** (attempt - 1);
				if (error.code !== 'rate_limited' || attempt >= maxTries || waitS > maxWaitS) throw error;
				await sleep(waitS * 1000, signal);
			}
		}
	};
}

const isElsewhere = (model: string): boolean => model.includes('/');

const refusesSchema = ({ code, message }: AppError): boolean =>
	(code === 'invalid_request' || code === 'unsupported_parameter') &&
	/response_format|json_schema|schema/i.test(message);

async function generate(
	chat: Pick<ChatService, 'run'>,
	{ model, messages, schema, maxTokens, owner, priority }: ChatPromptRequest,
	hasSchema: boolean,
	signal?: AbortSignal,
): Promise<string> {
	let text = '';
	await chat.run(
		{
			...{ model, owner, priority, isTranslation: true },
			messages: [...messages],
			max_tokens: maxTokens,
			temperature: 0,
			seed: 0,
			// Engines elsewhere refuse an effort they do not know.
			...(isElsewhere(model) ? {} : { reasoning_effort: 'none' as const }),
			...(hasSchema
				? {
						response_format: { type: 'json_schema', json_schema: { schema: schema as JsonSchema } },
					}
				: {}),
		} as Parameters<ChatService['run']>[0],
		(event) => {
			if (event.type === 'piece') text += event.piece.content;
		},
		signal,
	);
	return text;
}
