/**
 * Opens graphs in rewritten form once they have been seen to say the same as the published ones. What
 * differs, fails or does not load is not used: no rewrite may change what a model answers.
 */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { Refusal } from '../api.ts';
import { readGraphSummary } from '../modelFiles/graphSummary.ts';
import { mayTakeExactActivations } from '../onnx/exactActivations.ts';
import { mayUseInt4Kernel } from '../onnx/int4Kernel.ts';
import {
	type GraphRewrites,
	nameRewrites,
	type RewrittenGraph,
	rewriteGraph,
} from '../onnx/rewriteGraph.ts';
import type { Runtime, Session, SessionOptions, WeightSharing } from '../runtime/runtime.ts';
import { firstDifference, type Reading, tolerances } from './readings.ts';
import { subjectOf, Verdicts } from './verdict.ts';

/** An open graph and what it was read from: the published file, or its rewritten form. */
export interface OpenGraph {
	readonly source: string | RewrittenGraph;
	readonly session: Session;
}

/** Graphs that are run together, and how they are asked. */
export interface GraphSet<T extends { close(): void }> {
	/** The published graphs. */
	readonly paths: readonly string[];
	/** Those of them with per-tensor scales: only these are rewritten to per-token quantization. */
	readonly dynamic: ReadonlySet<string>;
	readonly runtime: Runtime;
	/** False: products of 4-bit weights stay as they are published, whatever the runtime has. */
	readonly kernel?: boolean;
	readonly session: SessionOptions;
	/** What earlier loads have found; default: none. */
	readonly verdicts?: Verdicts | undefined;
	/** Largest difference allowed of changes that compute the same (see {@link tolerances}). */
	readonly maxDifference: number;
	/**
	 * Makes what runs the graphs, given in the order of the paths. `isReference`: in the most plain way.
	 * Closing it closes the sessions; if this fails the caller does.
	 */
	readonly wrap: (graphs: readonly OpenGraph[], isReference: boolean) => T | Promise<T>;
	/** What it says to some small inputs: alike in number and order for all forms of the graphs. */
	readonly read: (opened: T) => Promise<readonly Reading[]>;
}

/** Why a rewrite was not made, or not used. */
export interface RejectedRewrites extends Refusal {
	/** It was made and did not say the same; else it cannot be made of these graphs. */
	readonly differs: boolean;
}

/** What {@link openVerified} gives. */
export interface Verified<T> {
	readonly opened: T;
	/** Absent: the graphs are as they were published. */
	readonly rewrites?: GraphRewrites;
}

/**
 * Opens the graphs with the first of the rewrites that gives the same results as the published form,
 * otherwise as published. Graphs are open one after the other, never two forms at once: models may fill the memory.
 * @param notify called for every rewrite that is not used, and why
 */
export async function openVerified<T extends { close(): void }>(
	set: GraphSet<T>,
	candidates: readonly GraphRewrites[],
	notify: (why: RejectedRewrites, rewrites: GraphRewrites) => void,
): Promise<Verified<T>> {
	const references = new References(set);
	const notified = new Set<string>();
	const kernel = await kernelOf(set);
	const all =
		kernel === undefined
			? candidates
			: [...candidates.flatMap((one) => [{ ...one, kernel }, one]), { kernel }];
	for (const rewrites of all) {
		const result = await openRewritten(set, rewrites, references);
		if ('opened' in result) return { opened: result.opened, rewrites };
		const text = JSON.stringify(result);
		if (!notified.has(text)) notify(result, rewrites);
		notified.add(text);
	}
	try {
		return { opened: await openPublished(set) };
	} catch (error) {
		const { unsigned, ...sharing } = set.session.sharing ?? {};
		if (unsigned === undefined) throw error;
		const session = { ...set.session, sharing: sharing as WeightSharing };
		return { opened: await openPublished({ ...set, session }) };
	}
}

async function openPublished<T extends { close(): void }>(set: GraphSet<T>): Promise<T> {
	const published = await rewriteAll(set, {});
	if (!Array.isArray(published)) throw new Error(published.refused);
	return openGraphs(set, published, false);
}

/** Key of the engine's own library, where some of the graphs may use it. */
async function kernelOf<T extends { close(): void }>({
	paths,
	runtime,
	session,
	kernel = true,
}: GraphSet<T>): Promise<string | undefined> {
	if (
		!kernel ||
		!isOnCpu(session) ||
		session.exact === true ||
		runtime.kernel === undefined ||
		!('key' in runtime.kernel)
	)
		return undefined;
	for (const path of paths)
		if (mayUseInt4Kernel(await readGraphSummary(path))) return runtime.kernel.key;
	return undefined;
}

