/** Tool calls of a whole answer. */

import { ToolCallParser } from '../../server/engine/template/toolCallParser.ts';
import type { ToolFormat } from '../../server/engine/template/toolFormat.ts';

/** A whole call with its arguments as JSON text. */
interface ParsedToolCall {
	readonly name: string;
	readonly arguments: string;
}

/** Parses a finished answer. */
export function parseToolCalls(
	format: ToolFormat,
	text: string,
	names: readonly string[],
): { content: string; calls: ParsedToolCall[] } {
	const parser = new ToolCallParser(format, names);
	const outputs = [parser.push(text), parser.end()];
	const calls: { name: string; arguments: string }[] = [];
	for (const delta of outputs.flatMap((output) => output.calls)) {
		const call = calls[delta.index] ?? { name: '', arguments: '' };
		calls[delta.index] = {
			name: call.name + (delta.name ?? ''),
			arguments: call.arguments + (delta.arguments ?? ''),
		};
	}
	return { content: outputs.map((output) => output.content).join(''), calls };
}
