/** `GET /languages`: what can be translated, transliterated and looked up, named for the reader. */

import { createHash } from 'node:crypto';
import { latestVersion, languageScopes as scopes } from '../../protocol/routes/translatorApi.ts';
import type { TranslateService } from '../../services/translate/translateService.ts';
import {
	directionOf,
	languageCodes,
	languageName,
	scriptName,
	scriptOf,
} from '../../translate/languageCodes.ts';
import { transliterationScripts } from '../../translate/transliterate.ts';
import type { TextCall } from './textCall.ts';
import { translatorError } from './translateErrors.ts';
import { alwaysArray, queryParam } from './translateInput.ts';
import { translatorJson } from './translateReply.ts';

export async function languagesReply(
	{ context, query, requestId }: TextCall,
	translation: TranslateService,
): Promise<Response> {
	const requested = alwaysArray(query, 'scope').map((scope) => scope.toLowerCase());
	const unknown = requested.find((scope) => !scopes.some((known) => known === scope));
	if (unknown !== undefined) throw translatorError(400001, `It takes ${scopes.join(', ')}.`);
	const wanted =
		requested.length === 0 ? scopes : scopes.filter((scope) => requested.includes(scope));
	const inLanguage = readerLanguage(context.req.header('accept-language'));

	const isLatest = queryParam(query, 'api-version') === latestVersion;
	const body: Record<string, unknown> = {};
	for (const scope of wanted) {
		if (scope === 'translation') body[scope] = translationScope(inLanguage, isLatest);
		if (scope === 'transliteration') body[scope] = transliterationScope(inLanguage);
		if (scope === 'dictionary' && !isLatest)
			body[scope] = await dictionaryScope(inLanguage, translation);
	}
	if (isLatest && requested.length === 0) {
		const { systems } = await translation.systems();
		body['models'] = systems.flatMap(({ kind, name }) => (kind === 'chat' ? [name] : []));
	}
	const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 32)}"`;
	const headers = { etag, 'content-language': inLanguage, vary: 'Accept-Language' };
	const known = (context.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim());
	if (known.includes(etag) || known.includes('*') || known.includes(`W/${etag}`))
		return new Response(null, { status: 304, headers: { ...headers, 'x-requestid': requestId } });
	return translatorJson(body, requestId, headers);
}

/** First language of `Accept-Language` that names exist for. */
function readerLanguage(header: string | undefined): string {
	const ranges = (header ?? '')
		.split(',')
		.map((range) => {
			const [tag = '', ...rest] = range.trim().split(';');
			const quality = /q=([\d.]+)/.exec(rest.join(';'))?.[1];
			return { tag, quality: quality === undefined ? 1 : Number(quality) };
		})
		.filter(({ tag, quality }) => tag !== '' && tag !== '*' && quality > 0)
		.sort((a, b) => b.quality - a.quality);
	for (const { tag } of ranges) {
		try {
			const [found] = Intl.DisplayNames.supportedLocalesOf([tag]);
			if (found !== undefined) return found;
		} catch {
			// A tag that is none is passed over, as HTTP wants it.
		}
	}
	return 'en';
}

function row(language: string, inLanguage: string) {
	return {
		name: languageName(language, inLanguage),
		nativeName: languageName(language, language),
		dir: directionOf(scriptOf(language)),
	};
}

function translationScope(inLanguage: string, withModels: boolean): Record<string, unknown> {
	const models = withModels ? { models: [] } : {};
	return Object.fromEntries(
		languageCodes.map((code) => [code, { ...row(code, inLanguage), ...models }]),
	);
}

function transliterationScope(inLanguage: string): Record<string, unknown> {
	const describe = (script: string, language: string) => ({
		code: script,
		name: scriptName(script, inLanguage),
		nativeName: scriptName(script, language),
		dir: directionOf(script),
	});
	const rows = languageCodes.flatMap((code) => {
		const scripts = transliterationScripts(code);
		if (scripts.length === 0) return [];
		const { name, nativeName } = row(code, inLanguage);
		const list = scripts.map(({ code: script, to }) => ({
			...describe(script, code),
			toScripts: to.map((other) => describe(other, code)),
		}));
		return [[code, { name, nativeName, scripts: list }] as const];
	});
	return Object.fromEntries(rows);
}

async function dictionaryScope(
	inLanguage: string,
	translation: TranslateService,
): Promise<Record<string, unknown>> {
	const pairs = await translation.custom.dictionaryPairs();
	const rows = pairs.map(({ source, targets }) => [
		source,
		{
			...row(source, inLanguage),
			translations: targets.map((code) => ({ ...row(code, inLanguage), code })),
		},
	]);
	return Object.fromEntries(rows);
}
