/**
 * The routes that programs of this product call, by method and path. Their types come from the route objects, the
 * schemas do not come along: loading them takes longer than most commands run.
 */

import { address } from './routeClient.ts';
import type * as batches from './routes/batches.ts';
import type * as chat from './routes/chat.ts';
import type * as completionRoutes from './routes/completions.ts';
import type * as documents from './routes/documents.ts';
import type * as embeddingRoutes from './routes/embeddings.ts';
import type * as foundry from './routes/foundry.ts';
import type * as downloads from './routes/modelDownloads.ts';
import type * as models from './routes/models.ts';
import type * as people from './routes/people.ts';
import type * as recorder from './routes/recorder.ts';
import type * as recorded from './routes/requests.ts';
import type * as rerankRoutes from './routes/rerank.ts';
import type * as responseRoutes from './routes/responses.ts';
import type * as speech from './routes/speech.ts';
import type * as status from './routes/status.ts';
import type * as studio from './routes/studio.ts';
import type * as systems from './routes/translationSystems.ts';
import type * as translator from './routes/translatorApi.ts';
import type * as files from './routes/uploadedFiles.ts';
import type * as upstreams from './routes/upstreamEngines.ts';

export const notices = address<typeof status.notices>('GET', '/nearglot/notices');
export const proof = address<typeof status.proof>('GET', '/nearglot/proof');
export const health = address<typeof status.health>('GET', '/health');
export const shutdown = address<typeof status.shutdown>('POST', '/nearglot/shutdown');

export const chatCompletions = address<typeof chat.chatCompletions>('POST', '/v1/chat/completions');
export const embeddings = address<typeof embeddingRoutes.embeddings>('POST', '/v1/embeddings');
export const rerank = address<typeof rerankRoutes.rerank>('POST', '/v1/rerank');
export const countChatTokens = address<typeof chat.countChatTokens>(
	'POST',
	'/v1/chat/completions/tokenizer/encode/count',
);
export const uploadFile = address<typeof files.uploadFile>('POST', '/v1/files');
export const deleteFile = address<typeof files.deleteFile>('DELETE', '/v1/files/:id');
export const fileContent = address<typeof files.fileContent>('GET', '/v1/files/:id/content');
export const createBatch = address<typeof batches.createBatch>('POST', '/v1/batches');
export const listBatches = address<typeof batches.listBatches>('GET', '/v1/batches');
export const showBatch = address<typeof batches.showBatch>('GET', '/v1/batches/:id');
export const followBatch = address<typeof batches.followBatch>('GET', '/v1/batches/:id/events');
export const cancelBatch = address<typeof batches.cancelBatch>('POST', '/v1/batches/:id/cancel');
export const pauseBatch = address<typeof batches.pauseBatch>('POST', '/v1/batches/:id/pause');
export const resumeBatch = address<typeof batches.resumeBatch>('POST', '/v1/batches/:id/resume');
export const retryBatch = address<typeof batches.retryBatch>('POST', '/v1/batches/:id/retry');

export const completions = address<typeof completionRoutes.completions>('POST', '/v1/completions');

export const responses = address<typeof responseRoutes.responses>('POST', '/v1/responses');
export const listRequests = address<typeof recorded.listRequests>('GET', '/nearglot/requests');
export const recordRequests = address<typeof recorded.recordRequests>('POST', '/nearglot/requests');
export const readRequest = address<typeof recorded.readRequest>('GET', '/nearglot/requests/:id');
export const keptResponses = address<typeof responseRoutes.keptResponses>(
	'GET',
	'/nearglot/responses',
);
export const deleteKeptResponses = address<typeof responseRoutes.deleteKeptResponses>(
	'DELETE',
	'/nearglot/responses',
);

export const transcriptions = address<typeof speech.transcriptions>(
	'POST',
	'/v1/audio/transcriptions',
);
export const audioTranslations = address<typeof speech.audioTranslations>(
	'POST',
	'/v1/audio/translations',
);

export const translate = address<translator.Translate>('POST', '/translate');
export const detect = address<translator.Detect>('POST', '/detect');
export const listLanguages = address<translator.Languages>('GET', '/languages');
export const translateDocument = address<typeof documents.translateDocument>(
	'POST',
	'/documents/translate',
);

export const translationSystems = address<typeof systems.translationSystems>(
	'GET',
	'/translation/systems',
);

/** The same for the user's own programs: rules for callers from elsewhere do not concern them. */
export const ownTranslatorPath = '/nearglot/translator';

