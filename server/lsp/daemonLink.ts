/**
 * The front's way to the daemon: finds or starts it when first needed, notices when it has gone and
 * tells the editor how it is. Holds no model and no logic of any ability.
 */

import { errorOfResponse } from '../protocol/errorBody.ts';
import type { ServerHealth, StatusParams } from '../protocol/index.ts';
import { AppError, asAppError } from '../protocol/index.ts';
import { untilAborted } from '../services/untilAborted.ts';

/** A daemon that answers. `fetch` takes a path and adds the address and the key. */
export interface Daemon {
	readonly url: string;
	readonly key: string;
	readonly pid: number;
	readonly version: string;
	fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** Finds a running daemon or starts one. */
export type ConnectDaemon = (signal: AbortSignal) => Promise<Daemon>;

/** Whatever answers the routes: the daemon, or a team's server. */
export interface Caller {
	call(path: string, init: RequestInit, signal: AbortSignal): Promise<Response>;
	json(path: string, body: unknown, signal: AbortSignal): Promise<unknown>;
	/** The error for an answer that stops before its end; without it, that of this computer's server. */
	readonly cut?: (cause?: unknown) => AppError;
}

/** One per front. Connecting is shared by all requests that wait for it. */
export class DaemonLink implements Caller {
	readonly #connect: ConnectDaemon;
	readonly #onStatus: (status: StatusParams) => void;
	readonly #closed = new AbortController();
	#daemon: Promise<Daemon> | undefined;
	#status: StatusParams = { pid: process.pid, health: 'ok', quiescent: true };
	#active = 0;

	constructor(connect: ConnectDaemon, onStatus: (status: StatusParams) => void) {
		this.#connect = connect;
		this.#onStatus = onStatus;
	}

	get status(): StatusParams {
		return this.#status;
	}

	/** The daemon, started when there is none. Throws `daemon_unavailable` with the reason. */
	async daemon(): Promise<Daemon> {
		this.#daemon ??= this.#start();
		return this.#daemon;
	}

	/**
	 * Calls a route and returns the answer when its status is 2xx; throws the daemon's own error
	 * otherwise. A daemon that has gone since the last call is looked for once more.
	 */
	async call(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
		this.#busy(1);
		try {
			const response = await this.#fetch(path, init, signal);
			if (!response.ok) throw await errorOfResponse(response);
			return response;
		} finally {
			this.#busy(-1);
		}
	}

	/** {@link call} with a JSON body (POST) or none (GET), reading JSON. */
	async json(path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
		const response = await this.call(path, jsonInit(body), signal);
		return response.json();
	}

	/** Forgets the daemon, so that the next call looks for it again. */
	drop(): void {
		this.#daemon = undefined;
		this.#report({ health: 'ok' });
	}

	close(): void {
		this.#closed.abort();
	}

	async #fetch(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
		for (let attempt = 0; ; attempt++) {
			const daemon = await untilAborted(this.daemon(), signal);
			try {
				return await daemon.fetch(path, { ...init, signal });
			} catch (error) {
				if (signal.aborted) throw new AppError('cancelled', undefined, { cause: error });
				if (error instanceof AppError && error.code !== 'daemon_unavailable') throw error;
				this.drop();
				if (attempt > 0) throw unavailable(error);
			}
		}
	}

	async #start(): Promise<Daemon> {
		this.#report({ health: 'ok', message: 'Starting the model server' }, false);
		try {
			const daemon = await this.#connect(this.#closed.signal);
			this.#report({ health: 'ok' }, true, daemon);
			return daemon;
		} catch (error) {
			this.#daemon = undefined;
			const reason = asAppError(error);
			this.#report({ health: 'error', message: reason.message }, true);
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

/** A JSON POST, or a GET when there is no body. */
export function jsonInit(body: unknown): RequestInit {
	if (body === undefined) return { method: 'GET' };
	return {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	};
}

function unavailable(cause: unknown): AppError {
	const reason = cause instanceof Error ? cause.message : String(cause);
	return new AppError(
		'daemon_unavailable',
		`The model server does not answer (${reason}). Run “Nearglot: Diagnose” or nearglot doctor.`,
		{ cause },
	);
}
