/**
 * What the comparison of a rewritten graph with the published one has found, kept beside the graph, so
 * that the next load need not compare again. It counts for these graphs, weights and runtime only.
 */

import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { readModelJson } from '../../hub/modelData/readModelFile.ts';
import type { Runtime, SessionOptions } from '../runtime/runtime.ts';

/** A change that is not used. */
export interface Refusal {
	/** Its name for people. */
	readonly change: string;
	readonly reason: string;
}

/** Empty when the graphs say the same. */
export interface Verdict {
	readonly refusal?: Refusal;
}

/** A graph of a set: its file, and what neither its name nor the file says (size and time of the weights). */
export interface JudgedGraph {
	readonly path: string;
	readonly stamp: string;
}

/** Raised when the comparison changes. */
const version = 1;

/** Where the verdict on a set of graphs is kept, and what makes it valid. */
export class VerdictRecord {
	readonly #path: string;
	readonly #graphs: readonly JudgedGraph[];
	readonly #judge: readonly string[];

	/** @param graphs the prepared graphs of the set first */
	constructor(
		graphs: readonly [JudgedGraph, ...JudgedGraph[]],
		{ kind, version: runtime }: Pick<Runtime, 'kind' | 'version'>,
		{ executionProvider = 'cpu' }: Pick<SessionOptions, 'executionProvider'>,
	) {
		this.#path = graphs[0].path.replace(/\.onnx$/, '.verdict');
		this.#graphs = graphs;
		this.#judge = [String(version), kind, runtime, executionProvider];
	}

	/**
	 * Changes with the files. The time at which the system saw a file change cannot be set, so a graph with
	 * a verdict that came along with a model is compared like any other.
	 */
	async #key(): Promise<string> {
		const files = await Promise.all(this.#graphs.map(({ path }) => stat(path)));
		const stamps = files.map(({ size, ctimeMs }) => [size, ctimeMs]);
		return createHash('sha256')
			.update(JSON.stringify([this.#judge, this.#graphs, stamps]))
			.digest('hex');
	}

	/** `undefined` when there is none that is valid. */
	async read(): Promise<Verdict | undefined> {
		try {
			const found = await readModelJson(dirname(this.#path), basename(this.#path));
			if (found?.['key'] !== (await this.#key())) return undefined;
			const { change, reason } = (found['refusal'] ?? {}) as Record<string, unknown>;
			return typeof change === 'string' && typeof reason === 'string'
				? { refusal: { change, reason } }
				: {};
		} catch {
			return undefined;
		}
	}

	/** Keeps the verdict; where that is impossible the next load compares again. */
	async write(verdict: Verdict): Promise<void> {
		const temporary = `${this.#path}-${randomUUID()}.tmp`;
		try {
			const key = await this.#key();
			await writeFile(temporary, `${JSON.stringify({ key, ...verdict })}\n`);
			await rename(temporary, this.#path);
		} catch {
			await rm(temporary, { force: true });
		}
	}
}