export const listModels = address<typeof models.listModels>('GET', '/v1/models');
export const listOwnModels = address<typeof models.listOwnModels>('GET', '/nearglot/models/list');
export const suggestModels = address<typeof models.suggestModelsRoute>(
	'GET',
	'/nearglot/models/suggest',
);
export const pullModel = address<typeof downloads.pullModel>('POST', '/nearglot/models/download');
export const removeModel = address<typeof models.removeModel>('POST', '/nearglot/models/remove');
export const removeUnfinishedModel = address<typeof models.removeUnfinishedModel>(
	'POST',
	'/nearglot/models/unfinished/remove',
);
export const pinModel = address<typeof models.pinModel>('POST', '/nearglot/models/pin');
export const draftModel = address<typeof models.draftModel>('POST', '/nearglot/models/draft');
export const registerFolder = address<typeof models.registerFolder>(
	'POST',
	'/nearglot/models/register',
);
export const unregisterFolder = address<typeof models.unregisterFolder>(
	'POST',
	'/nearglot/models/unregister',
);
export const moveModels = address<typeof models.moveModels>('POST', '/nearglot/models/move');
export const searchHubModels = address<typeof downloads.searchHubModels>(
	'GET',
	'/nearglot/models/hub',
);
export const buildLocalModel = address<typeof downloads.buildLocalModel>(
	'POST',
	'/nearglot/models/build',
);
export const importModel = address<typeof downloads.importModel>('POST', '/nearglot/models/import');
export const refreshCatalogue = address<typeof downloads.refreshCatalogue>(
	'POST',
	'/nearglot/models/refresh',
);
export const setSecrets = address<typeof models.setSecrets>('POST', '/nearglot/secrets/set');

export const modelsLocation = address<typeof foundry.modelsLocation>('GET', '/foundry/cache');
export const loadModelQuietly = address<typeof foundry.loadModelQuietly>(
	'GET',
	'/openai/load/:name{.+}',
);
export const unloadModelQuietly = address<typeof foundry.unloadModelQuietly>(
	'GET',
	'/openai/unload/:name{.+}',
);
export const loadModel = address<typeof foundry.loadModel>('GET', '/models/load/:name{.+}');
export const unloadModel = address<typeof foundry.unloadModel>('GET', '/models/unload/:name{.+}');
export const unloadAllModels = address<typeof foundry.unloadAllModels>('GET', '/openai/unloadall');

export const openRecorder = address<typeof recorder.openRecorder>('POST', '/nearglot/recorder');
export const setRecorderState = address<typeof recorder.setRecorderState>(
	'POST',
	'/recorder/state',
);
export const claimRecorder = address<typeof recorder.claimRecorder>('POST', '/recorder/claim');
export const sendSamples = address<typeof recorder.sendSamples>('POST', '/recorder/audio');
export const recorderEvents = address<typeof recorder.recorderEvents>('GET', '/recorder/events');

export const listKeys = address<typeof people.listKeys>('GET', '/nearglot/keys');
export const createKey = address<typeof people.createKey>('POST', '/nearglot/keys/create');
export const revokeKey = address<typeof people.revokeKey>('POST', '/nearglot/keys/revoke');
export const rotateKey = address<typeof people.rotateKey>('POST', '/nearglot/keys/rotate');
export const setPeopleLimits = address<typeof people.setPeopleLimits>(
	'POST',
	'/nearglot/keys/people',
);
export const showUsage = address<typeof people.showUsage>('GET', '/nearglot/usage');
export const forgetPerson = address<typeof people.forgetPerson>('POST', '/nearglot/people/forget');
export const endWork = address<typeof people.endWork>('POST', '/nearglot/work/end');
export const deleteUsage = address<typeof people.deleteUsage>('POST', '/nearglot/usage/delete');

export const openStudio = address<typeof studio.openStudio>('POST', '/nearglot/studio');
export const claimStudio = address<typeof studio.claimStudio>('POST', '/studio/claim');

export const listUpstreams = address<typeof upstreams.listUpstreams>('GET', '/nearglot/upstreams');
export const addUpstream = address<typeof upstreams.addUpstream>('POST', '/nearglot/upstreams');
export const setUpstreams = address<typeof upstreams.setUpstreams>(
	'POST',
	'/nearglot/upstreams/setting',
);
export const removeUpstream = address<typeof upstreams.removeUpstream>(
	'DELETE',
	'/nearglot/upstreams/:name',
);
export const testUpstream = address<typeof upstreams.testUpstream>(
	'POST',
	'/nearglot/upstreams/:name/test',
);
