/**
 * The extension's view of its server: starts the client when something is first asked, keeps its
 * health, and turns its errors into AppError.
 */

import {
	AppError,
	type ErrorCode,
	type ErrorWire,
	errorKinds,
	errorStrings,
	fromErrorWire,
	type Localise,
	localisedError,
	type RequestName,
	type Requests,
	type StatusParams,
	statusNotification,
	translatableError,
} from '../server/protocol/index.ts';
import type { Cancellation, ClientOptions, RunningClient } from './languageClient.ts';
import { Supervisor } from './supervisor.ts';

/** State of the server process and, while it runs, what it says of the daemon. */
export interface LanguageServerHealth {
	readonly server: 'idle' | 'starting' | 'running' | 'restarting' | 'failed';
	readonly status: StatusParams | undefined;
	/** Why it failed. */
	readonly message?: string;
}

export interface LanguageServerDeps {
	readonly startClient: (options: ClientOptions) => Promise<RunningClient>;
	readonly options: Pick<
		ClientOptions,
		| 'serverModule'
		| 'log'
		| 'schemes'
		| 'hoverCommands'
		| 'initializationOptions'
		| 'answers'
		| 'env'
	>;
	/** Puts texts into the language of the editor. */
	readonly localise?: Localise;
	readonly now?: () => number;
}

/** One per window. */
export class LanguageServerClient {
	readonly #deps: LanguageServerDeps;
	readonly #supervisor: Supervisor;
	readonly #listeners = new Set<(health: LanguageServerHealth) => void>();
	#client: Promise<RunningClient> | undefined;
	#giveUp: (error: AppError) => void = () => {};
	#health: LanguageServerHealth = { server: 'idle', status: undefined };
	/** Stands for the server that was started last, while it is wanted. */
	#run: object | undefined;

	constructor(deps: LanguageServerDeps) {
		this.#deps = deps;
		this.#supervisor = new Supervisor(deps.now);
	}

	get health(): LanguageServerHealth {
		return this.#health;
	}

	onHealth(listener: (health: LanguageServerHealth) => void): { dispose(): void } {
		this.#listeners.add(listener);
		return { dispose: () => this.#listeners.delete(listener) };
	}

	/** Starts the server when it does not run yet. */
	async start(): Promise<void> {
		await this.#running();
	}

	/**
	 * Sends a request of the contract. Throws {@link AppError}; a cancelled request throws the code
	 * `cancelled`.
	 */
	async request<M extends RequestName>(
		method: M,
		params: Requests[M]['params'],
		token?: Cancellation,
		onPartial?: (value: unknown) => void,
	): Promise<Requests[M]['result']> {
		try {
			const client = await this.#running();
			return (await client.request(method, params, token, onPartial)) as Requests[M]['result'];
		} catch (error) {
			throw token?.isCancellationRequested
				? new AppError('cancelled')
				: this.#localised(readError(error));
		}
	}

	/** Tells a running server something; one that starts later is told by its options. */
	notify(method: string, params: object): void {
		this.#client?.then((client) => client.notify(method, params)).catch(() => undefined);
	}

	/** Ends the server and starts it anew. */
	async restart(): Promise<void> {
		this.#supervisor.forgive();
		await this.stop();
		await this.start();
	}

	async stop(): Promise<void> {
		const client = this.#client;
		this.#client = undefined;
		this.#run = undefined;
		this.#set({ server: 'idle', status: undefined });
		await (await client?.catch(() => undefined))?.stop();
	}

	#running(): Promise<RunningClient> {
		this.#client ??= this.#start();
		return this.#client;
	}

	async #start(): Promise<RunningClient> {
		this.#set({ server: 'starting', status: undefined });
		const run = {};
		this.#run = run;
		// What a server that was stopped says on its way out is of no interest any more.
		const set = (health: LanguageServerHealth): void => {
			if (this.#run === run) this.#set(health);
		};
		// A server that ends before its first answer would be waited for without end.
		const givenUp = new Promise<never>((_, reject) => {
			this.#giveUp = reject;
		});
		givenUp.catch(() => undefined);
		try {
			const starting = this.#deps.startClient({
				...this.#deps.options,
				notifications: [statusNotification],
				onNotification: (_method, params) =>
					set({ server: 'running', status: params as StatusParams }),
				onState: (state) => {
					if (state === 'running') set({ ...this.#health, server: 'running' });
					else if (state === 'starting') set({ server: 'starting', status: undefined });
				},
				onEnded: () => this.#ended(),
			});
			return await Promise.race([starting, givenUp]);
		} catch (error) {
			this.#client = undefined;
			const { message } = this.#localised(readError(error));
			this.#set({ server: 'failed', status: undefined, message });
			throw error;
		}
	}

	#ended() {
		const verdict = this.#supervisor.ended();
		if (verdict.restart) {
			this.#set({ server: 'restarting', status: undefined });
		} else {
			this.#client = undefined;
			const error = this.#localised(
				translatableError('daemon_unavailable', errorStrings.endedOften),
			);
			this.#set({ server: 'failed', status: undefined, message: error.message });
			this.#giveUp(error);
		}
		return verdict;
	}

	/** What the language server says is in the language of the editor already. */
	#localised(error: AppError): AppError {
		const { localise } = this.#deps;
		return localise ? localisedError(error, localise) : error;
	}

	#set(health: LanguageServerHealth): void {
		this.#health = health;
		for (const listener of this.#listeners) listener(health);
	}
}

/** The error of a JSON-RPC answer, or of a connection that has gone. */
export function readError(error: unknown): AppError {
	if (error instanceof AppError) return error;
	const { data, message } = (typeof error === 'object' && error !== null ? error : {}) as {
		data?: unknown;
		message?: unknown;
	};
	if (isWire(data)) return fromErrorWire(data);
	const text = typeof message === 'string' ? message : String(error);
	if (/disposed|closed|not running|couldn't be started|crashed/i.test(text)) {
		return translatableError('daemon_unavailable', errorStrings.notAnswering, [text], {
			cause: error,
		});
	}
	return new AppError('internal', text, { cause: error });
}

function isWire(value: unknown): value is ErrorWire {
	if (typeof value !== 'object' || value === null || !('code' in value)) return false;
	const { code } = value as { code: unknown };
	return typeof code === 'string' && (code as ErrorCode) in errorKinds;
}
