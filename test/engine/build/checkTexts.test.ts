/** Which tokenizers and templates are refused before any weight is read. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkTexts } from '../../../server/engine/build/checkTexts.ts';
import { byteTokenizer } from '../../fixtures/tokenizerFiles.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const turns =
	"{% for message in messages %}<|turn|>{{ message['content'] }}{% endfor %}{% if add_generation_prompt %}<|turn|>{% endif %}";

/** A folder whose tokenizer has one token of its own more. */
function folderWith(template: string | undefined, id: number): string {
	const folder = temporaryFolder('texts');
	byteTokenizer(folder);
	const path = join(folder, 'tokenizer.json');
	const tokenizer = JSON.parse(readFileSync(path, 'utf8'));
	tokenizer.added_tokens.push({ id, content: '<|turn|>', special: true });
	writeFileSync(path, JSON.stringify(tokenizer));
	if (template !== undefined) writeFileSync(join(folder, 'chat_template.jinja'), template);
	return folder;
}

test('a chat template that writes tokens that the weights do not know is refused by name', async () => {
	await assert.rejects(checkTexts(folderWith(turns, 5000), 512), {
		code: 'unsupported_model',
		message: /writes "<\|turn\|>", .* token 5000, and the model has 512 tokens/,
	});
	await checkTexts(folderWith(turns, 511), 512);
});

test('tokens beyond the vocabulary that no conversation has are left alone', async () => {
	await checkTexts(folderWith(undefined, 5000), 512);
	await checkTexts(folderWith("{{ messages[0]['content'] }}", 5000), 512);
});

test('a template that refuses a single question is none that is refused', async () => {
	await checkTexts(folderWith("{{ raise_exception('a system message is missing') }}", 5000), 512);
});
