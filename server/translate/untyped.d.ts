declare module 'naughty-words' {
	const lists: Readonly<Record<string, readonly string[]>>;
	export = lists;
}

declare module 'kuromoji' {
	interface Token {
		readonly surface_form: string;
		readonly reading?: string;
		/** Part of speech, in Japanese. */
		readonly pos: string;
	}
	interface Tokenizer {
		tokenize(text: string): Token[];
	}
	const kuromoji: {
		builder(options: { readonly dicPath: string }): {
			build(done: (error: Error | null, tokenizer: Tokenizer) => void): void;
		};
	};
	export = kuromoji;
}
