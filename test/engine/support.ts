/** What the engine's tests share: a temporary folder, loaded fixtures, plain sampling. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { GenerateRequest } from '../../server/engine/api.ts';
import type { Decoder } from '../../server/engine/decode/decoder.ts';
import { loadDecoder } from '../../server/engine/decode/loadDecoder.ts';
import { PackedDecoder } from '../../server/engine/decode/packedDecoder.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { greedy } from '../fixtures/greedy.ts';

/** A folder that is removed when the file's tests are over. */
export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-engine-'));
	after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

export { greedy };

/** A request for tokens after tokens. */
export function tokensRequest(
	tokens: readonly number[],
	more: Partial<GenerateRequest> = {},
): GenerateRequest {
	return {
		prompt: { kind: 'tokens', tokens },
		owner: 'local',
		sampling: greedy,
		maxTokens: 24,
		stop: [],
		n: 1,
		priority: 'interactive',
		...more,
	};
}

/** Opens a decoder, with its graphs for several sequences open and checked. */
export async function openDecoder(
	folder: string,
	options: { prepare?: boolean; plain?: boolean; notices?: string[] } = {},
): Promise<Decoder> {
	const description = await describeModel(folder);
	const variant = description.variants[0];
	if (variant === undefined) throw new Error(`No variant in ${folder}.`);
	const decoder = await loadDecoder({
		description,
		variant,
		runtime: await openRuntime(options.plain === true),
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
