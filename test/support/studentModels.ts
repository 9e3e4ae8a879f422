/** Students built for tests, and what they say. */

import { join } from 'node:path';
import { buildFolder } from '../../server/engine/build/buildFolder.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { roughlyUsableMemory } from '../../server/net/roughMemory.ts';
import { type StudentShape, studentContent, wordOf, writeStudent } from '../fixtures/student.ts';
import { temporaryFolder } from './temporaryFolder.ts';

/** Builds a student as an import does. */
export async function builtStudent(shape: StudentShape, content = studentContent(shape)) {
	const folder = temporaryFolder('student');
	const target = join(folder, 'model');
	const path = writeStudent(join(folder, 'files'), content);
	await buildFromFiles(path, target);
	return { target, content };
}

export function buildFromFiles(path: string, target: string): Promise<unknown> {
	return buildFolder(
		{ source: { kind: 'path', path }, target, origin: { source: 'test' } },
		{
			onPlan: async () => {},
			onProgress: () => {},
			usableBytes: async () => roughlyUsableMemory(),
		},
	);
}

export const textOf = (line: readonly number[]): string => line.map((id) => wordOf(id)).join(' ');

/** Tokens of the answers without the end. @param together lines of a request; default all */
export async function studentAnswers(
	folder: string,
	lines: readonly (readonly number[])[],
	maxTokens: number,
	{ shortlist = false, together = lines.length } = {},
): Promise<number[][]> {
	const engine = await loadEngine({ folder, threads: 1, vocabularyShortlist: shortlist });
	const said: number[][] = [];
	try {
		for (let at = 0; at < lines.length; at += together) {
			const { outputs } = await engine.seq2seq({
				items: lines.slice(at, at + together).map((line) => ({ text: textOf(line) })),
				beams: 1,
				maxTokens,
				priority: 'batch',
			});
			for (const { tokenIds } of outputs) said.push(tokenIds.filter((id) => id !== 0));
		}
		return said;
	} finally {
		await engine.close();
	}
}

/** Lines that begin alike, as far as both go. */
export function sameBeginnings(one: readonly number[][], other: readonly number[][]): number {
	return one.filter((tokens, index) => {
		const count = Math.min(tokens.length, other[index]?.length ?? 0);
		return count > 0 && tokens.slice(0, count).join() === other[index]?.slice(0, count).join();
	}).length;
}
