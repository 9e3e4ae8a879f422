/** What VS Code's model picker is told of models. */

import '../extension/vscodeDouble.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelInfo } from '../../server/protocol/index.ts';

const { modelInformation } = await import('../../extension/ai/modelProvider.ts');

const model: ModelInfo = {
	...{ id: 'm:1', name: 'm', version: '1', alias: 'm', displayName: 'M' },
	...{ task: 'chat-completion', state: 'cached', origin: 'local', publisher: '', license: 'mit' },
	contextLength: 4096,
	supportsToolCalling: false,
};

test('a model that sees takes images in the editor, another does not', () => {
	const seeing = modelInformation({ ...model, supportsImageInput: true });
	assert.deepEqual(seeing?.capabilities, { toolCalling: false, imageInput: true });
	assert.equal(modelInformation(model)?.capabilities.imageInput, false);
});
