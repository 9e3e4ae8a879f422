/** The composition root: everything that lives as long as the window does is made here. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import { type TeamRenewal, teamRenewRequest } from '../server/protocol/index.ts';
import { removeOldDrafts } from '../server/store/files.ts';
import { onNotice } from '../server/store/notices.ts';
import { TeamAccounts } from './account/authProvider.ts';
import { Team } from './account/team.ts';
import { MessageReviews } from './actions/review/messageReviews.ts';
import { registerInlineCompletions } from './ai/inlineCompletions.ts';
import { registerModelProvider } from './ai/modelProvider.ts';
import { registerParticipant } from './ai/participant.ts';
import { registerMcpServer } from './ai/registerMcpServer.ts';
import { registerTools } from './ai/tools.ts';
import { Allowances } from './chat/agent/allowances.ts';
import { openFoldersName } from './chat/agent/openFoldersName.ts';
import { ChatPageController } from './chat/chatPageController.ts';
import { createChatView } from './chat/chatSideView.ts';
import { ChatStore } from './chat/chatStore.ts';
import { ChosenTools } from './chat/chosenTools.ts';
import { trackTextEditors } from './chat/lastTextEditor.ts';
import { Proposals } from './chat/proposals.ts';
import { watchTerminals } from './chat/toTerminal.ts';
import { registerCommands } from './commands.ts';
import { editorLanguages, followLanguages } from './editorLanguages.ts';
import { InPlaceEdits } from './edits/inPlaceEdits.ts';
import { shareEngines } from './engines/engineSetting.ts';
import type { Extension } from './extension.ts';
import { shareGlossaries } from './glossaryFiles.ts';
import { JobsTree } from './jobs/jobsTree.ts';
import { LanguageServerClient } from './languageServerClient.ts';
import { MessageHovers } from './messages/messageHovers.ts';
import { MessageLenses } from './messages/messageLenses.ts';
import { MessagesTree } from './messages/messagesTree.ts';
import { MessageTables } from './messages/messageTables.ts';
import { LoadedModels } from './models/loadedModels.ts';
import { ModelsTree } from './models/modelsTree.ts';
import { showError } from './notify.ts';
import { TranslatedPreviews } from './preview/translatedPreview.ts';
import { ReaderMode } from './readerMode.ts';
import { syncedSchemes } from './schemes.ts';
import { shareSecrets } from './secretStorage.ts';
import { serverEnvironment } from './serverEnvironment.ts';
import { createStatusItem } from './statusItem.ts';
import { createTargetLanguageItem } from './targetLanguageItem.ts';
import { offerTerminalEnvironment } from './terminalEnvironment.ts';
import { EditorDictation } from './transcripts/dictation.ts';
import { QueuedTranscripts } from './transcripts/queuedTranscripts.ts';
import { RecordingEditor } from './transcripts/recordingEditor.ts';
import { offerTranscripts, offerUnsent } from './transcripts/transcribeFiles.ts';
import { TranscriptStore } from './transcripts/transcriptStore.ts';
import { UnsentRecordings } from './transcripts/unsentRecordings.ts';
import { warmUp } from './warmUp.ts';
import { watchWorkspace } from './workspace/searchWorkspace.ts';

/** What a hover with a doubtful translation links to. */
const modelsCommand = 'nearglot.models.suggest';

/**
 * Wires the extension together. `loadClient` loads the bundle with the language client, which costs
 * more than all the rest and so comes last.
 */
