/**
 * What the language client may write of its messages: that there was one. What they carry (prompts,
 * texts, keys, session tokens) stays out of the log, whatever level is set.
 */

import type { LogOutputChannel } from 'vscode';

/** A log that takes only the first line of a traced message, which names it. */
export function traceNamesOnly(log: LogOutputChannel): LogOutputChannel {
	const trace: LogOutputChannel['trace'] = (message) => {
		// In its JSON form a message is one line that holds everything.
		const [head = ''] = message.startsWith('{') ? [] : message.split('\n', 1);
		if (head !== '') log.trace(head);
	};
	return Object.create(log, { trace: { value: trace } }) as LogOutputChannel;
}
