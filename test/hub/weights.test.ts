/** What is taken of repositories that have no graphs, or have both. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseSource } from '../../server/hub/chooseSource.ts';
import type { HubFile } from '../../server/hub/repository.ts';
import { reasonOfKept, selectWeights } from '../../server/hub/weightFiles.ts';

const files = (...paths: string[]): HubFile[] =>
	paths.map((path, index) => ({ path, sizeBytes: 1000 + index }));
const paths = (list: readonly HubFile[] | undefined) => list?.map(({ path }) => path);

const quants = files(
	'README.md',
	'config.json',
	'm-IQ2_XS.gguf',
	'm-Q2_K.gguf',
	'm-Q8_0.gguf',
	'm-f16.gguf',
	'm-Q4_0.gguf',
	'm-q4_k_m-00002-of-00002.gguf',
	'm-q4_k_m-00001-of-00002.gguf',
	'm-Q4_K_S-00001-of-00002.gguf',
	'mmproj-m-f16.gguf',
);
const hf = files(
	'config.json',
	'generation_config.json',
	'tokenizer.json',
	'tokenizer_config.json',
	'model.safetensors.index.json',
	'model-00002-of-00002.safetensors',
	'model-00001-of-00002.safetensors',
	'original/consolidated.00.pth',
	'unet/model.safetensors',
	'LICENSE',
	'README.md',
);

describe('weights of a repository', () => {
	it('four bits with scales for blocks of blocks come first, all parts in order', () => {
		const found = selectWeights(quants);
		assert.equal(found?.format, 'gguf');
		assert.equal(found?.form, 'Q4_K_M');
		assert.deepEqual(paths(found?.weights), [
			'm-q4_k_m-00001-of-00002.gguf',
			'm-q4_k_m-00002-of-00002.gguf',
		]);
		assert.equal(found?.sizeBytes, 1007 + 1008);
		assert.match(
			found?.reason ?? '',
			/Q4_K_M means a small loss\. Others: IQ2_XS, Q2_K, Q8_0, F16, Q4_0\./,
		);
	});

	it('beside GGUF files are licences, and how answers are drawn: beside the file itself, else at the top', () => {
		const all = [
			'a/m-Q4_0.gguf',
			'm-Q8_0.gguf',
			'config.json',
			'LICENSE',
			'generation_config.json',
		];
		const sidesOf = (path: string, ...more: string[]) =>
			paths(selectWeights(files(...all, ...more), { path })?.sides)?.sort();
		assert.deepEqual(sidesOf('Q8_0'), ['LICENSE', 'generation_config.json']);
		assert.deepEqual(sidesOf('Q4_0'), ['LICENSE', 'generation_config.json']);
		const own = 'a/generation_config.json';
		assert.deepEqual(sidesOf('Q4_0', own), ['LICENSE', own]);
		assert.deepEqual(sidesOf('Q8_0', own), ['LICENSE', 'generation_config.json']);
	});

	it('a model that was cut into files of which one is missing is said to be, however it is asked for', () => {
		const parts = files('m-Q4_0-00001-of-00003.gguf', 'm-Q4_0-00003-of-00003.gguf', 'config.json');
		for (const path of ['', 'Q4_0', 'm-Q4_0-00001-of-00003.gguf'])
			assert.throws(() => chooseSource(parts, { device: 'CPU', subfolder: path }), {
				code: 'unsupported_model',
				message: /^m-Q4_0 was cut into 3 files, of which the repository lacks 2\./,
			});
		const whole = [...parts, ...files('m-Q8_0.gguf')];
		assert.deepEqual(paths(selectWeights(whole)?.weights), ['m-Q8_0.gguf']);
		assert.throws(() => selectWeights(whole, { path: 'Q4_0' }), /lacks 2/);
	});

	it("weights in PyTorch's own form are refused for what they are", () => {
		for (const name of ['pytorch_model-00001-of-00002.bin', 'consolidated.00.pth', 'a/best.pt'])
			assert.throws(() => chooseSource(files('config.json', name), { device: 'CPU' }), {
				code: 'unsupported_model',
				message: /can run programs when it is opened/,
			});
	});

	it('a list of tensors may be large, and settings that are too large are named', () => {
		const sized = (path: string, sizeBytes: number) =>
			hf.map((file) => (file.path === path ? { ...file, sizeBytes } : file));
		const index = 'model.safetensors.index.json';
		assert.ok(paths(selectWeights(sized(index, 50_000_000))?.sides)?.includes(index));
		assert.ok(!paths(selectWeights(sized('LICENSE', 50_000_000))?.sides)?.includes('LICENSE'));
		for (const name of ['config.json', 'tokenizer.json'])
			assert.throws(() => selectWeights(sized(name, 200_000_000)), {
				code: 'unsupported_model',
				message: new RegExp(`${name} of the model has 200000000 bytes; at most `),
			});
	});

	it('whoever asks for a precision is told of forms, however many models there are', () => {
		const two = files('config.json', 'm-1b-Q4_K_M.gguf', 'm-7b-Q4_K_M.gguf');
		assert.throws(() => chooseSource(two, { device: 'CPU', precision: 'q4' }), {
			param: 'precision',
			message: /no ONNX files.*Name a form of its GGUF files instead/,
		});
	});

	it('nothing is said to be made of numbers that are kept', () => {
		const kept = (list: HubFile[]) => {
			const found = selectWeights(list);
			assert.ok(found);
			assert.match(found.reason, /four bits/);
			return reasonOfKept(found);
		};
		assert.equal(kept(hf), 'It has safetensors; their numbers stay as precise as they are.');
		assert.match(
			kept(files('m-F16.gguf')),
			/^It is built of .* no loss of its own; its numbers stay as precise as they are\.$/,
		);
	});

	it('forms that lie in folders of their own are found, all parts of them', () => {
		const found = selectWeights(
			files(
				'README.md',
				'Q8_0/m-Q8_0-00001-of-00002.gguf',
				'Q8_0/m-Q8_0-00002-of-00002.gguf',
				'Q4_K_M/m-Q4_K_M-00001-of-00002.gguf',
				'Q4_K_M/m-Q4_K_M-00002-of-00002.gguf',
			),
		);
		assert.deepEqual(paths(found?.weights), [
			'Q4_K_M/m-Q4_K_M-00001-of-00002.gguf',
			'Q4_K_M/m-Q4_K_M-00002-of-00002.gguf',
		]);
		assert.equal(found?.root, 'Q4_K_M');
		assert.match(found?.reason ?? '', /Others: Q8_0\./);
	});

	it('a model that reads images where it was published is said to read text only', () => {
		assert.match(selectWeights(quants)?.reason ?? '', /text only: mmproj-m-f16\.gguf is not read/);
		const text = quants.filter(({ path }) => !path.startsWith('mmproj'));
		assert.doesNotMatch(selectWeights(text)?.reason ?? '', /text only/);
		assert.throws(() => chooseSource(files('mmproj-m-f16.gguf'), { device: 'CPU' }), {
			code: 'unsupported_model',
			message: /no language model.*mmproj-m-f16\.gguf/,
		});
	});

	it('a file or a form that is asked for is taken', () => {
		assert.deepEqual(paths(selectWeights(quants, { path: 'q8_0' })?.weights), ['m-Q8_0.gguf']);
		assert.equal(selectWeights(quants, { path: 'M-F16.gguf' })?.form, 'F16');
		assert.deepEqual(
			paths(selectWeights(quants, { path: 'm-q4_k_m-00002-of-00002.gguf' })?.weights)?.length,
			2,
		);
		const folders = files('Q8_0/m.gguf', 'Q4_0/m.gguf');
		assert.equal(selectWeights(folders, { path: 'Q8_0' })?.form, 'Q8_0');
	});

	it('what is not there, or not complete, is refused with what is', () => {
		assert.throws(() => selectWeights(quants, { path: 'Q6_K' }), {
			code: 'invalid_request',
			message: /no "Q6_K"; it has IQ2_XS, Q2_K, Q8_0, F16, Q4_0, Q4_K_M\./,
		});
		assert.throws(() => selectWeights(quants, { path: 'other.gguf' }), /it has m-IQ2_XS\.gguf, /);
		assert.throws(() => selectWeights(quants, { path: 'Q4_K_S' }), /m-Q4_K_S was cut into 2 files/);
		assert.throws(() => selectWeights(quants, { path: 'mmproj-m-f16.gguf' }), /no model/);
	});

	it('safetensors come with their settings, and nothing of other folders', () => {
		const found = selectWeights(hf);
		assert.equal(found?.format, 'safetensors');
		assert.deepEqual(paths(found?.weights), [
			'model-00001-of-00002.safetensors',
			'model-00002-of-00002.safetensors',
		]);
		assert.deepEqual(paths(found?.sides), [
			'config.json',
			'generation_config.json',
			'tokenizer.json',
			'tokenizer_config.json',
			'model.safetensors.index.json',
			'LICENSE',
		]);
		assert.equal(selectWeights(files('model.safetensors')), undefined);
		assert.equal(selectWeights(files('adapter_model.safetensors', 'config.json')), undefined);
	});
});

describe('the best source of a model', () => {
	const graphs = files('config.json', 'tokenizer.json', 'onnx/model_q4.onnx');
	const kind = (list: readonly HubFile[], more = {}) =>
		chooseSource(list, { device: 'CPU', ...more }).kind;

	it('graphs come before weights, weights before nothing', () => {
		assert.equal(kind([...graphs, ...quants, ...hf]), 'graphs');
		assert.equal(kind(quants), 'weights');
		assert.equal(kind(hf), 'weights');
		assert.equal(kind([...graphs, ...quants], { subfolder: 'Q8_0' }), 'weights');
		assert.equal(
			kind([...hf, ...files('onnx/decoder_model.onnx', 'onnx/encoder_model.onnx')]),
			'weights',
		);
	});

	it('a repository with neither says what it has', () => {
		assert.throws(() => kind(files('a.bin', 'b.msgpack')), {
			code: 'unsupported_model',
			message: /no ONNX files .*GGUF.*safetensors.*it has \.bin, \.msgpack/,
		});
		assert.throws(() => kind(graphs, { subfolder: 'other' }), /no folder "other"/);
	});

	it('a precision chooses among graphs; of weights, a form is named', () => {
		assert.throws(() => kind(quants, { precision: 'q8' }), /OWNER\/NAME:Q8_0/);
		assert.throws(() => kind(graphs, { precision: 'q8' }), /it has q4/);
	});

	it('several models of one form are told by name, and none is taken', () => {
		const two = files('m-1b-Q4_K_M.gguf', 'm-7b-Q4_K_M.gguf', 'm-7b-Q8_0.gguf');
		for (const path of ['', 'Q4_K_M'])
			assert.throws(() => selectWeights(two, { path }), {
				code: 'invalid_request',
				message: /2 models as Q4_K_M\. Name one, as OWNER\/NAME:FILE: m-1b-Q4_K_M\.gguf, m-7b/,
			});
		assert.equal(selectWeights(two, { path: 'Q8_0' })?.form, 'Q8_0');
		const folders = files('1B/m-1b-Q4_K_M.gguf', '7B/m-7b-Q4_K_M.gguf');
		assert.throws(() => selectWeights(folders), /2 models as Q4_K_M/);
		assert.deepEqual(paths(selectWeights(folders, { path: '7B' })?.weights), [
			'7B/m-7b-Q4_K_M.gguf',
		]);
		assert.deepEqual(paths(selectWeights(two, { path: 'm-7b-Q4_K_M.gguf' })?.weights), [
			'm-7b-Q4_K_M.gguf',
		]);
	});

	it('beside them small files at the root alone, no larger than they are read, templates for tools too', () => {
		const found = selectWeights([
			...files('config.json', 'model.safetensors', 'tokenizer.json', 'processor_config.json'),
			...files('additional_chat_templates/tool_use.jinja', 'other/source.spm', 'a/LICENSE'),
			...files('additional_chat_templates/../x.jinja', 'quant_config.json'),
			{ path: 'LICENSE', sizeBytes: 50e9 },
			{ path: 'source.spm', sizeBytes: 1e9 },
		]);
		assert.deepEqual(paths(found?.sides), [
			'config.json',
			'tokenizer.json',
			'processor_config.json',
			'additional_chat_templates/tool_use.jinja',
			'quant_config.json',
		]);
	});

	it('of a list with a hundred thousand parts none is taken, in no time worth waiting for', () => {
		const count = 99_999;
		const parts = Array.from({ length: count }, (_, index) => ({
			path: `x-${String(index + 1).padStart(5, '0')}-of-${count}.gguf`,
			sizeBytes: 1,
		}));
		assert.equal(selectWeights(parts), undefined);
	});
});
