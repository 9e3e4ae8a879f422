/**
 * How often the built-in chat model answers as it should, through the product's own chat service. Prompts
 * are lines of JSON `{set, messages, tools, answer}`, as starter/chat/prompts.py writes them.
 */

import { readFile } from 'node:fs/promises';
import { type Answer, openChat, type Question } from './chatOpen.ts';
import { drawDialogues, type LaterAnswer, laterAnswers, turnsPerDialogue } from './dialogues.ts';

interface Prompt extends Question {
	readonly set: string;
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
	/** In dialogues: share of answers after the first that are those to the same questions alone. */
	readonly asAlone?: number;
	readonly tokensPerSecond: number;
	readonly wrong: readonly {
		readonly prompt: string;
		readonly output: string;
		readonly answer: string;
	}[];
}

const lastText = ({ messages }: Prompt): string => messages.at(-1)?.content ?? '';

const command = (answer: string): string | undefined => /```sh\n([\s\S]*?)\n```/.exec(answer)?.[1];

/** Sets whose answers count only when they are right as a whole. */
const WHOLE = [
	'editor',
	'terminal',
	'help',
	'help_apart',
	'help_last',
	'help_new',
	'talk',
	'whatcmd',
];

function isRight({ set, answer }: Prompt, output: string): boolean {
	if (set.startsWith('ood')) return output.startsWith('I cannot');
	const wanted = command(answer);
	if (wanted === undefined || WHOLE.includes(set)) return output === answer;
	return command(output) === wanted;
}

export interface ChatQualityOptions {
	readonly model: string;
	readonly prompts: string;
	/** Most prompts of a set; 0 = all. */
	readonly limit: number;
	/** Dialogues of {@link turnsPerDialogue} questions of all sets without tools; 0 = none. */
	readonly dialogues: number;
	/** Earlier turns the model is given in place of those its card says. */
	readonly maxHistoryTurns?: number;
	readonly threads?: number;
}

/** @throws when the prompts cannot be read; the message says how to make them. */
export async function chatQuality(
	options: ChatQualityOptions,
	onRow: (row: ChatRow) => void,
): Promise<ChatRow[]> {
	const prompts = (await readFile(options.prompts, 'utf8'))
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as Prompt);
	await using chat = await openChat(options);
	const rows: ChatRow[] = [];
	const add = (row: ChatRow) => {
		rows.push(row);
		onRow(row);
	};
	for (const set of new Set(prompts.map((prompt) => prompt.set))) {
		const chosen = prompts
			.filter((prompt) => prompt.set === set)
			.slice(0, options.limit > 0 ? options.limit : undefined);
		const began = performance.now();
		const answers: Answer[] = [];
		for (let start = 0; start < chosen.length; start += 8)
			answers.push(...(await Promise.all(chosen.slice(start, start + 8).map(chat.ask))));
		add(rowOf(set, chosen, answers, performance.now() - began));
	}
	const single = prompts.filter(({ messages, tools }) => messages.length === 1 && !tools);
	const dialogues = drawDialogues(single, options.dialogues);
	if (dialogues.length > 0) {
		const began = performance.now();
		const later: LaterAnswer<Prompt>[] = [];
		for (let start = 0; start < dialogues.length; start += 8)
			for (const part of await Promise.all(
				dialogues.slice(start, start + 8).map((dialogue) => laterAnswers(dialogue, chat.ask)),
			))
				later.push(...part);
		const questions = later.map(({ question }) => question);
		const answers = later.map(({ answer }) => answer);
		const row = rowOf(
			`in ${turnsPerDialogue} turns`,
			questions,
			answers,
			performance.now() - began,
		);
		const asAlone = later.filter(({ answer, alone }) => answer.text === alone.text).length;
		add({ ...row, asAlone: asAlone / later.length });
	}
	return rows;
}

function rowOf(
	set: string,
	prompts: readonly Prompt[],
	answers: readonly Answer[],
	tookMs: number,
): ChatRow {
	const asked = prompts.map((prompt, index) => ({ prompt, output: answers[index]?.text ?? '' }));
	const share = (test: (prompt: Prompt, output: string) => boolean): number =>
		asked.filter(({ prompt, output }) => test(prompt, output)).length / asked.length;
	return {
		set,
		prompts: prompts.length,
		right: share(isRight),
		whole: share(({ answer }, output) => output === answer),
		refused: share((_, output) => output.startsWith('I cannot')),
		tokensPerSecond: answers.reduce((sum, { tokens }) => sum + tokens, 0) / (tookMs / 1000),
		wrong: asked.flatMap(({ prompt, output }) =>
			isRight(prompt, output) ? [] : [{ prompt: lastText(prompt), output, answer: prompt.answer }],
		),
	};
}
