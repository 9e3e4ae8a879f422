/** *Pick a Better Model for This Computer*: proposals by memory, disk and speed, downloaded when chosen. */

import * as vscode from 'vscode';
import type { Requests, Suggestion, Suggestions } from '../../server/protocol/index.ts';
import { storeSetting } from '../settings.ts';
import { downloadChosenModel, type ModelDeps } from './modelActions.ts';
import { megabytes } from './modelsTree.ts';

type SuggestedTask = NonNullable<Requests['nearglot/models/suggest']['params']['task']>;

/** Lets the user choose a task, then a model; downloads it and, for the chat, takes it into use. */
export async function suggestModel(deps: ModelDeps, given: unknown): Promise<void> {
	const task = isTask(given) ? given : await pickTask();
	if (!task) return;
	const { machine, models } = await deps.languageServer.request('nearglot/models/suggest', {
		task,
	});
	const title = machineText(machine);
	if (models.length === 0) {
		void vscode.window.showInformationMessage(
			vscode.l10n.t('No other model of the catalogue fits this computer: {0}.', title),
		);
		return;
	}
	const items = models.map((suggestion) => ({ ...itemOf(suggestion), suggestion }));
	const pick = await vscode.window.showQuickPick(items, {
		title,
		placeHolder: vscode.l10n.t('Larger models know more and answer slower.'),
		matchOnDetail: true,
	});
	if (!pick) return;
	const { model } = pick.suggestion;
	// The alias stands for the variant that suits this computer's devices.
	await downloadChosenModel(deps, { model: { ...model, id: model.alias } });
	deps.models.refresh();
	if (task !== 'chat-completion') return;
	const { models: now } = await deps.languageServer.request('nearglot/models', {});
	const here = now.find(
		({ id, alias, state }) =>
			(id === model.id || alias === model.alias) && (state === 'cached' || state === 'loaded'),
	);
	if (here) await storeSetting('chat.model', here.id);
}

const isTask = (value: unknown): value is SuggestedTask =>
	value === 'chat-completion' || value === 'automatic-speech-recognition';

async function pickTask(): Promise<SuggestedTask | undefined> {
	const pick = await vscode.window.showQuickPick(
		[
			{ label: vscode.l10n.t('Chat'), task: 'chat-completion' as const },
			{ label: vscode.l10n.t('Speech'), task: 'automatic-speech-recognition' as const },
		],
		{ title: vscode.l10n.t('What is the model for?') },
	);
	return pick?.task;
}

/** What the proposals rest on, in one line. */
function machineText({ memoryBytes, diskFreeBytes, gpus }: Suggestions['machine']): string {
	return [
		vscode.l10n.t('{0} of memory', megabytes(memoryBytes)),
		diskFreeBytes === undefined
			? ''
			: vscode.l10n.t('{0} free on the disk', megabytes(diskFreeBytes)),
		gpus.join(', '),
	]
		.filter((part) => part !== '')
		.join(' · ');
}

function itemOf({
	model,
	sizeBytes,
	sizeIsEstimate,
	memoryBytes,
	tokensPerSecond,
}: Suggestion): vscode.QuickPickItem {
	const size = megabytes(sizeBytes);
	return {
		label: model.displayName,
		description: [sizeIsEstimate ? vscode.l10n.t('about {0}', size) : size, model.license].join(
			' · ',
		),
		detail: [
			vscode.l10n.t('about {0} in memory', megabytes(memoryBytes)),
			tokensPerSecond === undefined
				? ''
				: vscode.l10n.t('about {0} tokens per second', Math.round(tokensPerSecond)),
			model.supportsToolCalling ? vscode.l10n.t('calls tools') : '',
			model.publisher,
		]
			.filter((part) => part !== '')
			.join(' · '),
	};
}
