/** *Turn On Completions*: chooses the model that completes code while one types, downloads it, or turns it off. */

import * as vscode from 'vscode';
import type { ModelInfo } from '../../server/protocol/index.ts';
import { downloadChosenModel, type ModelDeps } from '../models/modelActions.ts';
import { sizeLabel } from '../models/modelsTree.ts';
import { setting, storeSetting } from '../settings.ts';
import { type CompletionModel, completionModels } from './completionModels.ts';

interface ModelItem extends vscode.QuickPickItem {
	readonly chosen?: CompletionModel;
	readonly isOff?: boolean;
}

/** Lets the user choose; what is not here is downloaded first. */
export async function turnOnCompletions(deps: ModelDeps): Promise<void> {
	const { models } = await deps.languageServer.request('nearglot/models', {});
	const current = setting('inline.model');
	const items = completionModels(models).map((chosen): ModelItem => {
		const { model, here } = chosen;
		const isCurrent = here?.id === current || model.alias === current;
		return {
			label: `${isCurrent ? '$(check) ' : ''}${model.displayName}`,
			description: placeOf(model, here),
			chosen,
		};
	});
	const off: ModelItem[] =
		current === '' ? [] : [{ label: vscode.l10n.t('Turn completions off'), isOff: true }];
	const pick = await vscode.window.showQuickPick<ModelItem>([...off, ...items], {
		title: vscode.l10n.t('Complete code while typing with'),
		placeHolder: vscode.l10n.t('Smaller models answer sooner.'),
	});
	if (pick?.isOff) return storeSetting('inline.model', '');
	if (!pick?.chosen) return;
	const { alias, here, model } = pick.chosen;
	const id = here?.id ?? (await download(deps, pick.chosen));
	if (id === undefined) return;
	await storeSetting('inline.model', id);
	void vscode.window.showInformationMessage(
		vscode.l10n.t(
			'{0} completes code now. Tab takes a suggestion over.',
			model.displayName || alias,
		),
	);
}

/** Where a model runs, or what its download is. */
function placeOf(model: ModelInfo, here: ModelInfo | undefined): string {
	// Of an engine elsewhere its machine is named, as the text goes there.
	if (here?.state === 'remote') return here.publisher;
	if (here) return vscode.l10n.t('on this computer');
	return [sizeLabel(model), model.license].filter((part) => part !== '').join(' · ');
}

/** Downloads a model; the id of the variant that is here then. */
async function download(
	deps: ModelDeps,
	{ alias, model }: CompletionModel,
): Promise<string | undefined> {
	// The alias stands for the variant that suits this computer's devices.
	if (!(await downloadChosenModel(deps, { model: { ...model, id: alias } }))) return undefined;
	deps.models.refresh();
	const { models } = await deps.languageServer.request('nearglot/models', {});
	return completionModels(models).find((one) => one.alias === alias)?.here?.id;
}
