/** The models of this computer and those that can be downloaded, as a native tree. */

import * as vscode from 'vscode';
import type {
	BuiltLoss,
	DownloadProgress,
	ModelInfo,
	ModelTask,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { shownNumber, shownRate, shownSize } from '../readersNumbers.ts';
import { noteLines, warningText } from './loadedModels.ts';

type Node =
	| { readonly task: ModelTask; readonly here: boolean }
	| { readonly model: ModelInfo }
	| { readonly catalogue: true };

/** Whether a model is on this computer or at the team, rather than only in the catalogue. */
const isHere = ({ state }: ModelInfo) => state !== 'not-downloaded' && state !== 'downloading';

/** Serves the view `nearglot.models`. */
export class ModelsTree implements vscode.TreeDataProvider<Node> {
	readonly #languageServer: LanguageServerClient;
	readonly #changed = new vscode.EventEmitter<void>();
	readonly #settled = new vscode.EventEmitter<void>();
	readonly #progress = new Map<string, DownloadProgress>();
	#models: readonly ModelInfo[] = [];

	readonly onDidChangeTreeData = this.#changed.event;
	/** Other models can be asked for: one was downloaded, loaded or removed. */
	readonly onDidChangeModels = this.#settled.event;

	constructor(languageServer: LanguageServerClient) {
		this.#languageServer = languageServer;
	}

	/** Shows the models as they are now. */
	redraw(): void {
		this.#changed.fire();
	}

	refresh(): void {
		this.redraw();
		this.#settled.fire();
	}

	/** Shows how far a download is; `undefined` when it has ended. */
	progress(model: string, progress: DownloadProgress | undefined): void {
		if (progress) this.#progress.set(model, progress);
		else this.#progress.delete(model);
		if (progress) this.redraw();
		else this.refresh();
	}

	async getChildren(node?: Node): Promise<Node[]> {
		if (node === undefined) {
			this.#models = (await this.#languageServer.request('nearglot/models', {})).models;
			const catalogue: Node[] = this.#models.every(isHere) ? [] : [{ catalogue: true }];
			return [...this.#tasks(true), ...catalogue];
		}
		if ('model' in node) return [];
		if ('catalogue' in node) return this.#tasks(false);
		return this.#models
			.filter((model) => model.task === node.task && isHere(model) === node.here)
			.map((model) => ({ model }));
	}

	/** The tasks for which there are models here, or in the catalogue. */
	#tasks(here: boolean): Node[] {
		const found = this.#models.filter((model) => isHere(model) === here);
		const tasks = new Set(found.map(({ task }) => task));
		return taskOrder.filter((task) => tasks.has(task)).map((task) => ({ task, here }));
	}

	getTreeItem(node: Node): vscode.TreeItem {
		if ('task' in node) {
			const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
			const item = new vscode.TreeItem(taskName(node.task), node.here ? Expanded : Collapsed);
			item.id = `${node.here ? 'here' : 'catalogue'}.${node.task}`;
			return item;
		}
		if ('catalogue' in node) {
			const item = new vscode.TreeItem(
				vscode.l10n.t('Download'),
				vscode.TreeItemCollapsibleState.Collapsed,
			);
			item.id = 'catalogue';
			item.iconPath = new vscode.ThemeIcon('cloud-download');
			return item;
		}
		const { model } = node;
		const item = new vscode.TreeItem(model.origin === 'upstream' ? model.id : model.displayName);
		const progress = this.#progress.get(model.id);
		item.id = model.id;
		item.description = progress ? percent(progress) : describe(model);
		item.tooltip = tooltip(model);
		item.iconPath = progress ? new vscode.ThemeIcon('sync~spin') : icon(model);
		item.contextValue = `model.${progress ? 'downloading' : model.state}.${model.origin}`;
		return item;
	}
}

const taskOrder: readonly ModelTask[] = [
	'chat-completion',
	'text-generation',
	'translation',
	'automatic-speech-recognition',
	'embeddings',
	'rerank',
	'text-classification',
	'speaker-segmentation',
	'speaker-embedding',
	'voice-activity-detection',
];

const icons: Record<ModelInfo['state'], string> = {
	'not-downloaded': 'cloud-download',
	downloading: 'sync~spin',
	cached: 'circle-outline',
	loading: 'sync~spin',
	loaded: 'circle-filled',
	remote: 'remote',
};

/** A model that runs, but not as it should, says so. */
function icon(model: ModelInfo): vscode.ThemeIcon {
	return warningText([model]) === ''
		? new vscode.ThemeIcon(icons[model.state])
		: new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
}

/** What a task is called. */
export function taskName(task: ModelTask): string {
	switch (task) {
		case 'chat-completion':
			return vscode.l10n.t('Chat');
		case 'text-generation':
			return vscode.l10n.t('Completion');
		case 'translation':
			return vscode.l10n.t('Translation');
		case 'automatic-speech-recognition':
			return vscode.l10n.t('Speech');
		case 'embeddings':
			return vscode.l10n.t('Embeddings');
		case 'rerank':
			return vscode.l10n.t('Reranking');
		case 'text-classification':
			return vscode.l10n.t('Classification');
		case 'speaker-segmentation':
		case 'speaker-embedding':
			return vscode.l10n.t('Speakers');
		case 'voice-activity-detection':
			return vscode.l10n.t('Voice Activity');
	}
}

/** What fits beside the name: what a loaded model takes, what another one would take. */
function describe(model: ModelInfo): string {
	if (model.state === 'loaded' && model.memoryBytes !== undefined)
		return vscode.l10n.t('{0} in memory', shownSize(model.memoryBytes));
	if (model.origin === 'upstream') return vscode.l10n.t('at {0}', model.publisher);
	return [sizeLabel(model), model.license].filter((part) => part).join(' · ');
}

function tooltip(model: ModelInfo): vscode.MarkdownString {
	const text = new vscode.MarkdownString();
	const line = (content: string) => text.appendText(content).appendMarkdown('  \n');
	for (const warning of [warningText([model]), ...noteLines([model])])
		if (warning !== '') line(warning);
	// Cut off in a narrow view.
	if (model.state === 'loaded') line(describe(model));
	const row = (label: string, value: string | undefined) => {
		if (value) line(`${label}: ${value}`);
	};
	row(vscode.l10n.t('Model'), model.id);
	row(vscode.l10n.t('Publisher'), model.publisher);
	row(vscode.l10n.t('Licence'), model.license);
	row(vscode.l10n.t('Size'), sizeLabel(model));
	row(vscode.l10n.t('Lost by building'), model.loss && lossLabel(model.loss));
	row(
		vscode.l10n.t('Context'),
		model.contextLength === undefined ? undefined : shownNumber(model.contextLength),
	);
	row(vscode.l10n.t('Languages'), model.languages?.join(', '));
	row(vscode.l10n.t('Calls tools'), model.supportsToolCalling ? vscode.l10n.t('yes') : undefined);
	row(vscode.l10n.t('Reads images'), model.supportsImageInput ? vscode.l10n.t('yes') : undefined);
	row(vscode.l10n.t('Folder'), model.folder);
	return text;
}

/** What a model has lost by being built, in a few words. */
export function lossLabel(loss: BuiltLoss): string {
	switch (loss.measured) {
		case 'nothing':
			return vscode.l10n.t('nothing');
		case 'answers':
			return vscode.l10n.t(
				'{0} % of next tokens as unquantised',
				shownNumber(100 * loss.sameToken),
			);
		case 'weights':
			return vscode.l10n.t('weights changed by {0} %', shownNumber(100 * loss.weightError, 1));
	}
}

function percent({ doneBytes, totalBytes, bytesPerSecond }: DownloadProgress): string {
	const share = totalBytes > 0 ? Math.floor((100 * doneBytes) / totalBytes) : 0;
	return `${share} % · ${shownRate(bytesPerSecond)}`;
}

/** How much a model takes on the disk, or about how much would come; empty while nothing is known. */
export function sizeLabel({ sizeBytes, estimatedBytes }: ModelInfo): string {
	if (sizeBytes !== undefined) return shownSize(sizeBytes);
	return estimatedBytes === undefined ? '' : vscode.l10n.t('about {0}', shownSize(estimatedBytes));
}
