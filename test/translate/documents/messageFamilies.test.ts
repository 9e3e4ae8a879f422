/** Which message file of a folder is the source of which. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
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
