/**
 * Opens graphs in rewritten form once they have been seen to say the same as the published ones. What
 * differs, fails or does not load is not used: no rewrite may change what a model answers.
 */

import { AppError } from '../../protocol/index.ts';
import type { Refusal } from '../api.ts';
import { nameChange, type Preparation, type PreparedGraph, prepareGraph } from '../onnx/prepare.ts';
import type { Runtime, Session, SessionOptions } from '../runtime/runtime.ts';
import { firstDifference, type Reading, tolerances } from './readings.ts';
import { subjectOf, Verdicts } from './verdict.ts';

/** An open graph and what it was read from: the published file, or its rewritten form. */
export interface OpenGraph {
	readonly source: string | PreparedGraph;
	readonly session: Session;
}

/** Graphs that are run together, and how they are asked. */
export interface GraphSet<T extends { close(): void }> {
	/** The published graphs. */
	readonly paths: readonly string[];
	/** Those of them whose rows share the scales of a run: only these take the change `rows`. */
	readonly dynamic: ReadonlySet<string>;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
	/** What earlier loads have found; default: nothing, and nobody is told. */
	readonly verdicts?: Verdicts | undefined;
	/** Largest difference allowed of changes that compute the same (see {@link tolerances}). */
	readonly most: number;
	/**
	 * Makes what runs the graphs, given in the order of the paths. `isReference`: in the most plain way.
	 * Closing it closes the sessions; if this fails the caller does.
	 */
	readonly wrap: (graphs: readonly OpenGraph[], isReference: boolean) => T | Promise<T>;
	/** What it says to some small inputs: alike in number and order for all forms of the graphs. */
	readonly read: (opened: T) => Promise<readonly Reading[]>;
}

/** Why a change was not made, or not used. */
export interface WayNotTaken extends Refusal {
	/** It was made and did not say the same; else it cannot be made of these graphs. */
	readonly differs: boolean;
}

/** What {@link openVerified} gives. */
export interface Verified<T> {
	readonly opened: T;
	/** Absent: the graphs are as they were published. */
	readonly way?: Preparation;
}

/**
 * Opens the graphs in the first of the ways that says the same as the published form, else as published.
 * Graphs are open one after the other, never two forms at once: models may fill the memory.
 * @param tell told of each way that is not taken
 */
export async function openVerified<T extends { close(): void }>(
	set: GraphSet<T>,
	ways: readonly Preparation[],
	tell: (why: WayNotTaken, way: Preparation) => void,
): Promise<Verified<T>> {
	const references = new References(set);
	const told = new Set<string>();
	for (const way of ways) {
		const result = await openWay(set, way, references);
		if ('opened' in result) return { opened: result.opened, way };
		const text = JSON.stringify(result);
		if (!told.has(text)) tell(result, way);
		told.add(text);
	}
	return { opened: await openGraphs(set, set.paths, false) };
}

async function openWay<T extends { close(): void }>(
	set: GraphSet<T>,
	way: Preparation,
	references: References<T>,
): Promise<{ readonly opened: T } | WayNotTaken> {
	const change = nameChange(way);
	const prepared = await prepareAll(set, way);
	if (!Array.isArray(prepared)) return { change, reason: prepared.refused, differs: false };
	const changed = prepared.filter((graph) => typeof graph !== 'string');
	if (changed.length === 0) return { change, reason: 'there is nothing to change', differs: false };
	const { verdicts = new Verdicts() } = set;
	const subject = subjectOf(changed, way, set.runtime, set.session);
	const known = verdicts.find(subject);
	if (known?.refusal !== undefined) return { ...known.refusal, differs: true };
	let opened: T | undefined;
	try {
		const reference = known === undefined ? await references.of(way) : undefined;
		if (reference !== undefined && 'reason' in reference) {
			verdicts.add(subject, reference);
			return { ...reference, differs: true };
		}
		opened = await openGraphs(set, prepared, false);
		if (reference === undefined) return { opened };
		const reason = firstDifference(reference.readings, await set.read(opened), reference.most);
		if (reason === undefined) {
			verdicts.add(subject);
			return { opened };
		}
		verdicts.add(subject, { change, reason });
		opened.close();
		return { change, reason, differs: true };
	} catch (error) {
		// Not written down: memory may have been short.
		opened?.close();
		const reason = error instanceof Error ? error.message : String(error);
		const isRun = error instanceof AppError && error.code === 'internal';
		return {
			change,
			reason: isRun ? 'it does not run' : `it does not run: ${reason}`,
			differs: true,
		};
	}
}

/** What forms of the graphs say that others are compared with; each is opened once and closed again. */
class References<T extends { close(): void }> {
	readonly #set: GraphSet<T>;
	readonly #readings = new Map<string, Promise<readonly Reading[]>>();

	constructor(set: GraphSet<T>) {
		this.#set = set;
	}

	/**
	 * What `way` must reproduce. Scales for each row change results by their nature, so whatever else is
	 * changed is compared with that form, and that form with the published one, each as strictly as it can be.
	 */
	async of(way: Preparation): Promise<{ readings: readonly Reading[]; most: number } | Refusal> {
		const published = await this.#read({});
		if (way.rows !== true) return { readings: published, most: this.#set.most };
		const rows: Preparation = { rows: true };
		if (nameChange(way) === nameChange(rows)) return { readings: published, most: tolerances.rows };
		const readings = await this.#read(rows);
		const reason = firstDifference(published, readings, tolerances.rows);
		return reason === undefined
			? { readings, most: this.#set.most }
			: { change: nameChange(rows), reason };
	}

	#read(way: Preparation): Promise<readonly Reading[]> {
		const key = nameChange(way);
		const known = this.#readings.get(key) ?? this.#readNow(way);
		this.#readings.set(key, known);
		return known;
	}

	async #readNow(way: Preparation): Promise<readonly Reading[]> {
		const prepared = await prepareAll(this.#set, way);
		if (!Array.isArray(prepared)) throw new Error(prepared.refused);
		const opened = await openGraphs(this.#set, prepared, true);
		try {
			return await this.#set.read(opened);
		} finally {
			opened.close();
		}
	}
}

/** The graphs in one form; those that are paths are as published. */
async function prepareAll<T extends { close(): void }>(
	{ paths, dynamic }: GraphSet<T>,
	{ rows, ...way }: Preparation,
): Promise<(string | PreparedGraph)[] | { readonly refused: string }> {
	const found: (string | PreparedGraph)[] = [];
	for (const path of paths) {
		const own = rows === true && dynamic.has(path) ? { ...way, rows } : way;
		const ready = nameChange(own) === '' ? path : await prepareGraph(path, own);
		if (typeof ready !== 'string' && 'refused' in ready) return ready;
		found.push(ready);
	}
	return found;
}

async function openGraphs<T extends { close(): void }>(
	{ runtime, session: options, wrap }: GraphSet<T>,
	sources: readonly (string | PreparedGraph)[],
	isReference: boolean,
): Promise<T> {
	const graphs: OpenGraph[] = [];
	try {
		for (const source of sources)
			graphs.push({ source, session: await runtime.open(source, options) });
		return await wrap(graphs, isReference);
	} catch (error) {
		for (const { session } of graphs) session.close();
		throw error;
	}
}
