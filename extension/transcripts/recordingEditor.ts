/** The recordings of this window, one object for each, and the editor that shows them. */

import * as vscode from 'vscode';
import { RecordingPage, type RecordingPageDeps } from './recordingPage.ts';

export const audioEditor = 'nearglot.audio';
/** The same for files that VS Code itself shows nothing for: there it is what a click opens. */
const soundEditor = 'nearglot.sound';

/** What VS Code holds on to while an editor shows the recording. */
interface AudioDocument extends vscode.CustomDocument {
	readonly recording: RecordingPage;
}

/** Makes recordings and lets go of them when nobody needs them any more. */
export class RecordingEditor implements vscode.CustomReadonlyEditorProvider<AudioDocument> {
	readonly #deps: RecordingPageDeps;
	readonly #open = new Map<string, { readonly recording: Promise<RecordingPage>; users: number }>();
	readonly #shown = new Map<vscode.WebviewPanel, RecordingPage>();

	constructor(deps: RecordingPageDeps) {
		this.#deps = deps;
	}

	register(): vscode.Disposable {
		const options = {
			supportsMultipleEditorsPerDocument: true,
			// A recording plays on while another tab is in front.
			webviewOptions: { retainContextWhenHidden: true },
		};
		return vscode.Disposable.from(
			vscode.window.registerCustomEditorProvider(audioEditor, this, options),
			vscode.window.registerCustomEditorProvider(soundEditor, this, options),
		);
	}

	/** The recording in the active editor. */
	get active(): RecordingPage | undefined {
		return [...this.#shown].find(([panel]) => panel.active)?.[1];
	}

	/** Resolves when every change is kept. */
	async saved(): Promise<void> {
		for (const { recording } of this.#open.values()) {
			await recording.then(({ session }) => session.saved).catch(() => undefined);
		}
	}

	/** Uses a recording until the work is done. */
	async use<T>(uri: vscode.Uri, work: (recording: RecordingPage) => Promise<T>): Promise<T> {
		const { recording, release } = await this.#take(uri);
		try {
			return await work(recording);
		} finally {
			release();
		}
	}

	async openCustomDocument(uri: vscode.Uri): Promise<AudioDocument> {
		const { recording, release } = await this.#take(uri);
		return { uri, recording, dispose: release };
	}

	resolveCustomEditor({ recording }: AudioDocument, panel: vscode.WebviewPanel): void {
		this.#shown.set(panel, recording);
		panel.onDidDispose(() => this.#shown.delete(panel));
		recording.show(panel);
	}

	async #take(uri: vscode.Uri): Promise<{ recording: RecordingPage; release: () => void }> {
		const key = uri.toString();
		let entry = this.#open.get(key);
		if (!entry) {
			entry = { recording: RecordingPage.open(uri, this.#deps), users: 0 };
			this.#open.set(key, entry);
		}
		const taken = entry;
		taken.users++;
		const release = () => {
			if (--taken.users > 0) return;
			if (this.#open.get(key) === taken) this.#open.delete(key);
			taken.recording.then(
				(recording) => recording.dispose(),
				() => undefined,
			);
		};
		try {
			return { recording: await taken.recording, release };
		} catch (error) {
			release();
			throw error;
		}
	}
}