export function createExtension(
	context: vscode.ExtensionContext,
	loadClient: () => typeof import('./languageClient.ts'),
): Extension {
	const log = vscode.window.createOutputChannel('Nearglot', { log: true });
	const languageServer = new LanguageServerClient({
		startClient: (options) => loadClient().startClient(options),
		localise: vscode.l10n.t,
		options: {
			serverModule: vscode.Uri.joinPath(context.extensionUri, 'dist', 'server.cjs').fsPath,
			log,
			schemes: syncedSchemes,
			hoverCommands: [modelsCommand],
			answers: { [teamRenewRequest]: (params) => team.renew(params as TeamRenewal) },
			// Read when the server starts, not when the window opens.
			get env() {
				return serverEnvironment();
			},
			get initializationOptions() {
				const settings = JSON.stringify(vscode.workspace.getConfiguration('nearglot'));
				return {
					...(JSON.parse(settings) as Record<string, unknown>),
					...editorLanguages(),
					renameCommand: 'nearglot.translate.nameSymbol',
					modelsCommand,
					sharesSecrets: true,
				};
			},
		},
	});
	const chatFolder = vscode.Uri.joinPath(context.globalStorageUri, 'chats').fsPath;
	const transcriptFolder = vscode.Uri.joinPath(context.globalStorageUri, 'transcripts').fsPath;
	for (const folder of [chatFolder, transcriptFolder]) void removeOldDrafts(folder, Date.now());
	const workspaceFolder = (context.storageUri ?? context.globalStorageUri).fsPath;
	const store = new ChatStore(chatFolder, workspaceFolder);
	const notices = reportToUser(log);
	const accounts = new TeamAccounts(context, log);
	const team = new Team(languageServer, accounts, context.globalState);
	const proposals = new Proposals();
	const edits = new InPlaceEdits(languageServer, context.globalState);
	const tools = new ChosenTools(context.globalState);
	const dictation = new EditorDictation(languageServer, context);
	const models = new ModelsTree(languageServer);
	const loadedModels = new LoadedModels(languageServer);
	/** Other models can be asked: somebody signed in or out, or one was downloaded or removed here. */
	const onModelsChanged: vscode.Event<void> = (listener) =>
		vscode.Disposable.from(team.onDidChange(listener), models.onDidChangeModels(listener));
	const allowancesFolder = vscode.Uri.joinPath(context.globalStorageUri, 'agent').fsPath;
	const allowances = new Allowances(() =>
		join(allowancesFolder, `${openFoldersName(vscode.workspace)}.json`),
	);
	const agent = { allowances, folder: store.changesFolder };
	const { page: chat, disposable: chatView } = createChatView(context, {
		agent,
		proposals,
		tools,
		dictation,
		languageServer,
		store,
		onModelsChanged,
	});
	const jobs = new JobsTree(languageServer);
	const messages = new MessagesTree(languageServer, log);
	const messageTables = new MessageTables(languageServer, messages);
	const readerMode = new ReaderMode(languageServer, log);
	const previews = new TranslatedPreviews(languageServer);
	const { extensionUri } = context;
	const reviews = new MessageReviews(languageServer, extensionUri, log);
	const transcripts = new TranscriptStore(transcriptFolder);
	const recordings = new RecordingEditor({
		languageServer,
		store: transcripts,
		extensionUri,
		choices: context.globalState,
	});
	const queue: QueuedTranscripts = new QueuedTranscripts({
		...{ languageServer, recordings, store: transcripts, memory: context.globalState },
		onChange: () => jobs.refresh(),
		windowId: vscode.env.sessionId,
		onReady: (files) => void offerTranscripts(recordings, files).catch(showError),
		unsent: new UnsentRecordings(join(transcriptFolder, 'unsent')),
		onUnsent: (files) => void offerUnsent({ recordings, queue }, files).catch(showError),
	});
	queue.resume();
	/** Pages of tabs are let go with their tabs. */
	const pages = [new WeakRef(chat)];
	const makeChatPage = () => {
		const page = new ChatPageController({
			languageServer,
			store,
			extensionUri,
			agent,
			proposals,
			tools,
			dictation,
			onModelsChanged,
			remembered: false,
		});
		pages.push(new WeakRef(page));
		return page;
	};
	const extension: Extension = {
		context,
		log,
		languageServer,
		chat,
		store,
		allowances,
		proposals,
		edits,
		models,
		jobs,
		team,
		readerMode,
		previews,
		reviews,
		messageTables,
		recordings,
		queue,
		transcripts,
		dictation,
		makeChatPage,
		saveChats: async () => {
			await Promise.all(pages.map((page) => page.deref()?.session.close()));
		},
	};
	context.subscriptions.push(
		notices,
		log,
		loadedModels,
		loadedModels.onDidChange(() => models.redraw()),
		createStatusItem(languageServer, loadedModels),
		chatView,
		trackTextEditors(),
		proposals,
		edits,
		registerCommands(extension),
		readerMode,
		previews,
		reviews,
		createTargetLanguageItem(),
		followLanguages(languageServer),
		shareGlossaries(languageServer, log),
		recordings.register(),
		queue,
		dictation,
		vscode.window.registerTreeDataProvider('nearglot.models', models),
		jobs,
		messages,
		vscode.window.registerTreeDataProvider('nearglot.messages', messages),
		messageTables,
		new MessageHovers(messageTables).register(),
		new MessageLenses(messageTables).register(),
		shareSecrets(context.secrets, languageServer),
		shareEngines({
			...{ languageServer, secrets: context.secrets },
			onChanged: () => models.refresh(),
		}),
		offerTerminalEnvironment(context, languageServer),
		watchTerminals(),
		accounts,
		team,
		team.onDidChange(() => models.refresh()),
		registerTools(languageServer),
		registerParticipant(languageServer, extensionUri),
		registerModelProvider(languageServer, models.onDidChangeModels),
		registerMcpServer(languageServer, String(context.extension.packageJSON['version'])),
		registerInlineCompletions(languageServer, log),
		warmUp(languageServer, log),
		watchWorkspace(languageServer),
	);
	return extension;
}

/** What a user had written may lie in a file that cannot be read any more: they must know where it is. */
function reportToUser(log: vscode.LogOutputChannel): vscode.Disposable {
	const notices = onNotice((text) => {
		log.warn(text);
		void vscode.window.showWarningMessage(`Nearglot: ${text}`);
	});
	return new vscode.Disposable(() => notices[Symbol.dispose]());
}
