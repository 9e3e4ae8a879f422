/** What a daemon is flooded with. Every request differs, so that nothing comes from a cache. */

import { writeWav } from './wav.ts';

export interface FloodCase {
	readonly name: string;
	/** What is counted, for people. */
	readonly unit: string;
	/** At once in the flood. */
	readonly callers: number;
	/** At once where throughput is at its best. */
	readonly few: number;
	/** Requests made with few callers. */
	readonly fewRequests: number;
	/** Units of one request. */
	readonly units: number;
	/** One request, made by its number. */
	request(number: number): { readonly path: string; readonly init: RequestInit };
}

const words = 'river window market garden letter engine summer bridge teacher kitchen'.split(' ');

/** A short sentence that no other number gives. */
const sentence = (number: number): string =>
	`The ${words[number % words.length]} of page ${number}.`;

const textsEach = 100;

export const texts: FloodCase = {
	name: 'texts',
	unit: 'texts',
	callers: 400,
	few: 32,
	fewRequests: 64,
	units: textsEach,
	request: (number) => ({
		path: '/translate?api-version=3.0&from=en&to=de',
		init: {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(
				Array.from({ length: textsEach }, (_, index) => ({
					Text: sentence(number * textsEach + index),
				})),
			),
		},
	}),
};

export const embeddings = (model: string): FloodCase => ({
	name: 'embeddings',
	unit: 'texts',
	callers: 400,
	few: 32,
	fewRequests: 64,
	units: textsEach,
	request: (number) => ({
		path: '/v1/embeddings',
		init: {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				model,
				input: Array.from({ length: textsEach }, (_, index) =>
					sentence(number * textsEach + index),
				),
			}),
		},
	}),
});

const minutes = 10;

export const recordings: FloodCase = {
	name: 'recordings',
	unit: 'minutes of sound',
	callers: 100,
	few: 4,
	fewRequests: 8,
	units: minutes,
	request: (number) => {
		const form = new FormData();
		form.set('model', 'default');
		form.set('file', new File([writeWav(minutes * 60, number)], `${number}.wav`));
		return { path: '/v1/audio/transcriptions', init: { method: 'POST', body: form } };
	},
};
