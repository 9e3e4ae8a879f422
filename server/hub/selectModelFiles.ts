/** Which files of a hub repository make up one runnable model, for a device and a precision. */

import { AppError, type ModelLayout, type Precision } from '../protocol/index.ts';
import type { HubFile } from './repository.ts';
import { isExportSide, readableFiles } from './sideFiles.ts';

export interface Selection {
	readonly layout: ModelLayout;
	readonly precision: Precision | undefined;
	readonly files: readonly HubFile[];
	/** Folder inside the repository that becomes the model's root; `''` for the whole repository. */
	readonly root: string;
	readonly sizeBytes: number;
}

export interface SelectOptions {
	readonly device: 'CPU' | 'GPU' | 'NPU';
	readonly precision?: Precision;
	/** Folder inside the repository, where one holds several models. */
	readonly subfolder?: string;
}

/** transformers.js file suffix of every precision. */
export const precisionSuffixes: Readonly<Record<Precision, string>> = {
	fp32: '',
	fp16: '_fp16',
	q8: '_quantized',
	int8: '_int8',
	uint8: '_uint8',
	q4: '_q4',
	q4f16: '_q4f16',
	bnb4: '_bnb4',
};

const preferred: Readonly<Record<SelectOptions['device'], readonly Precision[]>> = {
	CPU: ['q4', 'q8', 'int8', 'uint8', 'fp32', 'q4f16', 'fp16', 'bnb4'],
	GPU: ['q4f16', 'fp16', 'q4', 'fp32', 'q8'],
	NPU: ['q8', 'int8', 'q4', 'fp16', 'fp32'],
};
/** Encoder-decoders lose more to four bits than decoders do, and int8 is faster in batches. */
const preferredSeq2Seq: readonly Precision[] = [
	'q8',
	'int8',
	'fp32',
	'q4',
	'fp16',
	'q4f16',
	'uint8',
	'bnb4',
];

/** Chooses; throws `unsupported_model` that says what the repository has instead. */
export function selectFiles(files: readonly HubFile[], options: SelectOptions): Selection {
	const root = options.subfolder ?? genaiFolder(files, options.device);
	if (root !== undefined && files.some((file) => file.path === join(root, 'genai_config.json'))) {
		const inside = files.filter(
			(file) =>
				(root === '' ? !file.path.includes('/') : file.path.startsWith(`${root}/`)) &&
				wanted(file.path),
		);
		return selection('genai', options.precision, inside, root);
	}
	const base = options.subfolder ?? '';
	const graphs = files.filter(
		(file) => file.path.startsWith(join(base, 'onnx/')) && file.path.endsWith('.onnx'),
	);
	if (graphs.length === 0 && base !== '' && !files.some(({ path }) => path.startsWith(`${base}/`)))
		throw new AppError(
			'invalid_request',
			`The repository has no folder ${JSON.stringify(base)}; it has ${foldersOf(files)}.`,
			{ param: 'Path' },
		);
	if (graphs.length === 0) {
		const other = files.find(({ path }) => /^[^/]+\.safetensors$/.test(path));
		if (other !== undefined)
			throw new AppError(
				'unsupported_model',
				`The repository has ${other.path}; what is read here is model.safetensors, or its parts with model.safetensors.index.json, beside config.json. Look for another repository of the model, such as one whose name ends with -hf.`,
			);
		const pickled = files.find(({ path }) => isPickled(path));
		if (pickled !== undefined)
			throw new AppError(
				'unsupported_model',
				`The weights of the repository are in ${pickled.path}, a form of PyTorch in which a file can run programs when it is opened; such files are not read. Look for a repository of the model with safetensors, GGUF or ONNX files.`,
			);
		const adapter = files.find(({ path }) => /(^|[-_./])lora([-_.][^/]*)?\.gguf$/i.test(path));
		if (adapter !== undefined)
			throw new AppError(
				'unsupported_model',
				`The repository has ${adapter.path}, by its name a LoRA adapter: it changes a model and is none by itself. Look for a repository with the whole model.`,
			);
		const formats = [...new Set(files.map((file) => file.path.match(/\.[a-z0-9]+$/i)?.[0] ?? ''))];
		throw new AppError(
			'unsupported_model',
			`The repository has no ONNX files (onnx/*.onnx or genai_config.json), no GGUF file and no safetensors with config.json; it has ${formats.filter(Boolean).slice(0, 8).join(', ') || 'nothing'}. Look for another repository of the model.`,
		);
	}
	const seq2seq = graphs.some((file) => /\/encoder_model[^/]*\.onnx$/.test(file.path));
	const order =
		options.precision !== undefined
			? [options.precision]
			: seq2seq && options.device === 'CPU'
				? preferredSeq2Seq
				: preferred[options.device];
	for (const precision of order) {
		const chosen = graphsOf(files, base, precisionSuffixes[precision], seq2seq);
		if (chosen === undefined) continue;
		const sides = readableFiles(files, base, isExportSide);
		return selection('transformers.js', precision, [...sides, ...chosen], base);
	}
	const present = Object.entries(precisionSuffixes)
		.filter(([, suffix]) => graphsOf(files, base, suffix, seq2seq) !== undefined)
		.map(([name]) => name);
	throw new AppError(
		'unsupported_model',
		`The repository has no ${options.precision ?? 'usable'} variant; it has ${present.join(', ') || 'none that is complete'}.`,
		{ param: 'precision' },
	);
}

