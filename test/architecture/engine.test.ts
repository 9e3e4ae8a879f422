/** The engine's inner layers, and the files of it that the rest of the server may import. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imports, sources, target } from './sources.ts';

const engine = 'server/engine/';
const server = sources('server');

/**
 * From top to bottom. A file imports from its own folder and from lower layers only; folders of one
 * layer do not know each other.
 */
const layers: readonly (readonly string[])[] = [
	['learnShortlist.ts', 'optimize.ts', 'build'],
	['engine.ts'],
	['embed', 'speech'],
	['vision'],
	['seq2seq', 'schedule'],
	['grammar', 'decode'],
	['kv'],
	['verify'],
	['devices', 'onnx'],
	['runtime', 'sample', 'queue'],
	['text'],
	['template', 'tokenizer'],
	['modelFiles', 'kernel'],
	['api.ts'],
	['encoderCalls.ts', 'prompt.ts', 'speechApi.ts', 'stats.ts'],
];

/** First part of a path inside the engine: a folder, or a file that is a layer of its own. */
const partOf = (path: string) => path.slice(engine.length).split('/')[0] ?? '';
const layerOf = (part: string) => layers.findIndex((layer) => layer.includes(part));

test('imports between the folders of the engine go only downwards', () => {
	const wrong: string[] = [];
	for (const source of server.filter(({ path }) => path.startsWith(engine))) {
		const from = partOf(source.path);
		assert.notEqual(layerOf(from), -1, `${source.path} is in no layer`);
		for (const specifier of imports(source)) {
			const path = target(source, specifier);
			if (!path?.startsWith(engine)) continue;
			const to = partOf(path);
			if (from !== to && layerOf(to) <= layerOf(from)) wrong.push(`${source.path} → ${path}`);
		}
	}
	assert.deepEqual(wrong, []);
});

/**
 * The engine's border. A list instead of one index.ts: the daemon imports the types and what reads
 * files, and must not load ONNX Runtime, tokenizers or templates with them; each entry says who needs it.
 */
const publicFiles: Readonly<Record<string, string>> = {
	'api.ts': 'types of requests, results and descriptions',
	'stats.ts': 'types of the counters',
	'engine.ts': 'loads a model; the runner alone',
	'optimize.ts': 'a command',
	'learnShortlist.ts': 'a command',
	'build/buildFolder.ts': 'builds a model; the builder alone',
	'devices/gpus.ts': 'what can be chosen as a device',
	'devices/providers.ts': 'what can be chosen as an execution provider',
	'devices/system.ts': 'how devices are asked for',
	'modelFiles/describe.ts': 'what a folder holds',
	'modelFiles/generationSettings.ts': 'defaults of a folder for sampling',
	'modelFiles/imageHeader.ts': 'size of an image before it is decoded',
	'modelFiles/imageLayout.ts': 'how a model wants its images',
	'modelFiles/imagePlan.ts': 'what stands for an image in a prompt',
	'modelFiles/templateFile.ts': 'the template of a folder, as text',
	'modelFiles/variants.ts': 'precisions of a folder',
	'runtime/confine.ts': 'confines the process of a runner',
	'runtime/steps.ts': 'signs of life of a runner',
	'runtime/telemetry.ts': 'environment of a runner',
	'speech/languages.ts': 'languages by code and name',
	'speech/temperatureFallback.ts': 'figures of a transcript',
	'template/reasoning.ts': 'reads answers: reasoning',
	'template/toolCallParser.ts': 'reads answers: tool calls',
	'template/toolFormat.ts': 'reads answers: formats of tool calls',
	'text/textJobs.ts': 'questions to the threads of the text side',
	'text/textThreadPool.ts': 'the threads of the text side',
	'text/historyTurns.ts': 'leaves out the oldest turns',
};

test('the rest of the server imports only the public files of the engine', () => {
	const used = new Set<string>();
	const wrong: string[] = [];
	for (const source of server.filter(({ path }) => !path.startsWith(engine)))
		for (const specifier of imports(source)) {
			const path = target(source, specifier);
			if (!path?.startsWith(engine)) continue;
			const file = path.slice(engine.length);
			used.add(file);
			if (!(file in publicFiles)) wrong.push(`${source.path} → ${path}`);
		}
	assert.deepEqual(wrong, []);
	assert.deepEqual(
		Object.keys(publicFiles).filter((file) => !used.has(file)),
		[],
		'no longer used outside',
	);
});
