/**
 * What the comparison of a rewritten graph with the published one has found. Whoever loads the model again
 * hands it in, so that the graphs need not be compared again while they, their weights and the runtime are
 * the same.
 */

import { createHash } from 'node:crypto';
import { defined } from '../../protocol/defined.ts';
import type { Refusal, Verdict } from '../api.ts';
import { type GraphRewrites, nameRewrites, type RewrittenGraph } from '../onnx/rewriteGraph.ts';
import type { Runtime, SessionOptions } from '../runtime/runtime.ts';

/** Raised when the comparison changes. */
const version = 3;

/** What a verdict is about. */
export type Subject = Pick<Verdict, 'of' | 'key'>;

/** The subject of rewritten graphs that run together. */
export function subjectOf(
	graphs: readonly RewrittenGraph[],
	rewrites: GraphRewrites,
	{ kind, version: runtime }: Pick<Runtime, 'kind' | 'version'>,
	{ executionProvider = 'cpu', deviceId = 0, config = {} }: Partial<SessionOptions>,
): Subject {
	const names = [...new Set(graphs.map(({ name }) => name))].join(', ');
	const keys = graphs.map(({ key }) => key);
	return {
		of: `${names}: ${nameRewrites(rewrites)} (${kind}, ${executionProvider})`,
		key: createHash('sha256')
			.update(JSON.stringify([version, runtime, deviceId, config, keys]))
			.digest('hex'),
	};
}

/** The verdicts of one load. */
export class Verdicts {
	readonly #known: Map<string, Verdict>;
	readonly #notify: (found: Verdict) => void;

	/**
	 * @param known of earlier loads
	 * @param notify called for each one that is new
	 */
	constructor(known: readonly Verdict[] = [], notify: (found: Verdict) => void = () => {}) {
		this.#known = new Map(known.map((verdict) => [verdict.of, verdict]));
		this.#notify = notify;
	}

	/** `undefined` if there is none that is valid. */
	find({ of, key }: Subject): Verdict | undefined {
		const found = this.#known.get(of);
		return found?.key === key ? found : undefined;
	}

	add(subject: Subject, refusal?: Refusal): void {
		const verdict = { ...subject, ...defined({ refusal }) };
		this.#known.set(verdict.of, verdict);
		this.#notify(verdict);
	}
}
