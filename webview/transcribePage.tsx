/** Transcribing on the studio page: drop, choose or record; then the same page as in the editor. */

import './transcript.css';
import './transcribePage.css';
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { shortClock, type Transcript } from '../server/protocol/index.ts';
import { errorText } from './errorText.ts';
import { Icon } from './icons.tsx';
import { RecordingQueue } from './recordingQueue.ts';
import { RecordingQueueView } from './recordingQueueView.tsx';
import { recordSound, type SoundRecorder } from './soundRecorder.ts';
import type { StudioApi } from './studioApi.ts';
import { text } from './studioText.ts';
import { chosenLast, openRecording } from './transcript/studioRecording.ts';
import { TranscriptPage } from './transcript/transcriptPage.tsx';
import type { TranscriptPageState } from './transcript/transcriptState.ts';

interface Opened {
	readonly id: string;
	readonly name: string;
	readonly page: TranscriptPageState;
	close(): void;
}

/** Stays while other tools are shown. */
const opened = signal<Opened | undefined>(undefined);
let recordings: RecordingQueue | undefined;

const endings = '.wav,.mp3,.flac,.ogg,.oga,.opus,.webm,.weba,.m4a,.aac,.mp4,.mkv';

export function TranscribePage({ api }: { api: StudioApi }): VNode {
	const state = useMemo(
		() => ({
			problem: signal(''),
			over: signal(false),
			seconds: signal<number | undefined>(undefined),
		}),
		[],
	);
	const recorder = useRef<SoundRecorder>(undefined);
	const file = useRef<HTMLInputElement>(null);
	recordings ??= new RecordingQueue(api);
	const queue = recordings;
	const open = (sound: Blob, name: string, transcript?: Transcript) => {
		state.problem.value = '';
		opened.value?.close();
		opened.value = {
			id: crypto.randomUUID(),
			name,
			...openRecording(api, sound, name, transcript),
		};
	};
	const take = (files: readonly File[]) => {
		const [only, ...others] = files;
		if (only && others.length === 0) open(only, only.name);
		else queue.add(files, chosenLast());
	};
	const record = async () => {
		if (recorder.current) return recorder.current.stop();
		try {
			recorder.current = await recordSound((seconds) => {
				state.seconds.value = seconds;
			});
			const sound = await recorder.current.sound;
			const time = new Date().toTimeString().slice(0, 5).replace(':', '.');
			open(sound, `${text('recordingOf', time)}.${/wav|ogg|webm/.exec(sound.type)?.[0] ?? 'webm'}`);
		} catch (error) {
			state.problem.value = errorText(error);
		} finally {
			recorder.current = undefined;
			state.seconds.value = undefined;
		}
	};
	const recording = state.seconds.value !== undefined;
	const buttons = (
		<>
			<button type="button" class="secondary" onClick={() => file.current?.click()}>
				{text('chooseFiles')}
			</button>
			<input
				ref={file}
				type="file"
				multiple
				hidden
				aria-label={text('chooseFiles')}
				accept={`audio/*,${endings}`}
				onChange={(event) => {
					take([...(event.currentTarget.files ?? [])]);
					event.currentTarget.value = '';
				}}
			/>
			<button
				type="button"
				class={recording ? 'record on' : 'record'}
				aria-pressed={recording}
				onClick={record}
			>
				<Icon name={recording ? 'stop' : 'microphone'} />
				{recording ? text('stopRecording', shortClock(state.seconds.value ?? 0)) : text('record')}
			</button>
		</>
	);
	return (
		<section
			class={`transcribe${state.over.value ? ' over' : ''}`}
			aria-label={text('transcribe')}
			onDragOver={(event) => {
				event.preventDefault();
				state.over.value = true;
			}}
			onDragLeave={() => {
				state.over.value = false;
			}}
			onDrop={(event) => {
				event.preventDefault();
				state.over.value = false;
				take([...(event.dataTransfer?.files ?? [])]);
			}}
		>
			{opened.value && (
				<div class="sources">
					<strong class="name">{opened.value.name}</strong>
					{buttons}
				</div>
			)}
			{state.problem.value !== '' && (
				<p class="error" role="alert">
					{state.problem.value}
				</p>
			)}
			<RecordingQueueView
				queue={queue}
				isFolded={opened.value !== undefined}
				onOpen={(name, sound, transcript) => open(sound, name, transcript)}
			/>
			{opened.value ? (
				<TranscriptPage key={opened.value.id} page={opened.value.page} />
			) : (
				<div class="drop">
					<Icon name="microphone" />
					<p>{text('recordingHint')}</p>
					<div class="sources">{buttons}</div>
				</div>
			)}
		</section>
	);
}
