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

export interface MetricsOptions {
	/** Help texts; a metric without one is a mistake of ours. */
	readonly help: Readonly<Record<string, string>>;
	/** Upper bounds of histograms, in seconds. */
	readonly buckets: readonly number[];
	/** Histograms that are shown before anything was observed. */
	readonly shown?: readonly string[];
	/** Counters without labels that are shown as 0 before anything was counted: the first one counts as a rise then. */
	readonly zeros?: readonly string[];
}

interface Series {
	readonly labels: Labels;
	value: number;
	readonly counts: number[];
	sum: number;
}

/** Most label combinations of one metric: labels that callers choose must not fill the memory. */
const maxSeries = 1000;

export function createMetrics({ help, buckets, shown = [], zeros = [] }: MetricsOptions): Metrics {
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

	const head = (lines: string[], name: string, type: string): void => {
		if (help[name] !== undefined) lines.push(`# HELP ${name} ${help[name]}`);
		lines.push(`# TYPE ${name} ${type}`);
	};

	for (const name of shown) series(histograms, name, {});
	for (const name of zeros) series(counters, name, {});
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
				for (const one of all.values()) histogramLines(lines, name, one, buckets);
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

function histogramLines(
	lines: string[],
	name: string,
	one: Series,
	buckets: readonly number[],
): void {
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
