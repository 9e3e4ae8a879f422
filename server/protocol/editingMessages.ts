/** What editors and the language server tell each other about texts in documents, besides LSP itself. */

import type { TextPosition, TextRange } from './textRange.ts';

/** A TextMate grammar of the editor (JSON or XML), for languages without a built-in one. */
export interface GrammarFile {
	/** Absent for grammars that only others include. */
	readonly languageId?: string;
	readonly scopeName: string;
	/** Path on the machine of the language server. */
	readonly path: string;
	/** Scopes of the grammars it adds to. */
	readonly injectTo?: readonly string[];
}

/** A `language-configuration.json` of the editor; its comment markers are used. */
export interface LanguageFile {
	readonly languageId: string;
	readonly path: string;
}

/** Sent as initialization option `grammars`, and as notification `nearglot/grammars` on changes. */
export interface EditorGrammars {
	readonly grammars: readonly GrammarFile[];
	readonly languages: readonly LanguageFile[];
}

/** Notification from the editor: {@link EditorGrammars}. */
export const grammarsNotification = 'nearglot/grammars';

/** Progress of a long request: texts translated so far. Sent to its `partialResultToken`. */
export interface TextsProgress {
	readonly done: number;
	readonly total: number;
}

/** The name under a position, in another language. */
export interface NameSymbolParams {
	readonly uri: string;
	readonly languageId: string;
	/** Whole text of the document; may be left out for open documents. */
	readonly text?: string;
	readonly position: TextPosition;
	/** BCP 47 code; absent: English. */
	readonly to?: string;
	/** BCP 47 code; absent: detected. */
	readonly from?: string;
}

export interface NameSymbolResult {
	/** The name in the document. */
	readonly range: TextRange;
	readonly name: string;
	/** The same in the other language and the same case style. */
	readonly suggestion: string;
	/** Language the name was read as. */
	readonly from: string;
	/** Where the name stands in the document, comments and strings left out. */
	readonly occurrences: readonly TextRange[];
}

/** Messages of a source file that a translated one lacks. */
export interface TranslateMissingParams {
	/** Its ending names the format. */
	readonly fileName: string;
	readonly source: string;
	/** Text of the translated file; empty when there is none yet. */
	readonly target: string;
	/** BCP 47 codes; without `from` the language is detected. */
	readonly from?: string;
	readonly to: string;
	/** Source texts that are not to be put in. */
	readonly without?: readonly string[];
	/** Document whose workspace has the glossary. */
	readonly uri?: string;
	/** As {@link MessageProgressParams} has it: messages whose source has changed are translated, too. */
	readonly recorded?: RecordedTranslations;
	readonly partialResultToken?: string | number;
}

/** What was recorded of translations in the project. */
export interface RecordedTranslations {
	/** Text of its `.nearglot/translations.json`. */
	readonly text: string;
	/** Path of the translated file in it. */
	readonly path: string;
}

/** How far a translated file is; counted in messages of the source. */
export interface MessageProgressParams {
	/** Its ending names the format. */
	readonly fileName: string;
	readonly source: string;
	readonly target: string;
	/** BCP 47 code of the target: its own plural forms count. */
	readonly to: string;
	/** Whether the messages are wanted, too. */
	readonly withMessages?: boolean;
	readonly recorded?: RecordedTranslations;
}

/** A message of a source file and what a translated file makes of it. */
export interface MessageRow {
	/** As code names it: `files.open`. */
	readonly key: string;
	readonly source: string;
	/** Offset in the source. */
	readonly sourceAt: number;
	/** Absent where the target has nothing. */
	readonly target?: string;
	/** Offset in the target. */
	readonly targetAt?: number;
	/** Part of a sentence: why a program could not use the target, as with a placeholder that is lost. */
	readonly fault?: string;
	/** The source has changed since it was translated, as far as the record says. */
	readonly isStale?: true;
}

export interface MessageProgress {
	readonly total: number;
	readonly missing: number;
	/** Messages of the target that the source no longer has. */
	readonly unused: number;
	/** Messages whose source has changed since they were translated, as far as the file or the record says. */
	readonly stale: number;
	/** In the order of the source, when they are wanted. */
	readonly messages?: readonly MessageRow[];
}

/** How many texts of a document are in the other language. */
export interface TextCounts {
	/** Texts found. */
	readonly pieces: number;
	/** Those of them that are whole in the other language. */
	readonly translated: number;
	/** Those that are in it in part: a sentence stayed as it was. All others are as they were. */
	readonly partly: number;
}

/** A term of a glossary in a message. */
export interface MessageTerm {
	/** As the message has it. */
	readonly source: string;
	/** As the glossary wants it. */
	readonly target: string;
	/** Whether the translation has it. */
	readonly isUsed: boolean;
}

/** Translations of single messages that are to be put into a translated file. */
export interface SetMessagesParams {
	/** Its ending names the format. */
	readonly fileName: string;
	readonly source: string;
	/** Text of the translated file; empty when there is none yet. */
	readonly target: string;
	/** BCP 47 code of the target. */
	readonly to: string;
	/** Keys as {@link MessageRow} has them. */
	readonly messages: readonly { readonly key: string; readonly text: string }[];
	/** To be told which translations hold for a changed source as they are. */
	readonly recorded?: RecordedTranslations;
}

export interface SetMessagesResult {
	/** The target file with the texts in it; nothing else of it is changed. */
	readonly text: string;
	/** Keys that the source does not have, or whose place only a person can write. */
	readonly refused: readonly string[];
	/** Texts that a program could not use, with the reason as a part of a sentence. They are in `text`. */
	readonly faults: readonly { readonly key: string; readonly fault: string }[];
	/** The text of the record with what holds as it is; absent when the record need not change. */
	readonly recorded?: string;
}

export interface TranslateMissingResult {
	/** The target file with what it lacked. */
	readonly text: string;
	readonly added: readonly {
		readonly path: readonly string[];
		readonly text: string;
		/** What says it now; absent where that is more than one text, as of plural forms. */
		readonly translation?: string;
		/** Estimate of the model that translated it, 0…1; absent where none was made. */
		readonly quality?: number;
		/** Terms of the workspace's glossary in the text. */
		readonly terms?: readonly MessageTerm[];
	}[];
	/** Source texts that could not be translated whole; they are not in `text`. */
	readonly refused: readonly string[];
	/** Texts of `added` that are in `text` as they are in the source, in whole or in part. */
	readonly kept: number;
	/** The text of the record with the places that texts of lists have in `text`; absent when they stay. */
	readonly recorded?: string;
}

/** Files of a folder → which of them are translations of which. */
export interface MessageFilesParams {
	/** Paths with `/`, relative to the folder. */
	readonly paths: readonly string[];
}

/** A source file of messages and what is or could be translated from it. */
export interface MessageFamily {
	readonly source: string;
	/** BCP 47 code of the source; absent when its name does not say. */
	readonly from?: string;
	readonly targets: readonly { readonly path: string; readonly to: string }[];
	/** Path of a further language: `{to}` stands for its code. */
	readonly pattern: string;
}

/** A term for the glossary of a workspace. */
export interface GlossaryEntry {
	readonly source: string;
	readonly target: string;
	/** BCP 47 codes. */
	readonly from: string;
	readonly to: string;
}

export interface GlossaryEntryParams extends GlossaryEntry {
	/** Text of the glossary file; empty when there is none. */
	readonly text: string;
}

/** The glossary of a folder the language server cannot read itself; no `text`: there is none. */
export interface GlossaryTextParams {
	/** Folder of the workspace. */
	readonly folder: string;
	readonly text?: string;
}
