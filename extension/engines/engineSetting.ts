/**
 * The setting `nearglot.engines`: engines on other machines that this editor lists. The model server has the one list that
 * counts; what the setting says is written into it when the server comes up and whenever the setting or a key changes.
 */

import * as vscode from 'vscode';
import { engineAddress, parseEngineKeys } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { readableMessage } from '../notify.ts';
import { engineKeysOf, isEngineKeys, storageName } from '../secretStorage.ts';
import { type EngineSetting, setting, storeSetting } from '../settings.ts';

export interface EngineSettingDeps {
	readonly secrets: vscode.SecretStorage;
	readonly languageServer: LanguageServerClient;
}

/** One after the other, so that what was said last counts. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Tells the server what the setting lists.
 *
 * @param engines what it will list; absent: what it lists now
 * @throws what the server says is wrong with it
 */
export function handEngines(
	deps: EngineSettingDeps,
	engines?: readonly EngineSetting[],
): Promise<void> {
	const handed = before.then(() => hand(deps, engines ?? setting('engines')));
	before = handed.catch(() => undefined);
	return handed;
}

async function hand(
	{ secrets, languageServer }: EngineSettingDeps,
	engines: readonly EngineSetting[],
): Promise<void> {
	const keys = parseEngineKeys(await engineKeysOf(secrets));
	await languageServer.request('nearglot/engines/setting', {
		editor: storageName(),
		engines: engines.map(({ name, url, models, for: uses, timeout, allowHttp }) => ({
			...{ name, url },
			...(models === undefined ? {} : { models: [...models] }),
			...(uses === undefined ? {} : { uses: [...uses] }),
			...(timeout === undefined ? {} : { timeoutS: timeout }),
			...(allowHttp === undefined ? {} : { allowHttp }),
			keyInEditor: URL.canParse(url) && keys[name]?.url === engineAddress(url),
		})),
	});
}

/** Adds an engine to the setting, in place of one of the same name; `undefined` takes it out. The server has it when this ends. */
export async function changeEngineSetting(
	deps: EngineSettingDeps,
	name: string,
	engine: EngineSetting | undefined,
): Promise<void> {
	const others = setting('engines').filter((each) => each.name !== name);
	const engines = engine === undefined ? others : [...others, engine];
	// What the server refuses is not written into the setting.
	await handEngines(deps, engines);
	await storeSetting('engines', engines);
}

/** Hands the setting to the server, now and whenever it or one of the keys changes, in any window. */
export function shareEngines(
	deps: EngineSettingDeps & { readonly onChanged: () => void },
): vscode.Disposable {
	let running = false;
	const handOver = () =>
		handEngines(deps).then(deps.onChanged, async (error: unknown) => {
			const edit = vscode.l10n.t('Edit in Settings');
			const answer = await vscode.window.showWarningMessage(
				vscode.l10n.t(
					'The setting {0} cannot be used: {1}',
					'nearglot.engines',
					readableMessage(error),
				),
				edit,
			);
			if (answer === edit)
				await vscode.commands.executeCommand('workbench.action.openSettings', 'nearglot.engines');
		});
	return vscode.Disposable.from(
		deps.languageServer.onHealth(({ server }) => {
			const runs = server === 'running';
			if (runs && !running) void handOver();
			running = runs;
		}),
		deps.secrets.onDidChange(({ key }) => {
			if (running && isEngineKeys(key)) void handOver();
		}),
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (running && event.affectsConfiguration('nearglot.engines')) void handOver();
		}),
	);
}
