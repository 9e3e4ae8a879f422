/** The queue of recordings on the studio page: how each stands, and what can be done with it. */

import './recordingQueue.css';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Transcript } from '../server/protocol/index.ts';
import { errorText } from './errorText.ts';
import type { QueuedRecording, RecordingQueue } from './recordingQueue.ts';
import { type StudioKey, text } from './studioText.ts';

/** Milliseconds between two looks. */
const everyMs = 1500;

const stateTexts: Readonly<Record<QueuedRecording['state'], StudioKey>> = {
	waiting: 'queueWaits',
	sending: 'queueSends',
	underWay: 'underWay',
	done: 'jobCompleted',
	failed: 'jobFailed',
	cancelled: 'cancelled',
};

interface QueueProps {
	readonly queue: RecordingQueue;
	/** Whether something else needs the room. */
	readonly isFolded: boolean;
	readonly onOpen: (name: string, sound: Blob, transcript: Transcript) => void;
}

export function RecordingQueueView({ queue, isFolded, onOpen }: QueueProps): VNode | null {
	useEffect(() => {
		void queue.look();
		const timer = setInterval(() => {
			if (queue.isOpen.value) void queue.look();
		}, everyMs);
		return () => clearInterval(timer);
	}, [queue]);
	useEffect(() => {
		// What has not been sent would be lost.
		const warn = (event: BeforeUnloadEvent) => {
			if (queue.isSending.value) event.preventDefault();
		};
		addEventListener('beforeunload', warn);
		return () => removeEventListener('beforeunload', warn);
	}, [queue]);
	const { value: recordings } = queue.recordings;
	const { value: problem } = queue.problem;
	const alert =
		problem === '' ? null : (
			<p class="error" role="alert">
				{problem}
			</p>
		);
	if (recordings.length === 0) return alert;
	const done = recordings.filter(({ state }) => state === 'done').length;
	const open = async ({ name, batch }: QueuedRecording) => {
		queue.failure.value = '';
		try {
			if (!batch) return;
			const { sound, transcript } = await queue.open(batch);
			onOpen(name, sound, transcript);
		} catch (error) {
			queue.failure.value = errorText(error);
		}
	};
	return (
		<details class="recording-queue" open={!isFolded}>
			<summary>{text('queueDone', done, recordings.length)}</summary>
			{alert}
			<ul>
				{recordings.map((recording) => (
					<Row key={recording.id} recording={recording} queue={queue} open={open} />
				))}
			</ul>
		</details>
	);
}

interface RowProps {
	readonly recording: QueuedRecording;
	readonly queue: RecordingQueue;
	readonly open: (recording: QueuedRecording) => Promise<void>;
}

function Row({ recording, queue, open }: RowProps): VNode {
	const { name, state, message } = recording;
	const isOver = state === 'done' || state === 'failed' || state === 'cancelled';
	const button = (key: StudioKey, act: () => Promise<void>) => (
		<button
			type="button"
			class="secondary"
			aria-label={`${text(key)}: ${name}`}
			onClick={() => void act()}
		>
			{text(key)}
		</button>
	);
	return (
		<li>
			<span class="name">{name}</span>
			<span class="state">{text(stateTexts[state])}</span>
			{!isOver && state !== 'waiting' && <progress aria-label={name} />}
			{message !== undefined && <p class="error">{message}</p>}
			<span class="buttons">
				{state === 'done' && button('open', () => open(recording))}
				{!isOver && button('cancelWork', () => queue.cancel(recording))}
				{(state === 'failed' || state === 'cancelled') &&
					button('tryAgain', () => queue.retry(recording))}
				{isOver && button('removeRecording', () => queue.remove(recording))}
			</span>
		</li>
	);
}
