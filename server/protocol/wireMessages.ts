/** What was read of a chat as its interface takes it: images stand as parts between the texts, choices have a type. */

import type { ChatImage, ChatMessage, ToolChoice } from './chatTypes.ts';
import type { ChatRequest } from './routes/chat.ts';

/** A part of a message as `/v1/chat/completions` reads it. */
export type WirePart =
	| { readonly type: 'text'; readonly text: string }
	| {
			readonly type: 'image_url';
			readonly image_url: { readonly url: string; readonly detail: ChatImage['detail'] };
	  };

/** A message whose content is a text, or parts where there are images. */
export type WireMessage = Omit<ChatMessage, 'content' | 'images'> & {
	readonly content: string | null | readonly WirePart[];
};

/** Reading the result gives the same messages again. */
export function wireMessages(messages: readonly ChatMessage[]): WireMessage[] {
	return messages.map(({ images = [], content, ...rest }) =>
		images.length === 0
			? { ...rest, content }
			: { ...rest, content: partsOf(content ?? '', images) },
	);
}

function partsOf(content: string, images: readonly ChatImage[]): WirePart[] {
	const parts: WirePart[] = [];
	let from = 0;
	const textUntil = (end: number) => {
		if (end > from) parts.push({ type: 'text', text: content.slice(from, end) });
		from = end;
	};
	for (const { base64, detail, fromEnd } of images) {
		textUntil(content.length - fromEnd);
		parts.push({ type: 'image_url', image_url: { url: imageUrl(base64), detail } });
	}
	textUntil(content.length);
	return parts;
}

/** How the base64 of each kind of file begins; PNG where it is none of them, and its reader will say so. */
const beginnings = [
	['/9j/', 'image/jpeg'],
	['UklGR', 'image/webp'],
] as const;

/** A `data:` address of an image, with the type that its bytes are of. */
export function imageUrl(base64: string): string {
	const [, type = 'image/png'] = beginnings.find(([begin]) => base64.startsWith(begin)) ?? [];
	return `data:${type};base64,${base64}`;
}

/** Reading the result gives the same choice again. */
export function wireChoice(choice: ToolChoice | undefined) {
	if (typeof choice !== 'object') return choice;
	const named = (name: string) => ({ type: 'function', function: { name } });
	return 'name' in choice
		? named(choice.name)
		: {
				type: 'allowed_tools',
				allowed_tools: { mode: choice.mode, tools: choice.among.map(named) },
			};
}

/** A request that was read, as it may be sent: reading the result gives the same request again. */
export function wireChat({
	messages,
	tool_choice: choice,
	function_call: call,
	...rest
}: ChatRequest) {
	return {
		...rest,
		messages: wireMessages(messages),
		...(choice === undefined ? {} : { tool_choice: wireChoice(choice) }),
		...(call === undefined ? {} : { function_call: wireFunctionCall(call) }),
	};
}

function wireFunctionCall({
	choice,
	arguments: given,
}: NonNullable<ChatRequest['function_call']>): unknown {
	if (given === undefined && typeof choice === 'string') return choice;
	return {
		...(typeof choice === 'object' && 'name' in choice ? { name: choice.name } : {}),
		...(given === undefined ? {} : { arguments: given }),
	};
}
