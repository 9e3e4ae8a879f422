/**
 * Every custom JSON-RPC message between an editor and the language server (`nearglot lsp`), with its types.
 * Names and shapes only: the language server implements them, editors call them.
 */

import type { CamelCase } from './camelCase.ts';
import type { FinishReason, Timings, ToolCall, Usage } from './chatTypes.ts';
import type { DictateParams } from './dictationMessages.ts';
import type {
	GlossaryEntryParams,
	GlossaryTextParams,
	MessageFamily,
	MessageFilesParams,
	MessageProgress,
	MessageProgressParams,
	NameSymbolParams,
	NameSymbolResult,
	SetMessagesParams,
	SetMessagesResult,
	TextCounts,
	TranslateMissingParams,
	TranslateMissingResult,
} from './editingMessages.ts';
import type { EndpointInfo } from './endpoint.ts';
import type { FailedItems } from './failedItems.ts';
import type { JobChange, JobInfo } from './jobMessages.ts';
import type { LanguageInfo } from './languageInfo.ts';
import type { ModelInfo } from './modelTypes.ts';
import type { QueuedList, RecordingParams } from './recordingMessages.ts';
import type { chatCompletions } from './routes/chat.ts';
import type { completions } from './routes/completions.ts';
import type { searchHubModels } from './routes/modelDownloads.ts';
import type * as models from './routes/models.ts';
import type { AnswerOf, BodyOf, QueryOf, RequestOf } from './routes/route.ts';
import type { SpeechForm } from './routes/speechForm.ts';
import type { openStudio } from './routes/studio.ts';
import type { TranslationSystem } from './routes/translationSystems.ts';
import type { textTypes, translateEngines } from './routes/translatorApi.ts';
import type * as upstreams from './routes/upstreamEngines.ts';
import type { SecretName } from './secretNames.ts';
import type { SoundCut } from './soundCuts.ts';
import type { Transcript, TranscriptFormat, TranscriptProgress } from './speechTypes.ts';
import type { TeamAccess, TeamStatus } from './teamMessages.ts';
import type { TextRange } from './textRange.ts';
import type { TranscribedSegment } from './transcriptDocument.ts';
import type { Waveform } from './transcriptPage.ts';
import type {
	WorkspaceChanges,
	WorkspaceFolders,
	WorkspaceSearchParams,
	WorkspaceSearchResult,
} from './workspaceMessages.ts';

/** A conversation; without `model` the daemon's default chat model answers. */
export interface ChatParams
	extends CamelCase<
		Pick<
			BodyOf<typeof chatCompletions>,
			| 'model'
			| 'messages'
			| 'temperature'
			| 'max_tokens'
			| 'tools'
			| 'tool_choice'
			// One that is too long loses its oldest turns (`auto`) or is refused (the default).
			| 'truncation'
		>
	> {
	/** Token of the `$/progress` notifications that carry {@link ChatDelta}. */
	readonly partialResultToken?: string | number;
	/** Id of the conversation that this is a turn of, for balancers before a server: it says nothing else. */
	readonly conversation?: string;
}

/** What has become known since the last notification; every field may be absent. */
export interface ChatDelta {
	readonly text?: string;
	readonly reasoning?: string;
	readonly progress?: ChatProgress;
	/** Oldest turns of the conversation that the model does not read. */
	readonly omittedTurns?: number;
}

/** Where a request is before its first token. */
export interface ChatProgress {
	readonly phase: 'connecting' | 'queued' | 'loading' | 'prompt';
	/** 0…1 of the phase, when it is known. */
	readonly fraction?: number;
	/** Place in the queue while `queued`; 1 = next. */
	readonly place?: number;
	/** What the load took last time, in milliseconds, while `loading`. */
	readonly expectedMs?: number;
}

/** How an answer ended. Its words have come before, as they were written. */
export interface ChatEnd {
	readonly toolCalls: readonly ToolCall[];
	readonly finishReason: FinishReason;
	/** Id of the model that answered. */
	readonly model: string;
	readonly usage?: Usage;
	readonly timings?: Timings;
	/** Oldest turns of the conversation that the model did not read; absent: it read all. */
	readonly omittedTurns?: number;
}

