/** Counters, gauges and histograms in Prometheus' text format (exposition format 0.0.4). */

import { visibleText } from '../protocol/visibleText.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Metrics {
	count(name: string, labels?: Labels, by?: number): void;
	/** Adds an observation, e.g. seconds. */
	observe(name: string, value: number, labels?: Labels): void;
	/** Text of everything counted, plus gauges taken at this moment. */
	render(gauges?: readonly Gauge[]): string;
	/** Value of a counter; for tests and the status page. */
	value(name: string, labels?: Labels): number;
}

export interface Gauge {
	readonly name: string;
	readonly labels?: Labels;
	readonly value: number;
}

/** Help texts; a metric without one is a mistake of ours. */
export const metricHelp: Readonly<Record<string, string>> = {
	nearglot_requests_total: 'Requests by route, status and model.',
	nearglot_request_seconds: 'Seconds from request to end of answer.',
	nearglot_first_token_seconds: 'Seconds from request to the first token.',
	nearglot_prompt_tokens_total: 'Tokens of prompts.',
	nearglot_cached_tokens_total: 'Tokens of prompts that came from the prefix cache.',
	nearglot_generated_tokens_total: 'Tokens generated.',
	nearglot_model_loads_total: 'Loads of models.',
	nearglot_model_running: 'Sequences being decoded.',
	nearglot_model_waiting: 'Requests waiting for a place in the batch.',
	nearglot_model_open_sequences: 'Sequences that hold cache cells.',
	nearglot_model_cached_prefixes: 'Finished requests whose caches are kept for the next ones.',
	nearglot_model_kv_bytes: 'Bytes of the key-value caches, running and kept.',
	nearglot_model_kv_limit_bytes: 'Bytes the key-value caches may take; 0 where none are kept.',
	nearglot_model_resident_bytes: 'Resident memory of the runner.',
	nearglot_models_loaded: 'Models in memory.',
	nearglot_resident_bytes: 'Resident memory of the daemon.',
	nearglot_loop_held_seconds:
		'Seconds of its own computing for which the daemon answered nobody, from 0.01 on.',
};

/** Upper bounds in seconds. */
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

interface Series {
	readonly labels: Labels;
	value: number;
	readonly counts: number[];
	sum: number;
}

/** Most label combinations of one metric: labels that callers choose must not fill the memory. */
const maxSeries = 1000;

export function createMetrics(): Metrics {
	const counters = new Map<string, Map<string, Series>>();
	const histograms = new Map<string, Map<string, Series>>();

	const series = (from: Map<string, Map<string, Series>>, name: string, labels: Labels): Series => {
		let all = from.get(name);
		if (!all) {
			all = new Map();
			from.set(name, all);
		}
		const full = all.size >= maxSeries;
		const kept = full && !all.has(labelText(labels)) ? { overflow: 'true' } : labels;
		const key = labelText(kept);
		let found = all.get(key);
		if (!found) {
			found = { labels: kept, value: 0, counts: buckets.map(() => 0), sum: 0 };
			all.set(key, found);
		}
		return found;
	};

	return {
		count: (name, labels = {}, by = 1) => {
			series(counters, name, labels).value += by;
		},
		observe: (name, value, labels = {}) => {
			const found = series(histograms, name, labels);
			found.value++;
			found.sum += value;
			for (const [index, bound] of buckets.entries())
				if (value <= bound) found.counts[index] = (found.counts[index] ?? 0) + 1;
		},
		value: (name, labels = {}) => counters.get(name)?.get(labelText(labels))?.value ?? 0,
		render: (gauges = []) => {
			const lines: string[] = [];
			for (const [name, all] of counters) {
				head(lines, name, 'counter');
				for (const one of all.values()) lines.push(`${name}${labelText(one.labels)} ${one.value}`);
			}
			for (const [name, all] of histograms) {
				head(lines, name, 'histogram');
				for (const one of all.values()) histogramLines(lines, name, one);
			}
			for (const name of new Set(gauges.map((gauge) => gauge.name))) {
				head(lines, name, 'gauge');
				for (const gauge of gauges)
					if (gauge.name === name)
						lines.push(`${name}${labelText(gauge.labels ?? {})} ${gauge.value}`);
			}
			return `${lines.join('\n')}\n`;
		},
	};
}

function head(lines: string[], name: string, type: string): void {
	const help = metricHelp[name];
	if (help !== undefined) lines.push(`# HELP ${name} ${help}`);
	lines.push(`# TYPE ${name} ${type}`);
}

function histogramLines(lines: string[], name: string, one: Series): void {
	for (const [index, bound] of buckets.entries())
		lines.push(
			`${name}_bucket${labelText({ ...one.labels, le: String(bound) })} ${one.counts[index]}`,
		);
	lines.push(`${name}_bucket${labelText({ ...one.labels, le: '+Inf' })} ${one.value}`);
	lines.push(`${name}_sum${labelText(one.labels)} ${one.sum}`);
	lines.push(`${name}_count${labelText(one.labels)} ${one.value}`);
}

function labelText(labels: Labels): string {
	const parts = Object.entries(labels).map(
		([name, value]) =>
			`${name.replace(/[^a-zA-Z0-9_]/g, '_')}="${visibleText(value).replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')}"`,
	);
	return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}
