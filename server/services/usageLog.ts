/** One record per request: to the log, and to the metrics with the labels a person switched on. */

import type { Labels, Metrics } from '../net/metrics.ts';
import type { Usage } from '../protocol/index.ts';
import type { Logger } from './logger.ts';

export interface CallerFacts {
	/** Id of who is signed in, as the sign-in layer signs it; the rest is what the caller writes. */
	readonly person?: string;
	readonly user?: string;
	readonly metadata?: Readonly<Record<string, string | number>>;
}

export interface UsageRecord {
	readonly requestId: string;
	readonly route: string;
	readonly model: string;
	readonly status: number;
	readonly ms: number;
	readonly firstTokenMs?: number;
	readonly usage?: Usage;
	readonly caller?: CallerFacts;
	/** Code of the error, when there was one. */
	readonly code?: string;
}

export interface UsageLog {
	add(record: UsageRecord): void;
}

/**
 * @param labels names of caller facts that become metric labels: `user`, or a key of `metadata`
 */
export function createUsageLog(log: Logger, metrics: Metrics, labels: readonly string[]): UsageLog {
	return {
		add: (record) => {
			const { usage, caller, model } = record;
			const own = labelsOf(labels, caller);
			const known = record.code === 'model_not_found' ? 'unknown' : model;
			metrics.count('nearglot_requests_total', {
				route: record.route,
				status: String(record.status),
				model: known,
				...own,
			});
			metrics.observe('nearglot_request_seconds', record.ms / 1000, { route: record.route });
			if (record.firstTokenMs !== undefined)
				metrics.observe('nearglot_first_token_seconds', record.firstTokenMs / 1000, { model });
			if (usage) {
				const by = { model, ...own };
				metrics.count('nearglot_prompt_tokens_total', by, usage.prompt_tokens);
				metrics.count('nearglot_generated_tokens_total', by, usage.completion_tokens);
				const cached = usage.prompt_tokens_details.cached_tokens;
				if (cached > 0) metrics.count('nearglot_cached_tokens_total', by, cached);
			}
			log.info('request', {
				id: record.requestId,
				route: record.route,
				model: known,
				status: record.status,
				ms: Math.round(record.ms),
				promptTokens: usage?.prompt_tokens,
				generatedTokens: usage?.completion_tokens,
				code: record.code,
				person: caller?.person,
				user: caller?.user,
				metadata: caller?.metadata && JSON.stringify(caller.metadata),
			});
		},
	};
}

function labelsOf(names: readonly string[], caller: CallerFacts | undefined): Labels {
	const out: Record<string, string> = {};
	for (const name of names) {
		// Nobody who is signed in works under the name of another.
		const value = name === 'user' ? (caller?.person ?? caller?.user) : caller?.metadata?.[name];
		out[name] = value === undefined ? '' : String(value).slice(0, 128);
	}
	return out;
}
