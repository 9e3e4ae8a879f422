/** What a session was set to, out of the published form of its events and the one before, and back. */

import type * as z from 'zod';
import type { PcmEncoding } from '../../../audio/pcm.ts';
import { AppError } from '../../../protocol/errors.ts';
import type {
	betaSessionFields,
	realtimeSessionFields,
} from '../../../protocol/routes/realtime.ts';
import { type SpeechCall, speechCall } from '../speechRequest.ts';
import type { TurnOptions } from './turnDetector.ts';

/** The published form, or the one that `OpenAI-Beta: realtime=v1` asks for. */
export type RealtimeDialect = 'ga' | 'beta';

interface RealtimeFormat {
	readonly encoding: PcmEncoding;
	readonly sampleBytes: number;
	readonly rateHz: number;
	/** As the published form and the one before call it. */
	readonly names: { readonly ga: string; readonly beta: string };
}

/** The options of one session. */
export interface RealtimeOptions {
	readonly format: RealtimeFormat;
	readonly model: string;
	/** As the client wrote it. */
	readonly language?: string;
	readonly prompt?: string;
	readonly logprobs: boolean;
	/** `undefined` = the client commits. */
	readonly turns?: TurnOptions;
}

const pcm = (rateHz: number): RealtimeFormat => ({
	...{ encoding: 'signed', sampleBytes: 2, rateHz },
	names: { ga: 'audio/pcm', beta: 'pcm16' },
});
const g711 = (encoding: PcmEncoding, ga: string, beta: string): RealtimeFormat => ({
	...{ encoding, sampleBytes: 1, rateHz: 8000, names: { ga, beta } },
});
/** Samples per second of `audio/pcm`, unless the session says otherwise. */
const publishedRateHz = 24_000;
const formats = [
	pcm(publishedRateHz),
	g711('mu-law', 'audio/pcmu', 'g711_ulaw'),
	g711('a-law', 'audio/pcma', 'g711_alaw'),
];

const defaultTurns: TurnOptions = {
	threshold: 0.5,
	prefixPaddingMs: 300,
	silenceDurationMs: 500,
};

/** What a session begins with. */
export const initialOptions = (model: string): RealtimeOptions => ({
	...{ format: pcm(publishedRateHz), model, logprobs: false, turns: defaultTurns },
});

type Published = z.output<typeof realtimeSessionFields>;
type Beta = z.output<typeof betaSessionFields>;

/**
 * The options after `session.update`; what it does not name stays.
 * @throws AppError `invalid_request`
 */
export function withPublished(before: RealtimeOptions, session: Published): RealtimeOptions {
	const { format, transcription, turn_detection: turns } = session.audio?.input ?? {};
	const at = 'session.audio.input';
	const made = {
		...before,
		...(format === undefined ? {} : { format: publishedFormat(format, at) }),
		...withTranscription(before, transcription),
		...withInclude(session.include),
	};
	return checked(withTurns(made, turns), `${at}.transcription`);
}

/** As {@link withPublished}, of `transcription_session.update`. */
export function withBeta(before: RealtimeOptions, session: Beta): RealtimeOptions {
	const { input_audio_format: format, input_audio_transcription: transcription } = session;
	const found = formats.find(({ names }) => names.beta === format);
	const made = {
		...before,
		...(found === undefined ? {} : { format: found }),
		...withTranscription(before, transcription),
		...withInclude(session.include),
	};
	return checked(withTurns(made, session.turn_detection), 'session.input_audio_transcription');
}

/** The request that each turn of a session is transcribed by. */
export function callOfOptions(options: RealtimeOptions): SpeechCall {
	const { model, language, prompt, logprobs } = options;
	return speechCall(
		{
			model,
			...(language === undefined ? {} : { language }),
			...(prompt === undefined ? {} : { prompt }),
			response_format: 'json',
			...(logprobs ? { include: ['logprobs'] as const } : {}),
		} as Parameters<typeof speechCall>[0],
		'transcribe',
	);
}

/**
 * A session as its events show it.
 * @param expiresAt seconds since 1970
 */
export function shownSession(
	dialect: RealtimeDialect,
	{ format, turns, model, language, prompt, logprobs }: RealtimeOptions,
	id: string,
	expiresAt: number,
) {
	const transcription = { model, language: language ?? null, prompt: prompt ?? '' };
	const turnDetection =
		turns === undefined
			? null
			: {
					type: 'server_vad',
					threshold: turns.threshold,
					prefix_padding_ms: turns.prefixPaddingMs,
					silence_duration_ms: turns.silenceDurationMs,
				};
	const include = logprobs ? ['item.input_audio_transcription.logprobs'] : null;
	const facts = {
		id,
		object: 'realtime.transcription_session' as const,
		expires_at: expiresAt,
		include,
	};
	if (dialect === 'beta')
		return {
			...facts,
			input_audio_format: format.names.beta,
			input_audio_transcription: transcription,
			input_audio_noise_reduction: null,
			turn_detection: turnDetection,
		};
	const rate = format.encoding === 'signed' ? { rate: format.rateHz } : {};
	return {
		...facts,
		type: 'transcription',
		audio: {
			input: {
				format: { type: format.names.ga, ...rate },
				transcription,
				noise_reduction: null,
				turn_detection: turnDetection,
			},
		},
	};
}

function publishedFormat(
	{ type, rate }: { readonly type: string; readonly rate?: number },
	at: string,
): RealtimeFormat {
	const found = formats.find(({ names }) => names.ga === type) ?? pcm(publishedRateHz);
	if (rate === undefined || rate === found.rateHz) return found;
	if (found.encoding === 'signed') return pcm(rate);
	throw new AppError(
		'invalid_request',
		`'${at}.format.rate' must be 8000 for ${type}, or left out.`,
		{ param: `${at}.format.rate` },
	);
}

function withTranscription(
	before: RealtimeOptions,
	given: { readonly model?: string; readonly language?: string; readonly prompt?: string } = {},
): Pick<RealtimeOptions, 'model' | 'language' | 'prompt'> {
	const { model, language, prompt } = before;
	return {
		model,
		...(language === undefined ? {} : { language }),
		...(prompt === undefined ? {} : { prompt }),
		...given,
	};
}

const withInclude = (include: readonly string[] | undefined) =>
	include === undefined ? {} : { logprobs: include.length > 0 };

function withTurns(
	{ turns: before, ...rest }: RealtimeOptions,
	given: Beta['turn_detection'],
): RealtimeOptions {
	if (given === null) return rest;
	if (given === undefined) return before === undefined ? rest : { ...rest, turns: before };
	const { threshold, prefix_padding_ms: prefix, silence_duration_ms: silence } = given;
	const base = before ?? defaultTurns;
	return {
		...rest,
		turns: {
			threshold: threshold ?? base.threshold,
			prefixPaddingMs: prefix ?? base.prefixPaddingMs,
			silenceDurationMs: silence ?? base.silenceDurationMs,
		},
	};
}

/** Says of a language nobody knows where it stands. */
function checked(options: RealtimeOptions, at: string): RealtimeOptions {
	try {
		callOfOptions(options);
	} catch (error) {
		if (!(error instanceof AppError) || error.param === null) throw error;
		throw new AppError(error.code, error.message, { param: `${at}.${error.param}` });
	}
	return options;
}
