/**
 * The built extension in a process of its own, as an extension host loads it, with something in the place of
 * `vscode` that answers whatever is asked: activation, the start of the language client and its server, a
 * question to it, and the end. With `leak` it also does what the trap must catch.
 */

const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { lookup } = require('node:dns');
const Module = require('node:module');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '..', '..');
const home = process.env.HOME;

/** Answers every name, call and construction with another one of itself, unless something is given. */
function anything(given = {}) {
	return new Proxy(class Anything {}, {
		get: (target, name) => {
			if (name in given) return given[name];
			if (name === Symbol.toPrimitive) return () => 'anything';
			if (name === Symbol.iterator) return () => [][Symbol.iterator]();
			// What can be awaited is never done; a class has a prototype of its own.
			if (name === 'then') return undefined;
			if (name === 'prototype') return target.prototype;
			return anything();
		},
		set: (_, name, value) => {
			given[name] = value;
			return true;
		},
		apply: () => anything(),
		construct: () => anything(),
	});
}

class Uri {
	constructor(path) {
		this.fsPath = path;
		this.path = path;
		this.scheme = 'file';
	}
	static file(path) {
		return new Uri(path);
	}
	static parse(path) {
		return new Uri(path);
	}
	static joinPath(base, ...parts) {
		return new Uri(join(base.fsPath, ...parts));
	}
	with() {
		return this;
	}
	toString() {
		return `file://${this.path}`;
	}
}

class Disposable {
	constructor(dispose = () => {}) {
		this.dispose = dispose;
	}
	static from(...all) {
		return new Disposable(() => {
			for (const one of all) one.dispose?.();
		});
	}
}

class EventEmitter {
	#listeners = new Set();
	event = (listener) => {
		this.#listeners.add(listener);
		return new Disposable(() => this.#listeners.delete(listener));
	};
	fire(value) {
		for (const listener of this.#listeners) listener(value);
	}
	dispose() {}
}

/** Every setting as it is when nobody has changed it. */
const { contributes } = require(join(root, 'package.json'));
const defaults = Object.fromEntries(
	[contributes.configuration]
		.flat()
		.flatMap(({ properties }) =>
			Object.entries(properties).map(([name, { default: value }]) => [name, value]),
		),
);

function configuration(section) {
	const name = (key) => (section ? `${section}.${key}` : key);
	return {
		get: (key, usual) => defaults[name(key)] ?? usual,
		has: (key) => name(key) in defaults,
		inspect: (key) => ({ key, defaultValue: defaults[name(key)] }),
		update: async () => {},
		toJSON: () => ({}),
	};
}

const nothing = () => new Disposable();
const said = [];
const channel = anything(
	Object.fromEntries(
		['trace', 'debug', 'info', 'warn', 'error', 'append', 'appendLine'].map((level) => [
			level,
			(text) => void said.push(String(text)),
		]),
	),
);
const vscode = anything({
	version: '1.104.0',
	Uri,
	Disposable,
	EventEmitter,
	ExtensionMode: { Production: 1, Development: 2, Test: 3 },
	UIKind: { Desktop: 1, Web: 2 },
	env: anything({
		language: 'en',
		appName: 'Editor',
		machineId: 'machine',
		sessionId: 'session',
		remoteName: undefined,
		uiKind: 1,
		appRoot: root,
		appHost: 'desktop',
		uriScheme: 'vscode',
	}),
	l10n: { t: (text) => text, bundle: undefined, uri: undefined },
	workspace: anything({
		workspaceFolders: undefined,
		textDocuments: [],
		notebookDocuments: [],
		isTrusted: true,
		getConfiguration: (section) => configuration(section),
	}),
	window: anything({
		createOutputChannel: () => channel,
		visibleTextEditors: [],
		activeTextEditor: undefined,
		tabGroups: { all: [], onDidChangeTabs: nothing, activeTabGroup: { tabs: [] } },
		terminals: [],
	}),
	extensions: anything({ all: [] }),
});

// Bundles copy what a module has and inherit the rest: from here it is everything.
const vscodeModule = new Proxy(
	{},
	{ getPrototypeOf: () => vscode, get: (_, name) => vscode[name] },
);
const load = Module._load;
Module._load = (name, ...rest) =>
	name === 'vscode' ? vscodeModule : load.call(Module, name, ...rest);

/** The daemon outlives the window; the test does not wait for its idle time. */
async function endDaemon() {
	const { pid } = JSON.parse(
		readFileSync(join(home, '.local/share/nearglot/endpoint.json'), 'utf8'),
	);
	process.kill(pid, 'SIGTERM');
	for (;;) {
		try {
			process.kill(pid, 0);
		} catch {
			return;
		}
		await new Promise((done) => setTimeout(done, 20));
	}
}

async function main() {
	const storage = join(home, 'storage');
	mkdirSync(storage, { recursive: true });
	const memory = () => ({
		get: (_, usual) => usual,
		update: async () => {},
		keys: () => [],
		setKeysForSync: () => {},
	});
	const context = anything({
		subscriptions: [],
		extensionUri: new Uri(root),
		extensionPath: root,
		globalStorageUri: new Uri(storage),
		storageUri: undefined,
		globalState: memory(),
		workspaceState: memory(),
		extensionMode: 3,
		secrets: {
			get: async () => undefined,
			store: async () => {},
			delete: async () => {},
			keys: async () => [],
			onDidChange: nothing,
		},
		extension: { id: 'nearglot.nearglot', packageJSON: require(join(root, 'package.json')) },
		environmentVariableCollection: anything(),
		asAbsolutePath: (path) => join(root, path),
	});
	const { activate, deactivate } = require(join(root, 'dist', 'extension.cjs'));
	const extension = activate(context);
	const models = await extension.languageServer.request('nearglot/models', {});
	if (process.argv[2] === 'leak') {
		await new Promise((done) => lookup('collector.example', done));
		writeFileSync(join(home, 'left'), 'x');
	}
	const running = extension.languageServer.health.server;
	await deactivate();
	await endDaemon();
	process.stdout.write(
		JSON.stringify({
			models: models.models.length,
			health: [running, extension.languageServer.health.server],
			said,
		}),
	);
	process.exitCode = 0;
	setImmediate(() => process.exit());
}

main().catch((error) => {
	process.stderr.write(`${error.stack}\n${said.join('\n')}`);
	process.exit(1);
});
