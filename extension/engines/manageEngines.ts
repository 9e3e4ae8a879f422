/** *Engines on Other Machines*: what was added, and what can be done with it. */

import * as vscode from 'vscode';
import type { UpstreamInfo } from '../../server/protocol/routes/upstreamEngines.ts';
import { keepEngineKey } from '../secretStorage.ts';
import { setting } from '../settings.ts';
import { addEngine, type EngineDeps, pickKey, testEngine, useLabel } from './addEngine.ts';
import { changeEngineSetting, handEngines } from './engineSetting.ts';

/** Lists the engines; one that is picked can be tried, given another key, or removed. */
export async function manageEngines(deps: EngineDeps): Promise<void> {
	const { engines } = await deps.languageServer.request('nearglot/engines', {});
	const items: (vscode.QuickPickItem & { readonly engine?: UpstreamInfo })[] = [
		...engines.map((engine) => ({
			label: engine.name,
			description: engine.url,
			detail: describe(engine),
			engine,
		})),
		{ label: `$(add) ${vscode.l10n.t('Add an Engine…')}` },
	];
	const pick = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Engines on Other Machines'),
		placeHolder: vscode.l10n.t('Asked only for models that you choose by name'),
		matchOnDescription: true,
	});
	if (pick === undefined) return;
	if (pick.engine === undefined) return addEngine(deps);
	await changeEngine(deps, pick.engine);
}

async function changeEngine(deps: EngineDeps, engine: UpstreamInfo): Promise<void> {
	const { name, url } = engine;
	const { secrets } = deps.context;
	const isListed = setting('engines').some((each) => each.name === name);
	const test = vscode.l10n.t('Test');
	const rekey = vscode.l10n.t('Change Key');
	const remove = vscode.l10n.t('Remove');
	const edit = vscode.l10n.t('Edit in Settings');
	const what = await vscode.window.showQuickPick(
		isListed ? [test, rekey, edit, remove] : [test, rekey, remove],
		{ title: name },
	);
	if (what === edit)
		await vscode.commands.executeCommand('workbench.action.openSettings', 'nearglot.engines');
	if (what === test) await testEngine(deps, name);
	if (what === rekey) {
		const key = await pickKey(vscode.l10n.t('Key of {0}', name));
		if (key === undefined) return;
		const kept = key === '' ? undefined : { url, key };
		await keepEngineKey(secrets, deps.languageServer, name, kept);
		const { models, uses, timeoutS } = engine;
		if (isListed) await handEngines({ ...deps, secrets });
		else
			await deps.languageServer.request('nearglot/engines/add', {
				...{ name, url, models: [...models], uses: [...uses], timeoutS, keyInEditor: key !== '' },
				// It was accepted when the engine was added.
				allowHttp: true,
			});
		await testEngine(deps, name);
	}
	if (what === remove) {
		const answer = await vscode.window.showWarningMessage(
			vscode.l10n.t('Remove {0}?', name),
			{ modal: true, detail: vscode.l10n.t('Its models can no longer be asked from here.') },
			remove,
		);
		if (answer !== remove) return;
		if (isListed) await changeEngineSetting({ ...deps, secrets }, name, undefined);
		else await deps.languageServer.request('nearglot/engines/remove', { name });
		await keepEngineKey(secrets, deps.languageServer, name, undefined);
		deps.models.refresh();
	}
}

function describe({ uses, models, key, inSetting }: UpstreamInfo): string {
	return [
		uses.length === 0 ? vscode.l10n.t('for everything') : uses.map(useLabel).join(', '),
		...(models.length === 0 ? [] : [vscode.l10n.t('models: {0}', models.join(', '))]),
		key === 'editor'
			? vscode.l10n.t('key in the secret storage')
			: key === 'file'
				? vscode.l10n.t('key in a file')
				: vscode.l10n.t('no key'),
		...(inSetting ? [vscode.l10n.t('in the settings')] : []),
	].join(' · ');
}
