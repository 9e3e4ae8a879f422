/** Places of documents: so many at once, fairly shared, and a queue with an end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../server/protocol/index.ts';
import type { TextTranslator } from '../../server/translate/documents/documentLanguage.ts';
import { DocumentPlaces } from '../../server/translate/documents/documentPlaces.ts';
import { translateDocumentJsonInWorker } from '../../server/translate/documents/documentThread.ts';

const never = new AbortController().signal;
const counts = { places: 4, placesOfOwner: 2, waiting: 6, waitingOfOwner: 3 };

/** Takes places and says whose are held. */
function owners(places: DocumentPlaces) {
	const held: { owner: string; place: Disposable }[] = [];
	return {
		take: (owner: string, signal = never) =>
			places.take(owner, signal).then((place) => void held.push({ owner, place })),
		giveBack: (owner: string) => {
			const at = held.findIndex((one) => one.owner === owner);
			held.splice(at, 1)[0]?.place[Symbol.dispose]();
		},
		held: async () => {
			// Whoever is let in has come in by the loop's next turn.
			await new Promise(setImmediate);
			return held.map(({ owner }) => owner).join(' ');
		},
	};
}
const isOverloaded = (error: unknown) =>
	error instanceof AppError && error.code === 'overloaded' && (error.retryAfterS ?? 0) > 0;

test('no more are at work than there are places, and no owner has more than a share', async () => {
	const { take, giveBack, held } = owners(new DocumentPlaces(counts));
	for (const owner of ['a', 'a', 'a', 'b', 'b', 'b', 'c']) void take(owner);
	assert.equal(await held(), 'a a b b');
	giveBack('a');
	assert.equal(await held(), 'a b b c', 'whoever has none comes before the owner of one');
	giveBack('b');
	assert.equal(await held(), 'a b c a');
	giveBack('c');
	assert.equal(await held(), 'a b a b');
	for (const owner of ['a', 'a', 'b', 'b']) giveBack(owner);
	assert.equal(await held(), '');
});

test('a place that nobody may take stays free for somebody else', async () => {
	const { take, giveBack, held } = owners(new DocumentPlaces(counts));
	for (const owner of ['a', 'a', 'a', 'a']) void take(owner);
	assert.equal(await held(), 'a a');
	void take('b');
	assert.equal(await held(), 'a a b');
	giveBack('a');
	assert.equal(await held(), 'a b a');
});

test('too many that wait are refused, of one owner and of all, and whoever leaves makes room', async () => {
	const { take, held } = owners(new DocumentPlaces(counts));
	const caller = new AbortController();
	const left = ['a', 'a', 'a', 'a', 'a'].map((owner) => take(owner, caller.signal));
	await assert.rejects(take('a'), isOverloaded);
	for (const owner of ['b', 'b', 'b', 'c', 'd']) void take(owner);
	await assert.rejects(take('e'), isOverloaded);
	caller.abort();
	const ends = await Promise.allSettled(left);
	assert.deepEqual(
		ends.map(({ status }) => status),
		['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'],
	);
	void take('e');
	assert.equal(await held(), 'a a b b');
	await assert.rejects(take('f', AbortSignal.abort()), { code: 'cancelled' });
});

test('documents keep their places until they are done', async () => {
	const text = 'some words\n\n'.repeat(500);
	const job = { fileName: 'a.md', text, to: 'de', from: 'en' };
	const caller = new AbortController();
	const shouting: TextTranslator = {
		detect: async () => [],
		translate: async (texts) => texts.map((one) => one.toUpperCase()),
	};
	/** Sends one that is translated without end. */
	const sendWaiting = (onAsked = () => {}) => {
		const translate = () => {
			onAsked();
			return new Promise<never>(() => {});
		};
		return translateDocumentJsonInWorker(
			job,
			{ ...shouting, translate },
			'somebody',
			caller.signal,
		);
	};
	const sent: Promise<unknown>[] = [];
	const send = (onAsked?: () => void) => {
		const one = sendWaiting(onAsked);
		one.catch(() => {});
		sent.push(one);
	};
	await Promise.all([1, 2].map(() => new Promise<void>((asked) => send(asked))));
	for (let waiting = 0; waiting < 16; waiting++) send();
	await new Promise(setImmediate);
	await assert.rejects(
		translateDocumentJsonInWorker(job, shouting, 'somebody', never),
		isOverloaded,
	);
	const other = await translateDocumentJsonInWorker(job, shouting, 'somebody else', never);
	assert.match(Buffer.from(other).toString(), /SOME WORDS/);
	caller.abort();
	for (const end of await Promise.allSettled(sent)) assert.equal(end.status, 'rejected');
	const made = await translateDocumentJsonInWorker(job, shouting, 'somebody', never);
	assert.match(Buffer.from(made).toString(), /SOME WORDS/);
});
