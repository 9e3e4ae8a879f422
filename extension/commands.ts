/**
 * Every command: its id and what it runs. To add one: add it here, to `contributes.commands` of
 * package.json and to package.nls*.json (a test compares them).
 */

import * as vscode from 'vscode';
import { chooseModel } from './account/chooseModel.ts';
import { addSelectionToGlossary } from './actions/addSelectionToGlossary.ts';
import { copyEndpoint } from './actions/copyEndpoint.ts';
import { diagnose } from './actions/diagnose.ts';
import { renameSymbolInEnglish } from './actions/renameSymbolInEnglish.ts';
import { translateMissingMessages } from './actions/translateMissingMessages.ts';
import { translateOpenFile } from './actions/translateOpenFile.ts';
import { translateSample, translateSelection } from './actions/translateSelection.ts';
import { writeCommitMessage } from './ai/commitMessage.ts';
import { explainTerminal } from './ai/terminalHelp.ts';
import { turnOnCompletions } from './ai/turnOnCompletions.ts';
import { chooseAllowances } from './chat/agent/chooseAllowances.ts';
import { attachToChat, exportChat, findChat, openChatTab } from './chat/chatActions.ts';
import { showChatView } from './chat/chatSideView.ts';
import { addEngine } from './engines/addEngine.ts';
import { manageEngines } from './engines/manageEngines.ts';
import type { Extension } from './extension.ts';
import { changeJob } from './jobs/jobActions.ts';
import { editMessage } from './messages/editMessage.ts';
import {
	chooseModelsFolder,
	downloadChosenModel,
	removeChosenModel,
	setLoaded,
} from './models/modelActions.ts';
import { suggestModel } from './models/suggestModel.ts';
import { showError } from './notify.ts';
import { manageKeys } from './secretStorage.ts';
import { chooseTargetLanguage } from './targetLanguage.ts';
import { insertTranscript, transcribeFiles } from './transcripts/transcribeFiles.ts';
import { exportActive, findInActive, translateActive } from './transcripts/transcriptActions.ts';
import { chooseTranslationSystem } from './translationSystem.ts';
import { forgetWorkspace } from './workspace/searchWorkspace.ts';

type Run = (extension: Extension, ...args: readonly unknown[]) => unknown;

