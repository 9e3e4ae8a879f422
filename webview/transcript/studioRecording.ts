/** The host of the page of a recording in a browser: the daemon's HTTP interface behind the same session. */

import {
	AppError,
	asAppError,
	choosableChatModels,
	exportFile,
	exportName,
	exportTranscript,
	inReadersLanguage,
	outlineOf,
	outlineRoom,
	readTranscript,
	readyTargets,
	type SoundCut,
	type TranscribeChoice,
	type Transcript,
	type TranscriptDelta,
	type TranscriptDocument,
	type TranscriptHostMessage,
	type TranscriptOutline,
	type TranscriptPageMessage,
	TranscriptSession,
	type TranscriptState,
	transcriptDocumentOf,
	transcriptForm,
	usualChatModel,
	withoutSoundCuts,
} from '../../server/protocol/index.ts';
import { audioTranslations, transcriptions } from '../../server/protocol/routeAddresses.ts';
import { errorText, inPageLanguage } from '../errorText.ts';
import { ownStores } from '../ownStore.ts';
import { answerInStudio } from '../studioAnswer.ts';
import type { StudioApi } from '../studioApi.ts';
import { modelName } from '../studioHost.ts';
import { go } from '../studioRoute.ts';
import { text, translated } from '../studioText.ts';
import { transcriptStrings } from '../transcriptStrings.ts';
import { decodedSound, wavOf } from '../wavOf.ts';
import { readWaveform } from './readWaveform.ts';
import { createTranscriptState, type TranscriptPageState } from './transcriptState.ts';

const choiceName = 'transcribe';
const task = 'automatic-speech-recognition';

/**
 * Opens a recording, and transcribes it when nothing was heard in it yet; `close` frees what it holds.
 */
export function openRecording(
	api: StudioApi,
	sound: Blob,
	name: string,
	heard?: Transcript,
): { readonly page: TranscriptPageState; close(): void } {
	const url = URL.createObjectURL(sound);
	let listener: (message: TranscriptHostMessage) => void = () => {};
	let lists: Pick<TranscriptState, 'models' | 'languages' | 'ready'> = {
		models: [],
		languages: [],
	};
	let listed = false;
	/** Why something failed that the session has no part in. */
	let problem: string | null = null;
	const post = (message: TranscriptHostMessage) => listener(message);
	const postState = () =>
		post({
			type: 'state',
			state: {
				...session.state,
				...lists,
				...(problem === null ? {} : { problem }),
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
			localised: inPageLanguage,
			nowMs: () => performance.now(),
		},
		heard ? transcriptDocumentOf(heard) : null,
	);
	session.choice = chosenLast();
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
		if (!heard && lists.models.length > 0)
			void transcribe({ ...last, model }).catch(() => undefined);
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
					download(exportName(name, document, message), new Blob([bytes], { type: 'text/plain' }));
				}
				return;
			case 'copy':
				if (document) {
					const options = { ...message, format: 'text', title: name } as const;
					const { outline: _, ...words } = document;
					await navigator.clipboard.writeText(exportTranscript(words, options));
				}
				return;
			case 'exportSound':
				if (document?.cuts)
					download(
						`${name.replace(/\.[^.]+$/, '')}.cut.wav`,
						await soundWithoutCuts(sound, document.cuts),
					);
				return;
			case 'downloadModel':
				go('models');
				return;
			case 'unplayable':
			case 'insert':
				// The page says itself that there is no sound.
				return;
		}
	};
	const page = createTranscriptState({
		send: (message) => {
			problem = null;
			handle(message).catch((error: unknown) => {
				if (asAppError(error).code === 'cancelled') return;
				problem = errorText(error);
				postState();
			});
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

/** What recordings were transcribed with last. */
export function chosenLast(): TranscribeChoice {
	const usual = { model: '', language: '', english: false };
	try {
		const value = JSON.parse(
			ownStores().browser.get(choiceName) ?? 'null',
		) as TranscribeChoice | null;
		return typeof value?.language === 'string' ? value : usual;
	} catch {
		return usual;
	}
}

async function soundWithoutCuts(sound: Blob, cuts: readonly SoundCut[]): Promise<Blob> {
	const { samples, rateHz } = await decodedSound(sound).catch((cause: unknown) => {
		throw inReadersLanguage('invalid_audio', text('soundUndecodable'), { cause });
	});
	return wavOf(withoutSoundCuts(cuts, rateHz)(samples), rateHz);
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

function download(name: string, content: Blob): void {
	const link = document.createElement('a');
	link.href = URL.createObjectURL(content);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
