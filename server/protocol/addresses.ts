/**
 * The routes that programs of this product call, by method and path. Their types come from the route objects, the
 * schemas do not come along: loading them takes longer than most commands run.
 */

import { address } from './client.ts';
import type * as chat from './routes/chat.ts';
import type * as foundry from './routes/foundry.ts';
import type * as models from './routes/models.ts';
import type * as recorder from './routes/recorder.ts';
import type * as status from './routes/status.ts';

export const notices = address<typeof status.notices>('GET', '/nearglot/notices');
export const health = address<typeof status.health>('GET', '/health');
export const shutdown = address<typeof status.shutdown>('POST', '/nearglot/shutdown');

export const chatCompletions = address<typeof chat.chatCompletions>('POST', '/v1/chat/completions');

export const listModels = address<typeof models.listModels>('GET', '/v1/models');
export const listOwnModels = address<typeof models.listOwnModels>('GET', '/nearglot/models/list');
export const pullModel = address<typeof models.pullModel>('POST', '/nearglot/models/download');
export const removeModel = address<typeof models.removeModel>('POST', '/nearglot/models/remove');
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
export const importModel = address<typeof models.importModel>('POST', '/nearglot/models/import');
export const refreshCatalogue = address<typeof models.refreshCatalogue>(
	'POST',
	'/nearglot/models/refresh',
);
export const setSecrets = address<typeof models.setSecrets>('POST', '/nearglot/secrets/set');

export const modelsLocation = address<typeof foundry.modelsLocation>('GET', '/foundry/cache');
export const loadModel = address<typeof foundry.loadModel>('GET', '/models/load/:name{.+}');
export const unloadModel = address<typeof foundry.unloadModel>('GET', '/models/unload/:name{.+}');
export const unloadAllModels = address<typeof foundry.unloadAllModels>('GET', '/openai/unloadall');

export const openRecorder = address<typeof recorder.openRecorder>('POST', '/nearglot/recorder');
export const setRecorderState = address<typeof recorder.setRecorderState>(
	'POST',
	'/recorder/state',
);