/** Commands of the palette, then those only menus and other code use. */
const commands: Readonly<Record<string, Run>> = {
	'nearglot.chat.open': ({ chat }) => showChatView(chat),
	'nearglot.chat.new': ({ chat }) => chat.newChat(),
	'nearglot.chat.openTab': ({ context, makeChatPage }) =>
		openChatTab(context.extensionUri, makeChatPage),
	'nearglot.chat.find': ({ chat, store }) => findChat(chat, store),
	'nearglot.chat.allowances': ({ allowances }) => chooseAllowances(allowances),
	'nearglot.chat.export': ({ chat }) => exportChat(chat),
	'nearglot.chat.attachSelection': ({ chat }) => attachToChat(chat, false),
	'nearglot.chat.commitMessage': ({ languageServer }, source) =>
		writeCommitMessage(languageServer, source),
	'nearglot.chat.explainTerminal': ({ chat }) => explainTerminal(chat, 'lastCommand'),
	'nearglot.chat.explainTerminalSelection': ({ chat }) => explainTerminal(chat, 'selection'),
	'nearglot.chat.applyProposal': ({ proposals }, uri) => proposals.apply(uri),
	'nearglot.chat.discardProposal': ({ proposals }, uri) => proposals.discard(uri),
	'nearglot.edit.start': ({ edits }) => edits.start(),
	'nearglot.edit.keep': ({ edits }, place) => edits.keep(place),
	'nearglot.edit.undo': ({ edits }, place) => edits.undo(place),
	'nearglot.edit.stop': ({ edits }) => edits.stop(),
	'nearglot.translate.selection': ({ languageServer }, to) =>
		translateSelection(languageServer, 'replace', typeof to === 'string' ? to : undefined),
	'nearglot.translate.below': ({ languageServer }) => translateSelection(languageServer, 'below'),
	'nearglot.translate.toClipboard': ({ languageServer }) =>
		translateSelection(languageServer, 'clipboard'),
	'nearglot.translate.sample': ({ languageServer }) => translateSample(languageServer),
	'nearglot.translate.chooseLanguage': ({ languageServer }) => chooseTargetLanguage(languageServer),
	'nearglot.translate.chooseSystem': ({ languageServer }) =>
		chooseTranslationSystem(languageServer),
	'nearglot.translate.file': ({ languageServer }, uri) => translateOpenFile(languageServer, uri),
	'nearglot.translate.missingMessages': ({ languageServer, reviews }, uri) =>
		translateMissingMessages(languageServer, reviews, uri),
	'nearglot.messages.edit': ({ languageServer, messageTables }, place) =>
		editMessage(languageServer, messageTables, place),
	'nearglot.translate.preview': ({ previews }, uri) => previews.show(uri),
	'nearglot.translate.nameSymbol': ({ languageServer }, place) =>
		renameSymbolInEnglish(languageServer, place),
	'nearglot.glossary.add': ({ languageServer }) => addSelectionToGlossary(languageServer),
	'nearglot.translate.readerMode': ({ readerMode }) => readerMode.toggle(),
	'nearglot.transcribe.file': transcribeFiles,
	'nearglot.transcribe.insert': ({ languageServer, transcripts }) =>
		insertTranscript(languageServer, transcripts.scratch),
	'nearglot.transcribe.dictate': ({ dictation }) => dictation.toggle(),
	'nearglot.transcribe.finishDictation': ({ dictation }) => dictation.finish(),
	'nearglot.transcript.export': ({ recordings }) => exportActive(recordings),
	'nearglot.transcript.translate': ({ languageServer, recordings }) =>
		translateActive(languageServer, recordings),
	'nearglot.transcript.find': ({ recordings }) => findInActive(recordings),
	'nearglot.models.download': (extension, node) => downloadChosenModel(extension, node),
	'nearglot.models.suggest': (extension, task) => suggestModel(extension, task),
	'nearglot.models.load': (extension, node) => setLoaded(extension, node, true),
	'nearglot.models.unload': (extension, node) => setLoaded(extension, node, false),
	'nearglot.models.move': (extension) => chooseModelsFolder(extension),
	'nearglot.models.remove': (extension, node) => removeChosenModel(extension, node),
	'nearglot.models.refresh': ({ models }) => models.refresh(),
	'nearglot.jobs.pause': (extension, node) => changeJob(extension, node, 'pause'),
	'nearglot.jobs.resume': (extension, node) => changeJob(extension, node, 'resume'),
	'nearglot.jobs.cancel': (extension, node) => changeJob(extension, node, 'cancel'),
	'nearglot.jobs.retry': (extension, node) => changeJob(extension, node, 'retry'),
	'nearglot.jobs.refresh': ({ jobs }) => jobs.refresh(),
	'nearglot.completions.choose': (extension) => turnOnCompletions(extension),
	'nearglot.engines.add': (extension) => addEngine(extension),
	'nearglot.engines.manage': (extension) => manageEngines(extension),
	'nearglot.models.choose': (extension) => chooseModel(extension),
	'nearglot.team.signIn': ({ team }, again) => team.signIn(again === true),
	'nearglot.team.signOut': ({ team }) => team.signOut(),
	'nearglot.team.useThisComputer': ({ team }) => team.useThisComputer(),
	'nearglot.keys.manage': ({ context }) => manageKeys(context.secrets),
	'nearglot.workspace.forget': ({ languageServer }) => forgetWorkspace(languageServer),
	'nearglot.diagnose': ({ context, languageServer }) =>
		diagnose(languageServer, String(context.extension.packageJSON['version'])),
	'nearglot.openWalkthrough': ({ context }) =>
		vscode.commands.executeCommand(
			'workbench.action.openWalkthrough',
			`${context.extension.id}#start`,
			false,
		),
	'nearglot.studio.open': async ({ languageServer }) => {
		const { url } = await languageServer.request('nearglot/studio', {});
		await vscode.env.openExternal(vscode.Uri.parse(url, true));
	},
	'nearglot.server.restart': ({ languageServer }) => languageServer.restart(),
	'nearglot.server.copyEndpoint': ({ languageServer }) => copyEndpoint(languageServer),
	'nearglot.server.showLog': ({ log }) => log.show(),
	'nearglot.showMenu': () => showMenu(),
};

/** Registers the table; a failing command shows why. */
export function registerCommands(extension: Extension): vscode.Disposable {
	const registered = Object.entries(commands).map(([id, run]) =>
		vscode.commands.registerCommand(id, async (...args: unknown[]) => {
			try {
				return await run(extension, ...args);
			} catch (error) {
				extension.log.error(`${id}: ${error instanceof Error ? error.message : String(error)}`);
				void showError(error);
			}
		}),
	);
	return vscode.Disposable.from(...registered);
}

/** What a click on the status item offers. */
async function showMenu(): Promise<void> {
	const items = [
		['nearglot.chat.open', '$(comment-discussion)', vscode.l10n.t('Open Chat')],
		['nearglot.translate.chooseLanguage', '$(globe)', vscode.l10n.t('Choose Target Language')],
		[
			'nearglot.translate.chooseSystem',
			'$(arrow-swap)',
			vscode.l10n.t('Choose Translation System'),
		],
		['nearglot.models.choose', '$(server)', vscode.l10n.t('Choose Model')],
		['nearglot.models.suggest', '$(lightbulb)', vscode.l10n.t('Pick a Better Model')],
		['nearglot.models.download', '$(cloud-download)', vscode.l10n.t('Download Model')],
		['nearglot.completions.choose', '$(sparkle)', vscode.l10n.t('Turn On Completions')],
		['nearglot.studio.open', '$(browser)', vscode.l10n.t('Open Studio in Browser')],
		['nearglot.diagnose', '$(pulse)', vscode.l10n.t('Diagnose')],
		['nearglot.server.copyEndpoint', '$(copy)', vscode.l10n.t('Copy API Endpoint')],
		['nearglot.server.restart', '$(refresh)', vscode.l10n.t('Restart Server')],
		['nearglot.server.showLog', '$(output)', vscode.l10n.t('Show Log')],
	].map(([command = '', icon, title]) => ({ command, label: `${icon} ${title}` }));
	const chosen = await vscode.window.showQuickPick(items, { title: 'Nearglot' });
	if (chosen) await vscode.commands.executeCommand(chosen.command);
}
