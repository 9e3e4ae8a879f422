/** `nearglot models optimize`: makes a 4-bit or 8-bit variant of a folder's float32 or float16 graphs. */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { modelFile } from '../hub/modelFile.ts';
import { AppError, type Precision } from '../protocol/index.ts';
import { describeModel } from './modelFiles/describe.ts';
import { type OptimizeOptions, optimizeGraph } from './onnx/optimizeGraph.ts';

/** What was written for one graph. */
export interface OptimizedFile {
	readonly file: string;
	readonly matrices: number;
	readonly sizeBytes: number;
	/** Root-mean-square error of the weights, relative to their size. */
	readonly relativeError: number;
}

const blocks = [16, 32, 64, 128, 256];

/**
 * Writes `…_q4.onnx` (4 bits) or `…_int8.onnx` (8 bits) beside the folder's float32 graphs, or its
 * float16 ones where those are all there is.
 * Existing files are never replaced.
 * @throws AppError `invalid_request`, `conflict`, `unsupported_model`
 */
export async function optimizeModel(
	folder: string,
	options: OptimizeOptions,
	onFile?: (file: string) => void,
): Promise<readonly OptimizedFile[]> {
	if (options.bits !== 4 && options.bits !== 8) {
		throw new AppError('invalid_request', `Bits are 4 or 8, not ${String(options.bits)}.`, {
			param: 'bits',
		});
	}
	if (!blocks.includes(options.block)) {
		throw new AppError(
			'invalid_request',
			`A block has ${blocks.join(', ')} weights, not ${options.block}.`,
			{
				param: 'block',
			},
		);
	}
	const description = await describeModel(folder);
	const plain = description.variants.filter(({ label }) => label === undefined);
	const source =
		plain.find(({ precision }) => precision === 'fp32') ??
		plain.find(({ precision }) => precision === 'fp16');
	if (source === undefined || description.layout !== 'transformers.js') {
		throw new AppError(
			'unsupported_model',
			`The model in ${folder} has no float32 or float16 graphs under onnx/ to start from.`,
		);
	}
	const precision: Precision = options.bits === 4 ? 'q4' : 'int8';
	const results: OptimizedFile[] = [];
	for (const file of Object.values(source.files)) {
		const target = targetOf(file, precision);
		const exists = await access(join(folder, target)).then(
			() => true,
			() => false,
		);
		if (exists) {
			throw new AppError('conflict', `${target} is there already; remove it to make it again.`);
		}
	}
	for (const file of Object.values(source.files)) {
		const target = targetOf(file, precision);
		onFile?.(file);
		try {
			const result = await optimizeGraph(
				await modelFile(folder, file),
				join(folder, target),
				options,
			);
			results.push({ file: target, ...result });
		} catch (error) {
			const why = error instanceof Error ? error.message : String(error);
			throw new AppError('unsupported_model', `${file} cannot be quantised: ${why}.`, {
				cause: error,
			});
		}
	}
	return results;
}

function targetOf(file: string, precision: Precision): string {
	return file.replace(/(_fp16|_bf16)?\.onnx$/, `_${precision}.onnx`);
}
