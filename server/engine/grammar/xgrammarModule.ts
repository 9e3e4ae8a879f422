/** Loads the grammar library. Its package calls itself an ES module but holds a script, so it cannot be imported. */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction, constants } from 'node:vm';
import type * as XGrammar from '@mlc-ai/web-xgrammar';

/** The library's classes. */
export type GrammarLibrary = typeof XGrammar;

/** One instance of the library with what it printed. */
export interface GrammarInstance {
	readonly library: GrammarLibrary;
	/** What the library wrote about its last failure, without file names; empties itself. */
	takeMessages(): string;
}

let current: Promise<GrammarInstance> | undefined;
let inUse: GrammarInstance | undefined;

/** The instance in use, loaded when an answer is first constrained. */
export function grammarInstance(): Promise<GrammarInstance> {
	current ??= start();
	return current;
}

/** Makes the next caller get a new instance; one that aborted is not trusted with new grammars. */
export function discardInstance(instance: GrammarInstance): void {
	if (inUse === instance) current = undefined;
}

/**
 * The library sets itself up in the first call of any function, once for each that is made before
 * the first one is done, and objects of two set-ups do not know each other. So one call goes ahead.
 */
async function start(): Promise<GrammarInstance> {
	try {
		const instance = load();
		(await instance.library.Grammar.builtinJSONGrammar()).dispose();
		inUse = instance;
		return instance;
	} catch (error) {
		current = undefined;
		throw error;
	}
}

function load(): GrammarInstance {
	const require = createRequire(import.meta.url);
	const packaged = fileURLToPath(new URL('wasm/web-xgrammar.cjs', import.meta.url));
	const file = existsSync(packaged) ? packaged : require.resolve('@mlc-ai/web-xgrammar');
	const script = compileFunction(
		readFileSync(file, 'utf8'),
		['exports', 'module', 'require', '__filename', '__dirname', 'console'],
		{ filename: file, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
	);
	let lines: string[] = [];
	const note = (...parts: unknown[]) => {
		lines = [...lines.slice(-20), parts.map(String).join(' ')];
	};
	const quiet = { log: note, warn: note, error: note, info: note, debug: note };
	const module = { exports: {} };
	script.call(module.exports, module.exports, module, require, file, dirname(file), quiet);
	return {
		library: module.exports as GrammarLibrary,
		takeMessages: () => {
			const text = lines
				.filter((line) => !/^Aborted|^\[WARNING\]/.test(line))
				.map((line) => line.replace(/^\[\w+\]\s*\S+:\d+:\s*/, ''))
				// What the library expected of itself says nothing to anybody else.
				.map((line) => line.replace(/^Check failed: .*?(?: is false:?|$)\s*/, ''))
				.filter((line) => line !== '')
				.join(' ');
			lines = [];
			return text;
		},
	};
}
