/**
 * Traces of requests to chat models, sent with OpenTelemetry where the environment names a collector
 * (`OTEL_EXPORTER_OTLP_ENDPOINT`) and nowhere else; without one nothing of it is even loaded. Texts are in them only where
 * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is `true`.
 */

import type { Logger } from '../logger.ts';
import type { ChatObserver } from './observedChat.ts';
import { AnswerAttributes, requestAttributes, type TraceFacts, traceError } from './traceFacts.ts';

/** Sends spans. */
export interface TraceExport {
	add(facts: TraceFacts): void;
	/** Sends what is still here. */
	close(): Promise<void>;
}

export interface Traces {
	/** Absent: the environment asks for no traces. */
	readonly observer?: ChatObserver;
	close(): Promise<void>;
}

export interface TracesOptions {
	readonly env: NodeJS.ProcessEnv;
	readonly version: string;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	readonly log: Logger;
	/** Loads what sends; tests put their own in its place. */
	readonly load?: (version: string) => Promise<TraceExport>;
}

/** Whether the environment names a collector, and nothing in it says no. */
export function wantsTraces(env: NodeJS.ProcessEnv): boolean {
	const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
	const isOff =
		env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true' ||
		(env['OTEL_TRACES_EXPORTER'] ?? 'otlp').trim() !== 'otlp';
	return endpoint !== undefined && endpoint !== '' && !isOff;
}

export function createTraces({ env, version, now, log, load = loadExport }: TracesOptions): Traces {
	if (!wantsTraces(env)) return { close: async () => {} };
	const withTexts =
		env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']?.trim().toLowerCase() === 'true';
	let loading: Promise<TraceExport | undefined> | undefined;
	const send = (facts: TraceFacts): void => {
		loading ??= load(version).catch((error) => {
			log.warn('traces cannot be sent', {
				reason: error instanceof Error ? error.message : String(error),
			});
			return undefined;
		});
		void loading.then((exporter) => exporter?.add(facts));
	};
	return {
		observer: {
			begin: (request, context) => {
				const startedAt = now();
				const started = performance.now();
				const sent = requestAttributes(request, withTexts);
				const answer = new AnswerAttributes(withTexts);
				return {
					event: (event) => answer.take(event, performance.now() - started),
					end: (outcome, error) => {
						const code = outcome === undefined ? traceError(error, withTexts) : undefined;
						const { traceparent, tracestate } = context ?? {};
						send({
							name: `chat ${outcome?.model ?? request.model ?? ''}`.trim(),
							startedAt,
							// A clock that was set meanwhile makes no request longer.
							endedAt: startedAt + (performance.now() - started),
							attributes: {
								...sent,
								...answer.attributes(outcome),
								...(context === undefined
									? {}
									: { 'http.route': context.route, 'nearglot.request_id': context.requestId }),
								...(code === undefined ? {} : { 'error.type': code.code }),
							},
							...(code === undefined ? {} : { error: code }),
							...(traceparent === undefined ? {} : { traceparent }),
							...(tracestate === undefined ? {} : { tracestate }),
						});
					},
				};
			},
		},
		close: async () => {
			const exporter = await loading;
			await exporter?.close();
		},
	};
}

/** A bundle of its own, which hardly anybody needs. */
async function loadExport(version: string): Promise<TraceExport> {
	const bundled = import.meta.url.endsWith('.cjs');
	const file = new URL(bundled ? './otlp-traces.cjs' : './otlpTraces.ts', import.meta.url);
	const { createOtlpTraces } = (await import(file.href)) as {
		createOtlpTraces: (version: string) => TraceExport;
	};
	return createOtlpTraces(version);
}
