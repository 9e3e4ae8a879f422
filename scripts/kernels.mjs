/**
 * Compiles the WebAssembly of the server: `node scripts/kernels.mjs`, after every change of a .wat file. Each
 * becomes a module of text beside it, so that sources run without a build and bundles need no file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import wabt from 'wabt';
import { root } from './node.mjs';

/** The code for one vector, for all of them. */
const unrolled = (text, vectors) =>
	text.replace(/;; each vector\n(.*?);; end\n/gs, (_, code) =>
		Array.from({ length: vectors }, (_, vector) =>
			code
				.replaceAll('offset=0/2', `offset=${8 * vector}`)
				.replaceAll('offset=0', `offset=${16 * vector}`)
				.replaceAll('$tVECTOR', `$t${vector}`),
		).join(''),
	);

/** Joins the four lanes of a vector; the result stands in all of them. */
const acrossLanes = (text) =>
	text.replace(/;; across (\w+) (\w+)\n/g, (_, name, join) =>
		['8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7', '4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11']
			.map(
				(lanes) =>
					`(local.set $${name} (f32x4.${join} (local.get $${name}) (i8x16.shuffle ${lanes} (local.get $${name}) (local.get $${name}))))\n`,
			)
			.join(''),
	);

/** The function of blocks.wat in all of its kinds. */
const inKinds = (text) =>
	text.replace(/;; each kernel\n(.*?);; end kernel\n/gs, (_, code) =>
		[4, 8]
			.flatMap((bits) =>
				['asymmetric', 'symmetric'].flatMap((range) =>
					['', 'Weighted'].map((weighted) => {
						const holds = [String(bits), range, weighted === '' ? 'plain' : 'weighted'];
						const kept = code
							.split('\n')
							.filter((line) => {
								const only = /;; if (\w+)$/.exec(line)?.[1];
								return only === undefined || holds.includes(only);
							})
							.join('\n');
						return kept
							.replaceAll('NAME', `${bits}${range}${weighted}`)
							.replaceAll('LEVELS', String(2 ** bits - 1))
							.replaceAll('MIDDLE', String(2 ** (bits - 1)))
							.replaceAll('CODE_BYTES', String(2 * bits));
					}),
				),
			)
			.join('\n'),
	);

/** By path of the .wat file: what is done to its text, and the name of what the module exports. */
export const kernels = {
	'server/engine/sample/logits.wat': {
		name: 'logitsWasm',
		expand: (text) => unrolled(text, 16),
	},
	'server/engine/build/sources/halves.wat': {
		name: 'halvesWasm',
		expand: (text) => unrolled(text, 4),
	},
	'server/engine/build/quantise/blocks.wat': {
		name: 'blocksWasm',
		expand: (text) => inKinds(acrossLanes(unrolled(text, 4))),
	},
};

/** The module beside a .wat file. */
export const moduleOf = (path) => join(root, path, '..', `${kernels[path].name}.ts`);

/** Its text. */
export async function compiledKernel(path) {
	const { name, expand } = kernels[path];
	const { parseWat } = await wabt();
	const file = basename(path);
	const module = parseWat(file, expand(readFileSync(join(root, path), 'utf8')));
	module.validate();
	const { buffer } = module.toBinary({});
	module.destroy();
	return `/** ${file}, compiled by scripts/kernels.mjs and in base64. */
export const ${name} =
	'${Buffer.from(buffer).toString('base64')}';
`;
}

if (process.argv[1] === import.meta.filename)
	for (const path of Object.keys(kernels))
		writeFileSync(moduleOf(path), await compiledKernel(path));
