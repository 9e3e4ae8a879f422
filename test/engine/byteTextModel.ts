/** A text model whose tokens are the 256 bytes, a few longer pieces and an end token. */

import type { TextModel } from '../../server/engine/api.ts';
import { textModelOf } from '../../server/engine/text/textModel.ts';
import { Bpe } from '../../server/engine/tokenizer/bpe.ts';
import { charsOfBytes } from '../../server/engine/tokenizer/byteLevel.ts';
import { buildDecoder } from '../../server/engine/tokenizer/decoders.ts';
import { buildPreTokenizer } from '../../server/engine/tokenizer/preTokenizers.ts';
import { Tokenizer } from '../../server/engine/tokenizer/tokenizer.ts';
import { Vocabulary } from '../../server/engine/tokenizer/tokenizerModel.ts';

/** Every text encodes to its UTF-8 bytes; id 256 is `</s>`. */
export function byteTextModel(): TextModel {
	const bytes = Array.from(
		{ length: 256 },
		(_, byte) => [charsOfBytes(Uint8Array.of(byte)), byte] as const,
	);
	return textModelOf(
		new Tokenizer({
			model: new Bpe(new Vocabulary(bytes), () => undefined),
			normalizer: (piece) => piece,
			preTokenizer: buildPreTokenizer({ type: 'ByteLevel', use_regex: false }),
			decoder: buildDecoder({ type: 'ByteLevel' }),
			specialTokens: { before: [], after: [] },
			added: [
				{
					id: 256,
					content: '</s>',
					special: true,
					singleWord: false,
					stripsLeft: false,
					stripsRight: false,
					normalized: false,
				},
			],
			spelling: 'byte-level',
			cleansUp: false,
			isLinear: true,
		}),
	);
}
