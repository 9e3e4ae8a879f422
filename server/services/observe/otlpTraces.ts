/**
 * Sends spans to the collector that the environment names, by OpenTelemetry's own SDK: OTLP over HTTP, as JSON, in batches,
 * with what `OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say. Loaded by traces.ts alone.
 */

import {
	type Context,
	createTraceState,
	ROOT_CONTEXT,
	SpanKind,
	SpanStatusCode,
	trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
	defaultResource,
	detectResources,
	envDetector,
	resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TraceExport } from './traces.ts';

/** Longest wait for the collector at the end. */
const closeMs = 2000;

/** @param version of this product */
export function createOtlpTraces(version: string): TraceExport {
	const named = resourceFromAttributes({ 'service.name': 'nearglot', 'service.version': version });
	const provider = new TracerProvider({
		resource: defaultResource()
			.merge(named)
			.merge(detectResources({ detectors: [envDetector] })),
		spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
	});
	const tracer = provider.getTracer('nearglot', version);
	return {
		add: ({ name, startedAt, endedAt, attributes, error, traceparent, tracestate }) => {
			const parent = parentOf(traceparent, tracestate);
			const options = {
				kind: SpanKind.SERVER,
				startTime: startedAt,
				attributes: { ...attributes },
			};
			const span = tracer.startSpan(name, options, parent);
			if (error !== undefined) {
				const { message } = error;
				span.setStatus({
					code: SpanStatusCode.ERROR,
					...(message === undefined ? {} : { message }),
				});
			}
			span.end(endedAt);
		},
		close: async () => {
			let late: NodeJS.Timeout | undefined;
			const wait = new Promise<void>((resolve) => {
				late = setTimeout(resolve, closeMs);
				late.unref();
			});
			// A collector that is not there must not keep the server from its end.
			await Promise.race([provider.shutdown().catch(() => {}), wait]);
			clearTimeout(late);
		},
	};
}

/** https://www.w3.org/TR/trace-context/: a caller's context that is not well formed is none. */
function parentOf(traceparent: string | undefined, tracestate: string | undefined): Context {
	const found =
		/^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(
			traceparent ?? '',
		);
	if (found === null) return ROOT_CONTEXT;
	const [, traceId = '', spanId = '', flags = ''] = found;
	return trace.setSpanContext(ROOT_CONTEXT, {
		...{ traceId, spanId, isRemote: true },
		traceFlags: Number.parseInt(flags, 16) & 1,
		...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
	});
}
