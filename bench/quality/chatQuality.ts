/**
 * How often the built-in chat model answers as it should, through the product's own engine. Prompts are
 * lines of JSON `{set, messages, tools, answer}`, as starter/chat/prompts.py writes them.
 */

import { readFile } from 'node:fs/promises';
import type { EngineModel } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import type { ChatMessage, ToolDefinition } from '../../server/protocol/chat.ts';
import { greedy } from '../../test/fixtures/greedy.ts';

interface Prompt {
	readonly set: string;
	readonly messages: readonly ChatMessage[];
	readonly tools?: readonly ToolDefinition[];
	readonly answer: string;
}

export interface ChatRow {
	readonly set: string;
	readonly prompts: number;
	/** The exact command or call; for help and small talk the exact answer; out of domain: a plain refusal. */
	readonly right: number;
	/** Share of whole answers that are equal, character by character. */
	readonly whole: number;
	/** Share of refusals. */
	readonly refused: number;
	readonly tokensPerSecond: number;
	readonly wrong: readonly {
		readonly prompt: string;
		readonly output: string;
		readonly answer: string;
	}[];
}

const lastText = ({ messages }: Prompt): string => {
	const content = messages.at(-1)?.content;
	return typeof content === 'string' ? content : '';
};

const command = (answer: string): string | undefined => /```sh\n([\s\S]*?)\n```/.exec(answer)?.[1];

/** Sets whose answers count only when they are right as a whole. */
const WHOLE = ['help', 'help_apart', 'help_last', 'help_new', 'talk', 'whatcmd'];

function isRight({ set, answer }: Prompt, output: string): boolean {
	if (set.startsWith('ood')) return output.startsWith('I cannot');
	const wanted = command(answer);
	if (wanted === undefined || WHOLE.includes(set)) return output === answer;
	return command(output) === wanted;
}

async function ask(
	engine: EngineModel,
	{ messages, tools }: Prompt,
): Promise<{ text: string; tokens: number }> {
	const { choices } = await engine.generate(
		{
			prompt: { kind: 'chat', messages, ...(tools === undefined ? {} : { tools }) },
			sampling: greedy,
			maxTokens: 160,
			stop: [],
			n: 1,
			priority: 'batch',
		},
		() => undefined,
	);
	return { text: choices[0]?.text ?? '', tokens: choices[0]?.tokenIds.length ?? 0 };
}

/** @throws when the prompts cannot be read; the message says how to make them. */
export async function chatQuality(
	options: {
		readonly model: string;
		readonly prompts: string;
		readonly limit: number;
		readonly threads?: number;
	},
	onRow: (row: ChatRow) => void,
): Promise<ChatRow[]> {
	const prompts = (await readFile(options.prompts, 'utf8'))
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as Prompt);
	const engine = await loadEngine({
		folder: options.model,
		...(options.threads === undefined ? {} : { threads: options.threads }),
	});
	const rows: ChatRow[] = [];
	try {
		for (const set of new Set(prompts.map((prompt) => prompt.set))) {
			const chosen = prompts
				.filter((prompt) => prompt.set === set)
				.slice(0, options.limit > 0 ? options.limit : undefined);
			const began = performance.now();
			let tokens = 0;
			const answers: string[] = [];
			for (let start = 0; start < chosen.length; start += 8) {
				const part = await Promise.all(
					chosen.slice(start, start + 8).map((prompt) => ask(engine, prompt)),
				);
				for (const { text, tokens: made } of part) {
					answers.push(text);
					tokens += made;
				}
			}
			const share = (test: (prompt: Prompt, output: string) => boolean): number =>
				chosen.filter((prompt, index) => test(prompt, answers[index] ?? '')).length / chosen.length;
			const row: ChatRow = {
				set,
				prompts: chosen.length,
				right: share(isRight),
				whole: share(({ answer }, output) => output === answer),
				refused: share((_, output) => output.startsWith('I cannot')),
				tokensPerSecond: tokens / ((performance.now() - began) / 1000),
				wrong: chosen.flatMap((prompt, index) => {
					const output = answers[index] ?? '';
					return isRight(prompt, output)
						? []
						: [{ prompt: lastText(prompt), output, answer: prompt.answer }];
				}),
			};
			rows.push(row);
			onRow(row);
		}
	} finally {
		await engine.close();
	}
	return rows;
}
