/** The daemon's HTTP interface as the studio page uses it: same origin, with the token of this page if it has one. */

import { signal } from '@preact/signals';
import { defined } from '../server/protocol/defined.ts';
import {
	AppError,
	type BuildPlanned,
	type ChatParams,
	type DownloadProgress,
	errorOfResponse,
	type ModelInfo,
	readDownload,
	wireChat,
} from '../server/protocol/index.ts';
import * as routes from '../server/protocol/routeAddresses.ts';
import { Client, sender } from '../server/protocol/routeClient.ts';
import type { AnswerOf } from '../server/protocol/routes/route.ts';
import type { TranslationSystem } from '../server/protocol/routes/translationSystems.ts';
import { fetchBeside } from './fetchBeside.ts';
import { ownStores } from './ownStore.ts';

const tokenName = 'studio';

export interface Translation {
	readonly text: string;
	readonly detected: string | undefined;
	/** Word links as the interface writes them (`0:4-0:3 …`), when asked for and known. */
	readonly alignment: string | undefined;
	/** How good it probably is, 0…1; absent where no model of the server was asked. */
	readonly quality: number | undefined;
}

export type DocumentTranslation = AnswerOf<typeof routes.translateDocument>;

/** What a loaded model does, as the daemon counts it. */
export type ModelStats = AnswerOf<typeof routes.listOwnModels>['stats'][number];

/** One of the last requests, and all of it. */
export type ListedRequest = AnswerOf<typeof routes.listRequests>['requests'][number];
export type ShownRequest = AnswerOf<typeof routes.readRequest>;

type AnswerMessage = AnswerOf<typeof routes.chatCompletions>['choices'][number]['message'];

/** A repository of the hub whose models run here. */
export type HubModel = AnswerOf<typeof routes.searchHubModels>['models'][number];

/** How far a download is. */
export interface DownloadShown {
	/** Of its phase, 0…1. */
	readonly share: number;
	/** Absent while files come. */
	readonly phase?: NonNullable<DownloadProgress['phase']>;
	/** A model that is here is built again, with a better recipe. */
	readonly again?: true;
	/** What will be built of the files. */
	readonly plan?: BuildPlanned;
}

