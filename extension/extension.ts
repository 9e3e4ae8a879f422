/** What the commands of the extension work with. */

import type * as vscode from 'vscode';
import type { Team } from './account/team.ts';
import type { MessageReviews } from './actions/review/messageReviews.ts';
import type { Allowances } from './chat/agent/allowances.ts';
import type { ChatPageController } from './chat/chatPageController.ts';
import type { ChatStore } from './chat/chatStore.ts';
import type { Proposals } from './chat/proposals.ts';
import type { InPlaceEdits } from './edits/inPlaceEdits.ts';
import type { JobsTree } from './jobs/jobsTree.ts';
import type { LanguageServerClient } from './languageServerClient.ts';
import type { MessageTables } from './messages/messageTables.ts';
import type { ModelsTree } from './models/modelsTree.ts';
import type { TranslatedPreviews } from './preview/translatedPreview.ts';
import type { ReaderMode } from './readerMode.ts';
import type { EditorDictation } from './transcripts/dictation.ts';
import type { QueuedTranscripts } from './transcripts/queuedTranscripts.ts';
import type { RecordingEditor } from './transcripts/recordingEditor.ts';
import type { TranscriptStore } from './transcripts/transcriptStore.ts';

export interface Extension {
	readonly context: vscode.ExtensionContext;
	readonly log: vscode.LogOutputChannel;
	readonly languageServer: LanguageServerClient;
	readonly chat: ChatPageController;
	readonly store: ChatStore;
	/** What the agents of chats may do without asking. */
	readonly allowances: Allowances;
	readonly proposals: Proposals;
	readonly edits: InPlaceEdits;
	readonly models: ModelsTree;
	readonly jobs: JobsTree;
	readonly team: Team;
	readonly readerMode: ReaderMode;
	readonly previews: TranslatedPreviews;
	readonly reviews: MessageReviews;
	readonly messageTables: MessageTables;
	readonly recordings: RecordingEditor;
	readonly queue: QueuedTranscripts;
	readonly transcripts: TranscriptStore;
	readonly dictation: EditorDictation;
	/** A chat of its own, for an editor tab. */
	readonly makeChatPage: () => ChatPageController;
	/** Ends answers that are being written, and keeps what arrived of them. */
	readonly saveChats: () => Promise<void>;
}
