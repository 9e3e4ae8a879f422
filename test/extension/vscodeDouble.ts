/**
 * The parts of `vscode` that accounts and keys use, for tests outside the editor: import this file first.
 * What people see and do is in {@link desk}, which each test sets.
 */

import { registerHooks } from 'node:module';

type Ask<T> = (...shown: readonly unknown[]) => Promise<T>;

/** The person, the browser and the kind of window. */
export interface Desk {
	/** `undefined`: the window is local. */
	remoteName: string | undefined;
	isDesktop: boolean;
	/** Opens a page; nothing is opened when it answers false. */
	open: (address: string) => Promise<boolean>;
	quickPick: Ask<unknown>;
	message: Ask<string | undefined>;
	input: Ask<string | undefined>;
	microsoft: (scopes: readonly string[]) => Promise<string>;
	/** Titles of what was waited for. */
	readonly progress: string[];
	/** Ends what is waited for now. */
	cancel: () => void;
	clipboard: string;
	/** What the editor says of itself. */
	environment: { appName: string; machineId: string };
	/** Commands that were run, with what they were given. */
	readonly commands: unknown[][];
	/** Texts in the language of the editor, by their English ones. */
	texts: Readonly<Record<string, string>>;
	/** Settings of Nearglot by name. */
	settings: Record<string, unknown>;
	/** Tells that a setting has changed. */
	configure: (name: string) => void;
	/** The items in the status bar that were made. */
	statusItems: StatusItem[];
	/** Texts of documents that were opened unsaved. */
	documents: string[];
	/** A text document of an address. */
	read: (uri: object) => object;
	/** The terminal in front. */
	terminal: object | undefined;
	/** Makes a terminal. */
	createTerminal: (options: object) => object;
	/** Paths of the folders that are open. */
	folders: readonly string[];
	/** Completes code. */
	completions: Completions;
	/** Answers turns of VS Code's own chat. */
	participant: (...turn: readonly unknown[]) => Promise<unknown>;
	/** Does what a command of the editor does. */
	command: (...called: readonly unknown[]) => unknown;
}

export interface Completions {
	provideInlineCompletionItems(...asked: readonly unknown[]): Promise<{ insertText: string }[]>;
}

export interface StatusItem {
	text: string;
	tooltip: string;
	backgroundColor: { readonly id: string } | undefined;
}

export const desk: Desk = {} as Desk;

/** A local desktop whose person does nothing. */
export function resetDesk(): void {
	Object.assign(desk, {
		remoteName: undefined,
		isDesktop: true,
		open: async () => true,
		quickPick: async () => undefined,
		message: async () => undefined,
		input: async () => undefined,
		microsoft: async () => {
			throw new Error('No account.');
		},
		progress: [],
		cancel: () => {},
		clipboard: '',
		environment: { appName: 'Editor', machineId: 'machine' },
		commands: [],
		texts: {},
		settings: {},
		statusItems: [],
		documents: [],
		read: () => ({}),
		terminal: undefined,
		createTerminal: () => ({}),
		folders: [],
		command: () => undefined,
		configure: (name: string) => {
			for (const listener of configured) {
				listener({ affectsConfiguration: (section: string) => section === `nearglot.${name}` });
			}
		},
	});
}

const configured = new Set<(event: object) => void>();
resetDesk();

class Disposable {
	readonly dispose: () => void;

	constructor(dispose: () => void) {
		this.dispose = dispose;
	}

	static from(...all: readonly { dispose(): unknown }[]): Disposable {
		return new Disposable(() => {
			for (const one of all) one.dispose();
		});
	}
}