export class StudioApi {
	/** With the token of this page. */
	readonly client = new Client((path, init) => this.#send(path, init, this.#token));
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
		const client = new Client((path, init) => this.#send(path, init, key));
		const { url } = await client.call(routes.openStudio, {});
		await this.#claim(new URLSearchParams(new URL(url).hash.slice(1)).get('ticket') ?? '');
	}

	/** Whether the page has a token; without one, nothing may be changed. */
	get hasAccess(): boolean {
		return this.#token !== '';
	}

	/** Models on this computer, as `/v1/models` lists them. */
	async models(): Promise<ModelInfo[]> {
		const { data } = await this.client.call(routes.listModels, {});
		return data.map(
			({ id, name, task, state, origin, owned_by, size_bytes, context_length, ...model }) =>
				({
					...{ id, displayName: name, task, state, origin, publisher: owned_by, license: '' },
					...{ pinned: model.pinned, languages: model.languages },
					sizeBytes: size_bytes,
					contextLength: context_length,
				}) as ModelInfo,
		);
	}

	/** Everything the daemon knows of models, and what the loaded ones do. Needs the token. */
	async allModels(): Promise<AnswerOf<typeof routes.listOwnModels>> {
		const [own, models] = await Promise.all([
			this.client.call(routes.listOwnModels, {}),
			this.models(),
		]);
		const elsewhere = models.filter(({ origin }) => origin === 'upstream');
		return { ...own, models: [...own.models, ...elsewhere] };
	}

	/** The last requests, while they are recorded. */
	recordedRequests(): Promise<AnswerOf<typeof routes.listRequests>> {
		return this.client.call(routes.listRequests, {});
	}

	/** Switches their recording on or off. */
	recordRequests(recording: boolean): Promise<AnswerOf<typeof routes.listRequests>> {
		return this.client.call(routes.recordRequests, { body: { recording } });
	}

	recordedRequest(id: string): Promise<ShownRequest> {
		return this.client.call(routes.readRequest, { params: { id } });
	}

	/** Asks once more what was asked; the text of the answer. */
	async runAgain({ request }: ShownRequest, signal: AbortSignal): Promise<string> {
		const { stream: _, stream_options: _options, return_progress: _progress, ...same } = request;
		const { choices } = await this.client.call(
			routes.chatCompletions,
			{ body: wireChat(same as never) },
			{ signal },
		);
		return answerText(choices[0]?.message);
	}

	/** What this computer offers to models. Needs the token. */
	async machine(): Promise<{ memoryBytes: number; bytesPerSecond: number }> {
		const { machine } = await this.client.call(routes.suggestModels, {});
		return machine;
	}

	setLoaded(name: string, loaded: boolean): Promise<unknown> {
		const route = loaded ? routes.loadModelQuietly : routes.unloadModelQuietly;
		return this.client.call(route, { params: { name } });
	}

	removeModel(model: string): Promise<unknown> {
		return this.client.call(routes.removeModel, { body: { model } });
	}

	/** Repositories of the hub with these words. */
	async searchHub(words: string): Promise<readonly HubModel[]> {
		const { models } = await this.client.call(routes.searchHubModels, { query: { q: words } });
		return models;
	}

	/** Downloads a model, or builds it of what it downloads; `onShown` is told how far that is. */
	async download(
		model: string,
		onShown: (shown: DownloadShown) => void,
		signal: AbortSignal,
	): Promise<void> {
		const options = { of: 'download', signal } as const;
		let shown: DownloadShown = { share: 0 };
		const show = (more: Partial<DownloadShown>) => {
			shown = { ...shown, ...more };
			onShown(shown);
		};
		const events = this.client.stream(routes.pullModel, { body: { model } }, options);
		await readDownload(
			events,
			({ doneBytes, totalBytes, phase, again }) => {
				if (totalBytes > 0) show({ share: doneBytes / totalBytes, ...defined({ phase, again }) });
			},
			(plan) => show({ plan }),
		);
	}

	async languages(): Promise<{ code: string; name: string }[]> {
		const query = { 'api-version': '3.0', scope: 'translation' };
		const { translation = {} } = await this.client.call(routes.listLanguages, { query });
		return Object.entries(translation).map(([code, { name }]) => ({ code, name }));
	}

	async translate(
		text: string,
		options: { from: string; to: string; html: boolean; system: string },
		signal: AbortSignal,
	): Promise<Translation> {
		const { from, to, html, system } = options;
		const form = html ? { textType: 'html' } : { includeAlignment: 'true' };
		const more = { ...form, includeQuality: 'true', ...named(system) };
		const [item] = await this.#translate({ from, to, ...more }, [text], signal);
		const first = item?.translations[0];
		return {
			text: first?.text ?? '',
			detected: item?.detectedLanguage?.language,
			alignment: first?.alignment?.proj,
			quality: first?.quality,
		};
	}

	/** What can be chosen to translate. */
	async systems(): Promise<readonly TranslationSystem[]> {
		const { systems } = await this.client.call(routes.translationSystems, {});
		return systems;
	}

	/** A whole document of which only the words change. */
	translateDocument(
		document: { readonly fileName: string; readonly text: string; readonly to: string },
		system: string,
		signal: AbortSignal,
	): Promise<DocumentTranslation> {
		const body = { ...document, ...named(system) };
		return this.client.call(routes.translateDocument, { body }, { signal });
	}

	/** The same of a file that is no text. */
	async translateFile(
		file: File,
		to: string,
		system: string,
		signal: AbortSignal,
	): Promise<{
		readonly made: Blob;
		readonly pieces: number;
		readonly translated: number;
		readonly quality: number | undefined;
	}> {
		const body = new Uint8Array(await file.arrayBuffer());
		const query = { fileName: file.name, to, ...named(system) };
		const response = await this.client.open(routes.translateDocument, { query, body }, { signal });
		const said = JSON.parse(response.headers.get('x-document-result') ?? '{}') as {
			readonly pieces?: number;
			readonly translated?: number;
			readonly quality?: number;
		};
		const { pieces = 0, translated = 0, quality } = said;
		return { made: await response.blob(), pieces, translated, quality };
	}

	/** Texts in another language, in order. */
	async translateAll(
		texts: readonly string[],
		languages: { readonly from: string; readonly to: string },
		signal: AbortSignal,
	): Promise<string[]> {
		const items = await this.#translate(languages, texts, signal);
		return items.map(({ translations }) => translations[0]?.text ?? '');
	}

	async countTokens(params: ChatParams & { readonly model: string }): Promise<number> {
		const { tokenCount } = await this.client.call(routes.countChatTokens, { body: params });
		return tokenCount;
	}

	#translate(
		{
			from,
			...more
		}: {
			readonly from: string;
			readonly to: string;
			readonly textType?: string;
			readonly category?: string;
		},
		texts: readonly string[],
		signal: AbortSignal,
	): Promise<AnswerOf<typeof routes.translate>> {
		// A page that the owner has opened is one of the user's programs, which have a path of their own.
		const base = this.hasAccess ? routes.ownTranslatorPath : '';
		const client = new Client((path, init) => this.client.request(base + path, init));
		const query = { 'api-version': '3.0', ...more, from: from || undefined };
		const body = texts.map((text) => ({ Text: text }));
		return client.call(routes.translate, { query, body }, { signal });
	}

	async #claim(ticket: string): Promise<void> {
		const client = new Client((path, init) => this.#send(path, init, ''));
		const { token } = await client.call(routes.claimStudio, { body: { ticket } });
		this.#token = token;
		ownStores().tab.set(tokenName, token);
		this.ended.value = false;
	}

	async #send(path: string, init: RequestInit, key: string): Promise<Response> {
		const send = sender({ fetch: fetchBeside, key, errorOf: (answer) => this.#error(answer, key) });
		const response = await send(path, init);
		this.signedOut.value = false;
		return response;
	}

	#error(response: Response, key: string): Promise<AppError> | AppError {
		this.signedOut.value = response.status === 401 && isOfSignIn(response);
		if (this.signedOut.value) return signInAgain(response);
		if (response.status === 401 && key !== '' && key === this.#token) {
			this.#token = '';
			ownStores().tab.remove(tokenName);
			this.ended.value = true;
		}
		return errorOfResponse(response);
	}
}

/** The sign-in layer answers with a problem document, the model server does not. */
function isOfSignIn(response: Response): boolean {
	return (response.headers.get('content-type') ?? '').includes('application/problem+json');
}

async function signInAgain(response: Response): Promise<AppError> {
	const { detail } = (await response.json()) as { readonly detail?: string };
	return new AppError('sign_in_required', detail);
}

const named = (system: string) => (system === '' ? {} : { category: system });

/** What an answer says, and each call of a tool in it on a line of its own. */
export function answerText(message: AnswerMessage | undefined): string {
	const { content, function_call: older, tool_calls: calls = [] } = message ?? {};
	const shown = calls.map((call) =>
		call.type === 'custom'
			? `${call.custom.name}(${call.custom.input})`
			: `${call.function.name}(${call.function.arguments})`,
	);
	if (older !== undefined) shown.push(`${older.name}(${older.arguments})`);
	return [content ?? '', ...shown].filter((part) => part !== '').join('\n');
}
