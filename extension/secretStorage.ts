/**
 * Keys of the user: typed into password boxes, kept in SecretStorage, handed to the server over its
 * own channel. They are never in settings, arguments, the environment or a webview.
 */

import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { type EngineKeys, parseEngineKeys, type SecretName } from '../server/protocol/index.ts';
import type { LanguageServerClient } from './languageServerClient.ts';
import { setting } from './settings.ts';

/** What is typed in and stored; the settings of the hosted translator are handed over beside it. */
type StoredName = Exclude<SecretName, 'translatorSettings' | 'engineKeys'>;

/** Secret → what people call it, and whether its characters are hidden while typing. */
const titles: Readonly<Record<StoredName, () => string>> = {
	translatorKey: () => vscode.l10n.t('Key of the hosted translator'),
	translatorRegion: () => vscode.l10n.t('Region of the hosted translator'),
	translatorEndpoint: () => vscode.l10n.t('Address of the hosted translator'),
	translatorClientSecret: () => vscode.l10n.t('Client secret of the hosted translator'),
	hubToken: () => vscode.l10n.t('Token of the model hub'),
	upstreamKey: () => vscode.l10n.t('Key of the upstream model server'),
};

const names = Object.keys(titles) as StoredName[];
const keyOf = (name: StoredName) => `nearglot.secret.${name}`;
/** Where the keys of engines on other machines are, as JSON. */
const engineKeys = 'nearglot.secret.engineKeys';

/** Whether what has changed in the secret storage are the keys of engines. */
export const isEngineKeys = (key: string): boolean => key === engineKeys;

/** The keys of engines, as JSON. */
export const engineKeysOf = (secrets: vscode.SecretStorage): Thenable<string | undefined> =>
	secrets.get(engineKeys);

const storedKeys: ReadonlySet<string> = new Set([...names.map(keyOf), engineKeys]);
/** What is no secret may be read while it is typed. */
const open: ReadonlySet<StoredName> = new Set(['translatorRegion', 'translatorEndpoint']);

/**
 * Name of this secret storage, the same in all windows that share it: a daemon keeps what several
 * editors hand over apart, so that one without keys does not take those of another.
 */
export function storageName(): string {
	const { appName, appHost, machineId } = vscode.env;
	const parts = JSON.stringify([appName, appHost, machineId]);
	return createHash('sha256').update(parts).digest('hex').slice(0, 16);
}

/** Hands all secrets to the server. */
async function handSecrets(
	secrets: vscode.SecretStorage,
	languageServer: LanguageServerClient,
): Promise<void> {
	const entries = await Promise.all([
		...names.map(async (name) => [name, await secrets.get(keyOf(name))]),
		['engineKeys', await engineKeysOf(secrets)],
	]);
	const known = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
	const hosted = setting('translate.hosted');
	if (Object.keys(hosted).length > 0) known['translatorSettings'] = JSON.stringify(hosted);
	await languageServer.request('nearglot/secrets', { secrets: known, storage: storageName() });
}

/**
 * Keeps the key of an engine on another machine for its address, or forgets it; the server has it when this ends.
 *
 * @param kept `undefined` forgets
 */
export async function keepEngineKey(
	secrets: vscode.SecretStorage,
	languageServer: LanguageServerClient,
	name: string,
	kept: EngineKeys[string] | undefined,
): Promise<void> {
	const { [name]: _, ...others } = parseEngineKeys(await engineKeysOf(secrets));
	const keys: EngineKeys = kept === undefined ? others : { ...others, [name]: kept };
	if (Object.keys(keys).length === 0) await secrets.delete(engineKeys);
	else await secrets.store(engineKeys, JSON.stringify(keys));
	await handSecrets(secrets, languageServer);
}

/** Hands all secrets to the server, now and whenever one changes in any window. */
export function shareSecrets(
	secrets: vscode.SecretStorage,
	languageServer: LanguageServerClient,
): vscode.Disposable {
	const hand = () => handSecrets(secrets, languageServer);
	let running = false;
	const listening = languageServer.onHealth(({ server }) => {
		const runs = server === 'running';
		if (runs && !running) void hand().catch(() => undefined);
		running = runs;
	});
	const changed = secrets.onDidChange(({ key }) => {
		if (running && storedKeys.has(key)) void hand().catch(() => undefined);
	});
	const configured = vscode.workspace.onDidChangeConfiguration((event) => {
		if (running && event.affectsConfiguration('nearglot.translate.hosted'))
			void hand().catch(() => undefined);
	});
	return vscode.Disposable.from(listening, changed, configured);
}

/** Lets the user set, replace or forget one; a value that is set is never shown. */
export async function manageKeys(secrets: vscode.SecretStorage): Promise<void> {
	const items = await Promise.all(
		names.map(async (name) => {
			const set = (await secrets.get(keyOf(name))) !== undefined;
			return { label: titles[name](), description: set ? vscode.l10n.t('set') : '', name, set };
		}),
	);
	const pick = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Keys') });
	if (!pick) return;
	if (pick.set) {
		const replace = vscode.l10n.t('Replace');
		const forget = vscode.l10n.t('Forget');
		const what = await vscode.window.showQuickPick([replace, forget], { title: pick.label });
		if (what === forget) await secrets.delete(keyOf(pick.name));
		if (what !== replace) return;
	}
	const value = await vscode.window.showInputBox({
		title: pick.label,
		prompt: vscode.l10n.t('Kept in the secret storage of this computer.'),
		password: !open.has(pick.name),
		ignoreFocusOut: true,
		validateInput: (text) => problemWith(pick.name, text.trim()),
	});
	if (value !== undefined) await secrets.store(keyOf(pick.name), value.trim());
}

function problemWith(name: StoredName, value: string): string | undefined {
	if (value === '') return vscode.l10n.t('Type a value, or press Escape.');
	if (/[^\x21-\x7e]/.test(value))
		return vscode.l10n.t('Only visible ASCII characters belong here.');
	if (name === 'translatorEndpoint' && !/^https:\/\/[^/\s]+/.test(value)) {
		return vscode.l10n.t('An address begins with https://.');
	}
	return undefined;
}