class CancellationTokenSource {
	readonly #listeners = new Set<() => void>();
	readonly token = {
		isCancellationRequested: false,
		onCancellationRequested: (listener: () => void) => {
			this.#listeners.add(listener);
			return { dispose: () => this.#listeners.delete(listener) };
		},
	};

	cancel(): void {
		if (this.token.isCancellationRequested) return;
		this.token.isCancellationRequested = true;
		for (const listener of this.#listeners) listener();
	}

	dispose(): void {
		this.#listeners.clear();
	}
}

class EventEmitter<T> {
	readonly #listeners = new Set<(value: T) => void>();
	readonly event = (listener: (value: T) => void) => {
		this.#listeners.add(listener);
		return { dispose: () => this.#listeners.delete(listener) };
	};

	fire(value: T): void {
		for (const listener of this.#listeners) listener(value);
	}

	dispose(): void {
		this.#listeners.clear();
	}
}

/** A command in a terminal has started, or ended. */
export const commandStarted = new EventEmitter<{ terminal: object }>();
export const commandEnded = new EventEmitter<{ terminal: object; exitCode?: number }>();
export const terminalClosed = new EventEmitter<object>();
/** The shell of a terminal tells about its commands from now on. */
export const shellIntegrated = new EventEmitter<{ terminal: object; shellIntegration: object }>();

class ThemeColor {
	readonly id: string;

	constructor(id: string) {
		this.id = id;
	}
}

class ThemeIcon {
	readonly id: string;

	constructor(id: string) {
		this.id = id;
	}
}

class TreeItem {
	readonly label: string;

	constructor(label: string) {
		this.label = label;
	}
}

class MarkdownString {
	value = '';

	appendText(text: string): this {
		this.value += text;
		return this;
	}

	appendMarkdown(text: string): this {
		return this.appendText(text);
	}
}

/** A turn of VS Code's own chat, as it comes back with the next one. */
export class ChatResponseTurn {
	readonly response: readonly unknown[];
	readonly result: object;

	constructor(response: readonly unknown[], result: object) {
		this.response = response;
		this.result = result;
	}
}

export class ChatRequestTurn {
	readonly prompt: string;

	constructor(prompt: string) {
		this.prompt = prompt;
	}
}

export class ChatResponseMarkdownPart {
	readonly value: { readonly value: string };

	constructor(value: string) {
		this.value = { value };
	}
}

const double = {
	version: '1.104.0',
	CancellationTokenSource,
	ChatRequestTurn,
	ChatResponseMarkdownPart,
	ChatResponseTurn,
	Disposable,
	EventEmitter,
	MarkdownString,
	ExtensionKind: { UI: 1, Workspace: 2 },
	StatusBarAlignment: { Left: 1, Right: 2 },
	ThemeColor,
	ThemeIcon,
	TreeItem,
	TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
	workspace: {
		isTrusted: true,
		get workspaceFolders() {
			return desk.folders.map((fsPath) => ({ uri: { scheme: 'file', fsPath } }));
		},
		openTextDocument: async (given: { content?: string }) => {
			if (given.content === undefined) return desk.read(given);
			return void desk.documents.push(given.content);
		},
		getConfiguration: () => ({
			get: (name: string) => desk.settings[name],
			update: async (name: string, value: unknown) => {
				desk.settings[name] = value;
			},
		}),
		findFiles: async () => [],
		asRelativePath: (uri: { readonly path: string }) => uri.path.slice(1),
		onDidCloseTextDocument: () => ({ dispose: () => {} }),
		onDidChangeConfiguration: (listener: (event: object) => void) => {
			configured.add(listener);
			return { dispose: () => configured.delete(listener) };
		},
	},
	InlineCompletionTriggerKind: { Invoke: 0, Automatic: 1 },
	InlineCompletionItem: class {
		readonly insertText: string;

		constructor(insertText: string) {
			this.insertText = insertText;
		}
	},
	Range: class {},
	languages: {
		createLanguageStatusItem: () => ({ dispose: () => {} }),
		registerInlineCompletionItemProvider: (_pattern: unknown, provider: Completions) => {
			desk.completions = provider;
			return { dispose: () => {} };
		},
	},
	ConfigurationTarget: { Global: 1, Workspace: 2 },
	QuickPickItemKind: { Separator: -1, Default: 0 },
	UIKind: { Desktop: 1, Web: 2 },
	ProgressLocation: { Notification: 15 },
	Uri: {
		parse: (text: string) => ({ toString: () => text, path: text.replace(/^\w+:\/\//, '') }),
		joinPath: (...parts: readonly unknown[]) => ({ toString: () => parts.join('/') }),
	},
	chat: {
		createChatParticipant: (_id: string, answer: Desk['participant']) => {
			desk.participant = answer;
			return { dispose: () => {} };
		},
	},
	l10n: {
		t: (text: string, ...values: unknown[]) =>
			(desk.texts[text] ?? text).replace(/\{(\d)\}/g, (_, index: string) =>
				String(values[Number(index)]),
			),
	},
	commands: {
		executeCommand: async (...called: unknown[]) => {
			desk.commands.push(called);
			return desk.command(...called);
		},
	},
	env: {
		uriScheme: 'vscode',
		appHost: 'desktop',
		language: 'en',
		get appName() {
			return desk.environment.appName;
		},
		get machineId() {
			return desk.environment.machineId;
		},
		get remoteName() {
			return desk.remoteName;
		},
		get uiKind() {
			return desk.isDesktop ? 1 : 2;
		},
		asExternalUri: async (uri: unknown) => uri,
		openExternal: (address: unknown) => desk.open(String(address)),
		clipboard: {
			readText: async () => desk.clipboard,
			writeText: async (text: string) => {
				desk.clipboard = text;
			},
		},
	},
	window: {
		createStatusBarItem: (): StatusItem & { show(): void; dispose(): void } => {
			const item = { text: '', tooltip: '', backgroundColor: undefined, show() {}, dispose() {} };
			desk.statusItems.push(item);
			return item;
		},
		get activeTerminal() {
			return desk.terminal;
		},
		visibleTextEditors: [],
		onDidChangeActiveTextEditor: () => ({ dispose: () => {} }),
		onDidStartTerminalShellExecution: commandStarted.event,
		onDidEndTerminalShellExecution: commandEnded.event,
		onDidCloseTerminal: terminalClosed.event,
		onDidChangeTerminalShellIntegration: shellIntegrated.event,
		createTerminal: (options: object) => desk.createTerminal(options),
		registerUriHandler: () => ({ dispose: () => {} }),
		showTextDocument: async () => undefined,
		showWarningMessage: (...shown: unknown[]) => desk.message(...shown),
		showQuickPick: (...shown: unknown[]) => desk.quickPick(...shown),
		showInformationMessage: (...shown: unknown[]) => desk.message(...shown),
		showErrorMessage: (...shown: unknown[]) => desk.message(...shown),
		showInputBox: (...shown: unknown[]) => desk.input(...shown),
		withProgress: (
			{ title }: { title: string },
			run: (progress: object, token: object) => Promise<unknown>,
		) => {
			desk.progress.push(title);
			const source = new CancellationTokenSource();
			desk.cancel = () => source.cancel();
			return run({ report: () => {} }, source.token);
		},
	},
	authentication: {
		registerAuthenticationProvider: () => ({ dispose: () => {} }),
		getSession: async (provider: string, scopes: readonly string[]) => ({
			accessToken: await desk.microsoft([provider, ...scopes]),
		}),
	},
};

(globalThis as { vscodeDouble?: unknown }).vscodeDouble = double;
const source = Object.keys(double)
	.map((name) => `export const ${name} = globalThis.vscodeDouble.${name};`)
	.join('\n');
registerHooks({
	resolve: (specifier, context, next) =>
		specifier === 'vscode'
			? {
					url: `data:text/javascript,${encodeURIComponent(source)}`,
					format: 'module',
					shortCircuit: true,
				}
			: next(specifier, context),
});
