/** Which graph files a folder has, in which precision and role; file names and sizes only. */

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { modelFile } from '../../hub/modelFile.ts';
import { precisionSuffixes } from '../../hub/selectModelFiles.ts';
import type { Precision } from '../../protocol/index.ts';
import type { GraphRole, ModelDescription, ModelVariant } from '../api.ts';
import { asRecord, asString, type JsonRecord } from './json.ts';

/** Precisions and their suffixes of file names; none, which every name ends with, comes last. */
const suffixes = (Object.entries(precisionSuffixes) as [Precision, string][]).sort(
	([, left], [, right]) => right.length - left.length,
);

/** Longest first: `decoder_model_merged` begins with `decoder_model`. */
const stems: readonly (readonly [string, GraphRole])[] = [
	['decoder_with_past_model', 'decoder-with-past'],
	['decoder_model_merged', 'decoder-merged'],
	['decoder_model', 'decoder'],
	['encoder_model', 'encoder'],
	['vision_encoder', 'vision-encoder'],
	['embed_tokens', 'embed-tokens'],
	['model', 'model'],
];

interface GraphFile {
	readonly path: string;
	readonly role: GraphRole;
	readonly precision: Precision;
	/** What stands between stem and precision, e.g. `attn`; empty for the plain file. */
	readonly label: string;
	readonly sizeBytes: number;
}

/** Splits a graph's file name; `undefined` when it is not one of the published names. */
export function parseGraphName(
	name: string,
): { role: GraphRole; precision: Precision; label: string } | undefined {
	if (!name.endsWith('.onnx')) return undefined;
	const base = name.slice(0, -'.onnx'.length);
	for (const [stem, role] of stems) {
		if (base !== stem && !base.startsWith(`${stem}_`)) continue;
		const rest = base.slice(stem.length);
		for (const [precision, suffix] of suffixes) {
			if (!rest.endsWith(suffix)) continue;
			const label = rest.slice(0, rest.length - suffix.length).replace(/^_/, '');
			return { role, precision, label };
		}
	}
	return undefined;
}

/**
 * Variants of a transformers.js-style folder, from `onnx/` or the folder itself.
 * Files with an extra label (`decoder_model_merged_attn`) become variants of their own that borrow
 * the other roles from the plain variant of the same precision.
 */
export async function findVariants(folder: string): Promise<ModelVariant[]> {
	const files: GraphFile[] = [];
	for (const sub of ['onnx', '']) {
		const names = await listNames(join(folder, sub));
		for (const name of names) {
			const parsed = parseGraphName(name);
			if (parsed === undefined) continue;
			const sizeBytes = await sizeWithData(join(folder, sub), name, names);
			files.push({ path: posix.join(sub, name), ...parsed, sizeBytes });
		}
		if (files.length > 0) break;
	}
	return groupVariants(files);
}

function groupVariants(files: readonly GraphFile[]): ModelVariant[] {
	const groups = new Map<string, GraphFile[]>();
	for (const file of files) {
		const key = `${file.label} ${file.precision}`;
		groups.set(key, [...(groups.get(key) ?? []), file]);
	}
	const variants: ModelVariant[] = [];
	for (const group of groups.values()) {
		const { label, precision } = group[0] as GraphFile;
		const borrowed = label === '' ? [] : (groups.get(` ${precision}`) ?? []);
		const members = new Map<GraphRole, GraphFile>();
		for (const file of [...borrowed, ...group]) members.set(file.role, file);
		if (members.has('decoder-merged')) {
			members.delete('decoder');
			members.delete('decoder-with-past');
		}
		const chosen = [...members.values()];
		variants.push({
			precision,
			files: Object.fromEntries(chosen.map((file) => [file.role, file.path])),
			sizeBytes: chosen.reduce((sum, file) => sum + file.sizeBytes, 0),
			...(label === '' ? {} : { label }),
		});
	}
	const order = suffixes.map(([, precision]) => precision).reverse();
	return variants.sort(
		(a, b) =>
			(a.label ?? '').localeCompare(b.label ?? '') ||
			order.indexOf(a.precision) - order.indexOf(b.precision),
	);
}

/** The one variant of a genai folder: the files `genai_config.json` names. Precision is filled in later. */
export async function genaiFiles(
	folder: string,
	genai: JsonRecord,
): Promise<{ files: Partial<Record<GraphRole, string>>; sizeBytes: number }> {
	const model = asRecord(genai.model) ?? {};
	const files: Partial<Record<GraphRole, string>> = {};
	const encoder = asString(asRecord(model.encoder)?.filename);
	const decoder = asString(asRecord(model.decoder)?.filename);
	if (encoder !== undefined) files.encoder = encoder;
	// One decoder graph runs the first token and all others.
	if (decoder !== undefined) files[encoder === undefined ? 'model' : 'decoder-merged'] = decoder;
	let sizeBytes = 0;
	for (const file of Object.values(files)) {
		const path = await modelFile(folder, file).catch(() => undefined);
		// Refused with its reason when the graphs are read.
		if (path === undefined) continue;
		const directory = dirname(path);
		sizeBytes += await sizeWithData(directory, basename(path), await listNames(directory));
	}
	return { files, sizeBytes };
}

async function listNames(folder: string): Promise<string[]> {
	try {
		return (await readdir(folder)).sort();
	} catch {
		return [];
	}
}

// External data is `<file>_data`, `<file>_data_1`, … (optimum) or `<file>.data` (genai builder).
async function sizeWithData(folder: string, name: string, names: readonly string[]) {
	let total = 0;
	for (const candidate of names) {
		const isData =
			candidate === name ||
			candidate === `${name}.data` ||
			(candidate.startsWith(`${name}_data`) && /^(_\d+)?$/.test(candidate.slice(name.length + 5)));
		if (!isData) continue;
		const info = await stat(join(folder, candidate)).catch(() => undefined);
		total += info?.size ?? 0;
	}
	return total;
}

/** Order in which a variant is chosen on the CPU when the caller names none: least memory with full-quality results first. */
const preference: Readonly<Record<'decoder' | 'other', readonly Precision[]>> = {
	decoder: ['q4', 'q8', 'int8', 'uint8', 'fp32', 'fp16', 'q4f16', 'bnb4'],
	other: ['q8', 'int8', 'uint8', 'fp32', 'q4', 'fp16', 'q4f16', 'bnb4'],
};

/**
 * The variant to load: the asked precision (and label), or the best one for the CPU.
 * `undefined` when the folder has no such variant.
 */
export function chooseVariant(
	variants: readonly ModelVariant[],
	architecture: ModelDescription['architecture'],
	precision?: Precision,
	label = '',
): ModelVariant | undefined {
	const candidates = variants.filter((variant) => (variant.label ?? '') === label);
	const order =
		precision === undefined
			? preference[architecture === 'decoder' ? 'decoder' : 'other']
			: [precision];
	for (const wanted of order) {
		const found = candidates.find((variant) => variant.precision === wanted);
		if (found !== undefined) return found;
	}
	return undefined;
}
