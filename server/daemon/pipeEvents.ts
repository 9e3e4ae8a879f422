/** What the daemon tells over its pipe, inside and as JSON-RPC notifications. */

import type { DownloadProgress } from '../protocol/index.ts';

export type PipeEvent =
	| { readonly type: 'model'; readonly model: string; readonly state: string }
	| ({
			readonly type: 'download';
			/** What a client asked to be told with, as it came. */
			readonly progressToken?: string | number | object;
	  } & DownloadProgress)
	| {
			readonly type: 'log';
			readonly level: 'debug' | 'info' | 'warn' | 'error';
			readonly message: string;
			readonly facts: Readonly<Record<string, unknown>>;
	  };

const methods = {
	model: 'model/state',
	download: 'model/download',
	log: 'log/message',
} as const satisfies Record<PipeEvent['type'], string>;

/** Method and parameters of the notification. */
export function notificationOf(event: PipeEvent): { method: string; params: object } {
	const { type, ...params } = event;
	return { method: methods[type], params };
}

/** The event of a notification, or `undefined` for one that is not known. */
export function eventOf(method: string, params: unknown): PipeEvent | undefined {
	const found = Object.entries(methods).find(([, name]) => name === method);
	if (found === undefined || typeof params !== 'object' || params === null) return undefined;
	return { type: found[0], ...params } as PipeEvent;
}
