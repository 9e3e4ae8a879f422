/** Which models of this computer are in memory, and what the engine remarks about them. */

import * as vscode from 'vscode';
import { fallbackOf, type ModelInfo } from '../../server/protocol/index.ts';
import type { LanguageServerClient, LanguageServerHealth } from '../languageServerClient.ts';
import { shownSize } from '../readersNumbers.ts';

/** Asked at most this often. */
const pollMs = 3000;

/** Asks when work has ended, because work is what loads models; tells when the answer is another one. */
export class LoadedModels implements vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #elapsed: () => number;
	readonly #changed = new vscode.EventEmitter<void>();
	readonly #listening: { dispose(): void };
	#models: readonly ModelInfo[] = [];
	#polledAt = Number.NEGATIVE_INFINITY;
	#asking = false;
	#timer: NodeJS.Timeout | undefined;

	readonly onDidChange = this.#changed.event;

	/** @param elapsed milliseconds of a clock that is never set */
	constructor(
		languageServer: LanguageServerClient,
		elapsed: () => number = () => performance.now(),
	) {
		this.#languageServer = languageServer;
		this.#elapsed = elapsed;
		this.#listening = languageServer.onHealth((health) => this.#follow(health));
	}

	get models(): readonly ModelInfo[] {
		return this.#models;
	}

	dispose(): void {
		clearTimeout(this.#timer);
		this.#listening.dispose();
		this.#changed.dispose();
	}

	#follow({ status }: LanguageServerHealth): void {
		if (!status?.daemon) this.#set([]);
		// The own request is work too; that it has ended is no news.
		else if (status.quiescent && !this.#asking) {
			const pause = this.#polledAt + pollMs - this.#elapsed();
			this.#timer ??= setTimeout(() => void this.#poll(), Math.max(0, pause));
		}
	}

	async #poll(): Promise<void> {
		this.#timer = undefined;
		// Where the daemon has gone meanwhile, asking would start another.
		if (!this.#languageServer.health.status?.daemon) return;
		this.#asking = true;
		try {
			const { models } = await this.#languageServer.request('nearglot/models', {});
			this.#set(models.filter(({ state, origin }) => state === 'loaded' && origin !== 'team'));
		} catch {
			// What goes wrong here is shown by the state of the server.
		} finally {
			this.#polledAt = this.#elapsed();
			this.#asking = false;
		}
	}

	#set(models: readonly ModelInfo[]): void {
		if (JSON.stringify(models) === JSON.stringify(this.#models)) return;
		this.#models = models;
		this.#changed.fire();
	}
}

/** `In memory: qwen3-0.6b 612 MB, …`, or nothing. */
export function loadedText(models: readonly ModelInfo[]): string {
	const rows = models.map(({ name, memoryBytes }) =>
		memoryBytes === undefined ? name : `${name} ${shownSize(memoryBytes)}`,
	);
	return rows.length === 0 ? '' : vscode.l10n.t('In memory: {0}', rows.join(', '));
}

/** What people should act on, in their language; or nothing. */
export function warningText(models: readonly ModelInfo[]): string {
	const fault = fallbackOf(models);
	if (fault === undefined) return '';
	return vscode.l10n.t(
		'Models run slower than they could, because the fast engine does not work here ({0}). Answers are the same. Install Nearglot again; if this stays, report it with the text of “Nearglot: Diagnose”.',
		fault.reason ?? fault.message,
	);
}

/** What is to be known of single models, one to a line. */
export function noteLines(models: readonly ModelInfo[]): string[] {
	return models.flatMap(({ name, notices = [] }) =>
		notices.flatMap(({ kind, message }) => (kind === 'note' ? [`${name}: ${message}`] : [])),
	);
}
