/** A small HTTP client of the daemon for load tests: every answer becomes one text to compare. */

export interface Outcome {
	/** The whole answer, in a form that can be compared. */
	readonly text: string;
	/** False when it was cut off on purpose. */
	readonly complete: boolean;
}

/** An answer that is no answer; `retryable` when the server says that asking again may help. */
export class Refusal extends Error {
	readonly status: number;
	readonly code: string;
	readonly retryable: boolean;

	constructor(status: number, code: string, message: string) {
		super(`${status} ${code}: ${message}`);
		this.status = status;
		this.code = code;
		this.retryable = status === 503 || status === 429;
	}
}

export class Client {
	readonly #url: string;
	readonly #headers: Readonly<Record<string, string>>;

	constructor(url: string, key: string) {
		this.#url = url;
		this.#headers = { authorization: `Bearer ${key}` };
	}

	async get(path: string): Promise<string> {
		const response = await fetch(this.#url + path, { headers: this.#headers });
		const text = await response.text();
		if (!response.ok) throw refusal(response.status, text);
		return text;
	}

	async post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
		const response = await fetch(this.#url + path, {
			method: 'POST',
			...this.#sent(body),
			...(signal === undefined ? {} : { signal }),
		});
		const text = await response.text();
		if (!response.ok) throw refusal(response.status, text);
		return JSON.parse(text);
	}

	/** A form says itself what it is. */
	#sent(body: unknown): { headers: Record<string, string>; body: FormData | string } {
		if (body instanceof FormData) return { headers: { ...this.#headers }, body };
		const headers = { ...this.#headers, 'content-type': 'application/json' };
		return { headers, body: JSON.stringify(body) };
	}

	/** Follows a chat stream; after `pieces` pieces of text the connection is closed. */
	async streamChat(body: object, pieces = Number.POSITIVE_INFINITY): Promise<Outcome> {
		const stop = new AbortController();
		const response = await fetch(`${this.#url}/v1/chat/completions`, {
			method: 'POST',
			...this.#sent({ ...body, stream: true }),
			signal: stop.signal,
		});
		if (!response.ok || response.body === null)
			throw refusal(response.status, await response.text());
		const reader = response.body.getReader();
		const utf8 = new TextDecoder();
		let rest = '';
		let text = '';
		let count = 0;
		for (;;) {
			const { done, value: chunk } = await reader.read();
			if (done) break;
			rest += utf8.decode(chunk, { stream: true });
			const events = rest.split('\n\n');
			rest = events.pop() ?? '';
			for (const event of events) {
				// Comments keep a connection open while the model is slow.
				if (event.startsWith(':')) continue;
				const data = event.replace(/^data: /, '');
				if (data === '[DONE]') return { text, complete: true };
				const value = JSON.parse(data) as StreamChunk;
				if (value.error !== undefined) {
					const { code = '', message = '' } = value.error;
					throw new Refusal(code === 'runner_crashed' ? 503 : 500, code, message);
				}
				const piece = value.choices?.[0]?.delta?.content ?? '';
				if (piece === '') continue;
				text += piece;
				if (++count < pieces) continue;
				stop.abort();
				return { text, complete: false };
			}
		}
		throw new Error(`The stream ended without [DONE] after '${text}'.`);
	}
}

interface StreamChunk {
	readonly error?: { readonly code?: string; readonly message?: string };
	readonly choices?: readonly { readonly delta?: { readonly content?: string } }[];
}

function refusal(status: number, text: string): Refusal {
	try {
		const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: string } };
		return new Refusal(status, String(error?.code ?? ''), error?.message ?? text);
	} catch {
		return new Refusal(status, '', text);
	}
}
