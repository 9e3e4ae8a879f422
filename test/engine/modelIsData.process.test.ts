/** A model folder is data: what hostile ones ask of the runtime and of the file system, and do not get. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { loadEngine } from '../../server/engine/engine.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { operatorFault } from '../../server/engine/modelFiles/operators.ts';
import { rewriteGraph } from '../../server/engine/onnx/rewriteGraph.ts';
import { optimizeModel } from '../../server/engine/optimize.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { type Home, newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { tokensRequest } from './support.ts';

const folder = temporaryFolder();
const good = writeDecoderModel(join(folder, 'good'), { attention: 'gqa' });

/** A genai folder whose decoder has these session options. */
function genaiModel(name: string, sessionOptions: unknown, filename = 'onnx/model.onnx'): string {
	const target = join(folder, name);
	cpSync(good, target, { recursive: true });
	const decoder = { filename, session_options: sessionOptions };
	writeFileSync(
		join(target, 'genai_config.json'),
		JSON.stringify({ model: { type: 'llama', context_length: 256, decoder } }),
	);
	return target;
}

/** Everything ONNX Runtime would write or read for a folder that asks for it, below `target`. */
const hostileOptions = (target: string) => ({
	log_id: 'onnxruntime-genai',
	provider_options: [],
	enable_profiling: join(target, 'genai-profile'),
	custom_ops_library: join(target, 'library.so'),
	'session.enable_profiling': join(target, 'profile'),
	'session.intra_op.allow_spinning': join(target, 'spinning'),
	config_entries: {
		'session.optimized_model_filepath': join(target, 'optimised.onnx'),
		'session.collect_node_memory_stats_to_file': join(target, 'memory.csv'),
		'session.model_external_initializers_file_folder_path': target,
		'session.optimized_model_external_initializers_file_name': 'weights.bin',
		'session.layer_assignment_settings': join(target, 'layers'),
		'session.disable_prepacking': '1',
		'ep.context_enable': '1',
		'ep.context_file_path': join(target, 'context.onnx'),
		'ep.context_embed_mode': 0,
	},
});
const refused = Object.keys({ ...hostileOptions(''), ...hostileOptions('').config_entries }).filter(
	(key) =>
		!['log_id', 'provider_options', 'config_entries', 'session.disable_prepacking'].includes(key),
);

async function answer(model: string, plainRuntime: boolean) {
	const engine = await loadEngine({ folder: model, plainRuntime });
	try {
		const result = await engine.generate(tokensRequest([1, 2, 3], { maxTokens: 4 }), () => {});
		const { runtime, notices = [] } = await engine.stats();
		return { tokens: result.choices[0]?.tokenIds, runtime, notices };
	} finally {
		await engine.close();
	}
}

for (const plain of [false, true]) {
	const kind = plain ? 'session.run' : 'c-api';
	test(`session options of a model write no file, and the model runs (${kind})`, async () => {
		const target = join(folder, `written-${kind}`);
		mkdirSync(target);
		const model = genaiModel(`hostile-${kind}`, hostileOptions(target));
		const expected = await answer(good, plain);
		const given = await answer(model, plain);
		assert.equal(given.runtime, kind);
		assert.deepEqual(given.tokens, expected.tokens);
		assert.deepEqual(readdirSync(target), []);
		const note = (await describeModel(model)).notes.find((text) =>
			text.includes('session options'),
		);
		for (const key of refused) assert.ok(note?.includes(key), `${key} is not in: ${note}`);
		assert.doesNotMatch(note ?? '', /log_id|provider_options|disable_prepacking/);
		assert.ok(
			given.notices.some(({ message }) => message === note),
			'said while loading, too',
		);
	});

	test(`a session option reaches no prototype (${kind})`, async () => {
		const hostile = JSON.parse(
			'{"__proto__.polluted":"1","constructor.prototype.polluted":"1","config_entries":{"__proto__":{"session.disable_prepacking":"1"}}}',
		);
		await answer(genaiModel(`prototype-${kind}`, hostile), plain);
		assert.equal('polluted' in {}, false);
		const runtime = await openRuntime(plain);
		await runtime
			.open(join(good, 'onnx', 'model.onnx'), { threads: 1, config: hostile })
			.then((session) => session.close())
			.catch(() => undefined);
		assert.equal('polluted' in {}, false);
	});

	test(`whoever hands options to the runtime, the last door refuses those that are not allowed (${kind})`, async () => {
		const runtime = await openRuntime(plain);
		const open = (config: Readonly<Record<string, string>>) =>
			runtime.open(join(good, 'onnx', 'model.onnx'), { threads: 1, config });
		const target = join(folder, `door-${kind}`);
		mkdirSync(target);
		for (const [key, value] of [
			['session.optimized_model_filepath', join(target, 'x.onnx')],
			['session.enable_profiling', join(target, 'x')],
			['session.disable_prepacking', join(target, 'x')],
			['session.disable_prepacking', '2'],
		] as const)
			await assert.rejects(open({ [key]: value }), new RegExp(key.replaceAll('.', '\\.')));
		assert.deepEqual(readdirSync(target), []);
		(await open({ 'session.disable_prepacking': '1' })).close();
	});
}

test('compiled parts for the driver of a device are named as what keeps a graph from running', () => {
	assert.match(operatorFault('com.microsoft:EPContext', new Set()) ?? '', /driver/);
});

test('threads are a number within what the machine has', async () => {
	for (const wish of [1e9, -1, 0.5, '4', null]) {
		const model = genaiModel(`threads-${wish}`, { intra_op_num_threads: wish });
		assert.ok((await answer(model, false)).tokens);
	}
});

