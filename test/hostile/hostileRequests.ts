/** Requests to a real daemon that are made to keep it from answering others. */

import { hostileDocuments } from './documents.ts';
import { firstUses } from './firstUses.ts';
import type { HostileRequest } from './holds.ts';
import { longRequests } from './longRequests.ts';
import { modelRequests } from './modelRequests.ts';
import { hostileMarkup } from './requests.ts';
import { hostileTexts } from './texts.ts';
import { wideRequests } from './wideRequests.ts';

const translated = { 'api-version': '3.0', from: 'en', to: 'en' };

/** Lists of requests, those with hostile texts of about `size` characters. */
export function hostileRequests(size: number): Readonly<Record<string, readonly HostileRequest[]>> {
	const texts = Math.min(size, 50_000);
	const text = (route: string, query: Readonly<Record<string, string>>) =>
		hostileTexts.map(({ name, make }) => ({
			name,
			path: `/${route}?${new URLSearchParams(query)}`,
			body: JSON.stringify([{ Text: make(texts).slice(0, texts) }]),
		}));
	return {
		'/documents/translate': hostileDocuments.map(({ fileName, name, make }) => ({
			name: `${fileName}: ${name}`,
			path: '/documents/translate',
			body: JSON.stringify({ fileName, text: make(size), to: 'de', from: 'en' }),
		})),
		'/translate': text('translate', translated),
		'/translate of HTML': hostileMarkup.map(({ name, make }) => ({
			name,
			path: `/translate?${new URLSearchParams({ ...translated, textType: 'html' })}`,
			body: JSON.stringify([{ Text: make(texts).slice(0, texts) }]),
		})),
		'/detect': text('detect', { 'api-version': '3.0' }),
		'/breaksentence': text('breaksentence', { 'api-version': '3.0', language: 'en' }),
		'files of models': modelRequests(),
		'first uses': firstUses,
		'long requests': longRequests,
		'wide requests': wideRequests,
	};
}
