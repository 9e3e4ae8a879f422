/** What can be done with a model of the tree, or with one chosen from a list. */

import * as vscode from 'vscode';
import {
	type DownloadProgress,
	findModel,
	inReadersLanguage,
	isOpenLicence,
	type ModelInfo,
	offersIn,
	parseErrorAction,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { withDelayedProgress } from '../notify.ts';
import { shownSize } from '../readersNumbers.ts';
import { setting, storeSetting } from '../settings.ts';
import { lossLabel, type ModelsTree, sizeLabel, taskName } from './modelsTree.ts';

export interface ModelDeps {
	readonly languageServer: LanguageServerClient;
	readonly models: ModelsTree;
}

/** Loads or unloads a model. */
export async function setLoaded(deps: ModelDeps, node: unknown, loaded: boolean): Promise<void> {
	const model = await chosen(deps, node, ({ state }) =>
		loaded ? state === 'cached' : state === 'loaded',
	);
	if (!model) return;
	const method = loaded ? 'nearglot/models/load' : 'nearglot/models/unload';
	const title = loaded
		? vscode.l10n.t('Loading {0}', model.id)
		: vscode.l10n.t('Unloading {0}', model.id);
	await withDelayedProgress(title, (token) =>
		deps.languageServer.request(method, { model: model.id }, token),
	);
	deps.models.refresh();
}

/**
 * Downloads a model of the tree, those that an error says would help, or one whose hub id is typed, with progress
 * in the view.
 *
 * @returns the name it was asked for by; `undefined` when nothing was downloaded
 */
export async function downloadChosenModel(
	deps: ModelDeps,
	node: unknown,
): Promise<string | undefined> {
	const action = parseErrorAction(node);
	if (action?.kind === 'search') {
		const found = await searchHub(deps, action.words);
		return found === undefined || !(await acceptOfHub(deps, found))
			? undefined
			: download(deps, found);
	}
	const { models } = await deps.languageServer.request('nearglot/models', {});
	if (action) {
		for (const { model, name, licence } of offersIn(action)) {
			const known = findModel(models, model);
			if (!(await acceptLicence(name, licence, known?.parentModelUri))) return undefined;
			await download(deps, model);
		}
		return action.model;
	}
	const given = modelOf(node);
	const id = given?.id ?? (await pickModel(deps, models));
	if (!id) return undefined;
	const known = given ?? findModel(models, id);
	const isAccepted =
		known === undefined
			? await acceptOfHub(deps, id)
			: await acceptLicence(known.displayName, known.license, known.parentModelUri);
	return isAccepted ? download(deps, id) : undefined;
}

/** Asks for the licence of a repository, which its page may not name. A mirror without a search keeps nobody from it. */
async function acceptOfHub({ languageServer }: ModelDeps, id: string): Promise<boolean> {
	const [repository = ''] = id.split(':');
	const title = vscode.l10n.t('Searching the hub');
	const found = await withDelayedProgress(title, (token) =>
		languageServer.request('nearglot/models/hub', { words: repository }, token),
	).then(
		({ models }) => models.find((model) => model.repository === repository),
		() => undefined,
	);
	return found === undefined || acceptLicence(repository, found.license, repository);
}

/**
 * Asks once more where a licence is not one that anybody may use models under for anything.
 * @param licence absent: its page names none
 * @param published hub id of the model whose page has the licence
 */
async function acceptLicence(
	name: string,
	licence: string | undefined,
	published: string | undefined,
): Promise<boolean> {
	if (licence === '' || (licence !== undefined && isOpenLicence(licence))) return true;
	const accept = vscode.l10n.t('Accept and Download');
	const read = vscode.l10n.t('Read the Licence');
	for (;;) {
		const answer = await vscode.window.showWarningMessage(
			licence === undefined
				? vscode.l10n.t('The page of {0} names no licence.', name)
				: vscode.l10n.t('{0} comes under the licence “{1}”, which has conditions.', name, licence),
			{
				modal: true,
				detail: vscode.l10n.t('It is between you and the publisher of the model.'),
			},
			accept,
			...(published === undefined ? [] : [read]),
		);
		if (answer !== read) return answer === accept;
		await vscode.env.openExternal(vscode.Uri.parse(`https://huggingface.co/${published}`));
	}
}

async function download(deps: ModelDeps, id: string): Promise<string> {
	await vscode.window.withProgress(
		{
			location: vscode.ProgressLocation.Notification,
			title: vscode.l10n.t('Downloading {0}', id),
			cancellable: true,
		},
		async (shown, token) => {
			let last = 0;
			let lastPhase: DownloadProgress['phase'];
			try {
				await deps.languageServer.request(
					'nearglot/models/download',
					{ model: id },
					token,
					(value) => {
						const progress = value as DownloadProgress;
						const { doneBytes, totalBytes, bytesPerSecond, phase, again, loss } = progress;
						// What is built and checked after its download begins anew.
						if (phase !== lastPhase) last = 0;
						lastPhase = phase;
						const percent = totalBytes > 0 ? (100 * doneBytes) / totalBytes : 0;
						const rest = bytesPerSecond > 0 ? (totalBytes - doneBytes) / bytesPerSecond : undefined;
						shown.report({
							increment: percent - last,
							message: [
								phase === 'build'
									? again === true
										? vscode.l10n.t('Building again with a better recipe')
										: vscode.l10n.t('Building')
									: '',
								phase === 'check' ? vscode.l10n.t('Checking') : '',
								vscode.l10n.t('{0} of {1}', shownSize(doneBytes), shownSize(totalBytes)),
								rest === undefined ? '' : remaining(rest),
								loss === undefined ? '' : lossLabel(loss),
							]
								.filter((part) => part)
								.join(' · '),
						});
						last = percent;
						deps.models.progress(id, progress);
					},
				);
			} finally {
				deps.models.progress(id, undefined);
			}
		},
	);
	return id;
}

/** What is left of a download, in seconds, as people say it. */
function remaining(seconds: number): string {
	return seconds > 90
		? vscode.l10n.t('{0} min left', Math.ceil(seconds / 60))
		: vscode.l10n.t('{0} s left', Math.ceil(seconds));
}

/** Deletes a downloaded model after asking. */
export async function removeChosenModel(deps: ModelDeps, node: unknown): Promise<void> {
	const model = await chosen(
		deps,
		node,
		({ state, origin }) => state !== 'not-downloaded' && origin !== 'built-in',
	);
	if (!model) return;
	const remove = vscode.l10n.t('Delete');
	const question = vscode.l10n.t('Delete the files of {0}?', model.id);
	const detail = model.sizeBytes === undefined ? '' : shownSize(model.sizeBytes);
	const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, remove);
	if (answer !== remove) return;
	await deps.languageServer.request('nearglot/models/remove', { model: model.id });
	await forgetChoice(deps, model);
	deps.models.refresh();
}

