/** What is told while a recording is transcribed. */

import type { ModelInfo, TranscriptProgress } from '../../protocol/index.ts';
import type { Added } from './transcriptBuilder.ts';

export type SpeechEvent =
	| { readonly type: 'model'; readonly model: ModelInfo }
	| ({ readonly type: 'added' } & Added)
	| ({ readonly type: 'progress' } & TranscriptProgress);
