/** Building a folder: complete or absent, the same bytes after any kill, and nothing built by half. */

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildModel, planBuild } from '../../../server/engine/build/buildModel.ts';
import { describeModel } from '../../../server/engine/modelFiles/describe.ts';
import { recipeVersion } from '../../../server/hub/recipeVersion.ts';
import { AppError } from '../../../server/protocol/index.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { memorySource } from './memorySource.ts';
import { build } from './rebuilt.ts';
import { smallCalibration, smallConfig, smallWeights } from './smallDecoder.ts';

/** Every file of a folder, by its path. */
function contents(folder: string): Record<string, string> {
	return Object.fromEntries(
		readdirSync(folder, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map(({ parentPath, name }) => join(parentPath, name))
			.sort()
			.map((path) => [path.slice(folder.length), readFileSync(path).toString('base64')]),
	);
}

const refusal = (message: RegExp) => (error: unknown) =>
	error instanceof AppError && error.code === 'unsupported_model' && message.test(error.message);

describe('a model folder', () => {
	const folder = temporaryFolder();
	const source = () => memorySource(smallWeights());

	it('has the graph, its settings and the other files, and says where it comes from', async () => {
		const to = await build(source(), smallConfig, join(folder, 'whole'), {
			files: new Map([['tokenizer.json', '{}']]),
			origin: { source: 'someone/model', revision: 'abc' },
		});
		assert.deepEqual(Object.keys(contents(to)), [
			'/config.json',
			'/nearglot-origin.json',
			'/onnx/model.onnx',
			'/onnx/model.onnx_data',
			'/tokenizer.json',
		]);
		const origin = JSON.parse(readFileSync(join(to, 'nearglot-origin.json'), 'utf8'));
		assert.deepEqual(
			{ source: origin.source, revision: origin.revision, version: origin.recipe.version },
			{ source: 'someone/model', revision: 'abc', version: recipeVersion },
		);
		assert.match(origin.tensors, /^[0-9a-f]{64}$/);
		assert.deepEqual((await describeModel(to)).problems, []);
		assert.deepEqual(readdirSync(join(folder, '.building')), [], 'what was unfinished is gone');
	});

	it('is looked at before it gets its name, and nothing stays of one that fails', async () => {
		const to = join(folder, 'checked');
		const looked: boolean[] = [];
		const check = async (found: string) => {
			looked.push(existsSync(join(found, 'config.json')), existsSync(to));
			throw new AppError('unsupported_model', 'It says nothing.');
		};
		await assert.rejects(build(source(), smallConfig, to, { check }), refusal(/It says nothing/));
		assert.deepEqual(looked, [true, false]);
		assert.ok(!existsSync(to));
		assert.deepEqual(readdirSync(join(folder, '.building')), []);
	});

	it('says before it reads any weight how large it will be', async () => {
		const given = source();
		const { sizeBytes } = planBuild({
			source: given,
			config: smallConfig,
			quality: 'standard',
			keep: true,
		});
		assert.deepEqual(given.reads, []);
		const to = await build(source(), smallConfig, join(folder, 'sized'));
		const made = contents(to);
		const graphs = ['/onnx/model.onnx', '/onnx/model.onnx_data'];
		const bytes = graphs.map((name) => Buffer.from(made[name] as string, 'base64').length);
		assert.equal(sizeBytes, (bytes[0] as number) + (bytes[1] as number));
	});

	it('says how many bytes each token reads: of a table that is no head, one row is', () => {
		const options = { config: smallConfig, quality: 'standard', keep: true } as const;
		const { graph } = planBuild({ ...options, source: source() });
		assert.equal(graph.tokenBytes, graph.dataBytes - 300 * 32 * 4);
		const weights = smallWeights();
		weights.delete('lm_head.weight');
		const config = { ...smallConfig, tie_word_embeddings: true };
		const tied = planBuild({ ...options, config, source: memorySource(weights) });
		assert.equal(tied.graph.tokenBytes, tied.graph.dataBytes);
		assert.equal(tied.graph.tokenBytes, graph.tokenBytes);
	});

	it('is planned in bands of 16 MB however large the model is', () => {
		const layers = 80;
		const [hidden, inner, vocabulary] = [8192, 28_672, 128_256];
		const shapes = new Map<string, readonly number[]>([
			['model.embed_tokens', [vocabulary, hidden]],
			['lm_head', [vocabulary, hidden]],
			['model.norm', [hidden]],
		]);
		for (let layer = 0; layer < layers; layer++)
			for (const [part, shape] of [
				['input_layernorm', [hidden]],
				['post_attention_layernorm', [hidden]],
				['self_attn.q_proj', [hidden, hidden]],
				['self_attn.k_proj', [1024, hidden]],
				['self_attn.v_proj', [1024, hidden]],
				['self_attn.o_proj', [hidden, hidden]],
				['mlp.gate_proj', [inner, hidden]],
				['mlp.up_proj', [inner, hidden]],
				['mlp.down_proj', [hidden, inner]],
			] as const)
				shapes.set(`model.layers.${layer}.${part}`, shape);
		const tensors = [...shapes].map(([module, shape]) => {
			const name = `${module}.weight`;
			return [name, { name, shape, type: 'bf16', bytesPerRow: 2 * (shape.at(-1) ?? 0) }] as const;
		});
		const config = {
			model_type: 'llama',
			hidden_size: hidden,
			num_hidden_layers: layers,
			num_attention_heads: 64,
			num_key_value_heads: 8,
			max_position_embeddings: 131_072,
		};
		const large = { ...source(), tensors: new Map(tensors) };
		for (const keep of [false, true]) {
			const { graph, sizeBytes } = planBuild({ source: large, config, quality: 'standard', keep });
			const largest = graph.bands.reduce((most, { bytes }) => Math.max(most, bytes), 0);
			assert.ok(largest <= 16 * 2 ** 20, `a band of ${largest} bytes`);
			const gigabytes = sizeBytes / 1e9;
			const [min, max] = keep ? [282, 284] : [41, 42];
			assert.ok(gigabytes > min && gigabytes < max, `${gigabytes} GB`);
		}
	});

	it('is not there while it is built, nor after it was cancelled, and goes on from there', async () => {
		const whole = contents(await build(source(), smallConfig, join(folder, 'reference')));
		const target = join(folder, 'cancelled');
		const stop = new AbortController();
		const seen: number[] = [];
		const cancelled = build(source(), smallConfig, target, {
			signal: stop.signal,
			noteBytes: 1,
			onProgress: ({ doneBytes, totalBytes }) => {
				assert.equal(existsSync(target), false);
				seen.push(doneBytes / totalBytes);
				if (seen.length === 9) stop.abort();
			},
		});
		await assert.rejects(cancelled, { code: 'cancelled' });
		assert.equal(existsSync(target), false);
		const again = source();
		const later: number[] = [];
		await build(again, smallConfig, target, {
			onProgress: ({ doneBytes, totalBytes }) => later.push(doneBytes / totalBytes),
		});
		assert.equal(later[0], seen.at(-1), 'it says where it goes on');
		assert.equal(
			again.reads.length,
			source().tensors.size - 9 + ropeBands,
			'nine bands were there',
		);
		assert.deepEqual(contents(target), whole);
	});

	it('stays as far as it is when a look at it fails for want of time or memory', async () => {
		const whole = contents(await build(source(), smallConfig, join(folder, 'looked-reference')));
		const target = join(folder, 'looked');
		const stop = new AbortController();
		await assert.rejects(
			build(source(), smallConfig, target, {
				signal: stop.signal,
				noteBytes: 1,
				onProgress: ({ doneBytes, totalBytes }) => {
					if (doneBytes > totalBytes / 2) stop.abort();
				},
			}),
			{ code: 'cancelled' },
		);
		const fails = (code: 'too_expensive' | 'internal' | 'out_of_memory') => async () => {
			throw new AppError(code);
		};
		for (const code of ['too_expensive', 'internal'] as const)
			await assert.rejects(build(source(), smallConfig, target, { checkFiles: fails(code) }), {
				code,
			});
		const again = source();
		await assert.rejects(build(again, smallConfig, target, { check: fails('out_of_memory') }), {
			code: 'out_of_memory',
		});
		assert.ok(again.reads.length > 0);
		assert.ok(again.reads.length < again.tensors.size, 'it went on where it was');
		const last = source();
		await build(last, smallConfig, target);
		assert.deepEqual(last.reads, []);
		assert.deepEqual(contents(target), whole);
	});

	it('leaves nothing where its small files cannot be read', async () => {
		const to = join(folder, 'unreadable');
		const checkFiles = async () => {
			throw new AppError('unsupported_model', 'It has no tokenizer.');
		};
		await assert.rejects(
			build(source(), smallConfig, to, { checkFiles }),
			refusal(/has no tokenizer/),
		);
		assert.ok(!existsSync(join(folder, '.building', 'unreadable')));
		// Stands for a file that another program holds: it cannot be removed either.
		mkdirSync(join(folder, '.building', 'unreadable.journal'));
		await assert.rejects(
			build(source(), smallConfig, to, { checkFiles }),
			refusal(/has no tokenizer/),
		);
	});

	it('begins anew when another model was to become the same folder', async () => {
		const target = join(folder, 'other');
		const stop = new AbortController();
		const config = { ...smallConfig, rope_theta: 500 };
		await assert.rejects(
			build(source(), config, target, {
				signal: stop.signal,
				noteBytes: 1,
				onProgress: () => stop.abort(),
			}),
			{ code: 'cancelled' },
		);
		await build(source(), smallConfig, target, { origin: { source: 'another' } });
		const expected = contents(
			await build(source(), smallConfig, join(folder, 'other-reference'), {
				origin: { source: 'another' },
			}),
		);
		assert.deepEqual(contents(target), expected);
	});

	it('has nothing of another build that was begun under its name', async () => {
		const begin = async (target: string, more: Parameters<typeof build>[3]) => {
			const stop = new AbortController();
			const cancelled = build(source(), smallConfig, target, {
				...more,
				signal: stop.signal,
				noteBytes: 1,
				onProgress: ({ doneBytes, totalBytes }) => {
					if (doneBytes > totalBytes / 2) stop.abort();
				},
			});
			await assert.rejects(cancelled, { code: 'cancelled' });
		};
		for (const [first, then] of [
			[false, true],
			[true, false],
		] as const) {
			const target = join(folder, `mixed-${first}`);
			const template = ['chat_template.jinja', 'of another state'] as const;
			await begin(target, { keep: first, files: new Map([template]) });
			await build(source(), smallConfig, target, { keep: then });
			const alone = join(folder, `alone-${first}`);
			await build(source(), smallConfig, alone, { keep: then });
			assert.deepEqual(contents(target), contents(alone));
		}
	});

	it('has nothing of older bytes between its weights', async () => {
		// Vectors of 36 numbers end between two multiples of 64 bytes.
		const config = { ...smallConfig, hidden_size: 36 };
		const given = () => memorySource(smallWeights(5, config));
		const whole = contents(await build(given(), config, join(folder, 'gaps-reference')));
		const data = '/onnx/model.onnx_data';
		const size = Buffer.from(whole[data] ?? '', 'base64').length;
		const work = join(folder, '.building', 'gaps');
		mkdirSync(join(work, 'onnx'), { recursive: true });
		writeFileSync(join(work, data), Buffer.alloc(size, 0xff));
		assert.deepEqual(contents(await build(given(), config, join(folder, 'gaps'))), whole);
	});

	it('that an earlier try has finished is taken as it is, and another one is not', async () => {
		const target = join(folder, 'finished');
		const loss = { measured: 'weights', why: 'a test', weightError: 0.5 } as const;
		const given = { ownTarget: true, files: new Map([['tokenizer.json', '{}']]) };
		await build(source(), smallConfig, target, { ...given, check: async () => loss });
		const whole = contents(target);
		// Of a manifest that was being written.
		writeFileSync(join(target, 'nearglot.json.new'), '{');
		const again = source();
		const options = { ...given, source: again, config: smallConfig, target, keep: true };
		const origin = { source: 'test' };
		const found = await buildModel({ ...options, quality: 'standard', origin });
		assert.deepEqual(again.reads, []);
		assert.deepEqual(found.loss, loss);
		assert.deepEqual(contents(target), whole);
		for (const other of [
			{ origin: { source: 'another' } },
			{ files: new Map([['tokenizer.json', '{"a":1}']]) },
			{ keep: false },
		]) {
			const anew = source();
			const all = { quality: 'standard', origin, ...options, ...other } as const;
			await buildModel({ ...all, source: anew });
			assert.ok(anew.reads.length > 0, JSON.stringify(other));
		}
	});

	it('never replaces a folder that is there', async () => {
		const target = join(folder, 'taken');
		mkdirSync(target);
		writeFileSync(join(target, 'own.txt'), 'mine');
		await assert.rejects(build(source(), smallConfig, target), { code: 'conflict' });
		assert.deepEqual(readdirSync(target), ['own.txt']);
	});

	it('has the same bytes after kills at any moment', { timeout: 120_000 }, async () => {
		const options = { keep: false, calibration: async () => smallCalibration };
		const whole = contents(await build(source(), smallConfig, join(folder, 'unharmed'), options));
		const target = join(folder, 'killed');
		const script = fileURLToPath(new URL('./buildSlowly.ts', import.meta.url));
		let kills = 0;
		for (let delay = 1; ; delay += 11) {
			const child = fork(script, [target], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
			let messages = 0;
			child.on('message', () => {
				// Not in step with the writing: the child is somewhere in the bands after.
				if (++messages === delay) child.kill('SIGKILL');
				else if (messages < delay) child.send('go on', () => {});
			});
			const [code, signal] = await once(child, 'exit');
			if (signal === 'SIGKILL') {
				kills++;
				// It may have come to its end before the signal did.
				if (existsSync(target)) break;
				continue;
			}
			assert.equal(code, 0);
			break;
		}
		assert.ok(kills >= 2, `${kills} kills`);
		assert.deepEqual(contents(target), whole);
	});
});

/** Bands of the small decoder that read no tensor: the rotary tables. */
const ropeBands = 1;

describe('what cannot be built', () => {
	const folder = temporaryFolder();
	const attempt = (
		config: Readonly<Record<string, unknown>>,
		change: (weights: ReturnType<typeof smallWeights>) => void = () => undefined,
	) => {
		const weights = smallWeights();
		change(weights);
		return buildModel({
			source: memorySource(weights),
			config,
			target: join(folder, 'refused'),
			quality: 'standard',
			origin: { source: 'test' },
			files: new Map(),
		});
	};

	const cases: readonly (readonly [
		what: string,
		attempt: () => Promise<unknown>,
		message: RegExp,
	])[] = [
		[
			'a type by its name',
			() => attempt({ ...smallConfig, model_type: 'mamba' }),
			/"mamba" cannot be built/,
		],
		['no type', () => attempt({}), /"undefined" cannot be built/],
		[
			'a name of Object',
			() => attempt({ ...smallConfig, model_type: 'constructor' }),
			/"constructor" cannot/,
		],
		[
			'a rope scaling by its name',
			() => attempt({ ...smallConfig, rope_scaling: { rope_type: 'dynamic', factor: 2 } }),
			/"dynamic"/,
		],
		[
			'an activation by its name',
			() => attempt({ ...smallConfig, hidden_act: 'relu2' }),
			/"relu2"/,
		],
		[
			'experts',
			() => attempt({ ...smallConfig, num_local_experts: 8 }),
			/\("llama"\) is a mixture of 8 experts/,
		],
		[
			'experts of a family of their own',
			() => attempt({ ...smallConfig, model_type: 'gpt_oss', num_local_experts: 4 }),
			/\("gpt_oss"\) is a mixture of 4 experts/,
		],
		[
			'sizes that are missing',
			() => attempt({ ...smallConfig, hidden_size: undefined }),
			/no hidden_size/,
		],
		[
			'sizes that are none',
			() => attempt({ ...smallConfig, hidden_size: -4 }),
			/hidden_size as -4/,
		],
		[
			'a million layers',
			() => attempt({ ...smallConfig, num_hidden_layers: 1e6 }),
			/1000000 layers/,
		],
		[
			'a missing tensor',
			() => attempt(smallConfig, (w) => w.delete('model.layers.1.mlp.up_proj.weight')),
			/no tensor model\.layers\.1\.mlp\.up_proj\.weight/,
		],
		[
			'no embedding',
			() => attempt(smallConfig, (w) => w.delete('model.embed_tokens.weight')),
			/no tensor embed_tokens\.weight/,
		],
		[
			'a tensor of another shape',
			() =>
				attempt(smallConfig, (w) =>
					w.set('model.norm.weight', { shape: [7], numbers: new Float32Array(7) }),
				),
			/model\.norm\.weight has the shape \[7\] where the model's settings ask for \[32\]/,
		],
		[
			'a tensor that nothing explains',
			() =>
				attempt(smallConfig, (w) =>
					w.set('model.layers.0.self_attn.sinks', { shape: [4], numbers: new Float32Array(4) }),
				),
			/1 tensors that its type does not explain, such as model\.layers\.0\.self_attn\.sinks/,
		],
		[
			'layers beyond those of the settings',
			() => attempt({ ...smallConfig, num_hidden_layers: 1 }),
			/tensors that its type does not explain, such as model\.layers\.1\./,
		],
	];
	for (const [what, run, message] of cases) {
		it(`names ${what}`, async () => {
			await assert.rejects(run, refusal(message));
			assert.deepEqual(readdirSync(folder), [], 'nothing was written');
		});
	}
});
