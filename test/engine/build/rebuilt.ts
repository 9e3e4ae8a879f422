/** Builds a folder from the weights of a tiny published export, and reads logits of folders. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, buildModel } from '../../../server/engine/build/buildModel.ts';
import type { TensorSource } from '../../../server/engine/build/sources/tensorSource.ts';
import type { Decoder } from '../../../server/engine/decode/decoder.ts';
import { openDecoder } from '../openDecoder.ts';

export function readConfig(folder: string): Record<string, unknown> {
	return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
}

/** The small files of a folder: tokenizer, template, settings. */
export function filesOf(folder: string): Map<string, Uint8Array> {
	const names = readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isFile() && !/^(config|reference)\.json$/.test(entry.name))
		.map(({ name }) => name);
	return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

export async function build(
	source: TensorSource,
	config: Readonly<Record<string, unknown>>,
	target: string,
	more: Partial<BuildOptions> = {},
): Promise<string> {
	await buildModel({
		source,
		config,
		target,
		quality: 'standard',
		keep: true,
		origin: { source: 'test' },
		files: new Map(),
		...more,
	});
	return target;
}

/** Tokens that go well beyond a window of 16. */
export function someTokens(count: number, vocabulary: number): number[] {
	return Array.from({ length: count }, (_, k) => 3 + ((k * 7919) % (vocabulary - 3)));
}

/** Logits of the last `wanted` tokens: all but the last three in one run, those one by one. */
export async function logitsOf(
	folder: string,
	tokens: readonly number[],
	wanted = 8,
): Promise<number[]> {
	const decoder = await openDecoder(folder);
	try {
		return await readLogits(decoder, tokens, wanted);
	} finally {
		decoder.close();
	}
}

async function readLogits(
	decoder: Decoder,
	tokens: readonly number[],
	wanted: number,
): Promise<number[]> {
	const cache = decoder.createCache();
	const found: number[] = [];
	try {
		const first = tokens.slice(0, tokens.length - 3);
		const parts = [
			{ tokens: first, logits: wanted - 3 },
			...tokens.slice(tokens.length - 3).map((token) => ({ tokens: [token], logits: 1 })),
		];
		for (const part of parts) {
			const [rows = []] = await decoder.step([{ cache, ...part }]);
			for (const row of rows) for (const number of row) found.push(number);
		}
		return found;
	} finally {
		cache.release();
	}
}

/** Root mean square of the difference, relative to that of the values. */
export function relativeError(values: readonly number[], expected: readonly number[]): number {
	if (values.length !== expected.length) return Number.POSITIVE_INFINITY;
	let difference = 0;
	let size = 0;
	for (const [index, value] of expected.entries()) {
		difference += ((values[index] as number) - value) ** 2;
		size += value ** 2;
	}
	return Math.sqrt(difference / Math.max(size, 1e-30));
}
