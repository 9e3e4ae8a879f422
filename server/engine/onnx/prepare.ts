/**
 * Prepared graphs: a rewritten graph is kept beside the model under a hidden name with a key of what
 * it was made from, so it is made once, found again, and never stale. Weights stay where they are.
 */

import { createHash, randomUUID } from 'node:crypto';
import { access, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { modelFile } from '../../hub/modelFile.ts';
import { readGraphSummary } from '../folder/graphSummary.ts';
import { addAttentionOutputs } from './attentionOutputs.ts';
import { importContrib } from './contribDomain.ts';
import { fuseAttention } from './fuseAttention.ts';
import { gatherLogits } from './gatherLogits.ts';
import { encodeModel, type OnnxGraph, type OnnxModel } from './onnxModel.ts';
import { packSlots } from './packSlots.ts';
import { relocate } from './relocate.ts';
import { rowQuantise } from './rowQuantise.ts';
import { shortlistHead } from './shortlistHead.ts';
import { readSkeleton } from './skeleton.ts';
import { readTensorHeader } from './tensorProto.ts';
import { fieldInt, fieldText, readFields } from './wire.ts';

/** Raised whenever a rewrite changes, so that older files are made again. */
const version = 4;

/** What to change. */
export interface Preparation {
	/** Compute logits only where asked. */
	readonly gather?: boolean;
	/** Split attention into this many slots. */
	readonly slots?: number;
	/** Fuse attention that is spelled out; the number of query heads. */
	readonly fuseHeads?: number;
	/** Give cross-attention as outputs. */
	readonly attentions?: boolean;
	/** Let the head be given the columns of some words. */
	readonly shortlist?: boolean;
	/** Give every row of dynamic int8 a scale of its own. */
	readonly rows?: boolean;
}

/** The changes by name, for people. */
export function nameChange(preparation: Preparation): string {
	const { gather, slots, attentions, fuseHeads, shortlist, rows } = preparation;
	const names = [
		rows === true ? 'a scale for each row' : '',
		fuseHeads === undefined ? '' : 'fused attention',
		gather === true ? 'logits where asked' : '',
		attentions === true ? 'attention as an output' : '',
		shortlist === true ? 'a table of words' : '',
		slots === undefined ? '' : 'packed slots',
	];
	return names.filter((name) => name !== '').join(', ');
}

export type Prepared =
	/** `stamp`: size and time of the files with its weights, which the name of the graph says nothing of. */
	| { readonly path: string; readonly stamp: string }
	/** Why the graph stays as it was published. */
	| { readonly refused: string };

/**
 * Path of the prepared graph of the file at `path`, made now when there is none.
 * Never throws: a graph that cannot be changed is refused with the reason.
 */
export async function prepareGraph(path: string, preparation: Preparation): Promise<Prepared> {
	try {
		const model = await readSkeleton(path);
		const folder = await relocate(model, path);
		if (folder === undefined) return { refused: 'its weights lie in several folders' };
		const key = createHash('sha256').update(encodeModel(model)).digest('hex').slice(0, 16);
		const { gather, slots, attentions, fuseHeads, shortlist, rows } = preparation;
		const what = `${gather === true ? 'g' : ''}${attentions === true ? 'a' : ''}${shortlist === true ? 's' : ''}${rows === true ? 'r' : ''}${fuseHeads === undefined ? '' : 'f'}${slots ?? ''}`;
		const prefix = `.${basename(path, '.onnx')}.prepared-${what}-`;
		const name = `${prefix}${version}-${key}.onnx`;
		const target = join(folder, name);
		const stamp = await weightsStamp(model, folder);
		if (await isUsable(folder, name)) return { path: target, stamp };
		const refused = (await isReadOnly(folder))
			? 'its folder is read-only'
			: change(model, preparation);
		if (refused !== undefined) return { refused };
		await writeWhole(target, encodeModel(model));
		// A store of links holds the files of many models under names that say nothing.
		if (folder === dirname(path)) await removeOlder(folder, prefix, name);
		return { path: target, stamp };
	} catch (error) {
		return { refused: reasonOf(error) };
	}
}

/** Why a prepared graph could not be written, or whatever else went wrong, as part of a sentence. */
function reasonOf(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	if (['EACCES', 'EPERM', 'EROFS'].includes(code ?? '')) return 'its folder cannot be written';
	if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk with its folder is full';
	return (message ?? String(error)).replace(/\.$/, '');
}

/**
 * Whether a prepared graph is there and whole. It may have come with the model, so its weights must be in
 * this folder, too; one that is damaged or looks elsewhere is made again.
 */
async function isUsable(folder: string, name: string): Promise<boolean> {
	try {
		const path = await modelFile(folder, name);
		if (!(await exists(path))) return false;
		const { externalFiles } = await readGraphSummary(path);
		for (const location of externalFiles.keys()) await modelFile(folder, location);
		return true;
	} catch {
		// Whatever is wrong with it, a new one takes its place.
		return false;
	}
}

function change(
	model: OnnxModel,
	{ gather, slots, attentions, fuseHeads, shortlist, rows }: Preparation,
): string | undefined {
	const { graph } = model;
	const steps = [
		() => (attentions === true ? addAttentionOutputs(graph) : undefined),
		() => (shortlist === true ? cutHead(graph) : undefined),
		() => (fuseHeads === undefined ? undefined : fuse(model, fuseHeads)),
		() => (gather === true ? gatherLogits(graph) : undefined),
		() => (rows === true ? rowQuantise(graph, defaultOpset(model)) : undefined),
		() => (slots === undefined ? undefined : packSlots(graph, slots, defaultOpset(model))),
	];
	for (const step of steps) {
		const refused = step();
		if (refused !== undefined) return refused;
	}
	return undefined;
}

function cutHead(graph: OnnxGraph): string | undefined {
	const made = shortlistHead(graph);
	return typeof made === 'string' ? made : undefined;
}

function fuse(model: OnnxModel, heads: number): string | undefined {
	importContrib(model);
	return fuseAttention(model.graph, heads);
}

/** Version of the default operator set. */
export function defaultOpset(model: OnnxModel): number {
	for (const raw of model.rest) {
		for (const field of readFields(raw)) {
			if (field.number !== 8) continue;
			let domain = '';
			let opset = 0;
			for (const part of readFields(field.bytes)) {
				if (part.number === 1) domain = fieldText(part);
				else if (part.number === 2) opset = fieldInt(part);
			}
			if (domain === '' || domain === 'ai.onnx') return opset;
		}
	}
	return 0;
}

/** Size and time of the files that hold the weights of a graph in `folder`. */
async function weightsStamp({ graph }: OnnxModel, folder: string): Promise<string> {
	const locations = graph.initializers.map(
		({ bytes }) => readTensorHeader(bytes).external?.location,
	);
	const stamps: string[] = [];
	for (const location of new Set(locations)) {
		if (location === undefined) continue;
		const { size, mtimeMs } = await stat(join(folder, location));
		stamps.push(`${location} ${size} ${mtimeMs}`);
	}
	return stamps.join('; ');
}

/** A folder marked read-only stays as it is, even where the system would let us write. */
async function isReadOnly(folder: string): Promise<boolean> {
	return process.platform !== 'win32' && ((await stat(folder)).mode & 0o222) === 0;
}

async function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}

async function writeWhole(target: string, bytes: Uint8Array): Promise<void> {
	const temporary = join(dirname(target), `.${randomUUID()}.tmp`);
	try {
		await writeFile(temporary, bytes);
		await rename(temporary, target);
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	}
}

async function removeOlder(folder: string, prefix: string, keep: string): Promise<void> {
	for (const name of await readdir(folder)) {
		if (name.startsWith(prefix) && name !== keep) await rm(join(folder, name), { force: true });
	}
}
