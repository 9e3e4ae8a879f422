/** Grammars the chat can colour, by the names people write after a fence. */

import type { LanguageRegistration } from 'shiki/core';

type Load = () => Promise<{ readonly default: LanguageRegistration[] }>;

const shell: Load = () => import('shiki/langs/shellscript.mjs');
const javascript: Load = () => import('shiki/langs/javascript.mjs');
const typescript: Load = () => import('shiki/langs/typescript.mjs');
const python: Load = () => import('shiki/langs/python.mjs');
const markdown: Load = () => import('shiki/langs/markdown.mjs');
const yaml: Load = () => import('shiki/langs/yaml.mjs');
const csharp: Load = () => import('shiki/langs/csharp.mjs');
const c: Load = () => import('shiki/langs/c.mjs');
const rust: Load = () => import('shiki/langs/rust.mjs');
const powershell: Load = () => import('shiki/langs/powershell.mjs');
const docker: Load = () => import('shiki/langs/docker.mjs');
const ruby: Load = () => import('shiki/langs/ruby.mjs');

/** Name or alias → its grammar, loaded on demand. */
export const languages: ReadonlyMap<string, Load> = new Map(
	Object.entries<Load>({
		bash: shell,
		sh: shell,
		shell,
		shellscript: shell,
		zsh: shell,
		console: shell,
		powershell,
		ps1: powershell,
		javascript,
		js: javascript,
		jsx: () => import('shiki/langs/jsx.mjs'),
		typescript,
		ts: typescript,
		tsx: () => import('shiki/langs/tsx.mjs'),
		json: () => import('shiki/langs/json.mjs'),
		jsonc: () => import('shiki/langs/jsonc.mjs'),
		yaml,
		yml: yaml,
		toml: () => import('shiki/langs/toml.mjs'),
		html: () => import('shiki/langs/html.mjs'),
		css: () => import('shiki/langs/css.mjs'),
		markdown,
		md: markdown,
		python,
		py: python,
		java: () => import('shiki/langs/java.mjs'),
		kotlin: () => import('shiki/langs/kotlin.mjs'),
		csharp,
		'c#': csharp,
		cs: csharp,
		c,
		h: c,
		// C++'s own grammar is half a megabyte; C's colours nearly the same.
		cpp: c,
		'c++': c,
		go: () => import('shiki/langs/go.mjs'),
		rust,
		rs: rust,
		ruby,
		rb: ruby,
		php: () => import('shiki/langs/php.mjs'),
		swift: () => import('shiki/langs/swift.mjs'),
		sql: () => import('shiki/langs/sql.mjs'),
		diff: () => import('shiki/langs/diff.mjs'),
		dockerfile: docker,
		docker,
		ini: () => import('shiki/langs/ini.mjs'),
		makefile: () => import('shiki/langs/make.mjs'),
	}),
);
