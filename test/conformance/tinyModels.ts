/** A models folder with one tiny decoder of random weights, `tiny`, that knows bytes and a few pieces. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

export interface TinyModels {
	readonly dir: string;
	remove(): Promise<void>;
}

/** @param context longest prompt and answer together, in tokens. */
export async function tinyModels(context = 2048): Promise<TinyModels> {
	const dir = temporaryFolder('models');
	writeDecoderModel(join(dir, 'tiny'), {
		attention: 'gqa',
		shape: { layers: 1, hidden: 64, heads: 4, kvHeads: 2, inner: 64, vocabulary: 320, context },
	});
	return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}
