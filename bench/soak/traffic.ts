/** The requests of a soak test, each with a text that is the same whatever else the server does. */

import type { Client, Outcome } from './client.ts';

/** One request that can be repeated; its text is compared with the one taken before the load. */
export interface Act {
	readonly name: string;
	/** Model that serves it. */
	readonly model: string;
	run(client: Client): Promise<Outcome>;
	/** As {@link run}, but hung up on after `pieces` pieces or so; absent where there is no stream. */
	cut?(client: Client, pieces: number): Promise<Outcome>;
}

export const questions = [
	'list all files including hidden ones',
	'how do I undo the last commit',
	'show the disk usage of this folder',
	'find all files named config.json',
	'what is git rebase',
	'hello',
	'compress the folder logs',
	'show the last 20 lines of server.log',
	'who are you',
	'write a poem about the sea',
];

export const sentences = [
	'The file could not be saved.',
	'Open the settings.',
	'The server is not running.',
	'Press the button to continue.',
	'This function returns the number of open connections.',
	'Please restart the editor after the update.',
	'The value must be a whole number.',
	'You can change the language in the settings.',
	'Wait until the download has ended.',
	'The name of the folder is wrong.',
	'Do not close this window.',
	'All tests have passed.',
];

const schema = {
	type: 'json_schema',
	json_schema: {
		name: 'answer',
		schema: {
			type: 'object',
			properties: { ok: { type: 'boolean' }, count: { type: 'integer', minimum: 0, maximum: 99 } },
			required: ['ok', 'count'],
			additionalProperties: false,
		},
	},
};

interface Completion {
	readonly choices: readonly {
		readonly text?: string;
		readonly message?: { readonly content: string | null };
		readonly finish_reason: string;
	}[];
}

const whole = (value: unknown): Outcome => ({
	text: JSON.stringify(
		(value as Completion).choices.map((choice) => [
			choice.text ?? choice.message?.content,
			choice.finish_reason,
		]),
	),
	complete: true,
});

/** Requests to a chat model. */
export function chatActs(model: string): Act[] {
	const acts: Act[] = [];
	for (const [index, content] of questions.entries()) {
		const messages = [{ role: 'user', content }];
		const body = { model, messages, temperature: 0, max_tokens: 40 };
		acts.push({
			name: `${model} stream ${index}`,
			model,
			run: (client) => client.streamChat(body),
			cut: (client, pieces) => client.streamChat(body, pieces),
		});
		const later = [
			...messages,
			{ role: 'assistant', content: 'Here it is.' },
			{ role: 'user', content: questions[(index + 3) % questions.length] },
		];
		acts.push({
			name: `${model} second turn ${index}`,
			model,
			run: async (client) =>
				whole(await client.post('/v1/chat/completions', { ...body, messages: later })),
		});
	}
	for (const [index, content] of questions.slice(0, 4).entries()) {
		const messages = [{ role: 'user', content }];
		const sampled = { model, messages, temperature: 0.8, top_p: 0.9, seed: index, max_tokens: 30 };
		acts.push(
			{
				name: `${model} three choices ${index}`,
				model,
				run: async (client) =>
					whole(await client.post('/v1/chat/completions', { ...sampled, n: 3 })),
			},
			{
				name: `${model} structured ${index}`,
				model,
				run: async (client) =>
					whole(await client.post('/v1/chat/completions', { ...sampled, response_format: schema })),
			},
			{
				name: `${model} completion ${index}`,
				model,
				run: async (client) =>
					whole(
						await client.post('/v1/completions', {
							model,
							prompt: content,
							temperature: 0,
							max_tokens: 20,
							logprobs: 2,
						}),
					),
			},
		);
	}
	return acts;
}

/** Answers that are checked later, on a daemon that does nothing else. */
export interface Remembered {
	readonly texts: readonly string[];
	readonly answer: string;
}

/** Translates texts; their translations, as one text. */
export async function translate(
	client: Client,
	texts: readonly string[],
	signal?: AbortSignal,
): Promise<string> {
	const path = '/translate?api-version=3.0&from=en&to=de';
	const body = texts.map((Text) => ({ Text }));
	return JSON.stringify(await client.post(path, body, signal));
}

/**
 * Translations of one to six sentences. Each has a number of its own in it, because the daemon keeps
 * translations and would not ask the model twice; `remember` gets what was answered.
 */
export function translationActs(model: string, remember: (answer: Remembered) => void): Act[] {
	return sentences.map((_, index) => {
		const texts = (): string[] =>
			Array.from({ length: 1 + (index % 6) }, (_, k) => {
				const sentence = sentences[(index + k) % sentences.length] as string;
				return `${sentence.slice(0, -1)} (${Math.floor(Math.random() * 1e6)}).`;
			});
		const run = async (client: Client): Promise<Outcome> => {
			const asked = texts();
			remember({ texts: asked, answer: await translate(client, asked) });
			return { text: '', complete: true };
		};
		return {
			name: `translation ${index}`,
			model,
			run,
			cut: async (client, pieces) => {
				const stop = new AbortController();
				setTimeout(() => stop.abort(), pieces * 4);
				try {
					const asked = texts();
					remember({ texts: asked, answer: await translate(client, asked, stop.signal) });
					return { text: '', complete: true };
				} catch (error) {
					if (stop.signal.aborted) return { text: '', complete: false };
					throw error;
				}
			},
		};
	});
}
