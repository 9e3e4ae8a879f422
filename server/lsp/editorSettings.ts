/** What the language server reads from the editor's configuration (section `nearglot`), with its defaults. */

import { isRecord } from '../protocol/errorBody.ts';
import type { TranslateEngine } from '../protocol/index.ts';

export interface EditorSettings {
	/** Languages offered by code actions, BCP 47, in order. */
	readonly languages: readonly string[];
	/** The reader's language for hovers and reader mode; empty: the editor's display language. */
	readonly targetLanguage: string;
	readonly hover: boolean;
	/** Who translates. */
	readonly engine: TranslateEngine | 'auto';
	/** System that translates (`category`); empty: the general one. */
	readonly system: string;
	/** How a chat model addresses the reader; empty: as it likes. */
	readonly tone: string;
	/** Model of chats; a team's (`team:…`) takes recordings and translations along. */
	readonly chatModel: string;
	/** Longest text in characters that a hover translates. */
	readonly maxHoverLength: number;
}

export const defaultEditorSettings: EditorSettings = {
	languages: ['en', 'de', 'fr', 'es'],
	targetLanguage: '',
	hover: true,
	engine: 'auto',
	system: '',
	tone: '',
	chatModel: '',
	maxHoverLength: 2000,
};

/** Reads the section; a value of a wrong type counts as absent. */
export function parseEditorSettings(value: unknown): EditorSettings {
	const chat = isRecord(value) && isRecord(value['chat']) ? value['chat'] : {};
	const translate = isRecord(value) && isRecord(value['translate']) ? value['translate'] : {};
	const { languages, targetLanguage, hover, engine, system, tone, maxHoverLength } = translate;
	const codes = Array.isArray(languages)
		? languages.filter((code): code is string => typeof code === 'string' && code !== '')
		: [];
	const defaults = defaultEditorSettings;
	return {
		languages: codes.length > 0 ? codes : defaults.languages,
		targetLanguage: typeof targetLanguage === 'string' ? targetLanguage : defaults.targetLanguage,
		engine:
			engine === 'local' || engine === 'team' || engine === 'hosted' ? engine : defaults.engine,
		system: typeof system === 'string' ? system : defaults.system,
		tone: typeof tone === 'string' ? tone : defaults.tone,
		chatModel: typeof chat['model'] === 'string' ? chat['model'] : defaults.chatModel,
		hover: typeof hover === 'boolean' ? hover : defaults.hover,
		maxHoverLength:
			typeof maxHoverLength === 'number' && maxHoverLength > 0
				? maxHoverLength
				: defaults.maxHoverLength,
	};
}
