/** Every route of the server. What stands in no family here is the owner's alone and in no description. */

import { anthropicRoutes } from './anthropicMessages.ts';
import { batchRoutes } from './batches.ts';
import { chatRoutes } from './chat.ts';
import { completionRoutes } from './completions.ts';
import { conversationRoutes } from './conversations.ts';
import { documentTranslatorRoutes } from './documentApi.ts';
import { documentBatchRoutes } from './documentBatches.ts';
import { documentRoutes } from './documents.ts';
import { embeddingRoutes } from './embeddings.ts';
import { foundryRoutes } from './foundry.ts';
import { downloadRoutes } from './modelDownloads.ts';
import { modelRoutes } from './models.ts';
import { ollamaRoutes } from './ollama.ts';
import { ollamaGenerationRoutes } from './ollamaGeneration.ts';
import { peopleRoutes } from './people.ts';
import { realtimeRoutes } from './realtime.ts';
import { recorderRoutes } from './recorder.ts';
import { requestRoutes } from './requests.ts';
import { rerankRoutes } from './rerank.ts';
import { responsesRoutes } from './responses.ts';
import type { Route } from './route.ts';
import { speechRoutes } from './speech.ts';
import { statusRoutes } from './status.ts';
import { studioRoutes } from './studio.ts';
import { tokenRoutes } from './tokens.ts';
import { translatorRoutes } from './translatorApi.ts';
import { fileRoutes } from './uploadedFiles.ts';
import { upstreamRoutes } from './upstreamEngines.ts';

export const routes: readonly Route[] = [
	...chatRoutes,
	...completionRoutes,
	...embeddingRoutes,
	...rerankRoutes,
	...responsesRoutes,
	...conversationRoutes,
	...fileRoutes,
	...batchRoutes,
	...tokenRoutes,
	...modelRoutes,
	...upstreamRoutes,
	...downloadRoutes,
	...foundryRoutes,
	...anthropicRoutes,
	...ollamaRoutes,
	...ollamaGenerationRoutes,
	...speechRoutes,
	...realtimeRoutes,
	...recorderRoutes,
	...documentRoutes,
	...translatorRoutes,
	...documentTranslatorRoutes,
	...documentBatchRoutes,
	...studioRoutes,
	...peopleRoutes,
	...statusRoutes,
	...requestRoutes,
];
