/**
 * The language client, in a bundle of its own that is loaded when the server is first needed. Knows
 * how to start and watch the server; what it is asked is none of its business.
 */

import { type CancellationToken, type LogOutputChannel, workspace } from 'vscode';
import {
	CloseAction,
	ErrorAction,
	IPCMessageReader,
	IPCMessageWriter,
	LanguageClient,
	type LanguageClientOptions,
	ProgressType,
	State,
} from 'vscode-languageclient/node';
import { type LanguageServerProcess, startLanguageServer } from './languageServerProcess.ts';
import { traceNamesOnly } from './messageTrace.ts';
import type { RestartVerdict } from './supervisor.ts';

/** Cancels requests; the shape of vscode.CancellationToken. */
export interface Cancellation {
	readonly isCancellationRequested: boolean;
	onCancellationRequested(listener: () => void): { dispose(): void };
}

export interface ClientOptions {
	/** Path of server.cjs. */
	readonly serverModule: string;
	readonly log: LogOutputChannel;
	/** The commands hovers may link to; they hold texts of strangers. */
	readonly hoverCommands: readonly string[];
	/** Schemes of documents the server sees. */
	readonly schemes: readonly string[];
	readonly initializationOptions: Readonly<Record<string, unknown>>;
	/** Variables of the server beyond those of the editor. */
	readonly env: Readonly<Record<string, string>>;
	/** Asked when the server ended by itself. */
	readonly onEnded: () => RestartVerdict;
	readonly onState: (state: 'starting' | 'running' | 'stopped') => void;
	readonly onNotification: (method: string, params: unknown) => void;
	/** Answers to what the server asks, by method. */
	readonly answers: Readonly<Record<string, (params: unknown) => Promise<unknown>>>;
	/** Names of the notifications to hand on. */
	readonly notifications: readonly string[];
}

export interface RunningClient {
	/** Sends a request; partial results arrive at `onPartial`. */
	request(
		method: string,
		params: object,
		token?: Cancellation,
		onPartial?: (value: unknown) => void,
	): Promise<unknown>;
	notify(method: string, params: object): Promise<void>;
	stop(): Promise<void>;
}

/** Starts `server.cjs lsp` on the editor's own Node and resolves when it has answered. */
export async function startClient(options: ClientOptions): Promise<RunningClient> {
	const clientOptions: LanguageClientOptions = {
		documentSelector: options.schemes.map((scheme) => ({ scheme, language: '*' })),
		outputChannel: options.log,
		traceOutputChannel: traceNamesOnly(options.log),
		initializationOptions: options.initializationOptions,
		markdown: { isTrusted: { enabledCommands: options.hoverCommands } },
		middleware: {
			workspace: {
				configuration: async (params, token, next) => {
					const values = await next(params, token);
					if (!Array.isArray(values)) return values;
					return values.map((value: unknown, index) => {
						const { scopeUri, section } = params.items[index] ?? {};
						return scopeUri === undefined ? value : (documentSettings(scopeUri, section) ?? value);
					});
				},
			},
		},
		synchronize: { configurationSection: 'nearglot' },
		errorHandler: {
			error: () => ({ action: ErrorAction.Continue }),
			closed: async () => {
				const verdict = options.onEnded();
				if (!verdict.restart) return { action: CloseAction.DoNotRestart, handled: true };
				await new Promise((resolve) => setTimeout(resolve, verdict.delayMs));
				return { action: CloseAction.Restart, handled: true };
			},
		},
	};
	let server: LanguageServerProcess | undefined;
	const client = new LanguageClient(
		'nearglot',
		'Nearglot',
		async () => {
			server = await startLanguageServer(options.serverModule, options.env, (text) =>
				options.log.append(text),
			);
			const { child } = server;
			return {
				reader: new IPCMessageReader(child),
				writer: new IPCMessageWriter(child),
				detached: true,
			};
		},
		clientOptions,
	);
	client.onDidChangeState(({ newState }) => {
		const name =
			newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'stopped';
		options.onState(name);
	});
	for (const method of options.notifications) {
		client.onNotification(method, (params: unknown) => options.onNotification(method, params));
	}
	for (const [method, answer] of Object.entries(options.answers)) {
		client.onRequest(method, answer);
	}
	await client.start();
	let lastToken = 0;
	// An absent token must not be passed: JSON-RPC would count it as a parameter.
	const send = (method: string, params: object, token?: Cancellation): Promise<unknown> =>
		token
			? client.sendRequest(method, params, token as CancellationToken)
			: client.sendRequest(method, params);
	return {
		request: async (method, params, token, onPartial) => {
			if (!onPartial) return send(method, params, token);
			const partialResultToken = `nearglot-${process.pid}-${++lastToken}`;
			const listening = client.onProgress(
				new ProgressType<unknown>(),
				partialResultToken,
				onPartial,
			);
			try {
				return await send(method, { ...params, partialResultToken }, token);
			} finally {
				listening.dispose();
			}
		},
		notify: (method, params) => client.sendNotification(method, params),
		stop: async () => {
			try {
				await client.dispose();
			} finally {
				await server?.end();
			}
		},
	};
}

/** Settings as they hold for an open document, those of its language included. */
function documentSettings(uri: string, section: string | undefined): unknown {
	const document = workspace.textDocuments.find((open) => open.uri.toString() === uri);
	if (!document || section === undefined) return undefined;
	return JSON.parse(JSON.stringify(workspace.getConfiguration(section, document))) as unknown;
}
