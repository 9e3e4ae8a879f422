/** Reads the images of a prompt: pixels in a thread, vectors by the encoder, ids of vectors into the tokens. */

import { createHash } from 'node:crypto';
import { AppError } from '../../protocol/index.ts';
import { Places } from '../../work/places.ts';
import { readImageHeader } from '../modelFiles/imageHeader.ts';
import type { ImageLayout } from '../modelFiles/imageLayout.ts';
import { planImage } from '../modelFiles/imagePlan.ts';
import type { PromptImage } from '../prompt.ts';
import type { Session, Tensor } from '../runtime/runtime.ts';
import { imagePixels } from './imageThread.ts';
import { type ImageVectors, maxVectorsOfImage, type SeenImage } from './imageVectors.ts';
import type { PixelTensor } from './pixelTensor.ts';

/** Images that wait for the encoder at most. */
const maxWaiting = 64;

/** Tokens with the ids of vectors, which are there until they are released. */
export interface ReadImages {
	readonly tokens: number[];
	release(): void;
}

export class ImageReader {
	readonly #encoder: Session;
	readonly #layout: ImageLayout;
	readonly #images: ImageVectors;
	/** One after the other: each takes all processors, and much memory. */
	readonly #turns = new Places(1);
	#waiting = 0;

	constructor(encoder: Session, layout: ImageLayout, images: ImageVectors) {
		this.#encoder = encoder;
		this.#layout = layout;
		this.#images = images;
	}

	/**
	 * @param owner whose images they are; those of nobody are not kept
	 * @throws AppError `invalid_request` for what cannot be decoded, `too_expensive`, `cancelled`
	 */
	async read(
		tokens: readonly number[],
		pictures: readonly PromptImage[],
		owner: string | undefined,
		signal?: AbortSignal,
	): Promise<ReadImages> {
		const numbers: number[] = [];
		const release = () => {
			for (const number of numbers.splice(0)) this.#images.release(number);
		};
		try {
			for (const picture of pictures) numbers.push(await this.#numberOf(picture, owner, signal));
			const vectors = numbers.flatMap((number) => this.#images.ids(number));
			let used = 0;
			const placed = tokens.map((id) =>
				id === this.#layout.tokenId ? (vectors[used++] ?? id) : id,
			);
			if (used !== vectors.length) throw marksInText(this.#layout.token);
			return { tokens: placed, release };
		} catch (error) {
			release();
			throw error;
		}
	}

	async #numberOf(
		picture: PromptImage,
		owner: string | undefined,
		signal: AbortSignal | undefined,
	): Promise<number> {
		const { bytes, detail } = picture;
		const key =
			owner === undefined
				? undefined
				: createHash('sha256')
						.update(JSON.stringify([owner, detail]))
						.update(bytes)
						.digest('hex');
		if (this.#waiting >= maxWaiting)
			throw new AppError(
				'overloaded',
				`${this.#waiting} images wait to be read by this model already. Try again in a moment.`,
			);
		this.#waiting++;
		using _turn = await this.#turns.take(signal).finally(() => this.#waiting--);
		const known = this.#images.find(key);
		if (known !== undefined) return known;
		const header = readImageHeader(bytes, 'messages');
		const plan = planImage(this.#layout, header, detail);
		const job = { bytes, header, plan, layout: this.#layout };
		const pixels = await imagePixels(job, signal);
		const seen = await this.#encode(pixels, signal);
		if (seen.count !== plan.vectors)
			throw new AppError(
				'unsupported_model',
				`The model's vision encoder gives ${seen.count} vectors for an image, where its files say ${plan.vectors}.`,
			);
		const added = this.#images.add(key, { ...seen, grid: plan.grid });
		return added;
	}

	async #encode(pixels: PixelTensor, signal: AbortSignal | undefined): Promise<SeenImage> {
		const binding = this.#encoder.createBinding();
		const output = [...this.#encoder.outputs.keys()][0] ?? '';
		const run = async (data: Float32Array, dims: readonly number[]): Promise<Tensor> => {
			binding.input('pixel_values', data, dims);
			binding.outputAny(output);
			// A run in the process's own thread would hold everybody else.
			binding.expectWork(1_000_000);
			await binding.run(signal);
			return binding.take(output);
		};
		const parts: Tensor[] = [];
		try {
			if (this.#layout.kind === 'patches') {
				const { rows, columns } = pixels.grid ?? { rows: 0, columns: 0 };
				const grid = BigInt64Array.of(1n, BigInt(rows), BigInt(columns));
				binding.input('image_grid_thw', grid, [1, 3]);
				const count = rows * columns;
				parts.push(await run(pixels.data, [count, pixels.data.length / count]));
			} else {
				const { side } = this.#layout;
				const size = 3 * side * side;
				const isNested = this.#encoder.inputs.get('pixel_values')?.dims.length === 5;
				if (this.#encoder.inputs.has('pixel_attention_mask'))
					binding.input('pixel_attention_mask', new Uint8Array(side * side).fill(1), [
						1,
						1,
						side,
						side,
					]);
				// One square at a time: memory for one, and the same result.
				for (let frame = 0; frame < pixels.frames; frame++) {
					const data = pixels.data.subarray(frame * size, (frame + 1) * size);
					parts.push(await run(data, [...(isNested ? [1] : []), 1, 3, side, side]));
				}
			}
		} finally {
			binding.release();
		}
		return joined(parts);
	}
}

function joined(parts: readonly Tensor[]): SeenImage {
	const width = parts[0]?.dims.at(-1) ?? 0;
	const length = parts.reduce((sum, { data }) => sum + data.length, 0);
	const count = width === 0 ? 0 : length / width;
	if (count > maxVectorsOfImage || parts.some(({ type }) => type !== 'float32'))
		throw new AppError('unsupported_model', "The vision encoder's vectors cannot be used.");
	const vectors = new Float32Array(length);
	let at = 0;
	for (const { data } of parts) {
		vectors.set(data as Float32Array, at);
		at += data.length;
	}
	return { vectors, count, grid: undefined };
}

const marksInText = (token: string) =>
	new AppError(
		'invalid_request',
		`The texts hold '${token}', which is this model's own mark for a part of an image. Leave it out.`,
		{ param: 'messages' },
	);
