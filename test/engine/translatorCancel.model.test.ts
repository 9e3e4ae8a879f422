/** A cancelled translation frees the engine within one step: counted on the built-in model. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { generationSettings } from '../../server/engine/modelFiles/generationSettings.ts';
import type { EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { openEncoderDecoder } from '../../server/engine/seq2seq/openEncoderDecoder.ts';
import { Translator } from '../../server/engine/seq2seq/translator.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';

const folder = fileURLToPath(new URL('../../starter/models/starter-translate', import.meta.url));

/** Rows of every decoder step so far; `onStep` is told of each before it runs. */
const steps: number[] = [];
let onStep: (step: number) => void = () => {};
let model: EncoderDecoder;
let translator: Translator;

before(async () => {
	const description = await describeModel(folder);
	const [variant] = description.variants;
	assert.ok(variant);
	model = await openEncoderDecoder({
		description,
		variant,
		runtime: await openRuntime(false),
		session: { threads: 1 },
	});
	const counted: EncoderDecoder = {
		...model,
		start: (encoded, options) => {
			const run = model.start(encoded, options);
			const feed = run.feed.bind(run);
			run.feed = (tokens, signal) => {
				steps.push(tokens.length);
				onStep(steps.length);
				return feed(tokens, signal);
			};
			return run;
		},
	};
	translator = new Translator({
		model: counted,
		text: await loadTextModel(folder),
		settings: await generationSettings(folder),
		contextLength: description.contextLength,
		alignment: undefined,
	});
});
after(async () => {
	await translator.close();
	model.close();
});

const item = (text: string) => ({ text, sourceLanguage: 'en', targetLanguage: 'de' });
const long = item('The file could not be opened because the server did not answer in time.');
const batch = { priority: 'batch' } as const;

test('after a cancel no further step is begun, and the next request runs', async () => {
	for (const beams of [1, 4]) {
		steps.length = 0;
		const stop = new AbortController();
		onStep = (step) => {
			if (step === 3) stop.abort();
		};
		await assert.rejects(translator.run({ ...batch, items: [long], beams }, stop.signal), {
			code: 'cancelled',
		});
		const { outputs } = await translator.run({ ...batch, items: [item('Open the file.')], beams });
		assert.match(outputs[0]?.text ?? '', /\p{L}/u);
		const own = steps.slice(3);
		// What follows belongs to the second request: it begins with one row and its beams.
		assert.equal(own[0], beams, `rows of the steps after the cancel: ${own}`);
		const alone = own.length;
		steps.length = 0;
		onStep = () => {};
		await translator.run({ ...batch, items: [item('Open the file.')], beams });
		assert.equal(alone, steps.length, 'no step was made for the cancelled request');
	}
});

test('a caller that leaves a shared batch takes its rows out with the next step', async () => {
	steps.length = 0;
	const stop = new AbortController();
	onStep = (step) => {
		if (step === 3) stop.abort();
	};
	const leaving = translator.run({ ...batch, items: [long, long, long], beams: 1 }, stop.signal);
	const staying = translator.run({ ...batch, items: [long], beams: 1 });
	await assert.rejects(leaving, { code: 'cancelled' });
	assert.match((await staying).outputs[0]?.text ?? '', /\p{L}/u);
	assert.deepEqual(steps.slice(0, 3), [4, 4, 4]);
	assert.ok(steps.length > 4);
	assert.ok(
		steps.slice(3).every((rows) => rows === 1),
		`rows: ${steps}`,
	);
	onStep = () => {};
});

for (const priority of ['batch', 'interactive'] as const)
	test(`a short call beside long ones of priority ${priority} is answered before they are`, async () => {
		const texts = Array.from({ length: 90 }, (_, index) =>
			item(`${long.text} It has ${index} parts.`),
		);
		const short = { items: [item('Open the file.')], beams: 1, priority: 'interactive' } as const;
		const alone = await translator.run(short);
		steps.length = 0;
		let isLongDone = false;
		let answer: Promise<unknown> | undefined;
		onStep = (step) => {
			if (step !== 3) return;
			answer = translator.run(short).then(({ outputs }) => {
				assert.equal(isLongDone, false, 'the long ones still run');
				assert.deepEqual(outputs, alone.outputs);
			});
		};
		const longer = [texts.slice(0, 30), texts.slice(30, 60), texts.slice(60)].map((items) =>
			translator.run({ items, beams: 1, priority }),
		);
		const done = await Promise.all(longer).finally(() => {
			isLongDone = true;
			onStep = () => {};
		});
		assert.ok(answer !== undefined);
		await answer;
		assert.ok(done.every(({ outputs }) => outputs.every(({ text }) => text !== '')));
		const own = steps.lastIndexOf(1);
		assert.ok(own > 3 && own < 60, `the last step of the short one is number ${own}`);
	});
