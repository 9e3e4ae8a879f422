/** How much of the header of a file of weights is read, and how it is refused. */

import { graphLimits } from '../../../hub/modelData/fileLimits.ts';
import { AppError } from '../../../protocol/index.ts';

const mib = 2 ** 20;

/** Each some times what the largest published files have. */
export const sourceLimits = {
	/** Everything before the weights. */
	maxHeaderBytes: 256 * mib,
	/** A header in JSON: safetensors' own limit is 100 MB. */
	maxJsonBytes: 100_000_000,
	/** Values of metadata, items of lists included; values of a header in JSON. */
	maxValues: 8_000_000,
	/** Lists or objects inside each other. */
	maxDepth: 8,
	maxKeys: 65_536,
	/** A text of the metadata, such as a chat template. */
	maxTextBytes: 4 * mib,
	/** A name of a tensor or a key. */
	maxNameBytes: graphLimits.maxNameBytes,
	maxTensors: graphLimits.maxTensors,
	maxRank: 8,
	/** Files that a model is split into. */
	maxFiles: 1000,
	/** A tensor that can only be read whole. */
	maxWholeBytes: 512 * mib,
} as const;

/** @param fault part of a sentence: `has 12 x; at most 10 are read` */
export function sourceFault(file: string | undefined, fault: string, cause?: unknown): AppError {
	const name = shortened(file ?? 'with the weights');
	return new AppError(
		'unsupported_model',
		`The file ${name} ${fault}. Take another build of the model.`,
		{ data: { file: name }, cause },
	);
}

/** A count as headers give it; one beyond what can be counted is infinite. */
export const countText = (count: number): string =>
	Number.isFinite(count) ? String(count) : 'more than 2^53';

/** A name that the file gives, as a part of a sentence: quoted, plain, and never longer than a line. */
export function quoted(name: string): string {
	return JSON.stringify(shortened(name));
}

function shortened(name: string): string {
	const plain = name.slice(0, 100).replace(/\p{C}/gu, '�');
	return name.length > 100 ? `${plain}…` : plain;
}
