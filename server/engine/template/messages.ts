/** Reshapes messages for templates that cannot take them as they are. */

import type { ToolCall, ToolDefinition } from '../../protocol/index.ts';
import type { ToolFormat } from './toolFormat.ts';

/** A message on its way into a template. */
export type Message = Record<string, unknown> & {
	role: string;
	content: string | null;
	tool_calls?: readonly ToolCall[];
};

/** Arguments as objects (parsed) or as JSON text, whichever the template writes well. */
export function withArguments(messages: readonly Message[], asObjects: boolean): Message[] {
	return messages.map((message) => {
		if (message.tool_calls === undefined) return message;
		const calls = message.tool_calls.map((call) => ({
			...call,
			function: { ...call.function, arguments: asObjects ? parsed(call) : call.function.arguments },
		}));
		return { ...message, tool_calls: calls as unknown as readonly ToolCall[] };
	});
}

function parsed(call: ToolCall): unknown {
	const { arguments: text } = call.function;
	if (text.trim() === '') return {};
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** A content as the list of parts that templates of models for images write. */
export function withParts<M extends { readonly content: string | null }>(
	message: M & { readonly images?: readonly { readonly fromEnd: number }[] },
): Omit<M, 'content'> & { readonly content: unknown } {
	const { images = [], ...rest } = message;
	const content = message.content ?? '';
	const parts: Record<string, string>[] = [];
	let from = 0;
	const addText = (to: number) => {
		if (to > from) parts.push({ type: 'text', text: content.slice(from, to) });
		from = to;
	};
	for (const { fromEnd } of images) {
		addText(Math.max(from, content.length - fromEnd));
		parts.push({ type: 'image' });
	}
	addText(content.length);
	return { ...(rest as unknown as M), content: parts };
}

/** Ids of calls as nine letters and digits, the same id always the same way. */
export function shortIds(messages: readonly Message[]): Message[] {
	return messages.map((message) => ({
		...message,
		...(typeof message.tool_call_id === 'string'
			? { tool_call_id: shortId(message.tool_call_id) }
			: {}),
		...(message.tool_calls === undefined
			? {}
			: { tool_calls: message.tool_calls.map((call) => ({ ...call, id: shortId(call.id) })) }),
	}));
}

function shortId(id: string): string {
	if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
	let hash = 2166136261;
	for (const char of id) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619) >>> 0;
	const digits = `${hash.toString(36)}${id.replace(/[^A-Za-z0-9]/g, '')}000000000`;
	return digits.slice(0, 9);
}

/** Puts system text in front of the first user message. */
export function mergeSystemMessages(messages: readonly Message[]): Message[] {
	const texts = messages.filter(isSystem).map((message) => message.content ?? '');
	const rest = messages.filter((message) => !isSystem(message));
	if (texts.length === 0) return [...messages];
	const system = texts.join('\n\n');
	const first = rest.findIndex((message) => message.role === 'user');
	if (first < 0) return [{ role: 'user', content: system }, ...rest];
	return rest.map((message, index) =>
		index === first ? { ...message, content: `${system}\n\n${message.content ?? ''}` } : message,
	);
}

function isSystem(message: Message): boolean {
	return message.role === 'system' || message.role === 'developer';
}

/** Empty text instead of null. */
export function withoutNulls(messages: readonly Message[]): Message[] {
	return messages.map((message) =>
		message.content === null ? { ...message, content: '' } : message,
	);
}

/** One call per assistant message, each followed by its own result. */
export function onePerMessage(messages: readonly Message[]): Message[] {
	const split: Message[] = [];
	for (let at = 0; at < messages.length; at++) {
		const message = messages[at] as Message;
		const calls = message.tool_calls ?? [];
		if (calls.length < 2) {
			split.push(message);
			continue;
		}
		const results: Message[] = [];
		while (messages[at + 1]?.role === 'tool') results.push(messages[++at] as Message);
		for (const [index, call] of calls.entries()) {
			split.push({ ...message, content: index === 0 ? message.content : '', tool_calls: [call] });
			const result = results.find((item) => item.tool_call_id === call.id) ?? results[index];
			if (result !== undefined) split.push(result);
		}
	}
	return split;
}

/** One call as a format writes it. */
function serializeCall(format: ToolFormat, name: string, args: string): string {
	return format.call.replace('{name}', () => name).replace('{arguments}', () => args);
}

/** How a model without a place for tools is taught them, in the format its answers are read in. */
function toolPrompt(tools: readonly ToolDefinition[], format: ToolFormat): string {
	const example = serializeCall(format, '<function name>', '<arguments as JSON object>');
	return [
		'# Tools',
		'',
		'You may call one or more of these functions to help with the request:',
		'<tools>',
		...tools.map((tool) => JSON.stringify(tool)),
		'</tools>',
		'',
		'To call a function, answer with its name and its arguments in exactly this form:',
		`${format.open}${example}${format.close}`.trim(),
	].join('\n');
}

/** Calls and results as plain text, for templates that have no place for them. */
export function callsAsText(messages: readonly Message[], format: ToolFormat): Message[] {
	const plain = messages.map((message): Message => {
		const { tool_calls: calls, tool_call_id: _id, name: _name, ...rest } = message;
		if (message.role === 'tool' || message.role === 'function') {
			return {
				role: 'user',
				content: `<tool_response>\n${message.content ?? ''}\n</tool_response>`,
			};
		}
		if (calls === undefined) return { ...rest, role: message.role, content: message.content };
		const written = calls.map(({ function: called }) =>
			serializeCall(format, called.name, called.arguments || '{}'),
		);
		const text = `${format.open}${written.join(format.separator)}${format.close}`;
		const content = [message.content ?? '', text].filter((part) => part !== '').join('\n');
		return { ...rest, role: message.role, content };
	});
	return mergeUsers(plain);
}

/** Describes the tools in the system message, as text or in the field some templates read. */
export function addToolPrompt(
	messages: readonly Message[],
	tools: readonly ToolDefinition[],
	format: ToolFormat,
	place: 'system-field' | 'none',
): Message[] {
	const system = messages.find(isSystem);
	const others = messages.filter((message) => message !== system);
	if (place === 'system-field') {
		const functions = JSON.stringify(tools.map((tool) => tool.function));
		const content = system?.content ?? 'You are a helpful assistant with some tools.';
		return [{ role: 'system', content, tools: functions }, ...others];
	}
	const parts = [system?.content ?? '', toolPrompt(tools, format)];
	return [{ role: 'system', content: parts.filter((part) => part !== '').join('\n\n') }, ...others];
}

// Several results in a row become one user message: most templates insist on turns.
function mergeUsers(messages: readonly Message[]): Message[] {
	const merged: Message[] = [];
	for (const message of messages) {
		const last = merged.at(-1);
		if (message.role === 'user' && last?.role === 'user') {
			merged[merged.length - 1] = { ...last, content: `${last.content}\n${message.content}` };
		} else merged.push(message);
	}
	return merged;
}
