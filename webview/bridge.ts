/** The way from a page to its host: VS Code's message port, or whatever the studio puts in place. */

import type { HostMessage, PageMessage } from './protocol.ts';

export interface Bridge {
	send(message: PageMessage): void;
	onMessage(listener: (message: HostMessage) => void): void;
	/** Small state that survives the page, such as an unsent draft. */
	load(): unknown;
	store(state: unknown): void;
}

interface VsCodeApi {
	postMessage(message: unknown): void;
	getState(): unknown;
	setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The bridge inside a VS Code webview. */
export function vscodeBridge(): Bridge {
	const api = acquireVsCodeApi();
	return {
		send: (message) => api.postMessage(message),
		onMessage: (listener) =>
			window.addEventListener('message', (event: MessageEvent<HostMessage>) =>
				listener(event.data),
			),
		load: () => api.getState(),
		store: (state) => api.setState(state),
	};
}
