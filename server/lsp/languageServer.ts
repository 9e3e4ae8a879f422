/**
 * Wires the language server protocol to the modules of this folder. Everything an editor can ask is
 * registered here; nothing is worked out here.
 */

import { join } from 'node:path';
import {
	type CancellationToken,
	type Connection,
	type InitializeParams,
	type InitializeResult,
	ProgressType,
	TextDocumentSyncKind,
	TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { thisMachine } from '../daemon/machine.ts';
import { dataDir } from '../daemon/paths.ts';
import { isRecord } from '../protocol/errorBody.ts';
import type {
	ChatDelta,
	DownloadProgress,
	RequestName,
	Requests,
	StatusParams,
} from '../protocol/index.ts';
import {
	fromErrorWire,
	productVersion,
	readDownload,
	statusNotification,
	type TeamRenewal,
	type TeamRenewed,
	teamPrefix,
	teamRenewRequest,
} from '../protocol/index.ts';
import * as routes from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';
import { DeltaBatch } from './batch.ts';
import { ClientSettings } from './clientSettings.ts';
import { completeCode } from './complete.ts';
import { completeChat, countTokens } from './completeChat.ts';
import { type ConnectDaemon, DaemonLink } from './daemonLink.ts';
import { editingCapabilities, handleRequest, registerEditing } from './registerEditing.ts';
import { registerEngines } from './registerEngines.ts';
import { registerJobs } from './registerJobs.ts';
import { registerRecordings } from './registerRecordings.ts';
import { registerSpeech } from './registerSpeech.ts';
import { registerWorkspace } from './registerWorkspace.ts';
import { SecretSync } from './secretSync.ts';
import { TeamLink } from './teamLink.ts';
import { loadMessageTexts } from './texts.ts';
import { translateRouter } from './translateRouter.ts';
import { listTranslatorLanguages, translateTexts } from './translateTexts.ts';

const chatProgress = new ProgressType<ChatDelta>();
const downloadProgress = new ProgressType<DownloadProgress>();

/** Serves one editor until the connection ends. Models are reached through `connect` only. */
export function serveLanguageServer(connection: Connection, connect: ConnectDaemon): void {
	const documents = new TextDocuments(TextDocument);
	const secrets = new SecretSync();
	const link = new DaemonLink(secrets.introduce(connect), (status: StatusParams) => {
		void connection.sendNotification(statusNotification, status);
	});
	const { client: here } = link;
	const team = new TeamLink(async (refused: TeamRenewal) => {
		// Editors that keep no accounts do not know this request.
		const answer = await connection
			.sendRequest<TeamRenewed>(teamRenewRequest, refused)
			.catch((): TeamRenewed => ({}));
		if (answer.error) throw fromErrorWire(answer.error);
		const { origin, token, reason } = answer;
		if (origin === undefined) return undefined;
		return { origin, ...(token ? { token } : {}), ...(reason ? { reason } : {}) };
	});
	/** Where a model answers, and its name there. */
	const at = <P extends { readonly model?: string }>(params: P): [Client, P] =>
		params.model?.startsWith(teamPrefix)
			? [team.client, { ...params, model: params.model.slice(teamPrefix.length) }]
			: [here, params];
	let client: InitializeParams | undefined;
	const settings = new ClientSettings(connection);
	/** Recordings and translations go where chats go, unless something else was chosen for them. */
	const withTeam = () => settings.window.chatModel.startsWith(teamPrefix);
	const translator = translateRouter({
		link: here,
		team: team.client,
		engine: () =>
			settings.window.engine !== 'auto' ? settings.window.engine : withTeam() ? 'team' : 'local',
		system: () => settings.window,
	});
	const recordingAt: typeof at = (params) =>
		params.model === undefined && withTeam() ? [team.client, params] : at(params);

	connection.onInitialize(async (params): Promise<InitializeResult> => {
		client = params;
		await loadMessageTexts(params.locale);
		settings.start(params);
		const options: unknown = params.initializationOptions;
		if (isRecord(options) && options['sharesSecrets'] === true) secrets.expect();
		return {
			serverInfo: { name: 'nearglot', version: productVersion() },
			capabilities: {
				textDocumentSync: TextDocumentSyncKind.Incremental,
				...editingCapabilities,
			},
		};
	});
	connection.onInitialized(() => {
		if (client) void editing.listen(client);
		void connection.sendNotification(statusNotification, link.status);
	});

	const handle = <M extends RequestName>(
		name: M,
		run: (params: Requests[M]['params'], signal: AbortSignal) => Promise<Requests[M]['result']>,
	) => {
		const handler = (params: unknown, token: CancellationToken): Promise<unknown> =>
			handleRequest(token, (signal) => run(params as Requests[M]['params'], signal));
		connection.onRequest(name, handler);
	};

	handle('nearglot/chat', async (params, signal) => {
		const token = params.partialResultToken;
		const [caller, request] = at(params);
		if (token === undefined) {
			const words: ChatDelta[] = [];
			const end = await completeChat(caller, request, (delta) => words.push(delta), signal);
			const joined = (field: 'text' | 'reasoning') =>
				words.map((delta) => delta[field] ?? '').join('');
			const reasoning = joined('reasoning');
			return { ...end, text: joined('text'), ...(reasoning === '' ? {} : { reasoning }) };
		}
		const batch = new DeltaBatch((delta: ChatDelta) => {
			void connection.sendProgress(chatProgress, token, delta);
		});
		try {
			return await completeChat(caller, request, (delta) => batch.add(delta), signal);
		} finally {
			batch.flush();
		}
	});
	handle('nearglot/complete', (params, signal) => completeCode(...at(params), signal));
	handle('nearglot/countTokens', (params, signal) => countTokens(...at(params), signal));
	handle('nearglot/translate', (params, signal) => translateTexts(translator, params, signal));
	handle('nearglot/translationSystems', (_params, signal) =>
		here.call(routes.translationSystems, {}, { signal }),
	);
	handle('nearglot/languages', (params, signal) =>
		listTranslatorLanguages(translator, params.displayLanguage ?? client?.locale, signal),
	);
	handle('nearglot/models', async (_params, signal) => {
		const [own, elsewhere, { models, status }] = await Promise.all([
			here.call(routes.listOwnModels, {}, { signal }),
			here.call(routes.listUpstreams, {}, { signal }),
			team.list(signal),
		]);
		return {
			models: [...own.models, ...elsewhere.models, ...models],
			...(status ? { team: status } : {}),
		};
	});
	handle('nearglot/team', async (params) => {
		team.team = params.team;
		return {};
	});
	handle('nearglot/models/load', async ({ model: name }, signal) => {
		await here.call(routes.loadModelQuietly, { params: { name } }, { signal });
		return {};
	});
	handle('nearglot/models/unload', async ({ model: name }, signal) => {
		await here.call(routes.unloadModelQuietly, { params: { name } }, { signal });
		return {};
	});
	handle('nearglot/models/download', async ({ model, partialResultToken: token }, signal) => {
		const options = { of: 'download', signal } as const;
		const events = here.stream(routes.pullModel, { body: { model } }, options);
		await readDownload(events, (progress) => {
			if (token !== undefined) void connection.sendProgress(downloadProgress, token, progress);
		});
		return {};
	});
	handle('nearglot/studio', (_params, signal) => here.call(routes.openStudio, {}, { signal }));
	handle('nearglot/models/suggest', ({ task }, signal) =>
		here.call(routes.suggestModels, { query: { task } }, { signal }),
	);
	handle('nearglot/models/hub', ({ words }, signal) =>
		here.call(routes.searchHubModels, { query: { q: words } }, { signal }),
	);
	handle('nearglot/models/move', ({ folder }, signal) =>
		here.call(routes.moveModels, { body: { folder } }, { signal }),
	);
	handle('nearglot/models/remove', async ({ model }, signal) => {
		await here.call(routes.removeModel, { body: { model } }, { signal });
		return {};
	});
	registerSpeech({ connection, handle, link: here, at: recordingAt, env: process.env });
	registerJobs({ handle, link: here });
	registerRecordings({ handle, link: here, at: recordingAt });
	registerEngines({ handle, link: here });
	const closeWorkspace = registerWorkspace({
		...{ connection, handle, link: here },
		folder: join(dataDir(thisMachine()), 'workspaces'),
	});
	handle('nearglot/secrets', async (params) => {
		await secrets.replace(params.secrets, params.storage);
		return {};
	});
	handle('nearglot/endpoint', async () => {
		const { url, key, pid, version } = await link.daemon();
		return { url, key, pid, version };
	});

	const editing = registerEditing({
		connection,
		documents,
		link: translator,
		client: () => client,
		settings,
	});
	const { requests } = editing;
	handle('nearglot/translateRanges', requests['nearglot/translateRanges']);
	handle('nearglot/readerRanges', requests['nearglot/readerRanges']);
	handle('nearglot/translateDocument', requests['nearglot/translateDocument']);
	handle('nearglot/translateFile', requests['nearglot/translateFile']);
	handle('nearglot/translateMissing', requests['nearglot/translateMissing']);
	handle('nearglot/messageProgress', requests['nearglot/messageProgress']);
	handle('nearglot/setMessages', requests['nearglot/setMessages']);
	handle('nearglot/messageFiles', requests['nearglot/messageFiles']);
	handle('nearglot/nameSymbol', requests['nearglot/nameSymbol']);
	handle('nearglot/glossary/add', requests['nearglot/glossary/add']);
	handle('nearglot/glossary/text', requests['nearglot/glossary/text']);

	connection.onShutdown(async () => {
		link.close();
		await closeWorkspace();
	});
	documents.listen(connection);
	connection.listen();
}
