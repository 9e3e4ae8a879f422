/**
 * Runs a graph node by node, each in a session of its own: what has no room for a whole model in memory has room for
 * one node. Nodes that differ by their names only share a session.
 */

import { encodeModel, type OnnxNode } from '../../onnx/onnxModel.ts';
import type { Runtime, Session } from '../../runtime/runtime.ts';
import { type Tensor, typeCode } from '../../runtime/tensorType.ts';
import { physicalCores } from '../../runtime/threads.ts';
import { modelVersions } from '../graph/graphWriter.ts';

export class NodeRunner {
	readonly #runtime: Runtime;
	readonly #sessions = new Map<string, Promise<Session>>();

	constructor(runtime: Runtime) {
		this.#runtime = runtime;
	}

	/**
	 * Outputs of a node.
	 * @param inputs as the node names them; `undefined` for those that are left out
	 * @param wanted which outputs are given; all when absent
	 */
	async run(
		node: Pick<OnnxNode, 'op' | 'domain' | 'attributes' | 'outputs'>,
		inputs: readonly (Tensor | undefined)[],
		signal?: AbortSignal,
		wanted: readonly boolean[] = node.outputs.map((name) => name !== ''),
	): Promise<(Tensor | undefined)[]> {
		const session = await this.#sessionOf(node, inputs, wanted);
		const binding = session.createBinding();
		try {
			for (const [index, tensor] of inputs.entries())
				if (tensor !== undefined) binding.input(`x${index}`, tensor.data, tensor.dims);
			for (const [index, isMade] of wanted.entries()) if (isMade) binding.outputAny(`y${index}`);
			await binding.run(signal);
			const made = wanted.map((isMade, index) => (isMade ? binding.take(`y${index}`) : undefined));
			return made;
		} finally {
			binding.release();
		}
	}

	#sessionOf(
		{ op, domain, attributes, outputs }: Parameters<NodeRunner['run']>[0],
		inputs: readonly (Tensor | undefined)[],
		wanted: readonly boolean[],
	): Promise<Session> {
		const bytes = encodeModel({
			rest: modelVersions('nearglot'),
			graph: {
				name: 'node',
				nodes: [
					{
						name: 'node',
						op,
						domain,
						inputs: inputs.map((tensor, index) => (tensor === undefined ? '' : `x${index}`)),
						outputs: outputs.map((name, index) => (name === '' ? '' : `y${index}`)),
						attributes,
						rest: [],
					},
				],
				inputs: inputs.flatMap((tensor, index) =>
					tensor === undefined
						? []
						: [
								{
									name: `x${index}`,
									elementType: typeCode(tensor.type),
									dims: tensor.dims.map((_, axis) => `d${index}_${axis}`),
								},
							],
				),
				// Their types follow from those of the inputs.
				outputs: wanted.flatMap((isMade, index) =>
					isMade ? [{ name: `y${index}`, elementType: 0, dims: undefined }] : [],
				),
				initializers: [],
				rest: [],
			},
		});
		const key = Buffer.from(bytes).toString('latin1');
		const known = this.#sessions.get(key);
		if (known !== undefined) return known;
		// All but products take next to no time.
		const isSmall = !op.endsWith('MatMul');
		const session = this.#runtime.open(
			{ name: op, bytes, folder: '' },
			{ threads: isSmall ? 1 : physicalCores(), isSmall },
		);
		this.#sessions.set(key, session);
		return session;
	}

	async close(): Promise<void> {
		const sessions = [...this.#sessions.values()];
		this.#sessions.clear();
		for (const session of await Promise.allSettled(sessions))
			if (session.status === 'fulfilled') session.value.close();
	}
}
