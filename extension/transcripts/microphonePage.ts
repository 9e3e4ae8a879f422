/** A page of the editor that records, for workbenches in a browser: their webviews have a microphone. */

import * as vscode from 'vscode';
import { parseMicrophoneMessage } from '../../server/protocol/index.ts';
import { microphoneStrings } from '../../webview/protocol.ts';
import { pageHtml, pageOptions } from '../chat/pageHtml.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';

/** Opens it beside the text; `onRefused` is called when there is no microphone. */
export function openMicrophonePage(
	languageServer: LanguageServerClient,
	extensionUri: vscode.Uri,
	id: string,
	onRefused: () => void,
): vscode.Disposable {
	const panel = vscode.window.createWebviewPanel(
		'nearglot.microphone',
		vscode.l10n.t('Dictation'),
		{ viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
		pageOptions(extensionUri),
	);
	let sending: Promise<unknown> = Promise.resolve();
	let ended = false;
	const finish = () => {
		if (ended) return;
		ended = true;
		sending = sending
			.then(() => languageServer.request('nearglot/dictate/stop', { id }))
			.catch(() => undefined);
	};
	panel.webview.onDidReceiveMessage((value: unknown) => {
		const message = parseMicrophoneMessage(value);
		switch (message?.type) {
			case 'ready': {
				const strings = Object.fromEntries(
					Object.entries(microphoneStrings).map(([key, text]) => [key, vscode.l10n.t(text)]),
				);
				void panel.webview.postMessage({ type: 'start', strings });
				return;
			}
			case 'sound':
				sending = sending
					.then(() =>
						languageServer.request('nearglot/dictate/audio', {
							id,
							rate: message.rate,
							data: message.data,
						}),
					)
					.catch(finish);
				return;
			case 'finish':
				return finish();
			case 'refused':
				ended = true;
				return onRefused();
		}
	});
	panel.onDidDispose(finish);
	panel.webview.html = pageHtml(panel.webview, extensionUri, 'dictation', { media: true });
	return panel;
}
