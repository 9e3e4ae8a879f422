/** Requests to models whose tokenizers, templates, schemas and grammars are made to keep a server busy. */

import type { HostileRequest } from './holds.ts';
import { hostileGrammars, hostileSchemas, hostileTemplates, hostileTokenizers } from './models.ts';

/** Units of what models hold: enough to keep a computer busy for minutes. */
export const units = 40;

const chatPath = '/v1/chat/completions';
const chat = (model: string, more: object = {}) =>
	JSON.stringify({
		model,
		messages: [{ role: 'user', content: 'hello' }],
		max_tokens: 4,
		...more,
	});

/** One for each input of the lists, to the models of `writeHostileModels`. */
export function modelRequests(): HostileRequest[] {
	return [
		...hostileTokenizers.map(({ name, make }, index) => ({
			name,
			path: '/tokenize',
			body: JSON.stringify({ model: `tokenizer-${index}`, content: make(units).text }),
		})),
		...hostileTemplates.map(({ name }, index) => ({
			name,
			path: `${chatPath}/tokenizer/encode/count`,
			body: chat(`template-${index}`),
		})),
		...hostileSchemas.map(({ name, make }) => ({
			name,
			path: chatPath,
			body: chat('good', {
				response_format: {
					type: 'json_schema',
					json_schema: { name: 'hostile', schema: make(100) },
				},
			}),
		})),
		...hostileGrammars.map(({ name, make }) => ({
			name,
			path: chatPath,
			body: chat('good', { grammar: make(100) }),
		})),
	];
}
