/** Transcribes and translates through the language server, with the caller's signal. */

import * as vscode from 'vscode';
import type { TranscribeChoice, Transcript, TranscriptDelta } from '../../server/protocol/index.ts';
import type { Cancellation } from '../languageClient.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';

/** The transcript of a file of this computer. */
export function transcribePath(
	languageServer: LanguageServerClient,
	path: string,
	{ model, language, english, speakers }: TranscribeChoice,
	onDelta: (delta: TranscriptDelta) => void,
	signal: AbortSignal,
): Promise<Transcript> {
	const params = {
		path,
		...(model === '' ? {} : { model }),
		...(language === '' ? {} : { language }),
		...(english ? { english } : {}),
		...(speakers ? { speakers } : {}),
	};
	return withToken(signal, (token) =>
		languageServer.request('nearglot/transcript', params, token, (value) =>
			onDelta(value as TranscriptDelta),
		),
	);
}

/** Texts in another language, in order. */
export async function translateLines(
	languageServer: LanguageServerClient,
	texts: readonly string[],
	{ from, to }: { readonly from: string; readonly to: string },
	signal: AbortSignal,
): Promise<string[]> {
	const params = { texts, to, ...(from === '' ? {} : { from }) };
	const { items } = await withToken(signal, (token) =>
		languageServer.request('nearglot/translate', params, token),
	);
	return items.map(({ text }) => text);
}

/** Runs a request with a token that the signal cancels. */
export async function withToken<T>(
	signal: AbortSignal,
	run: (token: Cancellation) => Promise<T>,
): Promise<T> {
	const source = new vscode.CancellationTokenSource();
	const cancel = () => source.cancel();
	if (signal.aborted) cancel();
	signal.addEventListener('abort', cancel, { once: true });
	try {
		return await run(source.token);
	} finally {
		signal.removeEventListener('abort', cancel);
		source.dispose();
	}
}
