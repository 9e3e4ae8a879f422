/** Sentences that memories have, with placeholders in them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownSentence } from '../../../server/services/translate/knownSentences.ts';
import type { CustomSystem } from '../../../server/services/translate/translateSystems.ts';
import { memoryLookup } from '../../../server/translate/memory.ts';
import { plainBlock } from '../../../server/translate/plainBlock.ts';
import { sentenceUnit } from '../../../server/translate/sentence.ts';

const known = (text: string, stored: readonly (readonly [string, string])[]) => {
	const memory = memoryLookup(stored.map(([source, target]) => ({ source, target })));
	const unit = sentenceUnit(plainBlock(text), [0, text.length], []);
	return knownSentence(unit.masked, unit, { memory } as CustomSystem, { hops: [] }, 'en', 'de')
		?.text;
};

test('a memory finds a sentence by what is written, placeholders and all', () => {
	const text = 'Hello {name}, you have {count} files.';
	assert.equal(
		known(text, [[text, 'Mit {count} Dateien: hallo {name}.']]),
		'Mit {1} Dateien: hallo {0}.',
	);
	assert.equal(known('{a} and {a}', [['{a} and {a}', '{a} und {a}']]), '{0} und {1}');
	assert.equal(known('Plain words', [['Plain words', 'Worte']]), 'Worte');
});

test('what lacks a placeholder is for the model', () => {
	assert.equal(known('Hello {name}', [['Hello {name}', 'Hallo']]), undefined);
	assert.equal(known('Hello {name}', [['Hello {other}', 'Hallo {other}']]), undefined);
});
