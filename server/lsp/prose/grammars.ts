/** Which grammar reads a language, and what its comments and strings are called. */

/** How a language is read. */
export interface GrammarUse {
	/** File of @vscode/tree-sitter-wasm without `.wasm`. */
	readonly file: string;
	readonly comments: readonly string[];
	readonly strings: readonly string[];
	/** Strings that are documentation when they are a statement of their own (Python). */
	readonly docstrings?: boolean;
}

const scriptStrings = ['string', 'template_string'];

const javascript: GrammarUse = {
	file: 'tree-sitter-javascript',
	comments: ['comment'],
	strings: scriptStrings,
};
const typescript: GrammarUse = { ...javascript, file: 'tree-sitter-typescript' };
const tsx: GrammarUse = { ...javascript, file: 'tree-sitter-tsx' };
const cpp: GrammarUse = {
	file: 'tree-sitter-cpp',
	comments: ['comment'],
	strings: ['string_literal'],
};
const shell: GrammarUse = {
	file: 'tree-sitter-bash',
	comments: ['comment'],
	strings: ['string', 'raw_string'],
};

/** Language identifier of the protocol → its grammar. */
export const grammars: Readonly<Record<string, GrammarUse>> = {
	javascript,
	javascriptreact: javascript,
	typescript,
	typescriptreact: tsx,
	c: cpp,
	cpp,
	'objective-c': cpp,
	shellscript: shell,
	sh: shell,
	bash: shell,
	csharp: {
		file: 'tree-sitter-c-sharp',
		comments: ['comment'],
		strings: ['string_literal', 'verbatim_string_literal', 'interpolated_string_expression'],
	},
	css: { file: 'tree-sitter-css', comments: ['comment'], strings: ['string_value'] },
	go: {
		file: 'tree-sitter-go',
		comments: ['comment'],
		strings: ['interpreted_string_literal', 'raw_string_literal'],
	},
	ini: { file: 'tree-sitter-ini', comments: ['comment'], strings: [] },
	properties: { file: 'tree-sitter-ini', comments: ['comment'], strings: [] },
	java: {
		file: 'tree-sitter-java',
		comments: ['line_comment', 'block_comment'],
		strings: ['string_literal'],
	},
	php: {
		file: 'tree-sitter-php',
		comments: ['comment'],
		strings: ['string', 'encapsed_string'],
	},
	powershell: {
		file: 'tree-sitter-powershell',
		comments: ['comment'],
		strings: ['string_literal', 'expandable_string_literal'],
	},
	python: {
		file: 'tree-sitter-python',
		comments: ['comment'],
		strings: ['string'],
		docstrings: true,
	},
	ruby: { file: 'tree-sitter-ruby', comments: ['comment'], strings: ['string'] },
	rust: {
		file: 'tree-sitter-rust',
		comments: ['line_comment', 'block_comment'],
		strings: ['string_literal', 'raw_string_literal'],
	},
};
