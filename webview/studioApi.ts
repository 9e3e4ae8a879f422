/** The daemon's HTTP interface as the studio page uses it: same origin, key only when one is needed. */

import {
	AppError,
	type ChatMessage,
	type DownloadProgress,
	errorOfBody,
	type ModelInfo,
	readDownload,
} from '../server/protocol/index.ts';

const keyName = 'nearglot.key';

export interface Translation {
	readonly text: string;
	readonly detected: string | undefined;
	/** Word links as the interface writes them (`0:4-0:3 …`), when asked for and known. */
	readonly alignment: string | undefined;
}

/** What a loaded model does, as the daemon counts it. */
export interface ModelStats {
	readonly model: string;
	readonly stats: {
		readonly executionProvider: string;
		readonly running: number;
		readonly waiting: number;
		readonly residentBytes: number;
		readonly promptTokensTotal: number;
		readonly cachedTokensTotal: number;
		readonly generatedTokensTotal: number;
	};
}

export class StudioApi {
	#key: string;

	private constructor(key: string) {
		this.#key = key;
	}

	/** Takes the key of the ticket in the address, of this tab, or none. */
	static async open(): Promise<StudioApi> {
		return new StudioApi(await takeKey());
	}

	/** Asked for by the page when the server wants its key. */
	set key(key: string) {
		this.#key = key;
		sessionStorage.setItem(keyName, key);
	}

	/** Whether a key is known; without one, nothing may be changed. */
	get hasKey(): boolean {
		return this.#key !== '';
	}

	async get(path: string): Promise<unknown> {
		return (await this.#call(path, {})).json();
	}

	post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
		return this.#call(path, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
			...(signal ? { signal } : {}),
		});
	}

	upload(path: string, form: FormData, signal: AbortSignal): Promise<Response> {
		return this.#call(path, { method: 'POST', body: form, signal });
	}

	/** Models on this computer, as `/v1/models` lists them. */
	async models(): Promise<ModelInfo[]> {
		const { data } = (await this.get('/v1/models')) as { data: Record<string, unknown>[] };
		return data.map(
			(row) =>
				({
					id: row['id'],
					displayName: row['name'],
					task: row['task'],
					state: row['state'],
					sizeBytes: row['size_bytes'],
					contextLength: row['context_length'],
					languages: row['languages'],
				}) as ModelInfo,
		);
	}

	/** Everything the daemon knows of models, and what the loaded ones do. Needs the key. */
	async allModels(): Promise<{ models: ModelInfo[]; stats: ModelStats[] }> {
		const path = '/nearglot/models/list';
		return (await this.get(path)) as { models: ModelInfo[]; stats: ModelStats[] };
	}

	setLoaded(id: string, loaded: boolean): Promise<Response> {
		return this.#call(`/openai/${loaded ? 'load' : 'unload'}/${encodeURIComponent(id)}`, {});
	}

	removeModel(model: string): Promise<Response> {
		return this.post('/nearglot/models/remove', { model });
	}

	/** Downloads a model; `onShare` is told the part that has come, 0…1. */
	async download(
		model: string,
		onShare: (share: number) => void,
		signal: AbortSignal,
	): Promise<void> {
		const response = await this.post('/nearglot/models/download', { model }, signal);
		const onProgress = ({ doneBytes, totalBytes }: DownloadProgress) => {
			if (totalBytes > 0) onShare(doneBytes / totalBytes);
		};
		await readDownload(chunks(response), onProgress, signal);
	}

	async languages(): Promise<{ code: string; name: string }[]> {
		const path = '/languages?api-version=3.0&scope=translation';
		const { translation } = (await this.get(path)) as {
			translation: Record<string, { name: string }>;
		};
		return Object.entries(translation).map(([code, { name }]) => ({ code, name }));
	}

	async translate(
		text: string,
		options: { from: string; to: string; html: boolean },
		signal: AbortSignal,
	): Promise<Translation> {
		const query = new URLSearchParams({ 'api-version': '3.0', to: options.to });
		if (options.from) query.set('from', options.from);
		if (options.html) query.set('textType', 'html');
		else query.set('includeAlignment', 'true');
		// With the daemon's own key the page is one of the user's programs, which have a path of their own.
		const base = this.#key ? '/nearglot/translator' : '';
		const response = await this.post(`${base}/translate?${query}`, [{ Text: text }], signal);
		const [item] = (await response.json()) as {
			detectedLanguage?: { language: string };
			translations: { text: string; alignment?: { proj: string } }[];
		}[];
		const first = item?.translations[0];
		return {
			text: first?.text ?? '',
			detected: item?.detectedLanguage?.language,
			alignment: first?.alignment?.proj,
		};
	}

	/** A whole document of which only the words change. */
	async translateDocument(
		document: { readonly fileName: string; readonly text: string; readonly to: string },
		signal: AbortSignal,
	): Promise<{ text: string; pieces: number; refused: readonly string[] }> {
		const response = await this.post('/documents/translate', document, signal);
		return (await response.json()) as { text: string; pieces: number; refused: string[] };
	}

	/** Texts in another language, in order. */
	async translateAll(
		texts: readonly string[],
		{ from, to }: { readonly from: string; readonly to: string },
		signal: AbortSignal,
	): Promise<string[]> {
		const query = new URLSearchParams({ 'api-version': '3.0', to });
		if (from) query.set('from', from);
		const body = texts.map((text) => ({ Text: text }));
		const response = await this.post(`/translate?${query}`, body, signal);
		const items = (await response.json()) as { translations: { text: string }[] }[];
		return items.map(({ translations }) => translations[0]?.text ?? '');
	}

	async countTokens(body: { model: string; messages: readonly ChatMessage[] }): Promise<number> {
		const path = '/v1/chat/completions/tokenizer/encode/count';
		const { tokenCount } = (await (await this.post(path, body)).json()) as { tokenCount: number };
		return tokenCount;
	}

	async #call(path: string, init: RequestInit): Promise<Response> {
		const headers = new Headers(init.headers);
		if (this.#key) headers.set('authorization', `Bearer ${this.#key}`);
		let response: Response;
		try {
			// Beside the page: a proxy may have put a path in front.
			response = await fetch(path.replace(/^\//, ''), { ...init, headers });
		} catch (error) {
			if (init.signal?.aborted) throw new AppError('cancelled');
			throw new AppError('daemon_unavailable', 'The model server does not answer.', {
				cause: error,
			});
		}
		if (response.ok) return response;
		const text = await response.text();
		let body: unknown;
		try {
			body = JSON.parse(text);
		} catch {
			body = undefined;
		}
		throw errorOfBody(body, response.status) ?? new AppError('internal', text.slice(0, 300));
	}
}

/**
 * The key for a link `…/#ticket=…`: the ticket holds once, and is taken out of the address at once.
 * Without a ticket, the key this tab has already.
 */
async function takeKey(): Promise<string> {
	const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket');
	if (ticket !== null) {
		history.replaceState(null, '', location.pathname);
		const response = await fetch('studio/claim', {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ ticket }),
		}).catch(() => undefined);
		if (response?.ok) {
			const { key } = (await response.json()) as { key: string };
			sessionStorage.setItem(keyName, key);
		}
	}
	return sessionStorage.getItem(keyName) ?? '';
}

/** Not every browser can iterate over a stream. */
export async function* chunks(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
	const reader = response.body?.getReader();
	if (!reader) return;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		yield value;
	}
}
