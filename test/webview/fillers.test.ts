/** Words that only fill pauses are taken out; everything else stays, signs and capitals as they should be. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knowsFillers, withoutFillers } from '../../webview/transcript/fillers.ts';

test('fillers go with their commas, and sentences begin and end as before', () => {
	const english = (text: string) => withoutFillers(text, 'en-US');
	assert.equal(english('Um, we should, uh, open the umbrella.'), 'We should open the umbrella.');
	assert.equal(english('I think, um. Er, perhaps not, hmm?'), 'I think. Perhaps not?');
	assert.equal(english('we uh go on um'), 'we go on');
	assert.equal(english('He said “um” and left.'), 'He said “um” and left.');
	assert.equal(english('Uh.'), '');
	assert.equal(english('Nothing  to   do.'), 'Nothing  to   do.');
});

test('each language has its own, and one that is not known loses nothing', () => {
	assert.equal(withoutFillers('Ähm, er ist, äh, um acht da.', 'de'), 'Er ist um acht da.');
	assert.equal(withoutFillers('Euh, oui, hum, peut-être.', 'fr'), 'Oui peut-être.');
	assert.equal(withoutFillers('Um dia, hum, talvez.', 'pt'), 'Um dia talvez.');
	assert.equal(withoutFillers('Um, uh.', 'xx'), 'Um, uh.');
	assert.deepEqual(['de-AT', 'xx', 'constructor'].map(knowsFillers), [true, false, false]);
});
