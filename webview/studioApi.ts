/** The daemon's HTTP interface as the studio page uses it: same origin, with the token of this page if it has one. */

import { signal } from '@preact/signals';
import {
	AppError,
	type ChatParams,
	codeOfStatus,
	type DownloadProgress,
	errorOfBody,
	type ModelInfo,
	readDownload,
} from '../server/protocol/index.ts';
import { ownStores } from './ownStore.ts';

const tokenName = 'studio';

export interface Translation {
	readonly text: string;
	readonly detected: string | undefined;
	/** Word links as the interface writes them (`0:4-0:3 …`), when asked for and known. */
	readonly alignment: string | undefined;
}

export interface TranslatedDocument {
	readonly text: string;
	readonly pieces: number;
	/** Texts whose placeholders would have been lost. */
	readonly refused: readonly string[];
	/** Texts that stayed as they were, or some sentences of which did. */
	readonly left: readonly { readonly text: string; readonly sentences?: readonly string[] }[];
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
	#token: string;
	/** Whether the server has stopped taking this page's token; what needs none goes on. */
	readonly ended = signal(false);
	/** Whether the sign-in layer in front wants its visitor to sign in again. */
	readonly signedOut = signal(false);

	private constructor(token: string) {
		this.#token = token;
	}

	/** Takes the token for the ticket in the address, of this tab, or none. */
	static async open(): Promise<StudioApi> {
		const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket');
		const api = new StudioApi(ownStores().tab.get(tokenName) ?? '');
		if (ticket !== null) {
			history.replaceState(null, '', location.pathname);
			// One that was used already leaves the page as it is.
			await api.#claim(ticket).catch(() => undefined);
		}
		return api;
	}

	/** Exchanges the server's key, typed by a person, for a token; the key is not kept. */
	async enter(key: string): Promise<void> {
		const made = await this.#call('/nearglot/studio', { method: 'POST' }, key);
		const { url } = (await made.json()) as { url: string };
		await this.#claim(new URLSearchParams(new URL(url).hash.slice(1)).get('ticket') ?? '');
	}

	/** Whether the page has a token; without one, nothing may be changed. */
	get hasAccess(): boolean {
		return this.#token !== '';
	}

	async get(path: string): Promise<unknown> {
		return (await this.#call(path, {})).json();
	}

	post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
		return this.#call(path, { ...json(body), ...(signal ? { signal } : {}) });
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

	/** Everything the daemon knows of models, and what the loaded ones do. Needs the token. */
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
		const response = await this.#translate(query, [text], signal);
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
	): Promise<TranslatedDocument> {
		const response = await this.post('/documents/translate', document, signal);
		return (await response.json()) as TranslatedDocument;
	}

	/** Texts in another language, in order. */
	async translateAll(
		texts: readonly string[],
		{ from, to }: { readonly from: string; readonly to: string },
		signal: AbortSignal,
	): Promise<string[]> {
		const query = new URLSearchParams({ 'api-version': '3.0', to });
		if (from) query.set('from', from);
		const response = await this.#translate(query, texts, signal);
		const items = (await response.json()) as { translations: { text: string }[] }[];
		return items.map(({ translations }) => translations[0]?.text ?? '');
	}

	async countTokens(body: ChatParams & { readonly model: string }): Promise<number> {
		const path = '/v1/chat/completions/tokenizer/encode/count';
		const { tokenCount } = (await (await this.post(path, body)).json()) as { tokenCount: number };
		return tokenCount;
	}

	#translate(
		query: URLSearchParams,
		texts: readonly string[],
		signal: AbortSignal,
	): Promise<Response> {
		// A page that the owner has opened is one of the user's programs, which have a path of their own.
		const base = this.hasAccess ? '/nearglot/translator' : '';
		const body = texts.map((text) => ({ Text: text }));
		return this.post(`${base}/translate?${query}`, body, signal);
	}

	async #claim(ticket: string): Promise<void> {
		const response = await this.#call('/studio/claim', json({ ticket }), '');
		const { token } = (await response.json()) as { token: string };
		this.#token = token;
		ownStores().tab.set(tokenName, token);
		this.ended.value = false;
	}

	async #call(path: string, init: RequestInit, token = this.#token): Promise<Response> {
		const headers = new Headers(init.headers);
		if (token) headers.set('authorization', `Bearer ${token}`);
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
		this.signedOut.value = response.status === 401 && isOfSignIn(response);
		if (response.ok) return response;
		if (isOfSignIn(response)) {
			const { detail } = (await response.json()) as { detail?: unknown };
			const code = response.status === 401 ? 'sign_in_required' : codeOfStatus(response.status);
			throw new AppError(code, typeof detail === 'string' ? detail : undefined);
		}
		if (response.status === 401 && token && token === this.#token) {
			this.#token = '';
			ownStores().tab.remove(tokenName);
			this.ended.value = true;
		}
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

/** The sign-in layer answers with a problem document, the model server does not. */
function isOfSignIn(response: Response): boolean {
	return (response.headers.get('content-type') ?? '').includes('application/problem+json');
}

const json = (body: unknown): RequestInit => ({
	method: 'POST',
	headers: { 'content-type': 'application/json' },
	body: JSON.stringify(body),
});

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