async function openRewritten<T extends { close(): void }>(
	set: GraphSet<T>,
	rewrites: GraphRewrites,
	references: References<T>,
): Promise<{ readonly opened: T } | RejectedRewrites> {
	const change = nameRewrites(rewrites);
	const graphs = await rewriteAll(set, rewrites);
	if (!Array.isArray(graphs)) return { change, reason: graphs.refused, differs: false };
	const changed = graphs.filter((graph) => typeof graph !== 'string');
	if (changed.length === 0) return { change, reason: 'there is nothing to change', differs: false };
	const { verdicts = new Verdicts() } = set;
	const { exact } = set.session;
	const subject = subjectOf(
		changed,
		{ ...rewrites, ...defined({ exact }) },
		set.runtime,
		set.session,
	);
	const known = verdicts.find(subject);
	if (known?.refusal !== undefined) return { ...known.refusal, differs: true };
	let opened: T | undefined;
	try {
		const reference = known === undefined ? await references.of(rewrites) : undefined;
		if (reference !== undefined && 'reason' in reference) {
			verdicts.add(subject, reference);
			return { ...reference, differs: true };
		}
		opened = await openGraphs(set, graphs, false);
		if (reference === undefined) return { opened };
		const reason = firstDifference(
			reference.readings,
			await set.read(opened),
			reference.maxDifference,
		);
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
	 * What `rewrites` must reproduce. Per-token quantization and own products change results by their nature, so
	 * whatever else is changed is compared with that form, and that form with the published one, each as
	 * strictly as it can be.
	 */
	async of(
		rewrites: GraphRewrites,
	): Promise<{ readings: readonly Reading[]; maxDifference: number } | Refusal> {
		const published = await this.#read({});
		const { perTokenQuantization, kernel } = rewrites;
		const isPerToken = perTokenQuantization === true;
		if (!isPerToken && kernel === undefined)
			return { readings: published, maxDifference: this.#set.maxDifference };
		const base: GraphRewrites = {
			...(isPerToken ? { perTokenQuantization } : {}),
			...(kernel === undefined ? {} : { kernel }),
		};
		const most = isPerToken ? tolerances.perTokenQuantization : tolerances.kernel;
		if (nameRewrites(rewrites) === nameRewrites(base))
			return { readings: published, maxDifference: most };
		const readings = await this.#read(base);
		const reason = firstDifference(published, readings, most);
		return reason === undefined
			? { readings, maxDifference: this.#set.maxDifference }
			: { change: nameRewrites(base), reason };
	}

	#read(rewrites: GraphRewrites): Promise<readonly Reading[]> {
		const key = nameRewrites(rewrites);
		const known = this.#readings.get(key) ?? this.#readNow(rewrites);
		this.#readings.set(key, known);
		return known;
	}

	async #readNow(rewrites: GraphRewrites): Promise<readonly Reading[]> {
		const graphs = await rewriteAll(this.#set, rewrites);
		if (!Array.isArray(graphs)) throw new Error(graphs.refused);
		const session = await referenceSession(this.#set);
		const opened = await openGraphs({ ...this.#set, session }, graphs, true);
		try {
			return await this.#set.read(opened);
		} finally {
			opened.close();
		}
	}
}

/**
 * Graphs that are read a few times and closed again. Packing 8-bit weights takes as long as some ten runs and as much
 * memory as they do, and does not change the results; products of 4-bit weights without it take a hundred times longer.
 */
async function referenceSession<T extends { close(): void }>({
	paths,
	session,
}: GraphSet<T>): Promise<SessionOptions> {
	const summaries = await Promise.all(paths.map((path) => readGraphSummary(path)));
	const isInt8 = summaries.every(
		({ ops }) => ops.has('MatMulInteger') && !ops.has('com.microsoft:MatMulNBits'),
	);
	if (!isInt8) return session;
	return { ...session, config: { ...session.config, 'session.disable_prepacking': '1' } };
}

const isOnCpu = ({ executionProvider = 'cpu' }: SessionOptions): boolean =>
	executionProvider === 'cpu';

/**
 * The graphs in one form; those that are paths are as published. Exact activations are no rewrite to be tried: where
 * they are asked for, they are in every form. So are unsigned weights, which change no result.
 */
async function rewriteAll<T extends { close(): void }>(
	{ paths, dynamic, session }: GraphSet<T>,
	{ perTokenQuantization, kernel, ...rewrites }: GraphRewrites,
): Promise<(string | RewrittenGraph)[] | { readonly refused: string }> {
	const found: (string | RewrittenGraph)[] = [];
	const isExact = session.exact === true && isOnCpu(session);
	for (const path of paths) {
		const summary = await readGraphSummary(path);
		const takesKernel = kernel !== undefined && mayUseInt4Kernel(summary);
		const exact = isExact && mayTakeExactActivations(summary);
		const own = {
			...rewrites,
			...(perTokenQuantization === true && dynamic.has(path) ? { perTokenQuantization } : {}),
			...(takesKernel ? { kernel } : {}),
			...(exact ? { exact } : {}),
			...defined({ unsigned: session.sharing?.unsigned }),
		};
		const ready = nameRewrites(own) === '' ? path : await rewriteGraph(path, own);
		if (typeof ready !== 'string' && 'refused' in ready) return ready;
		found.push(ready);
	}
	return found;
}

async function openGraphs<T extends { close(): void }>(
	{ runtime, session: options, wrap }: GraphSet<T>,
	sources: readonly (string | RewrittenGraph)[],
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
