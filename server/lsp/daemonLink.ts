/**
 * The language server's connection to the daemon: finds or starts it when first needed, notices when it has gone and
 * tells the editor how it is. Holds no model and no logic of any ability.
 */

import type { ServerHealth, StatusParams } from '../protocol/index.ts';
import { AppError, asAppError, localisedError } from '../protocol/index.ts';
import {
	defaultOverloadRetry,
	type OverloadRetry,
	retryWhenOverloaded,
} from '../protocol/retryWhenOverloaded.ts';
import { Client, type Send } from '../protocol/routeClient.ts';
import { untilAborted } from '../services/untilAborted.ts';
import { notify } from '../store/notices.ts';
import { localise } from './texts.ts';

/** A daemon that answers. `request` takes a path and adds the address and the key. */
export interface Daemon {
	readonly url: string;
	readonly key: string;
	readonly pid: number;
	readonly version: string;
	readonly request: Send;
}

/** Finds a running daemon or starts one. */
export type ConnectDaemon = (signal: AbortSignal) => Promise<Daemon>;

/** One per language server. Connecting is shared by all requests that wait for it. */
export class DaemonLink {
	/** A daemon that has gone is looked for once more, one that is overloaded asked again when it said. */
	readonly client = new Client((path, init) => this.#counted(path, init));
	readonly #connect: ConnectDaemon;
	readonly #onStatus: (status: StatusParams) => void;
	readonly #room: OverloadRetry;
	readonly #closed = new AbortController();
	#daemon: Promise<Daemon> | undefined;
	#status: StatusParams = { pid: process.pid, health: 'ok', quiescent: true };
	#active = 0;

	constructor(
		connect: ConnectDaemon,
		onStatus: (status: StatusParams) => void,
		room: OverloadRetry = { ...defaultOverloadRetry, notify },
	) {
		this.#connect = connect;
		this.#onStatus = onStatus;
		this.#room = room;
	}

	get status(): StatusParams {
		return this.#status;
	}

	/** The daemon, started when there is none. Throws `daemon_unavailable` with the reason. */
	async daemon(): Promise<Daemon> {
		this.#daemon ??= this.#start();
		return this.#daemon;
	}

	/** Forgets the daemon, so that the next call looks for it again. */
	drop(): void {
		this.#daemon = undefined;
		this.#report({ health: 'ok' });
	}

	close(): void {
		this.#closed.abort();
	}

	async #counted(path: string, init: RequestInit): Promise<Response> {
		this.#busy(1);
		try {
			return await retryWhenOverloaded(() => this.#request(path, init), init, this.#room);
		} finally {
			this.#busy(-1);
		}
	}

	async #request(path: string, init: RequestInit): Promise<Response> {
		for (let attempt = 0; ; attempt++) {
			const daemon = await untilAborted(this.daemon(), init.signal ?? this.#closed.signal);
			try {
				return await daemon.request(path, init);
			} catch (error) {
				const hasGone = error instanceof AppError && error.code === 'daemon_unavailable';
				if (!hasGone || error.cause === undefined) throw error;
				this.drop();
				if (attempt > 0) throw error;
			}
		}
	}

	async #start(): Promise<Daemon> {
		this.#report({ health: 'ok', message: localise('Starting the model server') }, false);
		try {
			const daemon = await this.#connect(this.#closed.signal);
			this.#report({ health: 'ok' }, true, daemon);
			return daemon;
		} catch (error) {
			this.#daemon = undefined;
			const reason = asAppError(error);
			this.#report({ health: 'error', message: localisedError(reason, localise).message }, true);
			throw error instanceof AppError || reason.code === 'cancelled' ? reason : unavailable(error);
		}
	}

	#busy(change: 1 | -1): void {
		this.#active += change;
		if (this.#status.daemon) this.#set({ ...this.#status, quiescent: this.#active === 0 });
	}

	#report(health: Omit<ServerHealth, 'quiescent'>, quiescent = true, daemon?: Daemon): void {
		this.#set({
			pid: process.pid,
			...health,
			quiescent: quiescent && this.#active === 0,
			...(daemon ? { daemon: { url: daemon.url, pid: daemon.pid } } : {}),
		});
	}

	#set(status: StatusParams): void {
		if (JSON.stringify(status) === JSON.stringify(this.#status)) return;
		this.#status = status;
		this.#onStatus(status);
	}
}

/** A daemon that could not be started or reached. */
export function unavailable(cause: unknown): AppError {
	const reason = cause instanceof Error ? cause.message : String(cause);
	return new AppError(
		'daemon_unavailable',
		`The model server does not answer (${reason}). Run “Nearglot: Diagnose” or nearglot doctor.`,
		{ cause },
	);
}
