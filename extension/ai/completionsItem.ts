/** The language status of an editor: which model completes code there, and how soon its last suggestion came. */

import * as vscode from 'vscode';
import { setting } from '../settings.ts';

/** The item, and what it is told of suggestions. */
export class CompletionsItem implements vscode.Disposable {
	readonly #item = vscode.languages.createLanguageStatusItem('nearglot.completions', '*');
	readonly #listening: vscode.Disposable;
	#lastMs: number | undefined;

	constructor() {
		this.#item.name = vscode.l10n.t('Nearglot: Completions');
		this.#listening = vscode.Disposable.from(
			this.#item,
			vscode.window.onDidChangeActiveTextEditor(() => this.#draw()),
			vscode.workspace.onDidChangeConfiguration((change) => {
				if (!change.affectsConfiguration('nearglot.inline.model')) return;
				this.#lastMs = undefined;
				this.#draw();
			}),
		);
		this.#draw();
	}

	/** A suggestion was shown this many milliseconds after it was asked for. */
	suggested(afterMs: number): void {
		this.#lastMs = afterMs;
		this.#draw();
	}

	dispose(): void {
		this.#listening.dispose();
	}

	#draw(): void {
		const model = setting('inline.model', vscode.window.activeTextEditor?.document);
		const isOn = model !== '';
		this.#item.text = isOn
			? `$(sparkle) ${model}`
			: `$(circle-slash) ${vscode.l10n.t('No completions')}`;
		this.#item.detail =
			isOn && this.#lastMs !== undefined
				? vscode.l10n.t('last suggestion after {0} ms', String(Math.round(this.#lastMs)))
				: vscode.l10n.t('Completions of Nearglot');
		this.#item.command = {
			command: 'nearglot.completions.choose',
			title: isOn ? vscode.l10n.t('Change') : vscode.l10n.t('Turn on'),
		};
	}
}
