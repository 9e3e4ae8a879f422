/** Server-sent events: one writer for every stream. */

import { type AppError, errorBody } from '../protocol/index.ts';
import { type StreamedOptions, streamedAnswer } from './streamedAnswer.ts';

export interface SseWriter {
	/** `data:` line, with an `event:` line when a name is given. */
	data(value: unknown, event?: string): void;
	/** `: text`, which clients ignore. */
	comment(text: string): void;
}

export interface SseOptions extends StreamedOptions {
	/** Sent as the last `data:` line of a good stream. */
	readonly last?: string;
	/** The event of an error, where it is not the plain `{error:{…}}`. */
	readonly error?: (error: AppError) => SseEvent;
	/** The event that only says that work goes on, where a comment is not what clients expect. */
	readonly heartbeat?: SseEvent;
}

interface SseEvent {
	readonly value: unknown;
	readonly event?: string;
}

/** As {@link streamedAnswer}, in server-sent events; an error is `data: {"error":…}`. */
export function sse(
	options: SseOptions,
	produce: (writer: SseWriter, signal: AbortSignal) => Promise<void>,
): Promise<Response> {
	const { heartbeat, last, error: eventOf } = options;
	return streamedAnswer(
		{
			contentType: 'text/event-stream; charset=utf-8',
			heartbeat: heartbeat === undefined ? comment('still working') : event(heartbeat),
			error: (error) => event(eventOf?.(error) ?? { value: errorBody(error) }),
			...(last === undefined ? {} : { last: event({ value: last }) }),
		},
		options,
		(write, signal) =>
			produce(
				{
					data: (value, name) =>
						write(event(name === undefined ? { value } : { value, event: name })),
					comment: (text) => write(comment(text)),
				},
				signal,
			),
	);
}

function event({ value, event: name }: SseEvent): string {
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

const comment = (text: string) => `: ${text.replaceAll('\n', ' ')}\n\n`;
