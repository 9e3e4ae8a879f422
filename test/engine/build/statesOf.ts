/** What an encoder's graph gives a text, as it was written. */

import { join } from 'node:path';
import { openRuntime } from '../../../server/engine/verify/openRuntime.ts';

/** Hidden states of the tokens, followed by padding; or the score of all. */
export async function statesOf(folder: string, tokens: readonly number[], output: string) {
	const runtime = await openRuntime();
	const session = await runtime.open(join(folder, 'onnx/model.onnx'), { threads: 1 });
	const width = tokens.length + 3;
	const binding = session.createBinding();
	const given = (name: string, values: readonly number[]): void => {
		if (!session.inputs.has(name)) return;
		const data = BigInt64Array.from({ length: width }, (_, k) => BigInt(values[k] ?? 0));
		binding.input(name, data, [1, width]);
	};
	try {
		given('input_ids', tokens);
		given(
			'attention_mask',
			tokens.map(() => 1),
		);
		given('token_type_ids', []);
		binding.outputAny(output);
		await binding.run();
		const { data, dims } = binding.take(output);
		const [, , size] = dims;
		const count = size === undefined ? data.length : size * tokens.length;
		return Array.from((data as Float32Array).subarray(0, count));
	} finally {
		binding.release();
		session.close();
	}
}
