/** Where translations go, and which files are translations of others. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	placeByPattern,
	usualPlace,
	withoutTranslations,
} from '../../../server/translate/documents/translationPlace.ts';

test('patterns name the parts of a path; what a file is called is no pattern', () => {
	const cases: [string, string, string][] = [
		['{dir}/{name}.{lang}{ext}', 'docs/guide.md', 'docs/guide.de.md'],
		['{dir}/{name}.{lang}{ext}', 'guide.md', 'guide.de.md'],
		['i18n/{lang}/{dir}/{name}{ext}', 'docs/a/guide.md', 'i18n/de/docs/a/guide.md'],
		['i18n/{lang}/{dir}/{name}{ext}', 'guide.md', 'i18n/de/guide.md'],
		['guide.{to}.md', 'docs/guide.md', 'guide.de.md'],
		['{dir}/{name}.{lang}{ext}', 'a/{lang}{name}.md', 'a/{lang}{name}.de.md'],
		['{dir}/{name}.{lang}{ext}', '/abs/LICENSE', '/abs/LICENSE.de'],
		['{dir}/{name}.{lang}{ext}', 'a/.hidden', 'a/.hidden.de'],
		["$&{name}.$'{ext}", 'a$1.md', "$&a$1.$'.md"],
		// Of a share of Windows: one line less would be a folder of this machine.
		['{dir}/{name}.{lang}{ext}', '//srv/team/guide.md', '//srv/team/guide.de.md'],
		['//srv/out/{dir}/{name}{ext}', 'docs/guide.md', '//srv/out/docs/guide.md'],
		['{dir}//{name}{ext}', '/abs/a.md', '/abs/a.md'],
	];
	for (const [pattern, source, target] of cases)
		assert.equal(placeByPattern(pattern, source, 'de'), target);
});

test('the language of the source in a path gives way to that of the translation', () => {
	const cases: [string, string][] = [
		['locales/en/app.json', 'locales/de/app.json'],
		['docs/en/a/b.md', 'docs/de/a/b.md'],
		['locales/en.json', 'locales/de.json'],
		['guide.en.md', 'guide.de.md'],
		['app_en.arb', 'app_de.arb'],
		['docs/guide.md', 'docs/guide.de.md'],
		['docs/log-en.md', 'docs/log-en.de.md'],
		['en/x/en/y.md', 'en/x/de/y.md'],
	];
	for (const [source, target] of cases) assert.equal(usualPlace(source, 'de', 'en'), target);
});

test('a translation goes where programs look for it', () => {
	const cases: [string, string][] = [
		['app/res/values/strings.xml', 'app/res/values-pt-rBR/strings.xml'],
		['res/values-en/strings.xml', 'res/values-pt-rBR/strings.xml'],
		['App/en.lproj/Localizable.strings', 'App/pt-BR.lproj/Localizable.strings'],
		['App/Base.lproj/Main.strings', 'App/pt-BR.lproj/Main.strings'],
		['src/messages.properties', 'src/messages_pt_BR.properties'],
		['src/messages_en.properties', 'src/messages_pt_BR.properties'],
		['po/hello.pot', 'po/hello.pt_BR.po'],
		['locale/en/LC_MESSAGES/django.po', 'locale/pt_BR/LC_MESSAGES/django.po'],
		['lib/l10n/app_en.arb', 'lib/l10n/app_pt_BR.arb'],
		['_locales/en/messages.json', '_locales/pt_BR/messages.json'],
		['config/locales/en.yml', 'config/locales/pt-BR.yml'],
		['docs/values/guide.md', 'docs/values/guide.pt-BR.md'],
	];
	for (const [source, target] of cases) assert.equal(usualPlace(source, 'pt-BR', 'en'), target);
});

test('a translation of another file that is there is no source', () => {
	const sources = [
		'README.md',
		'check.in.md',
		'docs/en/a.md',
		'i18n/en.json',
		'x/de/only.md',
		'notes.id.txt',
		'res/values/strings.xml',
		'res/values-night/colors.xml',
		'App/Base.lproj/Main.strings',
		'App/en.lproj/Localizable.strings',
		'App/fr.lproj/only.strings',
	];
	const made = [
		'README.de.md',
		'README.pt-BR.md',
		'docs/de/a.md',
		'i18n/fr.json',
		'i18n/zh-Hant.json',
		'res/values-de/strings.xml',
		'res/values-pt-rBR/strings.xml',
		'App/de.lproj/Main.strings',
		'App/pt-BR.lproj/Localizable.strings',
	];
	assert.deepEqual(withoutTranslations([...sources, ...made], 'en'), sources);
});
