/**
 * Random-weight models of real shapes, made once in a temporary folder: our layout for us and for
 * transformers.js, GGUF with the same shape for llama.cpp. Speed only; the text they give is noise.
 */

import {
	closeSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ggufConfig } from '../server/engine/build/architectures/ggufConfig.ts';
import { buildModel } from '../server/engine/build/buildModel.ts';
import { openModelSource } from '../server/engine/build/sources/openModelSource.ts';
import { writeLexicon } from '../server/engine/seq2seq/lexicon.ts';
import { type DecoderShape, writeDecoderModel } from '../test/fixtures/decoderModel.ts';
import { Random } from '../test/fixtures/graphBuilder.ts';
import { translationModel } from '../test/fixtures/translationModel.ts';
import { mergeDecoders } from './mergedDecoder.ts';

/** Qwen2.5-0.5B without its small biases. */
export const halfBillion: DecoderShape = {
	layers: 24,
	hidden: 896,
	heads: 14,
	kvHeads: 2,
	inner: 4864,
	vocabulary: 151_936,
	context: 4096,
};

/** Folder of a decoder with 4-bit weights in blocks of this size. */
export function decoderModel(root: string, block: number): string {
	return once(join(root, `half-billion-b${block}`), (folder) => {
		writeDecoderModel(folder, { attention: 'gqa', block, shape: halfBillion });
	});
}

/** The same in dynamic int8, as most published ones are. */
export function int8DecoderModel(root: string): string {
	return once(join(root, 'half-billion-int8'), (folder) => {
		writeDecoderModel(folder, { attention: 'gqa', int8: true, shape: halfBillion });
	});
}

/** A GGUF file (Q4_0: 4-bit blocks of 32, llama architecture) of the same shape. */
export function ggufModel(root: string): string {
	const folder = once(join(root, 'half-billion-gguf'), (made) => {
		mkdirSync(made, { recursive: true });
		writeGguf(join(made, 'model.gguf'), halfBillion);
	});
	return join(folder, 'model.gguf');
}

/** What is built here of {@link ggufModel}. */
export async function builtModel(root: string): Promise<string> {
	const target = join(root, 'half-billion-built');
	if (existsSync(target)) return target;
	await using source = await openModelSource(ggufModel(root));
	const from = decoderModel(root, 32);
	const files = ['tokenizer.json', 'tokenizer_config.json'].map(
		(name) => [name, readFileSync(join(from, name))] as const,
	);
	await buildModel({
		source,
		config: await ggufConfig(source),
		target,
		quality: 'standard',
		origin: { source: 'bench' },
		files: new Map(files),
	});
	return target;
}

/** Puts a table of words of usual size beside a translation model; which words is all the same here. */
export async function withLexicon(folder: string): Promise<string> {
	const vocabulary = 65_024;
	const frequent = Array.from({ length: 2000 }, (_, k) => k);
	const targets = Array.from({ length: 256 }, (_, id): [number, number[]] => [
		id,
		Array.from({ length: 48 }, (_, k) => 2000 + ((id * 48 + k) % (vocabulary - 2000))),
	]);
	await writeLexicon(folder, {
		vocabulary,
		frequent,
		targets: new Map(targets),
		changed: 0,
		texts: 1,
	});
	return folder;
}

/** The translation model with its two decoders merged, for transformers.js. */
export function mergedTranslationModel(root: string): string {
	const from = translationModel(root);
	return once(join(root, 'marian-base-merged'), (folder) => {
		const onnx = join(folder, 'onnx');
		mkdirSync(onnx, { recursive: true });
		const graphs = join(from, 'onnx');
		for (const name of [
			'encoder_model_q4.onnx',
			'encoder_model_q4.onnx_data',
			'decoder_model_q4.onnx_data',
		])
			copyFileSync(join(graphs, name), join(onnx, name));
		mergeDecoders(
			join(graphs, 'decoder_model_q4.onnx'),
			join(graphs, 'decoder_with_past_model_q4.onnx'),
			join(onnx, 'decoder_model_merged_q4.onnx'),
		);
		for (const name of readdirSync(from))
			if (name.endsWith('.json')) copyFileSync(join(from, name), join(folder, name));
	});
}

/** Makes a folder once; an interrupted attempt leaves nothing under its name. */
export function once(folder: string, make: (folder: string) => void): string {
	if (existsSync(folder)) return folder;
	const temporary = `${folder}.${process.pid}.tmp`;
	rmSync(temporary, { recursive: true, force: true });
	make(temporary);
	renameSync(temporary, folder);
	return folder;
}

/** GGUF value types (ggml-org/ggml, docs/gguf.md). */
const type = { u32: 4, f32: 6, string: 8, array: 9, i32: 5 } as const;
const ggmlF32 = 0;
const ggmlQ4 = 2;
const q4BlockBytes = 18;

