import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HubFile } from '../../server/hub/repository.ts';
import { selectFiles } from '../../server/hub/selectModelFiles.ts';

const files = (...paths: string[]): HubFile[] => paths.map((path) => ({ path, sizeBytes: 10 }));
const names = (list: readonly HubFile[]) => list.map((file) => file.path).sort();

const decoder = files(
	'.gitattributes',
	'README.md',
	'config.json',
	'generation_config.json',
	'tokenizer.json',
	'tokenizer_config.json',
	'chat_template.jinja',
	'onnx/model.onnx',
	'onnx/model.onnx_data',
	'onnx/model_q4.onnx',
	'onnx/model_q4.onnx_data',
	'onnx/model_q4.onnx_data_1',
	'onnx/model_q4f16.onnx',
	'onnx/model_quantized.onnx',
	'pytorch_model.bin',
);

test('a decoder gets four bits on the CPU with all its external data and its side files', () => {
	const chosen = selectFiles(decoder, { device: 'CPU' });
	assert.equal(chosen.precision, 'q4');
	assert.deepEqual(names(chosen.files), [
		'chat_template.jinja',
		'config.json',
		'generation_config.json',
		'onnx/model_q4.onnx',
		'onnx/model_q4.onnx_data',
		'onnx/model_q4.onnx_data_1',
		'tokenizer.json',
		'tokenizer_config.json',
	]);
	assert.equal(chosen.sizeBytes, 80);
});

test('a graphics processor gets q4f16, and a precision that is asked for wins', () => {
	assert.equal(selectFiles(decoder, { device: 'GPU' }).precision, 'q4f16');
	assert.equal(selectFiles(decoder, { device: 'CPU', precision: 'fp32' }).precision, 'fp32');
	assert.throws(() => selectFiles(decoder, { device: 'CPU', precision: 'bnb4' }), {
		code: 'unsupported_model',
		message: /it has fp32, q8, q4, q4f16/,
	});
});

test('an encoder-decoder gets int8 and both graphs, merged rather than split', () => {
	const listing = files(
		'config.json',
		'source.spm',
		'target.spm',
		'vocab.json',
		'onnx/encoder_model.onnx',
		'onnx/encoder_model_quantized.onnx',
		'onnx/decoder_model_merged_quantized.onnx',
		'onnx/decoder_model_quantized.onnx',
		'onnx/decoder_with_past_model_quantized.onnx',
		'onnx/encoder_model_q4.onnx',
	);
	const chosen = selectFiles(listing, { device: 'CPU' });
	assert.equal(chosen.precision, 'q8');
	assert.deepEqual(names(chosen.files), [
		'config.json',
		'onnx/decoder_model_merged_quantized.onnx',
		'onnx/encoder_model_quantized.onnx',
		'source.spm',
		'target.spm',
		'vocab.json',
	]);
});

test('of a genai repository the folder for the device is taken, whole and flat', () => {
	const listing = files(
		'README.md',
		'cpu_and_mobile/cpu-int4/genai_config.json',
		'cpu_and_mobile/cpu-int4/model.onnx',
		'cpu_and_mobile/cpu-int4/model.onnx.data',
		'cpu_and_mobile/cpu-int4/tokenizer.json',
		'gpu/gpu-int4/genai_config.json',
		'gpu/gpu-int4/model.onnx',
	);
	const cpu = selectFiles(listing, { device: 'CPU' });
	assert.equal(cpu.layout, 'genai');
	assert.equal(cpu.root, 'cpu_and_mobile/cpu-int4');
	assert.equal(cpu.files.length, 4);
	assert.equal(selectFiles(listing, { device: 'GPU' }).root, 'gpu/gpu-int4');
});

test('a repository without ONNX files says what it has instead', () => {
	assert.throws(() => selectFiles(files('config.json', 'model.safetensors'), { device: 'CPU' }), {
		code: 'unsupported_model',
		message: /\.safetensors/,
	});
});

test('a folder that is not there is named, with those that are', () => {
	assert.throws(() => selectFiles(decoder, { device: 'CPU', subfolder: 'cpu-int4' }), {
		code: 'invalid_request',
		message: 'The repository has no folder "cpu-int4"; it has onnx.',
	});
});

test('a repository with nothing but a LoRA adapter in GGUF is refused as that', () => {
	for (const path of ['lora-F16.gguf', 'sub/my-lora.gguf'])
		assert.throws(
			() => selectFiles([{ path, sizeBytes: 10 }], { device: 'CPU' }),
			(error: Error) => error.message.includes(`${path}, by its name a LoRA adapter`),
		);
});
