/** Recordings of a soak test: whole uploads, and such that are hung up on while they are sent, read or heard. */

import { readFileSync } from 'node:fs';
import type { Client, Outcome } from './client.ts';
import type { Act } from './traffic.ts';

/** Clear speech: text that is in doubt is tried again with chance. */
const voices = ['annie', 'f2'] as const;

const recordingOf = (voice: string): Blob => {
	const url = new URL(`../../test/fixtures/speech/${voice}.flac`, import.meta.url);
	return new Blob([new Uint8Array(readFileSync(url))]);
};

/** One act for each recording. */
export function speechActs(model: string): Act[] {
	return voices.map((voice) => {
		const recording = recordingOf(voice);
		const form = (): FormData => {
			const data = new FormData();
			data.set('model', model);
			data.set('file', recording, `${voice}.flac`);
			return data;
		};
		const run = async (client: Client, signal?: AbortSignal): Promise<Outcome> => ({
			text: JSON.stringify(await client.post('/v1/audio/transcriptions', form(), signal)),
			complete: true,
		});
		return {
			name: `recording of ${voice}`,
			model,
			run: (client) => run(client),
			cut: async (client, pieces) => {
				const stop = new AbortController();
				setTimeout(() => stop.abort(), pieces * 10);
				try {
					return await run(client, stop.signal);
				} catch (error) {
					if (stop.signal.aborted) return { text: '', complete: false };
					throw error;
				}
			},
		};
	});
}
