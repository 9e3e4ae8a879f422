/**
 * The tensors of a source, of which every one has to be used or known to be of no use: a model of which a part
 * would be left out is refused.
 */

import { AppError } from '../../../protocol/index.ts';
import type { SourceTensor, TensorSource } from '../sources/tensorSource.ts';

export class UsedTensors {
	readonly #source: TensorSource;
	readonly #used = new Set<string>();

	constructor(source: TensorSource) {
		this.#source = source;
	}

	/** The tensor, if the source has it; only then is it taken as used. */
	find(name: string): SourceTensor | undefined {
		const tensor = this.#source.tensors.get(name);
		if (tensor !== undefined) this.#used.add(name);
		return tensor;
	}

	/** @throws AppError `unsupported_model` when there is none, or one of another shape */
	need(name: string, shape: readonly number[]): SourceTensor {
		const tensor = this.optional(name, shape);
		if (tensor === undefined) throw missingTensor(name);
		return tensor;
	}

	/** The same, or `undefined` where there is none. */
	optional(name: string, shape: readonly number[]): SourceTensor | undefined {
		const tensor = this.find(name);
		return tensor === undefined ? undefined : checkShape(tensor, shape);
	}

	/**
	 * @param isNeedless of tensors that nothing has to be made of
	 * @throws AppError `unsupported_model` that names those that are left
	 */
	checkAllUsed(isNeedless: (name: string) => boolean): void {
		const left = [...this.#source.tensors.keys()].filter(
			(name) => !this.#used.has(name) && !isNeedless(name),
		);
		if (left.length === 0) return;
		const names = left.slice(0, 3).map((name) => name.slice(0, 120));
		throw new AppError(
			'unsupported_model',
			`The model has ${left.length} tensors that its type does not explain, such as ${names.join(', ')}; it cannot be built. Take an ONNX export of the model.`,
		);
	}
}

function checkShape(tensor: SourceTensor, shape: readonly number[]): SourceTensor {
	const { name } = tensor;
	if (tensor.shape.length === shape.length && shape.every((size, k) => size === tensor.shape[k]))
		return tensor;
	throw new AppError(
		'unsupported_model',
		`The tensor ${name.slice(0, 200)} has the shape [${tensor.shape.join(', ')}] where the model's settings ask for [${shape.join(', ')}].`,
	);
}

export function missingTensor(name: string): AppError {
	return new AppError(
		'unsupported_model',
		`The model has no tensor ${name.slice(0, 200)}; it cannot be built.`,
	);
}
