/** Events of a streamed answer of the daemon, for commands that show progress. */

import { errorFromBody } from '../daemon/connection.ts';

/** Yields the JSON of every `data:` line; an error event is thrown as what it says. */
export async function* sseEvents(response: Response): AsyncGenerator<Record<string, unknown>> {
	let text = '';
	const decoder = new TextDecoder();
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
			const block = text.slice(0, end);
			text = text.slice(end + 2);
			const data = block
				.split('\n')
				.filter((line) => line.startsWith('data: '))
				.map((line) => line.slice(6))
				.join('\n');
			if (data === '' || data === '[DONE]') continue;
			const value = JSON.parse(data) as Record<string, unknown>;
			if (value['error'] !== undefined) throw errorFromBody(value);
			yield value;
		}
	}
}
