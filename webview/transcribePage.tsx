/** Transcribing on the studio page: drop or choose a recording, or record one. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { errorText } from './errorText.ts';
import type { StudioApi } from './studioApi.ts';

export function TranscribePage({ api }: { api: StudioApi }): VNode {
	const state = useMemo(
		() => ({
			text: signal(''),
			problem: signal(''),
			busy: signal(''),
			format: signal('text'),
			recording: signal(false),
		}),
		[],
	);
	const recorder = useRef<MediaRecorder>(undefined);
	const transcribe = async (file: Blob, name: string) => {
		state.problem.value = '';
		state.busy.value = `Transcribing ${name} …`;
		try {
			const models = await api.models();
			const model = models.find(({ task }) => task === 'automatic-speech-recognition');
			if (!model) {
				throw new Error(
					'There is no speech model on this computer. Download one: nearglot models pull.',
				);
			}
			const form = new FormData();
			form.set('model', model.id);
			form.set('response_format', state.format.value);
			form.set('file', file, name);
			const response = await api.upload(
				'/v1/audio/transcriptions',
				form,
				new AbortController().signal,
			);
			state.text.value = await response.text();
		} catch (error) {
			state.problem.value = errorText(error);
		} finally {
			state.busy.value = '';
		}
	};
	const record = async () => {
		if (recorder.current) return recorder.current.stop();
		try {
			const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
			const parts: Blob[] = [];
			const tape = new MediaRecorder(stream);
			tape.ondataavailable = ({ data }) => parts.push(data);
			tape.onstop = () => {
				for (const track of stream.getTracks()) track.stop();
				recorder.current = undefined;
				state.recording.value = false;
				void transcribe(new Blob(parts, { type: tape.mimeType }), 'recording.webm');
			};
			recorder.current = tape;
			state.recording.value = true;
			tape.start();
		} catch (error) {
			state.problem.value = errorText(error);
		}
	};
	return (
		<section
			class="tool"
			aria-label="Transcribe"
			onDragOver={(event) => event.preventDefault()}
			onDrop={(event) => {
				event.preventDefault();
				const file = event.dataTransfer?.files[0];
				if (file) void transcribe(file, file.name);
			}}
		>
			<div class="row">
				<label>
					Recording
					<input
						type="file"
						accept="audio/*,.wav,.mp3,.flac,.ogg,.webm"
						onChange={(event) => {
							const file = event.currentTarget.files?.[0];
							if (file) void transcribe(file, file.name);
						}}
					/>
				</label>
				<button type="button" onClick={record}>
					{state.recording.value ? 'Stop recording' : 'Record'}
				</button>
				<label>
					Form
					<select
						value={state.format.value}
						onChange={(event) => {
							state.format.value = event.currentTarget.value;
						}}
					>
						<option value="text">Text</option>
						<option value="srt">SRT</option>
						<option value="vtt">VTT</option>
					</select>
				</label>
				<span class="note" role="status">
					{state.busy.value}
				</span>
			</div>
			<p class="note">You can also drop a file here. It does not leave this computer.</p>
			<pre class="result">{state.text.value}</pre>
			{state.problem.value !== '' && (
				<p class="error" role="alert">
					{state.problem.value}
				</p>
			)}
		</section>
	);
}