test('a graph outside the folder is neither looked at nor opened, and the sentence names it', async () => {
	for (const [index, name] of [
		'../good/onnx/model.onnx',
		join(good, 'onnx', 'model.onnx'),
		'onnx/../../good/onnx/model.onnx',
		'..\\good\\onnx\\model.onnx',
	].entries()) {
		const model = genaiModel(`outside-${index}`, {}, name);
		const { problems, variants } = await describeModel(model);
		assert.match(problems.join(' '), /names the file .*model\.onnx/);
		assert.equal(variants[0]?.sizeBytes, 0, 'not even its size is read');
		await assert.rejects(loadEngine({ folder: model }), { code: 'unsupported_model' });
	}
	const inner = genaiModel('inner', {}, './onnx/model.onnx');
	assert.deepEqual((await describeModel(inner)).problems, []);
});

const posix = process.platform === 'win32' ? 'links and pipes need rights there' : false;

test('files that are links out of the folder or pipes are not opened', {
	skip: posix,
}, async () => {
	const secret = join(folder, 'secret.json');
	writeFileSync(secret, JSON.stringify({ chat_template: 'SECRET' }));
	for (const name of [
		'config.json',
		'tokenizer_config.json',
		'tokenizer.json',
		'onnx/model.onnx',
	]) {
		for (const kind of ['link', 'pipe']) {
			const model = join(folder, `${kind}-${basename(name)}`);
			cpSync(good, model, { recursive: true });
			await rm(join(model, name));
			if (kind === 'link') symlinkSync(secret, join(model, name));
			else execFileSync('mkfifo', [join(model, name)]);
			await assert.rejects(
				async () => {
					const { problems } = await describeModel(model);
					if (problems.length > 0) throw new Error(problems.join(' '));
					await loadTextModel(model);
				},
				kind === 'link' ? /is a link that leaves/ : /is not a plain file/,
				`${kind} ${name}`,
			);
		}
	}
});

test('a hub cache, whose files are links to its blobs, is a model folder', {
	skip: posix,
}, async () => {
	const cache = join(folder, 'models--acme--tiny');
	const snapshot = join(cache, 'snapshots', '0123abcd');
	cpSync(good, snapshot, { recursive: true });
	mkdirSync(join(cache, 'blobs'));
	for (const name of [
		'config.json',
		'tokenizer.json',
		'tokenizer_config.json',
		'onnx/model.onnx',
	]) {
		const blob = join(cache, 'blobs', name.replace('/', '-'));
		renameSync(join(snapshot, name), blob);
		symlinkSync(blob, join(snapshot, name));
	}
	assert.deepEqual((await describeModel(snapshot)).problems, []);
	assert.deepEqual((await answer(snapshot, false)).tokens, (await answer(good, false)).tokens);
});

test('weights outside the folder are not copied by "models optimize" either', async () => {
	const model = writeDecoderModel(join(folder, 'far'), {
		attention: 'gqa',
		shape: {
			layers: 1,
			hidden: 320,
			heads: 4,
			kvHeads: 2,
			inner: 64,
			vocabulary: 320,
			context: 64,
		},
	});
	const data = join(model, 'onnx', 'model.onnx_data');
	renameSync(data, join(folder, 'outside_data'));
	symlinkSync(join(folder, 'outside_data'), data);
	await assert.rejects(optimizeModel(model, { bits: 8, block: 32 }), /link/);
});

test('a rewritten graph takes no weights from elsewhere, and none that came with a model is opened', async () => {
	const model = writeDecoderModel(join(folder, 'prepared'), { attention: 'gqa' });
	const graph = join(model, 'onnx', 'model.onnx');
	const made = await rewriteGraph(graph, { gather: true });
	assert.ok('bytes' in made);
	// Where earlier versions kept their own.
	const name = '.model.prepared-g-4-0123456789abcdef';
	writeFileSync(join(model, 'onnx', `${name}.onnx`), 'not ours');
	writeFileSync(join(model, 'onnx', `${name}.verdict`), 'not ours');
	assert.deepEqual(await rewriteGraph(graph, { gather: true }), made);
	assert.deepEqual((await answer(model, false)).tokens, (await answer(good, false)).tokens);
	const bytes = Buffer.from(made.bytes).toString('latin1');
	const location = 'model.onnx';
	assert.ok(bytes.includes(`location\x12${String.fromCharCode(location.length)}${location}`));
	for (const place of ['../../else', '../els.bin']) {
		cpSync(graph, join(made.folder, place));
		const elsewhere = bytes.replaceAll(`\x12\x0a${location}`, `\x12\x0a${place}`);
		assert.notEqual(elsewhere, bytes);
		for (const plain of [false, true])
			await assert.rejects(
				async () =>
					(await openRuntime(plain)).open(
						{ ...made, bytes: Buffer.from(elsewhere, 'latin1') },
						{ threads: 1 },
					),
				{ code: 'unsupported_model' },
			);
	}
});

let home: Home | undefined;
after(() => home?.close());

test('"models info" and a running daemon say what a model asked for and did not get', async () => {
	home = await newHome();
	const target = join(folder, 'written-daemon');
	mkdirSync(target);
	const model = genaiModel('hostile-daemon', hostileOptions(target));
	const added = await home.run(['models', 'add', model]);
	assert.equal(added.code, 0, added.stderr);
	const loaded = await home.run(['models', 'load', 'hostile-daemon']);
	assert.equal(loaded.code, 0, loaded.stderr);
	const info = await home.run(['models', 'info', 'hostile-daemon']);
	assert.match(info.stdout, /session\.optimized_model_filepath/);
	assert.deepEqual(readdirSync(target), []);
	await home.run(['models', 'unload', 'hostile-daemon']);
	assert.deepEqual(readdirSync(target), []);
});