/** As {@link ChatEnd}; with the words for those who asked for no partial results. */
export interface ChatResult extends ChatEnd {
	readonly text?: string;
	readonly reasoning?: string;
}

/** Code before and after a gap, for a model that was trained to fill one. */
export interface CompleteParams
	extends CamelCase<Pick<BodyOf<typeof completions>, 'model' | 'stop'>>,
		Required<CamelCase<Pick<BodyOf<typeof completions>, 'suffix' | 'max_tokens'>>> {
	readonly prefix: string;
}

export interface TranslateParams {
	readonly texts: readonly string[];
	/** BCP 47 code; without it the language is detected. */
	readonly from?: string;
	/** BCP 47 code. */
	readonly to: string;
	readonly textType?: (typeof textTypes)[number];
	/** Who translates; absent = what the user set (`nearglot.translate.engine`). */
	readonly engine?: TranslateEngine;
	/** Below this estimate (0…1) a sentence stays as it is rather than as the built-in model has it. */
	readonly minQuality?: number;
	/** `neutral`, `formal` or `informal`, for systems that know tones; the setting's when absent. */
	readonly tone?: string;
}

/** This machine's models, the team's server, or the hosted service. */
export type TranslateEngine = (typeof translateEngines)[number];

export interface TranslateTextsResult {
	/** In the order of the texts asked for. */
	readonly items: readonly TextTranslation[];
}

export interface TextTranslation {
	readonly text: string;
	/** Language found in the source, when none was given. */
	readonly detectedLanguage?: string;
	/** 0…1 */
	readonly detectedScore?: number;
	/** How good it probably is, 0…1; absent where no model here was asked. */
	readonly quality?: number;
}

/** Passages of one document: markers, indents and line ends around the words stay as they are. */
export interface TranslateRangesParams {
	readonly uri: string;
	readonly languageId: string;
	/** Whole text of the document the ranges are in; may be left out for open documents. */
	readonly text?: string;
	readonly ranges: readonly TextRange[];
	/** BCP 47 code. */
	readonly to: string;
	/** `formal` or `informal`, for systems that know tones; the setting's when absent. */
	readonly tone?: string;
}

/** Reader mode: the prose in a region of a document, such as what is visible. */
export interface ReaderRangesParams {
	readonly uri: string;
	readonly languageId: string;
	/** Whole text of the document the range is in; may be left out for open documents. */
	readonly text?: string;
	readonly range: TextRange;
	/** BCP 47 code. */
	readonly to: string;
}

/** A comment or paragraph of another language than the reader's, and what it says. */
export interface TranslatedRange {
	readonly range: TextRange;
	readonly text: string;
}

/** A whole document: Markdown, messages, subtitles, or the comments of source code. */
export interface TranslateDocumentParams {
	/** Its ending names the format. */
	readonly fileName: string;
	readonly languageId: string;
	readonly text: string;
	/** BCP 47 codes; without `from` the language is detected. */
	readonly from?: string;
	readonly to: string;
	/** Document it is the text of, whose workspace has the glossary. */
	readonly uri?: string;
	readonly partialResultToken?: string | number;
}

export interface TranslateDocumentResult extends TextCounts {
	readonly text: string;
	/** Texts that were left because their placeholders would have been lost. */
	readonly refused: readonly string[];
	/** Language it was translated from, BCP 47. */
	readonly language: string;
	/** How good the translation probably is, 0…1; absent where no model here was asked. */
	readonly quality?: number;
	/** Texts that are as they were: in a language no model here reads, or the model made nothing of them. */
	readonly left: readonly { readonly text: string; readonly language?: string }[];
}

/** A file that is no text, such as one of Word, as base64. */
export interface TranslateFileParams extends Omit<TranslateDocumentParams, 'text' | 'languageId'> {
	readonly content: string;
}

export interface TranslateFileResult extends Omit<TranslateDocumentResult, 'text'> {
	readonly content: string;
}

/** Without `model` the loaded or the largest one on this computer hears it. */
export interface TranscribeParams extends Partial<Pick<SpeechForm, 'model' | 'language'>> {
	/** Path of an audio file on the machine the language server runs on. */
	readonly path: string;
	readonly format?: Exclude<TranscriptFormat, 'json' | 'verbose_json'>;
}

