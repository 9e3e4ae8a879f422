/** Which message file of a folder is the source of which. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyPath } from '../../../server/protocol/translatedFileName.ts';
import { messageFamilies } from '../../../server/translate/documents/messageFamilies.ts';

const brief = (paths: string[]) =>
	messageFamilies(paths).map(({ source, from, targets, pattern }) => ({
		source,
		from,
		to: targets.map(({ path, to }) => `${to}=${path}`),
		pattern,
	}));

test('files named by language, folders named by language, and plain files with siblings', () => {
	assert.deepEqual(
		brief(['locales/en.json', 'locales/de.json', 'locales/pt-BR.json', 'package.json']),
		[
			{
				source: 'locales/en.json',
				from: 'en',
				to: ['de=locales/de.json', 'pt-BR=locales/pt-BR.json'],
				pattern: 'locales/{to}.json',
			},
		],
	);
	assert.deepEqual(brief(['a/locales/en/common.json', 'a/locales/fr/common.json']), [
		{
			source: 'a/locales/en/common.json',
			from: 'en',
			to: ['fr=a/locales/fr/common.json'],
			pattern: 'a/locales/{to}/common.json',
		},
	]);
	assert.deepEqual(brief(['package.json', 'package.nls.json', 'package.nls.de.json']), [
		{
			source: 'package.nls.json',
			from: undefined,
			to: ['de=package.nls.de.json'],
			pattern: 'package.nls.{to}.json',
		},
	]);
	assert.deepEqual(
		brief(['m/messages.properties', 'm/messages_de.properties', 'm/messages_pt_BR.properties']),
		[
			{
				source: 'm/messages.properties',
				from: undefined,
				to: ['de=m/messages_de.properties', 'pt-BR=m/messages_pt_BR.properties'],
				pattern: 'm/messages_{to}.properties',
			},
		],
	);
	assert.deepEqual(
		brief(['lib/l10n/app_en.arb', 'lib/l10n/app_fr.arb'])[0]?.pattern,
		'lib/l10n/app_{to}.arb',
	);
	assert.deepEqual(
		brief(['config/locales/devise.en.yml', 'config/locales/devise.de.yml'])[0]?.source,
		'config/locales/devise.en.yml',
	);
});

test('gettext: a template is the source; without one, a file fills itself', () => {
	const [withTemplate] = brief(['locale/django.pot', 'locale/de/LC_MESSAGES/django.po']);
	assert.equal(withTemplate?.source, 'locale/django.pot');
	assert.deepEqual(withTemplate.to, ['de=locale/de/LC_MESSAGES/django.po']);
	const [alone] = brief(['locale/de/LC_MESSAGES/django.po']);
	assert.equal(alone?.source, 'locale/de/LC_MESSAGES/django.po');
	assert.deepEqual(alone.to, ['de=locale/de/LC_MESSAGES/django.po']);
});

test('what only looks like a language is none', () => {
	assert.deepEqual(
		brief(['src/it.test/data.json', 'read_me.json', 'tsconfig.json', 'is/no/data.json']),
		[],
	);
	assert.deepEqual(brief(['api/app.json', 'lib/src.yaml', '.github/workflows/on.yml']), []);
});

test('folders of Android and of Apple name their language in their own way', () => {
	assert.deepEqual(
		brief([
			...[
				'values',
				'values-de',
				'values-pt-rBR',
				'values-b+sr+Latn',
				'values-night',
				'values-car',
			].map((folder) => `app/res/${folder}/strings.xml`),
			...['Base', 'de', 'zh-Hans'].map((language) => `App/${language}.lproj/Localizable.strings`),
		]),
		[
			{
				source: 'App/Base.lproj/Localizable.strings',
				from: undefined,
				to: [
					'de=App/de.lproj/Localizable.strings',
					'zh-Hans=App/zh-Hans.lproj/Localizable.strings',
				],
				pattern: 'App/{to}.lproj/Localizable.strings',
			},
			{
				source: 'app/res/values/strings.xml',
				from: undefined,
				to: [
					'de=app/res/values-de/strings.xml',
					'pt-BR=app/res/values-pt-rBR/strings.xml',
					'sr-Latn=app/res/values-b+sr+Latn/strings.xml',
				],
				pattern: 'app/res/values-{to}/strings.xml',
			},
		],
	);
	const android = 'res/values-{to}/strings.xml';
	assert.equal(familyPath(android, 'fr'), 'res/values-fr/strings.xml');
	assert.equal(familyPath(android, 'pt-BR'), 'res/values-pt-rBR/strings.xml');
	assert.equal(familyPath(android, 'zh-Hant-TW'), 'res/values-b+zh+Hant+TW/strings.xml');
	assert.equal(familyPath('locales/{to}.json', 'pt-BR'), 'locales/pt-BR.json');
});
