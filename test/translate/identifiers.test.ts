/** Names of source code keep their case style when they are translated. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	joinIdentifier,
	readableName,
	splitIdentifier,
	translatedIdentifier,
} from '../../server/translate/identifiers.ts';

const shapes: readonly [name: string, style: string, words: string][] = [
	['benutzerName', 'camel', 'benutzer Name'],
	['BenutzerName', 'pascal', 'Benutzer Name'],
	['benutzer_name', 'snake', 'benutzer name'],
	['BENUTZER_NAME', 'upper', 'BENUTZER NAME'],
	['benutzer-name', 'kebab', 'benutzer name'],
	['Benutzer-Name', 'train', 'Benutzer Name'],
	['benutzer', 'flat', 'benutzer'],
	['Benutzer', 'pascal', 'Benutzer'],
	['MAXIMUM', 'upper', 'MAXIMUM'],
	['ladeHTTPSeite', 'camel', 'lade HTTP Seite'],
	['größeÄndern', 'camel', 'größe Ändern'],
	['zeile2Text', 'camel', 'zeile2 Text'],
	['名前', 'flat', '名前'],
	['имяФайла', 'camel', 'имя Файла'],
];

test('a name is split into its style and words, and the words make the same name again', () => {
	for (const [name, style, words] of shapes) {
		const parts = splitIdentifier(name);
		assert.equal(parts?.style, style, name);
		assert.equal(parts?.words.join(' '), words, name);
	}
	for (const name of ['benutzerName', 'benutzer_name', 'BENUTZER_NAME', 'benutzer-name', '_x1']) {
		const parts = splitIdentifier(name);
		assert.ok(parts);
		assert.equal(joinIdentifier(parts.words, parts), name);
	}
});

test('what is no name is not split', () => {
	for (const text of ['', 'two words', '123', '__', 'a.b', 'f()', '-a', 'a--', '"a"'])
		assert.equal(splitIdentifier(text), undefined, text);
});

test('a translation is written in the style of the name, with its marks and without articles', () => {
	const cases: readonly [name: string, translation: string, wanted: string][] = [
		['benutzerName', 'user name', 'userName'],
		['BenutzerName', 'User name', 'UserName'],
		['benutzer_name', 'the user name', 'user_name'],
		['BENUTZER_NAME', 'user name', 'USER_NAME'],
		['benutzer-name', 'user name.', 'user-name'],
		['_dateiname', 'file name', '_fileName'],
		['$wert', 'value', '$value'],
		['istLeer?', 'is empty', 'isEmpty?'],
		['名前', 'name', 'name'],
		['nutzerListe', "user's café list", 'userCafeList'],
	];
	for (const [name, translation, wanted] of cases) {
		const parts = splitIdentifier(name);
		assert.ok(parts, name);
		assert.equal(translatedIdentifier(translation, parts, 'en'), wanted);
	}
	const parts = splitIdentifier('wert');
	assert.ok(parts);
	assert.equal(translatedIdentifier('42', parts, 'en'), undefined);
	assert.equal(translatedIdentifier('…', parts, 'en'), undefined);
});

test('the words of a name read as a text, with abbreviations kept', () => {
	const text = (name: string) => {
		const parts = splitIdentifier(name);
		return parts ? readableName(parts) : '';
	};
	assert.equal(text('ladeHTTPSeite'), 'lade HTTP seite');
	assert.equal(text('MAX_ANZAHL'), 'max anzahl');
	const german = splitIdentifier('zeilen_der_datei');
	assert.ok(german);
	assert.equal(readableName(german, 'de-DE'), 'Zeilen der Datei');
});