function writeGguf(path: string, shape: DecoderShape): void {
	const { layers, hidden, heads, kvHeads, inner, vocabulary, context } = shape;
	const kv = (hidden / heads) * kvHeads;
	const tensors: { name: string; dims: number[]; quantised: boolean }[] = [];
	const add = (name: string, dims: number[], quantised = true): void => {
		tensors.push({ name, dims, quantised });
	};
	add('token_embd.weight', [hidden, vocabulary]);
	add('output_norm.weight', [hidden], false);
	for (let layer = 0; layer < layers; layer++) {
		const name = (part: string): string => `blk.${layer}.${part}.weight`;
		add(name('attn_norm'), [hidden], false);
		add(name('attn_q'), [hidden, hidden]);
		add(name('attn_k'), [hidden, kv]);
		add(name('attn_v'), [hidden, kv]);
		add(name('attn_output'), [hidden, hidden]);
		add(name('ffn_norm'), [hidden], false);
		add(name('ffn_gate'), [hidden, inner]);
		add(name('ffn_up'), [hidden, inner]);
		add(name('ffn_down'), [inner, hidden]);
	}
	const header = new Bytes();
	header.raw(Buffer.from('GGUF')).u32(3).u64(tensors.length);
	const values: [string, (to: Bytes) => void][] = [];
	const text = (key: string, value: string): void => {
		values.push([key, (to) => to.u32(type.string).text(value)]);
	};
	const number = (key: string, value: number): void => {
		values.push([key, (to) => to.u32(type.u32).u32(value)]);
	};
	text('general.architecture', 'llama');
	text('general.name', 'random');
	number('llama.block_count', layers);
	number('llama.context_length', context);
	number('llama.embedding_length', hidden);
	number('llama.feed_forward_length', inner);
	number('llama.attention.head_count', heads);
	number('llama.attention.head_count_kv', kvHeads);
	number('llama.rope.dimension_count', hidden / heads);
	values.push(['llama.attention.layer_norm_rms_epsilon', (to) => to.u32(type.f32).f32(1e-6)]);
	number('llama.vocab_size', vocabulary);
	text('tokenizer.ggml.model', 'gpt2');
	text('tokenizer.ggml.pre', 'default');
	values.push([
		'tokenizer.ggml.tokens',
		(to) => {
			to.u32(type.array).u32(type.string).u64(vocabulary);
			for (let id = 0; id < vocabulary; id++) to.text(id < 256 ? byteToken(id) : `t${id}`);
		},
	]);
	values.push([
		'tokenizer.ggml.token_type',
		(to) => {
			to.u32(type.array).u32(type.i32).u64(vocabulary);
			for (let id = 0; id < vocabulary; id++) to.u32(1);
		},
	]);
	values.push([
		'tokenizer.ggml.merges',
		(to) => to.u32(type.array).u32(type.string).u64(1).text('t t'),
	]);
	number('tokenizer.ggml.bos_token_id', 0);
	number('tokenizer.ggml.eos_token_id', vocabulary - 1);
	header.u64(values.length);
	for (const [key, write] of values) {
		header.text(key);
		write(header);
	}
	const bytesOf = ({ dims, quantised }: { dims: number[]; quantised: boolean }): number => {
		const count = dims.reduce((a, b) => a * b, 1);
		return quantised ? (count / 32) * q4BlockBytes : count * 4;
	};
	let offset = 0;
	for (const tensor of tensors) {
		header.text(tensor.name).u32(tensor.dims.length);
		for (const dim of tensor.dims) header.u64(dim);
		header.u32(tensor.quantised ? ggmlQ4 : ggmlF32).u64(offset);
		offset += Math.ceil(bytesOf(tensor) / 32) * 32;
	}
	const file = openSync(path, 'w');
	const random = new Random(11);
	const head = header.finish();
	writeSync(file, head);
	writeSync(file, Buffer.alloc(-head.length & 31));
	for (const tensor of tensors) {
		const size = bytesOf(tensor);
		const data = Buffer.alloc(Math.ceil(size / 32) * 32);
		if (tensor.quantised) {
			// Each block: a float16 scale (about 1/√rows), then 32 nibbles.
			const words = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2);
			for (let k = 0; k < words.length; k++) words[k] = random.bits();
			for (let at = 0; at < size; at += q4BlockBytes)
				data.writeUInt16LE(0x1f00 + ((at / 18) & 127), at);
		} else {
			for (let at = 0; at < size; at += 4) data.writeFloatLE(1, at);
		}
		for (let at = 0; at < data.length; ) at += writeSync(file, data, at);
	}
	closeSync(file);
}

/** GPT-2's printable stand-in for a byte. */
function byteToken(byte: number): string {
	const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
	return String.fromCodePoint(printable ? byte : 256 + byte);
}

class Bytes {
	readonly #parts: Buffer[] = [];

	raw(bytes: Buffer): this {
		this.#parts.push(bytes);
		return this;
	}

	u32(value: number): this {
		const bytes = Buffer.alloc(4);
		bytes.writeUInt32LE(value);
		return this.raw(bytes);
	}

	u64(value: number): this {
		const bytes = Buffer.alloc(8);
		bytes.writeBigUInt64LE(BigInt(value));
		return this.raw(bytes);
	}

	f32(value: number): this {
		const bytes = Buffer.alloc(4);
		bytes.writeFloatLE(value);
		return this.raw(bytes);
	}

	text(value: string): this {
		const bytes = Buffer.from(value, 'utf8');
		return this.u64(bytes.length).raw(bytes);
	}

	finish(): Buffer {
		return Buffer.concat(this.#parts);
	}
}
