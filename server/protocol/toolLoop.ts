/**
 * An answer that may call tools: the model asks, the tools answer, the model goes on, until it has
 * said what it wanted. Knows no tool; what runs them is a dependency.
 */

import type { ChatMessage, ToolDefinition } from './chatTypes.ts';
import { AppError } from './errors.ts';
import { asAppError } from './errorWire.ts';
import type { ChatDelta, ChatEnd, ChatParams } from './methods.ts';

/** One call of a tool by a model, and what came of it. */
export interface ToolUse {
	readonly id: string;
	readonly name: string;
	/** JSON as the model wrote it. */
	readonly arguments: string;
	/** Absent while the tool runs. */
	readonly result?: string;
	/** Whether `result` says why it did not work. */
	readonly failed?: boolean;
}

/** What a model said before it called tools, and the calls it made together. */
export interface ToolStep {
	readonly text: string;
	readonly uses: readonly ToolUse[];
}

/** The tools a chat may use now. */
export interface ToolSet {
	readonly tools: readonly ToolDefinition[];
	/** Runs a tool; rejects with what the model is told. */
	readonly run: (name: string, input: string, signal: AbortSignal) => Promise<string>;
	/** Rounds of calls after which an answer is ended; eight when absent. */
	readonly maxRounds?: number;
}

/** Rounds of calls after which an answer is ended: a model that calls on and on has lost its way. */
const usualRounds = 8;

/** Longest result a model gets, in characters. */
const maxResult = 30_000;

/** Messages that tell a model what it has called and what came back. */
export function stepMessages(step: ToolStep): ChatMessage[] {
	return [
		{
			role: 'assistant',
			content: step.text === '' ? null : step.text,
			tool_calls: step.uses.map(({ id, name, arguments: text }) => ({
				id,
				type: 'function',
				function: { name, arguments: text },
			})),
		},
		...step.uses.map(
			({ id, result }): ChatMessage => ({
				role: 'tool',
				tool_call_id: id,
				content: result ?? 'The tool was stopped before it answered.',
			}),
		),
	];
}

/** Who reads an answer while it is written. */
export interface AnswerReader {
	readonly onDelta: (delta: ChatDelta) => void;
	/** Told all steps so far whenever one has changed. */
	readonly onSteps: (steps: readonly ToolStep[]) => void;
	/** The words that came since the last new step. */
	readonly text: () => string;
}

/** Completes with tools; the words that belong to no step come after the last one. */
export async function completeWithTools(
	complete: (
		params: ChatParams,
		onDelta: (delta: ChatDelta) => void,
		signal: AbortSignal,
	) => Promise<ChatEnd>,
	params: ChatParams,
	toolSet: ToolSet,
	{ onDelta, onSteps, text }: AnswerReader,
	signal: AbortSignal,
): Promise<ChatEnd> {
	if (toolSet.tools.length === 0) return complete(params, onDelta, signal);
	const { maxRounds = usualRounds } = toolSet;
	const steps: ToolStep[] = [];
	for (let round = 0; ; round++) {
		const messages = [...params.messages, ...steps.flatMap(stepMessages)];
		const result = await complete({ ...params, messages, tools: toolSet.tools }, onDelta, signal);
		if (result.toolCalls.length === 0) return result;
		if (round === maxRounds) {
			throw new AppError(
				'conflict',
				`The model has called tools ${maxRounds} times without coming to an answer. Ask for less at once, or switch tools off.`,
			);
		}
		let step: ToolStep = {
			text: text(),
			uses: result.toolCalls.map(({ id, function: { name, arguments: text } }) => ({
				id,
				name,
				arguments: text,
			})),
		};
		const place = steps.push(step) - 1;
		onSteps([...steps]);
		for (const [index, use] of step.uses.entries()) {
			const outcome = await runTool(toolSet, use, signal);
			step = { ...step, uses: step.uses.map((one, at) => (at === index ? outcome : one)) };
			steps[place] = step;
			onSteps([...steps]);
		}
	}
}

async function runTool(toolSet: ToolSet, use: ToolUse, signal: AbortSignal): Promise<ToolUse> {
	if (signal.aborted) throw new AppError('cancelled');
	try {
		if (!toolSet.tools.some(({ function: { name } }) => name === use.name)) {
			throw new AppError('not_found', `There is no tool '${use.name}'.`);
		}
		const result = await toolSet.run(use.name, use.arguments, signal);
		const cut = result.length > maxResult;
		return { ...use, result: cut ? `${result.slice(0, maxResult)}\n[cut off here]` : result };
	} catch (error) {
		if (signal.aborted) throw new AppError('cancelled', undefined, { cause: error });
		return { ...use, result: asAppError(error).message, failed: true };
	}
}
