/** The way from a page to its host: VS Code's message port, or whatever the studio puts in place. */

import type { HostMessage, PageMessage } from './protocol.ts';

/** `Out` are messages to the host, `In` those from it. */
export interface Bridge<Out = PageMessage, In = HostMessage> {
	send(message: Out): void;
	onMessage(listener: (message: In) => void): void;
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
export function vscodeBridge<Out = PageMessage, In = HostMessage>(): Bridge<Out, In> {
	const api = acquireVsCodeApi();
	return {
		send: (message) => api.postMessage(message),
		onMessage: (listener) =>
			window.addEventListener('message', (event: MessageEvent<In>) => listener(event.data)),
		load: () => api.getState(),
		store: (state) => api.setState(state),
	};
}
