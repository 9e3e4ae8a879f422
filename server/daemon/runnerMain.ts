/** The runner's side: one process, one model. Ends when the daemon goes away. */

import type {
	EmbedRequest,
	EmbedVoiceRequest,
	EngineModel,
	GenerateEvent,
	GenerateRequest,
	GenerateResult,
	GenerateSummary,
	LoadOptions,
	RerankRequest,
	SegmentSpeakersRequest,
	Seq2SeqRequest,
	SpeechRequest,
	Verdict,
	VoiceRequest,
} from '../engine/api.ts';
import { stepsMade } from '../engine/runtime/steps.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, stackOf, toErrorWire } from '../protocol/index.ts';
import { RunnerOutbox } from './runnerOutbox.ts';
import {
	type FromRunner,
	hasBatchPriority,
	type RunnerMethod,
	type ToRunner,
} from './runnerProtocol.ts';

/** How long a request that was announced may take until it is here. */
const maxExpectedMs = 20;

/** The end of the IPC channel in the runner. */
export interface RunnerChannel {
	send(messages: readonly FromRunner[]): void;
	onMessage(listener: (message: ToRunner) => void): void;
}

export type LoadEngine = (
	options: LoadOptions,
	onVerdict: (found: Verdict) => void,
) => Promise<EngineModel>;

/** Serves calls until `close`; resolves then. */
export function serveRunner(channel: RunnerChannel, loadEngine: LoadEngine): Promise<void> {
	let engine: EngineModel | undefined;
	const running = new Map<number, AbortController>();

	const loaded = (): EngineModel => {
		if (!engine)
			throw new AppError('internal', 'The runner was asked before its model was loaded.');
		return engine;
	};

	const call = async (
		method: RunnerMethod,
		request: unknown,
		onEvent: (event: unknown) => void,
		signal: AbortSignal,
	): Promise<unknown> => {
		switch (method) {
			case 'load':
				engine = await loadEngine(request as LoadOptions, onEvent);
				return engine.description;
			case 'generate':
				return summaryOf(await loaded().generate(request as GenerateRequest, onEvent, signal));
			case 'seq2seq':
				return loaded().seq2seq(request as Seq2SeqRequest, signal);
			case 'transcribe':
				return loaded().transcribe(request as SpeechRequest, onEvent, signal);
			case 'voiceActivity': {
				const { voiceActivity } = loaded();
				if (voiceActivity === undefined) throw new AppError('not_supported');
				return voiceActivity(request as VoiceRequest, signal);
			}
			case 'segmentSpeakers': {
				const { segmentSpeakers } = loaded();
				if (segmentSpeakers === undefined) throw new AppError('not_supported');
				return segmentSpeakers(request as SegmentSpeakersRequest, signal);
			}
			case 'embedVoice': {
				const { embedVoice } = loaded();
				if (embedVoice === undefined) throw new AppError('not_supported');
				return embedVoice(request as EmbedVoiceRequest, signal);
			}
			case 'embed':
				return loaded().embed(request as EmbedRequest, signal);
			case 'rerank':
				return loaded().rerank(request as RerankRequest, signal);
			case 'stats':
				return loaded().stats();
			case 'ping':
				return stepsMade();
			case 'close':
				for (const other of running.values()) other.abort();
				await engine?.close();
				return undefined;
		}
	};

	const outbox = new RunnerOutbox((messages) => channel.send(messages));
	return new Promise((resolve) => {
		channel.onMessage((message) => {
			if (message.type === 'expect') {
				const expected = engine?.expect?.();
				if (expected) setTimeout(() => expected[Symbol.dispose](), maxExpectedMs).unref();
				return;
			}
			const { id } = message;
			if (message.type === 'cancel') {
				running.get(id)?.abort();
				return;
			}
			const stop = new AbortController();
			if (message.method !== 'close') running.set(id, stop);
			const isKept = message.method === 'generate' && hasBatchPriority(message.request);
			call(
				message.method,
				message.request,
				(event) =>
					isKept
						? outbox.keep(id, event as GenerateEvent)
						: outbox.add({ type: 'event', id, event }),
				stop.signal,
			)
				.then(
					(value) => outbox.add({ type: 'result', id, value }),
					(error) => {
						const stack = stackOf(error);
						outbox.add({
							type: 'error',
							id,
							error: toErrorWire(error),
							...defined({ stack }),
						});
					},
				)
				.finally(() => {
					running.delete(id);
					if (message.method === 'close') resolve();
				});
		});
	});
}

/** Without the choices, which have gone over in events. */
function summaryOf({ choices: _, ...summary }: GenerateResult): GenerateSummary {
	return summary;
}

/** The IPC channel this process was started with. */
export function processChannel(): RunnerChannel {
	if (!process.send)
		throw new AppError('invalid_request', 'A runner is started by the daemon, not by hand.');
	return {
		send: (messages) => {
			// The daemon may be gone between two messages; 'disconnect' ends this process then.
			if (process.connected) process.send?.(messages, undefined, undefined, () => {});
		},
		onMessage: (listener) => {
			process.on('message', (message) => listener(message as ToRunner));
		},
	};
}
