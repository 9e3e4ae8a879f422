/**
 * `npm run bench -- students`: words a second of students of the two usual sizes with random weights, beside
 * bergamot's WebAssembly, in turns. Both translate the same lines to the same length, one thread each; processor
 * time is what counts where the machine does something else, too.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEngine } from '../../server/engine/engine.ts';
import { Random } from '../../test/fixtures/graphBuilder.ts';
import {
	type StudentShape,
	studentContent,
	tinyStudent,
	writeStudent,
} from '../../test/fixtures/student.ts';
import { shortlistBytes } from '../../test/fixtures/weightFiles.ts';
import { openBergamot } from '../../test/support/bergamot.ts';
import { buildFromFiles, textOf } from '../../test/support/studentModels.ts';

const vocabulary = 32_000;
const common = { ...tinyStudent, inner: 1536, heads: 8, encoderLayers: 6, vocabulary };
const sizes: Readonly<Record<string, StudentShape>> = {
	tiny: { ...common, size: 256, decoderLayers: 2 },
	'base-memory': { ...common, size: 384, decoderLayers: 4 },
};
const rounds = 3;
const lineCount = 64;
const lineWords = 16;

/** Source words a second of processor time, the best of the rounds. */
export async function studentsCommand(): Promise<number> {
	for (const [name, shape] of Object.entries(sizes)) {
		const random = new Random(9);
		// Few words are frequent, as in texts.
		const word = () => 2 + Math.floor((vocabulary - 2) * (random.bits() / 2 ** 32) ** 3);
		const words = (count: number) => Array.from({ length: count }, word);
		const lists = Array.from({ length: vocabulary }, () =>
			[...new Set(words(40))].sort((a, b) => a - b),
		);
		const content = { ...studentContent(shape), lists, shortlist: shortlistBytes(100, lists) };
		const texts = Array.from({ length: lineCount }, () => textOf(words(lineWords)));
		const folder = mkdtempSync(join(tmpdir(), 'nearglot-students-'));
		const model = join(folder, 'model');
		await buildFromFiles(writeStudent(join(folder, 'files'), content), model);
		const { model: bytes, shortlist, sourceVocabulary } = content;
		const files = { model: bytes, shortlist, vocabularies: [sourceVocabulary] };
		const bergamot = await openBergamot(files);
		const engine = await loadEngine({ folder: model, threads: 1 });
		const wordsIn = (all: readonly string[]) => all.map((text) => text.split(' ').length);
		const longest = Math.max(...wordsIn(bergamot(texts)));
		const ours = async () => {
			const request = { beams: 1, maxTokens: longest, priority: 'batch' } as const;
			await engine.seq2seq({ items: texts.map((text) => ({ text })), ...request });
		};
		await ours();
		const best = { bergamot: 0, ours: 0 };
		for (let round = 0; round < rounds; round++) {
			best.bergamot = Math.max(best.bergamot, await speedOf(() => void bergamot(texts)));
			best.ours = Math.max(best.ours, await speedOf(ours));
		}
		await engine.close();
		rmSync(folder, { recursive: true, force: true });
		console.log(
			`${name}: ${best.ours.toFixed(0)} words a second, bergamot ${best.bergamot.toFixed(0)}: ${(best.ours / best.bergamot).toFixed(1)} times`,
		);
	}
	return 0;
}

async function speedOf(work: () => void | Promise<void>): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (lineCount * lineWords * 1e6) / (user + system);
}
