/** Tables of rotary embeddings in the graph: weights, or a choice between two by the total length. */

import { makeNode } from '../../onnx/graphEdit.ts';
import type { OnnxGraph } from '../../onnx/onnxModel.ts';
import { WireWriter } from '../../onnx/wire.ts';
import type { DecoderShape, Rope } from '../architectures/decoderShape.ts';
import { arrayBytes, type GraphWriter } from './graphWriter.ts';
import { bandBytes } from './matrix.ts';
import { type RopeLength, ropeTables } from './ropeTables.ts';

export interface RopeNames {
	readonly cos: string;
	readonly sin: string;
}

/**
 * Plans the tables.
 * @param total int64 scalar: length of the longest sequence after the run
 */
export function writeRopes(
	writer: GraphWriter,
	{ ropes, contextLength }: Pick<DecoderShape, 'ropes' | 'contextLength'>,
	total: string,
): readonly RopeNames[] {
	return ropes.map((rope, index) => {
		const suffix = ropes.length === 1 ? '' : index === 0 ? '_global' : '_local';
		const names = { cos: `cos_cache${suffix}`, sin: `sin_cache${suffix}` };
		if (rope.scaling.kind !== 'longrope') {
			writeTables(writer, rope, 'short', names, contextLength);
			return names;
		}
		const { originalLength } = rope.scaling;
		const short = { cos: `${names.cos}_small`, sin: `${names.sin}_small` };
		if (contextLength <= originalLength) {
			writeTables(writer, rope, 'short', short, contextLength);
			return short;
		}
		const long = { cos: `${names.cos}_large`, sin: `${names.sin}_large` };
		writeTables(writer, rope, 'short', short, originalLength);
		writeTables(writer, rope, 'long', long, contextLength);
		const isLong = writer.node(
			'Greater',
			[total, writer.integers([originalLength], [])],
			'/model/rope_caches_subgraph/Greater/output_0',
		);
		const node = makeNode('If', [isLong], [names.cos, names.sin]);
		node.name = '/model/rope_caches_subgraph/If';
		node.attributes.push(
			graphAttribute('then_branch', choice('large', long, names)),
			graphAttribute('else_branch', choice('small', short, names)),
		);
		writer.branch(node);
		return names;
	});
}

function writeTables(
	writer: GraphWriter,
	rope: Rope,
	length: RopeLength,
	names: RopeNames,
	positions: number,
): void {
	const width = rope.rotarySize / 2;
	const cosAt = writer.reserve(names.cos, 'float32', [positions, width]);
	const sinAt = writer.reserve(names.sin, 'float32', [positions, width]);
	const most = Math.max(1, Math.floor(bandBytes / (8 * width)));
	for (let from = 0; from < positions; from += most) {
		const to = Math.min(positions, from + most);
		writer.layout.bands.push({
			bytes: (to - from) * width * 8,
			make: async () => {
				const { cos, sin } = ropeTables(rope, length, from, to);
				return [
					{ offset: cosAt + from * width * 4, bytes: arrayBytes(cos) },
					{ offset: sinAt + from * width * 4, bytes: arrayBytes(sin) },
				];
			},
		});
	}
}

/** A branch that gives two weights of the graph around it. */
function choice(name: string, from: RopeNames, to: RopeNames): OnnxGraph {
	const outputs = { cos: `${to.cos}_${name}_chosen`, sin: `${to.sin}_${name}_chosen` };
	return {
		name,
		nodes: [
			makeNode('Identity', [from.cos], [outputs.cos]),
			makeNode('Identity', [from.sin], [outputs.sin]),
		],
		inputs: [],
		outputs: [outputs.cos, outputs.sin].map((output) => ({
			name: output,
			elementType: 1,
			dims: [undefined, undefined],
		})),
		initializers: [],
		rest: [],
	};
}

function graphAttribute(name: string, graph: OnnxGraph) {
	// AttributeProto: g = 6, type = 20 (GRAPH = 5); the empty graph is replaced when the model is written.
	const bytes = new WireWriter().text(1, name).bytes(6, new Uint8Array(0)).int(20, 5).finish();
	return { name, bytes, graph };
}

/** Adds the rotation as a node of its own, for heads that attention does not rotate itself. */
export function rotate(
	writer: GraphWriter,
	x: string,
	positions: string,
	names: RopeNames,
	{
		heads,
		rotarySize,
		headSize,
	}: { readonly heads: number; readonly rotarySize: number; readonly headSize: number },
	path: string,
): string {
	return writer.node(
		'ms:RotaryEmbedding',
		[x, positions, names.cos, names.sin],
		`${path}/output_0`,
		{
			interleaved: 0,
			num_heads: heads,
			...(rotarySize === headSize ? {} : { rotary_embedding_dim: rotarySize }),
		},
	);
}
