/** *Pick a Better Model for This Computer*: proposals by memory, disk and speed, downloaded when chosen. */

import * as vscode from 'vscode';
import {
	type Requests,
	type Suggestion,
	type SuggestionGroup,
	type Suggestions,
	suggestionGroups,
} from '../../server/protocol/index.ts';
import { shownSize } from '../readersNumbers.ts';
import { setting, storeSetting } from '../settings.ts';
import { downloadChosenModel, type ModelDeps } from './modelActions.ts';

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
	const items = suggestionGroups(models, wantedLanguages()).flatMap(({ group, suggestions }) => [
		{ label: groupLabel(group), kind: vscode.QuickPickItemKind.Separator },
		...suggestions.map((suggestion) => ({ ...itemOf(suggestion), suggestion })),
	]);
	const pick = await vscode.window.showQuickPick<Row>(items, {
		title,
		placeHolder: vscode.l10n.t('Larger models know more and answer slower.'),
		matchOnDetail: true,
	});
	if (!pick?.suggestion) return;
	const { model } = pick.suggestion;
	// The alias stands for the variant that suits this computer's devices.
	if (!(await downloadChosenModel(deps, { model: { ...model, id: model.alias } }))) return;
	deps.models.refresh();
	if (task !== 'chat-completion') return offerToTry(task, model.displayName);
	const { models: now } = await deps.languageServer.request('nearglot/models', {});
	const here = now.find(
		({ id, alias, state }) =>
			(id === model.id || alias === model.alias) && (state === 'cached' || state === 'loaded'),
	);
	if (!here) return;
	await storeSetting('chat.model', here.id);
	await offerToTry(task, model.displayName);
}

interface Row extends vscode.QuickPickItem {
	readonly suggestion?: Suggestion;
}

const groupLabel = (group: SuggestionGroup): string => {
	switch (group) {
		case 'recommended':
			return vscode.l10n.t('Recommended');
		case 'fast':
			return vscode.l10n.t('Fast');
		case 'code':
			return vscode.l10n.t('Writes code');
		case 'best':
			return vscode.l10n.t('Best answers, slower');
		case 'other':
			return vscode.l10n.t('Others');
	}
};

/** Languages that people here probably translate into or from. */
function wantedLanguages(): string[] {
	const own = [setting('translate.targetLanguage'), vscode.env.language];
	return [...own, ...setting('translate.languages')].filter((code) => code !== '' && code !== 'en');
}

/** What a new model does can be seen at once. */
async function offerToTry(task: SuggestedTask, name: string): Promise<void> {
	const attempt = vscode.l10n.t('Try');
	const message = vscode.l10n.t('{0} is ready.', name);
	if ((await vscode.window.showInformationMessage(message, attempt)) !== attempt) return;
	const command = {
		'chat-completion': 'nearglot.chat.new',
		translation: 'nearglot.translate.selection',
		'automatic-speech-recognition': 'nearglot.transcribe.file',
	}[task];
	await vscode.commands.executeCommand(command);
}

const isTask = (value: unknown): value is SuggestedTask =>
	['chat-completion', 'automatic-speech-recognition', 'translation'].some((task) => task === value);

async function pickTask(): Promise<SuggestedTask | undefined> {
	const pick = await vscode.window.showQuickPick(
		[
			{ label: vscode.l10n.t('Chat'), task: 'chat-completion' as const },
			{ label: vscode.l10n.t('Translation'), task: 'translation' as const },
			{ label: vscode.l10n.t('Speech'), task: 'automatic-speech-recognition' as const },
		],
		{ title: vscode.l10n.t('What is the model for?') },
	);
	return pick?.task;
}

/** What the proposals rest on, in one line. */
function machineText({ memoryBytes, diskFreeBytes, gpus }: Suggestions['machine']): string {
	return [
		vscode.l10n.t('{0} of memory', shownSize(memoryBytes)),
		diskFreeBytes === undefined
			? ''
			: vscode.l10n.t('{0} free on the disk', shownSize(diskFreeBytes)),
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
	const size = shownSize(sizeBytes);
	return {
		label: model.displayName,
		description: [sizeIsEstimate ? vscode.l10n.t('about {0}', size) : size, model.license].join(
			' · ',
		),
		detail: [
			vscode.l10n.t('about {0} in memory', shownSize(memoryBytes)),
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
