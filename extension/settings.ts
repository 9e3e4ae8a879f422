/** Typed reading of the settings of package.json (a test compares both lists). */

import * as vscode from 'vscode';
import type { TranslateEngine, UpstreamUse } from '../server/protocol/index.ts';

/** An engine on another machine; its key is in the secret storage. */
export interface EngineSetting {
	readonly name: string;
	readonly url: string;
	/** Patterns of the models that may be used; absent or empty: all. */
	readonly models?: readonly string[];
	/** What it may be used for; absent or empty: everything. */
	readonly for?: readonly UpstreamUse[];
	/** Seconds without a sign of life after which an answer is given up. */
	readonly timeout?: number;
	/** Its address may be one that is not encrypted. */
	readonly allowHttp?: boolean;
}

/** Every setting and its type. */
export interface Settings {
	'translate.targetLanguage': string;
	'translate.languages': readonly string[];
	'translate.engine': TranslateEngine | 'auto';
	/** `category` of what the editor translates; empty: the general system. */
	'translate.system': string;
	'translate.tone': string;
	/** Read by the daemon; see `server/remote/hostedSettings.ts`. */
	'translate.hosted': Readonly<Record<string, string>>;
	'translate.hover': boolean;
	'translate.maxHoverLength': number;
	'chat.model': string;
	'chat.systemPrompt': string;
	/** Null: what the model says of itself. */
	'chat.temperature': number | null;
	'chat.maxTokens': number | null;
	/** Empty: the best speech model there is. */
	'transcribe.model': string;
	/** ISO 639-1; empty: whichever is heard. */
	'transcribe.language': string;
	'messages.codeLens': 'missing' | 'all' | 'off';
	'inline.model': string;
	/** Handed to the daemon when it is started. */
	'models.roots': readonly string[];
	/** Handed to the daemon when it is started. */
	'models.refuseProvider': 'named' | 'always' | 'never';
	'models.device': 'cpu' | 'auto';
	/** Read by the model server; see `engines/engineSetting.ts`. */
	engines: readonly EngineSetting[];
	'terminal.environment': boolean;
	'team.url': string;
}

export type SettingName = keyof Settings;

/** The value that holds for a document, or for the window. */
export function setting<N extends SettingName>(
	name: N,
	scope?: vscode.ConfigurationScope,
): Settings[N] {
	const value = vscode.workspace.getConfiguration('nearglot', scope).get<Settings[N]>(name);
	if (value === undefined) throw new Error(`nearglot.${name} is missing from package.json.`);
	return value;
}

/** How freely and how long chats are answered; what is not set, the model says. */
export function chatSampling(): { readonly temperature?: number; readonly maxTokens?: number } {
	const temperature = setting('chat.temperature');
	const maxTokens = setting('chat.maxTokens');
	return {
		...(temperature === null ? {} : { temperature }),
		...(maxTokens === null ? {} : { maxTokens }),
	};
}

/** Stores a value for the user. */
export async function storeSetting<N extends SettingName>(
	name: N,
	value: Settings[N],
): Promise<void> {
	await vscode.workspace
		.getConfiguration('nearglot')
		.update(name, value, vscode.ConfigurationTarget.Global);
}