function graphsOf(
	files: readonly HubFile[],
	base: string,
	suffix: string,
	seq2seq: boolean,
): HubFile[] | undefined {
	const graph = (name: string) =>
		files.filter((file) => isGraph(file.path, join(base, `onnx/${name}${suffix}`)));
	if (!seq2seq) {
		const model = graph('model');
		if (model.length > 0) return model;
		const merged = graph('decoder_model_merged');
		if (merged.length === 0) return undefined;
		// A decoder of a model for images is nothing without what it is fed by.
		const [embeddings, encoder] = [graph('embed_tokens'), graph('vision_encoder')];
		return seesImages(files, base)
			? embeddings.length > 0 && encoder.length > 0
				? [...merged, ...embeddings, ...encoder]
				: undefined
			: merged;
	}
	const encoder = graph('encoder_model');
	const merged = graph('decoder_model_merged');
	const split = [...graph('decoder_model'), ...graph('decoder_with_past_model')];
	if (encoder.length === 0) return undefined;
	if (merged.length > 0) return [...encoder, ...merged];
	return split.length > 1 ? [...encoder, ...split] : undefined;
}

const seesImages = (files: readonly HubFile[], base: string): boolean =>
	files.some(({ path }) => path.startsWith(join(base, 'onnx/vision_encoder')));

/** A graph file or one of its external data files (`.onnx_data`, `.onnx_data_1`, `.onnx.data`). */
function isGraph(path: string, stem: string): boolean {
	return (
		path.startsWith(`${stem}.onnx`) && /^\.onnx([._]data(_\d+)?)?$/.test(path.slice(stem.length))
	);
}

function genaiFolder(
	files: readonly HubFile[],
	device: SelectOptions['device'],
): string | undefined {
	const folders = files
		.filter((file) => /(^|\/)genai_config\.json$/.test(file.path))
		.map((file) => file.path.replace(/\/?genai_config\.json$/, ''));
	const score = (folder: string) => {
		if (device === 'CPU')
			return /cpu/i.test(folder) ? 2 : /cuda|gpu|directml|dml|npu|qnn/i.test(folder) ? 0 : 1;
		if (device === 'GPU')
			return /cuda|gpu|directml|dml|webgpu/i.test(folder) ? 2 : /cpu|npu|qnn/i.test(folder) ? 0 : 1;
		return /npu|qnn/i.test(folder) ? 2 : 0;
	};
	return folders.sort((a, b) => score(b) - score(a) || a.localeCompare(b))[0];
}

/** Weights as PyTorch writes them by itself. */
const isPickled = (path: string): boolean =>
	/(^|\/)(pytorch_model|diffusion_pytorch_model|adapter_model)[^/]*\.bin$|\.(pt|pth|ckpt|pkl)$/i.test(
		path,
	);

function wanted(path: string): boolean {
	return !/(^|\/)\.|README|\.(md|png|jpg|py)$/i.test(path) || /LICEN[CS]E|NOTICE/i.test(path);
}

const join = (folder: string, path: string) => (folder === '' ? path : `${folder}/${path}`);

function selection(
	layout: ModelLayout,
	precision: Precision | undefined,
	files: readonly HubFile[],
	root: string,
): Selection {
	return {
		layout,
		precision,
		files,
		root,
		sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
	};
}

/** Names of the folders at the top, for people. */
function foldersOf(files: readonly HubFile[]): string {
	const names = new Set(files.flatMap(({ path }) => path.match(/^[^/]+(?=\/)/) ?? []));
	return names.size === 0 ? 'none' : [...names].slice(0, 8).join(', ');
}
