/**
 * Code that is completed while one types, by a model that was trained to fill a gap. Off until a model
 * is chosen in the settings.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { asAppError } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { showError } from '../notify.ts';
import { mayHoldSecrets } from '../secretFiles.ts';
import { setting } from '../settings.ts';
import { CompletionCache } from './completionCache.ts';
import { commentMarker, likePieces, nearestAround, textAround } from './completionContext.ts';
import { CompletionsItem } from './completionsItem.ts';
import { findDefinition } from './findDefinition.ts';
import { RecentTexts } from './recentTexts.ts';
import { definitionPieces, definitionsOf, usedNames } from './usedDefinitions.ts';

/** Milliseconds without a key after which the model is asked. */
const quietMs = 180;

/** Milliseconds in which the language's extension says what names stand for: no longer than the pause. */
const definedWithinMs = 150;

/** Longest completion, in tokens. */
const maxTokens = 64;

/** Registers the provider; it answers nothing while `nearglot.inline.model` is empty. */
export function registerInlineCompletions(
	languageServer: LanguageServerClient,
	log: vscode.LogOutputChannel,
): vscode.Disposable {
	const cache = new CompletionCache();
	const status = new CompletionsItem();
	const context = new Context();
	/** A model that refused: asking again with every key would help nobody. */
	let refused: string | undefined;
	/** A model that reads less than it was shown: what is nearest is enough for it from then on. */
	let readsLittle: string | undefined;
	let latest: vscode.CancellationTokenSource | undefined;
	const changed = vscode.workspace.onDidChangeConfiguration((event) => {
		if (!event.affectsConfiguration('nearglot.inline.model')) return;
		refused = undefined;
		readsLittle = undefined;
	});
	const provider: vscode.InlineCompletionItemProvider = {
		provideInlineCompletionItems: async (document, position, { triggerKind }, wanted) => {
			// Nobody waits for what was asked before this key.
			latest?.cancel();
			const model = setting('inline.model', document);
			if (model === '' || model === refused) return [];
			if (mayHoldSecrets(document.uri.path.split('/'))) return [];
			const offset = document.offsetAt(position);
			const text = document.getText();
			const { prefix, suffix } = textAround(text, offset);
			const isInvoked = triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
			if (prefix.trim() === '' || (!isInvoked && !endsHere(suffix))) return [];
			const scope = `${model} ${document.uri}`;
			const known = cache.find(scope, prefix, suffix);
			if (known !== undefined) return item(known, position);
			const source = new vscode.CancellationTokenSource();
			latest = source;
			const cancelling = wanted.onCancellationRequested(() => source.cancel());
			if (wanted.isCancellationRequested) source.cancel();
			const { token } = source;
			try {
				const looking = context.before(document, position, prefix);
				if (!isInvoked && !(await quiet(token))) return [];
				const askedAt = performance.now();
				const pieces = await looking;
				if (token.isCancellationRequested) return [];
				const ask = (shown: { readonly prefix: string; readonly suffix: string }) =>
					languageServer.request(
						'nearglot/complete',
						{ model, ...shown, maxTokens, stop: ['\n\n'] },
						token,
					);
				const nearest = () => ask(nearestAround(prefix, suffix));
				const completion =
					readsLittle === model
						? await nearest()
						: await ask({ prefix: pieces + prefix, suffix }).catch((error: unknown) => {
								if (asAppError(error).code !== 'context_length_exceeded') throw error;
								readsLittle = model;
								return nearest();
							});
				const filled = completion.text.trimEnd();
				cache.add(scope, prefix, suffix, filled);
				if (filled !== '') status.suggested(performance.now() - askedAt);
				return item(filled, position);
			} catch (error) {
				const { code } = asAppError(error);
				if (code === 'cancelled') return [];
				if (code === 'unsupported_model' || code === 'model_not_found') {
					refused = model;
					void showError(error);
				} else log.warn(`inline completion: ${String(error)}`);
				return [];
			} finally {
				cancelling.dispose();
			}
		},
	};
	return vscode.Disposable.from(
		changed,
		status,
		context,
		vscode.languages.registerInlineCompletionItemProvider({ pattern: '**' }, provider),
	);
}

/** Lines within which the pieces of other files stay the same: a model does not read them again with every key. */
const sameWithin = 12;

/** Pieces of other files for the place where one types. */
class Context implements vscode.Disposable {
	readonly #recent = new RecentTexts();
	#place = '';
	#pieces: Promise<string> = Promise.resolve('');

	before(
		document: vscode.TextDocument,
		position: vscode.Position,
		prefix: string,
	): Promise<string> {
		const place = `${document.uri} ${Math.floor(position.line / sameWithin)}`;
		if (place !== this.#place) {
			this.#place = place;
			const pieces = this.#read(document, position, prefix);
			this.#pieces = pieces;
			void pieces.then((text) => {
				// Nothing was known yet: there may be more to know with the next key.
				if (text === '' && this.#pieces === pieces) this.#place = '';
			});
		}
		return this.#pieces;
	}

	async #read(
		document: vscode.TextDocument,
		position: vscode.Position,
		prefix: string,
	): Promise<string> {
		const marker = commentMarker(document.languageId);
		if (marker === undefined) return '';
		const alike = likePieces(prefix, this.#recent.besides(document), marker);
		const start = document.offsetAt(position) - prefix.length;
		const timer = new AbortController();
		const definitions = await definitionsOf(usedNames(prefix, prefix.length), {
			find: (offset) => findDefinition(document, document.positionAt(start + offset)),
			late: sleep(definedWithinMs, undefined, { signal: timer.signal }).catch(() => undefined),
		});
		timer.abort();
		return definitionPieces(definitions, marker) + alike;
	}

	dispose(): void {
		this.#recent.dispose();
	}
}

/** Whether only closing marks follow on the line: in the middle of a word nothing is missing. */
function endsHere(suffix: string): boolean {
	return /^[\s)\]}>"'`;,:]*$/.test(suffix.split('\n', 1)[0] ?? '');
}

function item(text: string, position: vscode.Position): vscode.InlineCompletionItem[] {
	if (text === '') return [];
	return [new vscode.InlineCompletionItem(text, new vscode.Range(position, position))];
}

/** Waits for a pause; false when another key came first. */
function quiet(token: vscode.CancellationToken): Promise<boolean> {
	return new Promise((resolve) => {
		const end = (still: boolean) => {
			clearTimeout(timer);
			cancelled.dispose();
			resolve(still);
		};
		const timer = setTimeout(() => end(true), quietMs);
		const cancelled = token.onCancellationRequested(() => end(false));
		if (token.isCancellationRequested) end(false);
	});
}
