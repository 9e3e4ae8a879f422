/** Settings of chats and of speech, as the editor hands them on. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type * as vscode from 'vscode';
import { desk, resetDesk } from '../vscodeDouble.ts';

const { chatSampling } = await import('../../../extension/settings.ts');
const { dictationChoice, keepChoice, transcribeChoice } = await import(
	'../../../extension/transcripts/transcribeChoice.ts'
);

const unset = {
	'transcribe.model': '',
	'transcribe.language': '',
	'chat.temperature': null,
	'chat.maxTokens': null,
};

beforeEach(() => {
	resetDesk();
	desk.settings = { ...unset };
});

function memory(): vscode.Memento {
	const kept = new Map<string, unknown>();
	return {
		get: (key: string) => kept.get(key),
		update: async (key: string, value: unknown) => void kept.set(key, value),
		keys: () => [...kept.keys()],
	} as vscode.Memento;
}

test('a model and a language that were chosen are the settings, and hold for recordings and dictations', async () => {
	const remembered = memory();
	assert.deepEqual(transcribeChoice(remembered), { model: '', language: '', english: false });
	assert.deepEqual(dictationChoice(), {});
	const choice = { model: 'whisper', language: 'de', english: true, speakers: true };
	await keepChoice(choice, remembered);
	assert.equal(desk.settings['transcribe.model'], 'whisper');
	assert.equal(desk.settings['transcribe.language'], 'de');
	assert.deepEqual(transcribeChoice(remembered), choice);
	assert.deepEqual(dictationChoice(), { model: 'whisper', language: 'de' });
});

test('a setting that is changed later counts over what was chosen before', async () => {
	const remembered = memory();
	await keepChoice({ model: 'whisper', language: 'de', english: true }, remembered);
	desk.settings['transcribe.language'] = 'fr';
	assert.equal(transcribeChoice(remembered).language, 'fr');
});

test('a dictation is transcribed here, whichever model of a team transcribes', () => {
	desk.settings['transcribe.model'] = 'team:whisper';
	assert.equal(transcribeChoice().model, 'team:whisper');
	assert.deepEqual(dictationChoice(), {});
});

test('chats are answered as the settings say, and as the model recommends without them', () => {
	assert.deepEqual(chatSampling(), {});
	desk.settings['chat.temperature'] = 0;
	desk.settings['chat.maxTokens'] = 5;
	assert.deepEqual(chatSampling(), { temperature: 0, maxTokens: 5 });
});
