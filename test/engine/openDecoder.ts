/** Opens decoders of made models. */

import type { Decoder } from '../../server/engine/decode/decoder.ts';
import { loadDecoder } from '../../server/engine/decode/loadDecoder.ts';
import { PackedDecoder } from '../../server/engine/decode/packedDecoder.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import type { Runtime } from '../../server/engine/runtime/runtime.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';

/** Opens a decoder, with its graphs for several sequences open and checked. */
export async function openDecoder(
	folder: string,
	options: {
		prepare?: boolean;
		plain?: boolean;
		kernel?: boolean;
		notices?: string[];
		/** Default: the process's own. */
		runtime?: Runtime;
	} = {},
): Promise<Decoder> {
	const description = await describeModel(folder);
	const variant = description.variants[0];
	if (variant === undefined) throw new Error(`No variant in ${folder}.`);
	const { kernel, ...runtime } = options.runtime ?? (await openRuntime(options.plain === true));
	const decoder = await loadDecoder({
		description,
		variant,
		// Own products are as right as the published ones, and not the same to the last bit.
		runtime: options.kernel === true && kernel !== undefined ? { ...runtime, kernel } : runtime,
		session: { threads: 1 },
		contextLength: description.contextLength,
		rewrite: options.prepare ?? true,
		onNotice: (notice) => options.notices?.push(notice),
	});
	if (decoder instanceof PackedDecoder) {
		for (const sequences of [8, 3]) {
			await decoder.prepareForBatchSize(sequences);
			await decoder.ready();
		}
	}
	return decoder;
}
