/** How processes find the daemon, and what the daemon says of itself. */

/** Content of `endpoint.json` in the user's data directory (mode 0600). */
export interface EndpointFile {
	readonly pid: number;
	/** `http://127.0.0.1:PORT` */
	readonly url: string;
	/** Bearer key of this daemon. */
	readonly key: string;
	/** What this daemon proves itself with before anybody sends it the key; new at each start, never sent. */
	readonly secret: string;
	/** Version of the product that wrote the file; a newer language server replaces an older idle daemon. */
	readonly version: string;
	/** ISO 8601. */
	readonly startedAt: string;
	/** Named pipe or Unix socket for progress notifications. */
	readonly pipe?: string;
}

/** Health in the sense of rust-analyzer's server status. */
export interface ServerHealth {
	readonly health: 'ok' | 'warning' | 'error';
	/** Whether nothing is going on in the background. */
	readonly quiescent: boolean;
	readonly message?: string;
}

export interface EndpointInfo {
	/** `http://127.0.0.1:PORT` */
	readonly url: string;
	/** Bearer key of the daemon. */
	readonly key: string;
	readonly pid: number;
	readonly version: string;
}

export interface StatusParams extends ServerHealth {
	/** Process of the language server itself. */
	readonly pid: number;
	/** Absent while no daemon is connected. */
	readonly daemon?: { readonly url: string; readonly pid: number };
}