/** Without `model` the loaded or the largest one on this computer hears it. */
export interface TranscriptParams extends Partial<Pick<SpeechForm, 'model' | 'language'>> {
	/** Path of a recording on the machine the language server runs on. */
	readonly path: string;
	/** Into English instead of the language that is spoken. */
	readonly english?: boolean;
	/** Say who speaks. */
	readonly speakers?: boolean;
	/** Token of the `$/progress` notifications that carry {@link TranscriptDelta}. */
	readonly partialResultToken?: string | number;
}

/** What has become known of a recording since the last notification; every field may be absent. */
export interface TranscriptDelta {
	readonly phase?: 'connecting' | 'loading' | 'running';
	readonly segments?: readonly TranscribedSegment[];
	/** Text as it comes, for models without segments too. */
	readonly delta?: string;
	readonly progress?: TranscriptProgress;
}

type Named = RequestOf<typeof models.removeModel>;

/** Request name → its parameters and result. */
export interface Requests {
	'nearglot/chat': { params: ChatParams; result: ChatResult };
	'nearglot/complete': { params: CompleteParams; result: { text: string } };
	'nearglot/countTokens': {
		params: Pick<ChatParams, 'model' | 'messages' | 'tools' | 'truncation'>;
		result: { tokens: number };
	};
	'nearglot/translate': { params: TranslateParams; result: TranslateTextsResult };
	'nearglot/translateRanges': {
		params: TranslateRangesParams;
		result: { texts: readonly string[] };
	};
	'nearglot/readerRanges': {
		params: ReaderRangesParams;
		result: { ranges: readonly TranslatedRange[] };
	};
	/** Partial results are TextsProgress. */
	'nearglot/translateDocument': {
		params: TranslateDocumentParams;
		result: TranslateDocumentResult;
	};
	/** Partial results are TextsProgress. */
	'nearglot/translateFile': { params: TranslateFileParams; result: TranslateFileResult };
	/** Partial results are TextsProgress. */
	'nearglot/translateMissing': { params: TranslateMissingParams; result: TranslateMissingResult };
	'nearglot/messageProgress': { params: MessageProgressParams; result: MessageProgress };
	'nearglot/setMessages': { params: SetMessagesParams; result: SetMessagesResult };
	'nearglot/messageFiles': {
		params: MessageFilesParams;
		result: { families: readonly MessageFamily[] };
	};
	'nearglot/nameSymbol': { params: NameSymbolParams; result: NameSymbolResult };
	/** The text of a glossary file with an entry added. */
	'nearglot/glossary/add': { params: GlossaryEntryParams; result: { text: string } };
	'nearglot/glossary/text': { params: GlossaryTextParams; result: Record<string, never> };
	/** What can be chosen to translate on this computer. */
	'nearglot/translationSystems': {
		params: Record<string, never>;
		result: { systems: readonly TranslationSystem[]; usual: string };
	};
	'nearglot/languages': {
		params: { displayLanguage?: string };
		result: { languages: readonly LanguageInfo[] };
	};
	/** Models of this computer and of the team; `team` says whether those could be asked for. */
	'nearglot/models': {
		params: Record<string, never>;
		result: { models: readonly ModelInfo[]; team?: TeamStatus };
	};
	'nearglot/models/load': { params: Named; result: Record<string, never> };
	'nearglot/models/unload': { params: Named; result: Record<string, never> };
	/** Partial results are DownloadProgress. */
	'nearglot/models/download': {
		params: Named & { partialResultToken?: string | number };
		result: Record<string, never>;
	};
	/** Repositories of the hub whose models run here. */
	'nearglot/models/hub': {
		params: { words: string };
		result: AnswerOf<typeof searchHubModels>;
	};
	/** A link to the studio page that holds once, for a minute, and brings the key along. */
	'nearglot/studio': { params: Record<string, never>; result: AnswerOf<typeof openStudio> };
	/** Models of the catalogue that fit this computer. */
	'nearglot/models/suggest': {
		params: { task: QueryOf<typeof models.suggestModelsRoute>['task'] };
		result: AnswerOf<typeof models.suggestModelsRoute>;
	};
	/** Moves all downloaded models to another, empty folder. */
	'nearglot/models/move': {
		params: RequestOf<typeof models.moveModels>;
		result: AnswerOf<typeof models.moveModels>;
	};
	'nearglot/models/remove': { params: Named; result: Record<string, never> };
	/** Engines on other machines that were added. */
	'nearglot/engines': {
		params: Record<string, never>;
		result: { engines: readonly upstreams.UpstreamInfo[] };
	};
	'nearglot/engines/add': {
		params: RequestOf<typeof upstreams.addUpstream>;
		result: upstreams.UpstreamInfo;
	};
	/** The engines of the setting `nearglot.engines`, whenever it may have changed. */
	'nearglot/engines/setting': {
		params: RequestOf<typeof upstreams.setUpstreams>;
		result: { engines: readonly upstreams.UpstreamInfo[] };
	};
	'nearglot/engines/remove': { params: { name: string }; result: Record<string, never> };
	/** Asks one for its models; `problem` says why it does not answer. */
	'nearglot/engines/test': {
		params: { name: string };
		result: AnswerOf<typeof upstreams.testUpstream>;
	};
	/** Batches of this computer, newest first. */
	'nearglot/jobs': { params: Record<string, never>; result: { jobs: readonly JobInfo[] } };
	'nearglot/jobs/change': { params: { id: string; change: JobChange }; result: JobInfo };
	/** The requests of a batch that failed, those that came first. */
	'nearglot/jobs/errors': { params: { id: string }; result: FailedItems };
	/** Has a recording transcribed in the background, on this computer; `mark` tells which it was. */
	'nearglot/recordings/queue': { params: RecordingParams; result: { id: string } };
	/** How those stand that were handed over under these ids; what is gone is left out. */
	'nearglot/recordings': { params: { ids: readonly string[] }; result: QueuedList };
	'nearglot/recordings/take': { params: { id: string }; result: Transcript };
	/** The transcript is kept elsewhere, or nobody wants it. One of several windows hears that it `removed` it. */
	'nearglot/recordings/forget': { params: { id: string }; result: { removed: boolean } };
	'nearglot/transcribe': { params: TranscribeParams; result: { text: string } };
	/** The whole transcript with the times of its words. Partial results are TranscriptDelta. */
	'nearglot/transcript': { params: TranscriptParams; result: Transcript };
	/** Loudest samples of `buckets` equal stretches, 0…255. */
	'nearglot/waveform': { params: { path: string; buckets: number }; result: Waveform };
	/** Writes the recording as a WAV file that any browser plays. */
	'nearglot/playable': {
		/** Without `cuts`, which are in order. */
		params: { path: string; target: string; cuts?: readonly SoundCut[] };
		result: Record<string, never>;
	};
	/** Writes down what is said until it is stopped. Partial results are DictationEvent. */
	'nearglot/dictate': { params: DictateParams; result: { text: string } };
	'nearglot/dictate/stop': { params: { id: string }; result: Record<string, never> };
	/** Signed 16-bit little-endian mono samples, as base64. */
	'nearglot/dictate/audio': {
		params: { id: string; rate: number; data: string };
		result: Record<string, never>;
	};
	/**
	 * Replaces all secrets of one storage (by its name; without one: of editors that name none). The
	 * front hands them to every daemon it meets; those of the command line and of other storages stay.
	 */
	'nearglot/secrets': {
		params: { secrets: Partial<Record<SecretName, string>>; storage?: string };
		result: Record<string, never>;
	};
	/** The team server in use and the user's session there; without `team` there is none. */
	'nearglot/team': {
		params: { team?: TeamAccess };
		result: Record<string, never>;
	};
	/** Pieces of whole folders that answer a question. Partial results are WorkspaceProgress. */
	'nearglot/workspace/search': { params: WorkspaceSearchParams; result: WorkspaceSearchResult };
	'nearglot/workspace/changed': { params: WorkspaceChanges; result: Record<string, never> };
	'nearglot/workspace/forget': { params: WorkspaceFolders; result: Record<string, never> };
	'nearglot/endpoint': { params: Record<string, never>; result: EndpointInfo };
}

/** Name of a request an editor may send. */
export type RequestName = keyof Requests;

/** Notification from the language server whenever its health changes: {@link StatusParams}. */
export const statusNotification = 'nearglot/status';
