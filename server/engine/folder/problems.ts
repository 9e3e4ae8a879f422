/** What keeps a folder from running, or is worth knowing, named before anything is loaded. */

import { access } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { ModelVariant } from '../api.ts';
import type { Family } from './families.ts';
import type { GraphSummary } from './graphSummary.ts';
import { asRecord, type JsonRecord } from './json.ts';
import { hasIntegerMatMul } from './precision.ts';

interface Subject {
	readonly folder: string;
	readonly family: Family;
	readonly modelType: string;
	readonly variants: readonly ModelVariant[];
	readonly graphs: ReadonlyMap<string, GraphSummary>;
	readonly config: JsonRecord | undefined;
}

/** Full sentences: problems prevent running, notes do not. */
export async function findProblems(
	subject: Subject,
): Promise<{ problems: string[]; notes: string[] }> {
	const problems: string[] = [];
	const notes: string[] = [];
	const { folder, family, variants, graphs } = subject;
	if (variants.length === 0) {
		problems.push('There is no .onnx graph in the folder or in its onnx/ folder.');
	}
	for (const variant of variants) {
		const { files } = variant;
		if (family.architecture === 'encoder-decoder') {
			const hasDecoder =
				files['decoder-merged'] !== undefined ||
				(files.decoder !== undefined && files['decoder-with-past'] !== undefined);
			if (files.encoder === undefined || !hasDecoder) {
				const missing = files.encoder === undefined ? 'the encoder' : 'the decoder';
				notes.push(`The ${variant.precision} variant is incomplete: ${missing} is missing.`);
			}
		}
	}
	for (const [role, graph] of graphs) {
		const file = variants[0]?.files[role as keyof ModelVariant['files']] ?? '';
		for (const external of graph.externalFiles) {
			const path = join(folder, posix.dirname(file), external);
			const there = await access(path).then(
				() => true,
				() => false,
			);
			if (!there)
				problems.push(`The weights file ${external} is missing; download the model again.`);
		}
		if (hasIntegerMatMul(graph)) {
			notes.push(
				`The ${role} graph quantises activations while running: results differ in the last digits with what is computed together.`,
			);
		}
	}
	if (!(await hasTokenizer(folder)) && family.task !== 'voice-activity-detection') {
		problems.push(
			'There is no tokenizer (tokenizer.json, source.spm with vocab.json, or a .tiktoken file).',
		);
	}
	if (subject.modelType === 'phi3' && asRecord(subject.config?.rope_scaling) !== undefined) {
		notes.push('Long-context rotary factors may be frozen in the graph.');
	}
	return { problems, notes };
}

async function hasTokenizer(folder: string): Promise<boolean> {
	for (const name of ['tokenizer.json', 'source.spm', 'tokenizer.model', 'qwen.tiktoken']) {
		const there = await access(join(folder, name)).then(
			() => true,
			() => false,
		);
		if (there) return true;
	}
	return false;
}
