/** Refusals in the reader's language: every typed code of the server has a sentence, in every language. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TeamApi } from '../../extension/account/teamApi.ts';
import { translatorErrors } from '../../server/http/translate/translateErrors.ts';
import {
	AppError,
	asAppError,
	errorKinds,
	errorOfBody,
	errorOfResponse,
	errorStrings,
	filled,
	fromErrorWire,
	inReadersLanguage,
	localisedError,
	localisedMessage,
	sentenceOfCode,
	signInCodes,
	signInRequired,
	teamUnreachable,
	toErrorWire,
} from '../../server/protocol/index.ts';

const root = join(import.meta.dirname, '..', '..');
const bundleOf = (language: string): Record<string, string> =>
	JSON.parse(readFileSync(join(root, 'l10n', `bundle.l10n.${language}.json`), 'utf8'));
const german = bundleOf('de');
const inGerman = (english: string, ...values: string[]) =>
	(german[english] ?? english).replace(/\{(\d)\}/g, (_, at: string) => values[Number(at)] ?? '');
const inEnglish = (english: string, ...values: string[]) =>
	english.replace(/\{(\d)\}/g, (_, at: string) => values[Number(at)] ?? '');

/** Codes of the server's sources that nobody is shown, and why. */
const notShown: Readonly<Record<string, string>> = {};

/** Codes that parts of the server write beside those of the table. */
function codesOf(folder: string): string[] {
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => [
			...readFileSync(join(root, folder, file), 'utf8').matchAll(/\bcode: '([a-z_]+)'/g),
		])
		.map(([, code = '']) => code);
}

test('every typed code of the server has a sentence in every language, or a reason why nobody reads it', () => {
	const codes = new Set([
		...Object.keys(errorKinds),
		...Object.keys(signInCodes),
		...codesOf('server/jobs'),
		...codesOf('server/gateway').filter((code) => code !== 'custom'),
	]);
	assert.ok(codes.has('no_worker') && codes.has('batch_expired'));
	for (const language of ['de', 'fr', 'es']) {
		const bundle = bundleOf(language);
		for (const code of codes) {
			if (Object.hasOwn(notShown, code)) continue;
			const english = sentenceOfCode(code);
			assert.ok(english, `${code} has no sentence`);
			assert.ok(bundle[english], `${language}: ${code}`);
			assert.notEqual(bundle[english], english, `${language}: ${code}`);
		}
	}
	for (const code of Object.keys(translatorErrors)) {
		const error = errorOfBody({ error: { code: Number(code), message: 'x' } }, 400);
		assert.ok(error && sentenceOfCode(error.code), code);
	}
});

test('a reader hears the sentence of the code, then what the server says beyond it', () => {
	const error = new AppError('model_not_found', "There is no model 'x'. Known: a.");
	assert.equal(
		localisedMessage(error, inGerman),
		"Dieses Modell gibt es nicht. Der Server meldet: There is no model 'x'. Known: a.",
	);
	assert.equal(localisedMessage(new AppError('timeout'), inGerman), 'Es hat zu lange gedauert.');
	assert.equal(localisedMessage(error, inEnglish), error.message);
	for (const code of ['of_another_server', 'toString', undefined])
		assert.equal(localisedMessage({ code, message: 'As it is.' }, inGerman), 'As it is.');
	assert.match(
		localisedMessage({ code: 'no_worker', message: 'No machine.' }, inGerman),
		/^Zurzeit/,
	);
	assert.ok(german[errorStrings.serverSays]);
});

test('an error that has the language already keeps its words, also across processes', () => {
	const data = { action: { kind: 'search', words: 'x' } };
	const error = new AppError('overloaded', 'Full.', { retryAfterS: 3, param: 'model', data });
	const once = localisedError(error, inGerman);
	assert.equal(once.message, 'Die Warteschlange ist voll. Der Server meldet: Full.');
	const { code, param, retryAfterS } = once;
	assert.deepEqual([code, param, retryAfterS], ['overloaded', 'model', 3]);
	assert.deepEqual(once.data?.['action'], data.action);
	const wire = JSON.parse(JSON.stringify(toErrorWire(once)));
	assert.equal(localisedError(fromErrorWire(wire), inGerman).message, once.message);
	const own = inReadersLanguage('invalid_audio', 'Der Browser liest das nicht.');
	assert.equal(localisedError(own, inGerman), own);
});

test('what the sign-in layer refuses is said in the language of whoever reads it, whatever its code', async () => {
	for (const language of ['de', 'fr', 'es']) {
		const bundle = bundleOf(language);
		const localise = (english: string, ...values: string[]) =>
			filled(bundle[english] ?? english, ...values);
		for (const [code, sentence] of Object.entries(signInCodes)) {
			const answer = () => Response.json({ code, detail: 'Only in English.' }, { status: 403 });
			const translated = bundle[sentence] ?? assert.fail(`${language}: ${code}`);
			const expected = localise(errorStrings.serverSays, translated, 'Only in English.');
			const wire = toErrorWire(localisedError(await errorOfResponse(answer()), localise));
			assert.equal(wire.message, expected);
			const api = new TeamApi('https://team.example', async () => answer());
			const refused = await api.exchange('aad', 'token').catch(asAppError);
			assert.ok(refused instanceof AppError);
			assert.equal(localisedError(refused, localise).message, expected);
			const device = new TeamApi('https://team.example', async () =>
				Response.json({ error: code, error_description: sentence }, { status: 400 }),
			);
			if (code === 'authorization_pending' || code === 'slow_down') continue;
			const declined = await device.pollDevice('device').catch(asAppError);
			assert.ok(declined instanceof AppError);
			assert.equal(localisedError(declined, localise).message, translated);
		}
	}
});

test('what is said of a team server is one sentence in the language of the reader, also across processes', () => {
	for (const error of [
		signInRequired('https://team.example', 'expired'),
		teamUnreachable('https://team.example', undefined),
		asAppError(new Error('Boom')),
	]) {
		const wire = JSON.parse(JSON.stringify(toErrorWire(error)));
		const said = localisedError(fromErrorWire(wire), inGerman).message;
		assert.doesNotMatch(said, /Der Server meldet|\{/);
		assert.notEqual(said, error.message);
		assert.match(said, /team\.example|Boom/);
		assert.equal(localisedError(error, inEnglish).message, error.message);
	}
	const lost = signInRequired('https://team.example');
	assert.match(lost.message, /^You are not signed in to team\.example\. Sign in again/);
});
