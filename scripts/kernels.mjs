/**
 * Compiles the WebAssembly of server/engine/sample: `node scripts/kernels.mjs`, after every change of
 * logits.wat. The result is a module of text, so that sources run without a build and bundles need no file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import wabt from 'wabt';
import { root } from './node.mjs';

const folder = join(root, 'server', 'engine', 'sample');

/** The code for one vector of a block, for all of them. */
const unrolled = (text) =>
	text.replace(/;; each vector\n(.*?);; end\n/gs, (_, code) =>
		Array.from({ length: 16 }, (_, vector) =>
			code.replaceAll('offset=0', `offset=${16 * vector}`),
		).join(''),
	);

/** Text of logitsWasm.ts. */
export async function compiledKernels() {
	const { parseWat } = await wabt();
	const module = parseWat('logits.wat', unrolled(readFileSync(join(folder, 'logits.wat'), 'utf8')));
	module.validate();
	const { buffer } = module.toBinary({});
	module.destroy();
	return `/** logits.wat, compiled by scripts/kernels.mjs and in base64. */
export const logitsWasm =
	'${Buffer.from(buffer).toString('base64')}';
`;
}

if (process.argv[1] === import.meta.filename)
	writeFileSync(join(folder, 'logitsWasm.ts'), await compiledKernels());
