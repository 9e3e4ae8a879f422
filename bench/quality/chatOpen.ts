/** The product's chat service over one model folder, in this process. */

import { createProfiles } from '../../server/daemon/modelProfile.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { inProcessTextService } from '../../server/engine/text/textJobs.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import type { ChatMessage, ModelInfo, ToolDefinition } from '../../server/protocol/index.ts';
import { createChatService } from '../../server/services/chat/chatService.ts';
import { AnswerBuilder } from '../../server/services/chat/serializeCompletion.ts';

export interface Question {
	readonly messages: readonly ChatMessage[];
	readonly tools?: readonly ToolDefinition[];
}

export interface Answer {
	/** Content, or the calls as the built-in model writes them. */
	readonly text: string;
	readonly tokens: number;
}

export interface OpenChat extends AsyncDisposable {
	/** Answers greedily in at most 160 tokens. */
	ask(question: Question): Promise<Answer>;
}

export async function openChat(options: {
	readonly model: string;
	/** Earlier turns the model is given in place of those its card says; infinite: all. */
	readonly maxHistoryTurns?: number;
	readonly threads?: number;
}): Promise<OpenChat> {
	const { model: folder, threads } = options;
	const engine = await loadEngine({ folder, ...(threads === undefined ? {} : { threads }) });
	const { description } = engine;
	const maxHistoryTurns = options.maxHistoryTurns ?? description.maxHistoryTurns;
	const info: ModelInfo = {
		id: 'measured:1',
		name: 'measured',
		version: '1',
		alias: 'measured',
		displayName: 'measured',
		task: description.task,
		state: 'loaded',
		origin: 'local',
		publisher: '',
		license: '',
		folder,
		contextLength: description.contextLength,
		supportsToolCalling: description.supportsTools,
		...(maxHistoryTurns === undefined ? {} : { maxHistoryTurns }),
	};
	const text = await loadTextModel(folder);
	const lease = { info, engine, loadMs: 0, [Symbol.asyncDispose]: async () => {} };
	let ids = 0;
	const service = createChatService({
		host: {
			list: async () => [info],
			resolve: async () => info,
			acquire: async () => lease,
			textModel: async () => inProcessTextService(text),
		},
		profile: createProfiles(async () => ''),
		randomSeed: () => 1,
		randomId: () => String(ids++),
	});
	return {
		ask: async ({ messages, tools }) => {
			const builder = new AnswerBuilder();
			const outcome = await service.run(
				{
					owner: 'local',
					model: info.id,
					messages: [...messages],
					temperature: 0,
					max_tokens: 160,
					...(tools === undefined ? {} : { tools: [...tools] }),
				},
				(event) => builder.take(event),
			);
			const [choice] = builder.build({ id: '', created: 0 }, outcome).choices;
			const calls = (choice?.message.tool_calls ?? []).map((call) => {
				if (call.type === 'custom') throw new Error('No custom tools were offered.');
				const { name, arguments: text } = call.function;
				return `<tool_call>\n{"name": "${name}", "arguments": ${text}}\n</tool_call>`;
			});
			return {
				text: [choice?.message.content ?? '', ...calls].filter((part) => part !== '').join('\n'),
				tokens: outcome.usage.completion_tokens,
			};
		},
		[Symbol.asyncDispose]: () => engine.close(),
	};
}