/** Lets the best model that is left answer when the one that was chosen is gone; an alias may still name another. */
async function forgetChoice({ languageServer }: ModelDeps, removed: ModelInfo): Promise<void> {
	const name = setting('chat.model');
	if (!findModel([removed], name)) return;
	const { models } = await languageServer.request('nearglot/models', {});
	const here = models.filter(({ state }) => state !== 'not-downloaded');
	if (findModel(here, name)) return;
	await storeSetting('chat.model', '');
}

/** Moves the folder of downloaded models, files included, to one the user picks. */
export async function chooseModelsFolder(deps: ModelDeps): Promise<void> {
	const [folder] =
		(await vscode.window.showOpenDialog({
			canSelectFiles: false,
			canSelectFolders: true,
			title: vscode.l10n.t('Choose an empty folder for the models'),
		})) ?? [];
	if (!folder) return;
	const title = vscode.l10n.t('Moving the models');
	const location = vscode.ProgressLocation.Notification;
	const moved = await vscode.window.withProgress({ location, title }, () =>
		deps.languageServer.request('nearglot/models/move', { folder: folder.fsPath }),
	);
	deps.models.refresh();
	void vscode.window.showInformationMessage(
		vscode.l10n.t('The models are in {0} now.', moved.location),
	);
}

async function pickModel(
	{ languageServer }: ModelDeps,
	models: readonly ModelInfo[],
): Promise<string | undefined> {
	const other = vscode.l10n.t('Other: type a hub id (owner/name)');
	const hub = vscode.l10n.t('Search the hub …');
	const items = models
		.filter(
			(model, index, all) =>
				model.state === 'not-downloaded' &&
				// Once per model: its alias stands for the variant that suits this computer.
				all.findIndex(({ alias, state }) => alias === model.alias && state === model.state) ===
					index,
		)
		.map((model) => ({
			label: model.displayName,
			description: sizeLabel(model),
			detail: `${taskName(model.task)} · ${model.publisher} · ${model.license}`,
			id: model.alias,
		}));
	const pick = await vscode.window.showQuickPick(
		[
			...items,
			{ label: hub, description: '', detail: '', id: searchId },
			{ label: other, description: '', detail: '', id: '' },
		],
		{ title: vscode.l10n.t('Download a model'), matchOnDetail: true },
	);
	if (pick?.id === searchId) return askTheHub({ languageServer });
	if (pick?.id !== '') return pick?.id;
	return vscode.window.showInputBox({
		prompt: other,
		placeHolder: 'onnx-community/Qwen2.5-0.5B-Instruct',
		validateInput: (text) =>
			/^[\w.-]+\/[\w.-]+(:[\w./-]+)?$/.test(text.trim())
				? undefined
				: vscode.l10n.t('Write owner/name.'),
	});
}

