/** Counters in the text format of Prometheus. */

import { visibleText } from '../../protocol/visibleText.ts';

type Labels = Readonly<Record<string, string>>;

/** Upper bounds of the latency buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const help: Readonly<Record<string, string>> = {
	nearglot_gateway_requests_total: 'Requests by outcome and status class.',
	nearglot_gateway_logins_total: 'Sign-ins by provider, flow and result.',
	nearglot_gateway_refreshes_total: 'Refreshes by result.',
	nearglot_gateway_provider_calls_total: 'Calls to sign-in providers to refresh tokens.',
	nearglot_gateway_store_errors_total:
		'Requests answered 503 because the store could not be reached.',
	nearglot_gateway_identity_missing_total:
		'Signed-in requests stopped because identity headers were missing. Must stay 0.',
	nearglot_gateway_rate_limited_total: 'Requests answered 429.',
	nearglot_gateway_open_streams: 'Exchanges and upgraded connections open now.',
	nearglot_gateway_upstream_seconds: 'Time to the first byte of the app.',
};

export class Metrics {
	readonly #counters = new Map<string, Map<string, number>>();
	readonly #buckets: number[] = bounds.map(() => 0);
	#sum = 0;
	#count = 0;

	add(name: string, labels: Labels = {}, by = 1): void {
		const series = this.#counters.get(name) ?? new Map<string, number>();
		const key = labelText(labels);
		series.set(key, (series.get(key) ?? 0) + by);
		this.#counters.set(name, series);
	}

	/** Time to first byte of the app, in seconds. */
	observe(seconds: number): void {
		this.#sum += seconds;
		this.#count++;
		for (const [index, bound] of bounds.entries()) {
			if (seconds <= bound) this.#buckets[index]!++;
		}
	}

	value(name: string, labels: Labels = {}): number {
		return this.#counters.get(name)?.get(labelText(labels)) ?? 0;
	}

	render(): string {
		const lines: string[] = [];
		for (const [name, series] of this.#counters) {
			lines.push(
				`# HELP ${name} ${help[name] ?? name}`,
				`# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}`,
			);
			for (const [labels, value] of series) lines.push(`${name}${labels} ${value}`);
		}
		const name = 'nearglot_gateway_upstream_seconds';
		lines.push(`# HELP ${name} ${help[name]}`, `# TYPE ${name} histogram`);
		for (const [index, bound] of bounds.entries())
			lines.push(`${name}_bucket{le="${bound}"} ${this.#buckets[index]}`);
		lines.push(
			`${name}_bucket{le="+Inf"} ${this.#count}`,
			`${name}_sum ${this.#sum}`,
			`${name}_count ${this.#count}`,
		);
		return `${lines.join('\n')}\n`;
	}
}

function labelText(labels: Labels): string {
	const pairs = Object.entries(labels).map(
		([key, value]) => `${key}="${visibleText(value).replace(/[\\"\n]/g, '_')}"`,
	);
	return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
