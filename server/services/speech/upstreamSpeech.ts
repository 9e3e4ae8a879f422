/**
 * Transcribing that sends recordings which name a model of another engine (`lab/whisper-large-v3`) to that engine, and
 * all others to this machine. Neither ever stands in for the other.
 */

import { speechLanguageCode, speechLanguages } from '../../engine/speech/languages.ts';
import { setFormFile } from '../../protocol/formFile.ts';
import { AppError, type Transcript } from '../../protocol/index.ts';
import { shownUpstream } from '../../remote/upstreams/upstreamErrors.ts';
import type { NamedUpstream, Upstreams } from '../../remote/upstreams/upstreams.ts';
import { transcriptOf } from '../../remote/upstreams/upstreamTranscript.ts';
import { openBill } from '../limits/account.ts';
import type { SpeechCall } from './speechRequest.ts';
import type { SpeechDeps, SpeechService } from './speechService.ts';

export interface UpstreamSpeechDeps extends Pick<SpeechDeps, 'decode' | 'limits'> {
	readonly upstreams: Pick<Upstreams, 'find'>;
	/** A file that is read as it is sent. */
	readonly openFile: (path: string) => Promise<Blob>;
}

export function upstreamSpeech(local: SpeechService, deps: UpstreamSpeechDeps): SpeechService {
	const refuseLive = async (name: string): Promise<void> => {
		const named = await deps.upstreams.find(name);
		if (named !== undefined)
			throw new AppError(
				'unsupported_model',
				`${shownUpstream(named.upstream.entry)} is asked for recordings, not for sound that is spoken at this moment: take a model of this computer.`,
				{ param: 'model' },
			);
	};
	return {
		limits: local.limits,
		checkRoom: () => local.checkRoom(),
		model: async (name) => {
			await refuseLive(name);
			return local.model(name);
		},
		listener: async (name, signal) => {
			await refuseLive(name);
			return local.listener(name, signal);
		},
		transcribeLive: async (call, audio, onEvent, signal) => {
			await refuseLive(call.model);
			return local.transcribeLive(call, audio, onEvent, signal);
		},
		run: async (call, path, onEvent, signal) => {
			const named = await deps.upstreams.find(call.model, 'transcribe');
			if (named === undefined) return local.run(call, path, onEvent, signal);
			checkPromised(call, named);
			// A file that is no recording, or too long, never leaves this machine.
			const durationS = await lengthOf(path, deps, signal);
			await using bill = await openBill(call.account, {
				kind: 'speech',
				model: named.id,
				amounts: { seconds: durationS },
			});
			const transcript = await askThere(named, call, await deps.openFile(path), durationS, signal);
			bill.total({ seconds: durationS });
			const { text: delta, segments } = transcript;
			onEvent({ type: 'added', delta, segments, logprobs: [] });
			onEvent({ type: 'progress', done: durationS, total: durationS });
			return transcript;
		},
	};
}

function checkPromised(call: SpeechCall, { upstream }: NamedUpstream): void {
	const refuse = (param: string, what: string) =>
		new AppError(
			'unsupported_parameter',
			`${what} is for models of this computer: ${shownUpstream(upstream.entry)} is not asked for it.`,
			{ param },
		);
	if (call.speakers) throw refuse('response_format', 'Who speaks');
	if (call.logprobs) throw refuse('include', 'How sure a model is of each token');
	if (call.conditionOnPrevious !== undefined)
		throw refuse('condition_on_previous_text', "'condition_on_previous_text'");
}

/** Seconds of sound in a file. @throws AppError `invalid_audio`, `payload_too_large` */
async function lengthOf(
	path: string,
	{ decode, limits }: UpstreamSpeechDeps,
	signal: AbortSignal | undefined,
): Promise<number> {
	const audio = await decode(path, limits.maximumS, signal);
	try {
		if (audio.info.durationS !== undefined) return audio.info.durationS;
		let samples = 0;
		for await (const piece of audio.samples) samples += piece.length;
		return samples / rateHz;
	} finally {
		await audio.close();
	}
}

const rateHz = 16_000;

async function askThere(
	{ upstream, model }: NamedUpstream,
	call: SpeechCall,
	recording: Blob,
	durationS: number,
	signal: AbortSignal | undefined,
): Promise<Transcript> {
	// Without times a plain text will do, which more models can give.
	const needsTimes = /^(?:verbose_json|srt|vtt)$/.test(call.format);
	const form = new FormData();
	// Its own name is nobody's business there.
	setFormFile(form, recording, 'recording');
	form.set('model', model);
	form.set('response_format', needsTimes ? 'verbose_json' : 'json');
	form.set('temperature', String(call.temperature));
	if (call.language !== undefined) form.set('language', call.language);
	if (call.prompt !== undefined) form.set('prompt', call.prompt);
	if (call.seed !== undefined) form.set('seed', String(call.seed));
	if (needsTimes) {
		if (call.segments || !call.words) form.append('timestamp_granularities[]', 'segment');
		if (call.words) form.append('timestamp_granularities[]', 'word');
	}
	const route = call.task === 'translate' ? 'translations' : 'transcriptions';
	const answer = await upstream.whole(`/audio/${route}`, form, signal, durationS);
	const found = transcriptOf(answer, durationS);
	if (found === undefined) throw upstream.nonsense();
	const code =
		(found.language && speechLanguageCode(found.language)) ??
		(call.task === 'translate' ? 'en' : (call.language ?? ''));
	return {
		task: call.task,
		language: speechLanguages.get(code) ?? code,
		language_code: code,
		duration: durationS,
		text: found.text,
		segments: found.segments,
		...(call.words ? { words: found.words } : {}),
	};
}