/** Formats that models are built of, as they are written. */
const formatNames = {
	onnx: 'ONNX',
	gguf: 'GGUF',
	safetensors: 'safetensors',
	marian: 'Marian',
} as const;

/** Stands for a search in the list; no model is called so. */
const searchId = '?';

/** Lets people choose among repositories of the hub; exports come before what is built here. */
async function askTheHub({
	languageServer,
}: Pick<ModelDeps, 'languageServer'>): Promise<string | undefined> {
	const words = await vscode.window.showInputBox({
		prompt: vscode.l10n.t('Words to look for on the hub'),
		placeHolder: 'qwen instruct',
	});
	return words?.trim() ? searchHub({ languageServer }, words.trim()) : undefined;
}

async function searchHub(
	{ languageServer }: Pick<ModelDeps, 'languageServer'>,
	words: string,
): Promise<string | undefined> {
	const title = vscode.l10n.t('Searching the hub');
	const { models } = await withDelayedProgress(title, (token) =>
		languageServer.request('nearglot/models/hub', { words }, token),
	);
	const items = models.map(
		({ repository, title, formats: [best = 'onnx'], sizeBytes, license, isGated }) => ({
			label: repository,
			description: best === 'onnx' ? '' : vscode.l10n.t('built here of {0}', formatNames[best]),
			detail: [
				title,
				sizeBytes === undefined ? undefined : shownSize(sizeBytes),
				license,
				isGated ? vscode.l10n.t('its terms must be accepted first') : undefined,
			]
				.filter((part) => part !== undefined)
				.join(' · '),
		}),
	);
	if (items.length === 0) {
		void vscode.window.showInformationMessage(
			vscode.l10n.t('The hub has no model with these words that runs here.'),
		);
		return undefined;
	}
	const pick = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Download a model'),
		matchOnDetail: true,
	});
	return pick?.label;
}

async function chosen(
	{ languageServer }: ModelDeps,
	node: unknown,
	fits: (model: ModelInfo) => boolean,
): Promise<ModelInfo | undefined> {
	const given = modelOf(node);
	if (given) return given;
	const { models } = await languageServer.request('nearglot/models', {});
	const items = models
		.filter(fits)
		.map((model) => ({ label: model.displayName, description: model.id, model }));
	if (items.length === 0)
		throw inReadersLanguage('not_found', vscode.l10n.t('There is no model to choose from.'));
	return (await vscode.window.showQuickPick(items))?.model;
}

function modelOf(node: unknown): ModelInfo | undefined {
	return typeof node === 'object' && node !== null && 'model' in node
		? (node as { model: ModelInfo }).model
		: undefined;
}
