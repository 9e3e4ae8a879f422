/** The host of the page of a recording in a browser: the daemon's HTTP interface behind the same session. */

import {
	AppError,
	choosableChatModels,
	exportFile,
	exportName,
	exportTranscript,
	outlineOf,
	outlineRoom,
	readTranscript,
	readyTargets,
	type TranscribeChoice,
	type Transcript,
	type TranscriptDelta,
	type TranscriptDocument,
	type TranscriptHostMessage,
	type TranscriptOutline,
	type TranscriptPageMessage,
	TranscriptSession,
	type TranscriptState,
	transcriptForm,
	usualChatModel,
} from '../../server/protocol/index.ts';
import { audioTranslations, transcriptions } from '../../server/protocol/routeAddresses.ts';
import { ownStores } from '../ownStore.ts';
import { answerInStudio } from '../studioAnswer.ts';
import type { StudioApi } from '../studioApi.ts';
import { modelName } from '../studioHost.ts';
import { translated } from '../studioText.ts';
import { transcriptStrings } from '../transcriptStrings.ts';
import { readWaveform } from './readWaveform.ts';
import { createTranscriptState, type TranscriptPageState } from './transcriptState.ts';

const choiceName = 'transcribe';
const task = 'automatic-speech-recognition';

/** Opens a recording and transcribes it; `close` frees what it holds. */
export function openRecording(
	api: StudioApi,
	sound: Blob,
	name: string,
): { readonly page: TranscriptPageState; close(): void } {
	const url = URL.createObjectURL(sound);
	let listener: (message: TranscriptHostMessage) => void = () => {};
	let lists: Pick<TranscriptState, 'models' | 'languages' | 'ready'> = {
		models: [],
		languages: [],
	};
	let listed = false;
	const post = (message: TranscriptHostMessage) => listener(message);
	const postState = () =>
		post({
			type: 'state',
			state: {
				...session.state,
				...lists,
				name,
				editor: false,
				noModel: listed && lists.models.length === 0,
			},
			strings: translated(transcriptStrings),
		});
	const session = new TranscriptSession(
		{
			transcribe: (choice, onDelta, signal) =>
				transcribeSound(api, { sound, name, choice }, onDelta, signal),
			translate: (texts, languages, signal) => api.translateAll(texts, languages, signal),
			outline: (document, onProgress, signal) => outline(api, document, onProgress, signal),
			save: async () => {},
			post,
			onState: postState,
			nowMs: () => performance.now(),
		},
		null,
	);
	session.choice = lastChoice() ?? session.choice;
	const transcribe = async (choice: TranscribeChoice) => {
		ownStores().browser.set(choiceName, JSON.stringify(choice));
		await session.transcribe(choice);
	};
	const begin = async () => {
		post({ type: 'media', url });
		session.postAll();
		void readWaveform(sound).then((waveform) => {
			if (waveform) post({ type: 'waveform', waveform });
		});
		const models = await api.models();
		lists = {
			...lists,
			models: models.filter((model) => model.task === task),
			ready: [...readyTargets(models)],
		};
		listed = true;
		postState();
		const last = session.choice;
		const model = lists.models.some(({ id }) => id === last.model) ? last.model : '';
		if (lists.models.length > 0) void transcribe({ ...last, model }).catch(() => undefined);
		const languages = await api.languages();
		lists = { ...lists, languages: languages.map((one) => ({ ...one, nativeName: one.name })) };
		postState();
	};
	const handle = async (message: TranscriptPageMessage): Promise<void> => {
		const ofSession = session.handle(message);
		if (ofSession) return ofSession;
		const { document } = session;
		switch (message.type) {
			case 'ready':
				return begin();
			case 'transcribe':
				return transcribe(message.choice);
			case 'export':
				if (document) {
					const bytes = exportFile(document, { ...message, title: name });
					download(exportName(name, document, message), bytes);
				}
				return;
			case 'copy':
				if (document) {
					const options = { ...message, format: 'text', title: name } as const;
					const { outline: _, ...words } = document;
					await navigator.clipboard.writeText(exportTranscript(words, options));
				}
				return;
			case 'downloadModel':
			case 'exportSound':
			case 'unplayable':
			case 'insert':
				// The page says itself that there is no sound; models have a tool of their own.
				return;
		}
	};
	const page = createTranscriptState({
		send: (message) => {
			// The session tells why its work failed.
			handle(message).catch((error: unknown) => console.warn(error));
		},
		onMessage: (take) => {
			listener = take;
		},
		load: () => undefined,
		store: () => {},
	});
	page.send({ type: 'ready' });
	return {
		page,
		close: () => {
			session.cancel();
			page.player.close();
			URL.revokeObjectURL(url);
		},
	};
}

async function outline(
	api: StudioApi,
	document: TranscriptDocument,
	onProgress: (done: number, total: number) => void,
	signal: AbortSignal,
): Promise<TranscriptOutline> {
	const models = choosableChatModels(await api.models());
	const chosen = ownStores().browser.get(modelName) ?? '';
	const model = models.find(({ id }) => id === chosen) ?? usualChatModel(models);
	const maxCharacters = outlineRoom(model?.contextLength, document.language);
	if (!model) throw new AppError('not_found', 'There is no chat model on this computer.');
	const ask = async (content: string, maxTokens: number): Promise<string> => {
		let answer = '';
		const params = {
			...{ model: model.id, messages: [{ role: 'user' as const, content }] },
			...{ temperature: 0, maxTokens },
		};
		await answerInStudio(
			api,
			params,
			({ text = '' }) => {
				answer += text;
			},
			signal,
		);
		return answer;
	};
	return {
		...(await outlineOf(document, { ask, maxCharacters, onProgress })),
		model: model.displayName,
	};
}

function lastChoice(): TranscribeChoice | undefined {
	try {
		const value = JSON.parse(
			ownStores().browser.get(choiceName) ?? 'null',
		) as TranscribeChoice | null;
		return typeof value?.language === 'string' ? value : undefined;
	} catch {
		return undefined;
	}
}

interface Transcribed {
	readonly sound: Blob;
	readonly name: string;
	readonly choice: TranscribeChoice;
}

function transcribeSound(
	api: StudioApi,
	{ sound, name, choice }: Transcribed,
	onDelta: (delta: TranscriptDelta) => void,
	signal: AbortSignal,
): Promise<Transcript> {
	const body = transcriptForm(choice, sound, name);
	onDelta({ phase: 'loading' });
	const route = choice.english ? audioTranslations : transcriptions;
	return readTranscript(api.client.stream(route, { body }, { of: 'recording', signal }), onDelta);
}

function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
	const link = document.createElement('a');
	link.href = URL.createObjectURL(new Blob([bytes], { type: 'text/plain' }));
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
