/** What the readers of the kinds of vocabularies give: parts of a tokenizer.json. */

/** A part in the form of tokenizer.json. */
export type TokenizerSection = Readonly<Record<string, unknown>> | null | undefined;

export interface TokenizerSections {
	readonly model: Readonly<Record<string, unknown>>;
	readonly normalizer: TokenizerSection;
	readonly preTokenizer: TokenizerSection;
	readonly decoder: TokenizerSection;
	/** Whether a text begins or ends with the token of that name where the file leaves it open. */
	readonly addsBos: boolean;
	readonly addsEos: boolean;
	/** Names of the tokens around a text, where these are not BOS and EOS. */
	readonly around?: readonly [before: 'cls', after: 'sep'];
	/** Settings of tokenizer_config.json that belong to the kind. */
	readonly config?: Readonly<Record<string, unknown>>;
}
