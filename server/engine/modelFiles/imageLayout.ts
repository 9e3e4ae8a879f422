/** How a model that sees wants its images: read of the folder's files, for those layouts that are known here. */

import { AppError } from '../../protocol/index.ts';
import { asNumber, asRecord, asString, type JsonRecord, readJsonFile } from './json.ts';

export type ResampleFilter = 'lanczos' | 'bilinear' | 'bicubic';

/** What all layouts have. */
interface CommonLayout {
	/** What the chat template writes where an image stands. */
	readonly mark: string;
	/** The token that stands for one vector of an image, and its id. */
	readonly token: string;
	readonly tokenId: number;
	readonly filter: ResampleFilter;
	/** Per channel, of values from 0 to 1. */
	readonly mean: readonly [number, number, number];
	readonly std: readonly [number, number, number];
}

/** SmolVLM, Idefics3: squares of one size, cut out of the enlarged image, and the whole as the last. */
export interface TiledLayout extends CommonLayout {
	readonly kind: 'tiles';
	/** Pixels of a square's side. */
	readonly side: number;
	/** Longer side of the image before it is cut. */
	readonly longestEdge: number;
	/** Vectors of a square. */
	readonly vectors: number;
	readonly splits: boolean;
}

/** Gemma 3: one square, whatever the shape of the image. */
export interface SquareLayout extends CommonLayout {
	readonly kind: 'square';
	readonly side: number;
	readonly vectors: number;
	/** Tokens around the vectors. */
	readonly before: string;
	readonly after: string;
}

/** Qwen2-VL, Qwen2.5-VL: patches of an image that keeps its shape, with positions in two dimensions. */
export interface PatchLayout extends CommonLayout {
	readonly kind: 'patches';
	/** Pixels of a patch's side; patches of one vector along a side; pictures of one patch. */
	readonly patch: number;
	readonly merge: number;
	readonly temporal: number;
	readonly minPixels: number;
	readonly maxPixels: number;
}

export type ImageLayout = TiledLayout | SquareLayout | PatchLayout;

/** Pixels beyond which more of them cost minutes on a processor: 1,280 vectors of Qwen2-VL, as its publishers advise. */
const maxPatchPixels = 1280 * 28 * 28;
const maxSide = 2048;
const maxVectors = 4096;

/** The layout of a folder; `undefined` where its model does not see, or is of no known layout. */
export async function readImageLayout(folder: string): Promise<ImageLayout | undefined> {
	const config = await readJsonFile(folder, 'config.json');
	const type = asString(config?.model_type);
	if (config === undefined || type === undefined || asRecord(config.vision_config) === undefined)
		return undefined;
	const images = (await readJsonFile(folder, 'preprocessor_config.json')) ?? {};
	if (type === 'idefics3' || type === 'smolvlm') return tiled(folder, config, images);
	if (type === 'gemma3') return square(config, images);
	if (type === 'qwen2_vl' || type === 'qwen2_5_vl') return patches(config, images);
	return undefined;
}

async function tiled(folder: string, config: JsonRecord, images: JsonRecord): Promise<TiledLayout> {
	const processor = (await readJsonFile(folder, 'processor_config.json')) ?? {};
	const vision = asRecord(config.vision_config) ?? {};
	const side =
		asNumber(asRecord(images.max_image_size)?.longest_edge) ?? asNumber(vision.image_size) ?? 512;
	const along = side / (asNumber(vision.patch_size) ?? 16) / (asNumber(config.scale_factor) ?? 4);
	return {
		kind: 'tiles',
		mark: '<image>',
		token: '<image>',
		tokenId: idOf(config, 'image_token_id'),
		...pixelsOf(images, 'lanczos', 0.5),
		side: within('the side of an image', side, maxSide),
		longestEdge: within(
			'the longest side of an image',
			asNumber(asRecord(images.size)?.longest_edge) ?? 4 * side,
			4 * maxSide,
		),
		vectors: within(
			'vectors of an image',
			asNumber(processor.image_seq_len) ?? Math.round(along * along),
			maxVectors,
		),
		splits: images.do_image_splitting !== false,
	};
}

function square(config: JsonRecord, images: JsonRecord): SquareLayout {
	const vision = asRecord(config.vision_config) ?? {};
	const side = asNumber(asRecord(images.size)?.height) ?? asNumber(vision.image_size) ?? 896;
	return {
		kind: 'square',
		mark: '<start_of_image>',
		token: '<image_soft_token>',
		tokenId: idOf(config, 'image_token_index', 'image_token_id'),
		...pixelsOf(images, 'bilinear', 0.5),
		side: within('the side of an image', side, maxSide),
		vectors: within(
			'vectors of an image',
			asNumber(config.mm_tokens_per_image) ?? asNumber(images.image_seq_length) ?? 256,
			maxVectors,
		),
		before: '\n\n<start_of_image>',
		after: '<end_of_image>\n\n',
	};
}

function patches(config: JsonRecord, images: JsonRecord): PatchLayout {
	const size = asRecord(images.size) ?? {};
	const number = (key: string, other: string, usual: number) =>
		asNumber(images[key]) ?? asNumber(size[other]) ?? usual;
	return {
		kind: 'patches',
		mark: '<|image_pad|>',
		token: '<|image_pad|>',
		tokenId: idOf(config, 'image_token_id'),
		...pixelsOf(images, 'bicubic', 0.48145466, 0.26862954),
		patch: within('the side of a patch', asNumber(images.patch_size) ?? 14, 64),
		merge: within('patches of a vector', asNumber(images.merge_size) ?? 2, 8),
		temporal: within('pictures of a patch', asNumber(images.temporal_patch_size) ?? 2, 8),
		minPixels: Math.min(number('min_pixels', 'shortest_edge', 3136), maxPatchPixels),
		maxPixels: Math.min(number('max_pixels', 'longest_edge', maxPatchPixels), maxPatchPixels),
	};
}

const filters: ReadonlyMap<number, ResampleFilter> = new Map([
	[1, 'lanczos'],
	[2, 'bilinear'],
	[3, 'bicubic'],
]);

function pixelsOf(images: JsonRecord, usual: ResampleFilter, mean: number, std = 0.5) {
	const three = (value: unknown, otherwise: number): [number, number, number] => {
		const list = Array.isArray(value) ? value.map(asNumber) : [];
		const of = (index: number) => list[index] ?? otherwise;
		return [of(0), of(1), of(2)];
	};
	return {
		filter: filters.get(asNumber(images.resample) ?? -1) ?? usual,
		mean: three(images.image_mean, mean),
		std: three(images.image_std, std),
	};
}

function idOf(config: JsonRecord, ...keys: string[]): number {
	for (const key of keys) {
		const id = asNumber(config[key]);
		if (id !== undefined && Number.isInteger(id) && id >= 0) return id;
	}
	throw new AppError('unsupported_model', `config.json does not say '${keys[0]}'.`);
}

function within(what: string, value: number, max: number): number {
	if (Number.isInteger(value) && value >= 1 && value <= max) return value;
	throw new AppError(
		'unsupported_model',
		`The model's files say ${value} for ${what}; a whole number from 1 to ${max} can be used.`,
	);
}
