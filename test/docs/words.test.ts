/** Documents, help texts and texts of the interface use the terms of the field, so that a reader can search for them. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './blocks.ts';

/** What is not written, and what is written instead. */
const terms: readonly (readonly [RegExp, string])[] = [
	[/sign-in layers?\b/i, 'authentication proxy, or gateway'],
	[/\bdoors?\b/i, 'interface, API, entry point'],
	[/\b(?:is|are) heard\b|\bhears\b/i, 'transcribed, or read by the model'],
	[/\bpeople who talk\b|\bmade speech\b/i, 'natural speech, synthetic speech'],
	[/\bstretches\b|\bstretch of/i, 'segment, chunk'],
	[/\bpieces? of (?:a )?text\b/i, 'segment'],
	[/in company of|\bits neighbours\b/i, 'the other items in the batch'],
	[/\bdecoded in step\b|\bin step with\b/i, 'in lockstep, linearly'],
	[/\bturns? that round\b/i, 'reverses'],
	[/\bmasks?\b(?! of)/i, 'placeholder'],
	[/\bshort list\b/i, 'vocabulary shortlist'],
	[/\bfor ever\b/i, 'indefinitely'],
	[/\bin secret\b/i, 'silently'],
	[/\blikeliest\b/i, 'most probable'],
	[/\brules for callers\b/i, 'access rules'],
	[/\bkinds? of sign-in\b/i, 'authentication method'],
	[/\blinks between words\b/i, 'word alignment'],
	[/\btold from\b/i, 'detected from'],
	[/\bin a row\b/i, 'one after another'],
	[/\bthe head is\b/i, 'request headers are'],
	[/\bforgery\b/i, 'CSRF'],
	[/\bbytes that are no\b/i, 'invalid'],
	[/\btransfer codings?\b/i, 'transfer encoding'],
	[/\bcode host\b|\bmicroblog\b|\bsocial network\b/i, 'the name of the provider'],
	[/\bends? HTTPS\b/i, 'terminate TLS'],
	[/\bburnt\b/i, 'invalidated'],
	[/\bcheck phrase\b/i, 'verification code'],
	[/\bhand-off\b/i, 'handoff'],
	[/\blives for an? /i, 'is valid for'],
	[/\bstands? in the list\b/i, 'is listed'],
	[/\bwhoever finds none\b/i, 'if no daemon is running'],
	[/\bfall-back\b/i, 'fallback'],
	[/\bremarks?\b/i, 'note, comment, annotation'],
	[/\btold of\b/i, 'reported'],
	[/\b(?:started|removed|copied|used?) by hand\b/i, 'manually'],
	[/\bends by itself\b|\bcomes by itself\b/i, 'exits when idle, automatically'],
	[/\bholds once\b/i, 'works once'],
	[/\bwrit(?:e|es|ing) down\b/i, 'transcribe'],
	[/\bspeaks? what\b|\bspeaks? on\b/i, 'supports, is compatible with'],
	[/\bwants? (?:a|an|its|the) key\b/i, 'requires a key'],
	[/(?<!translation )\bmemories (?:are|know|and own)\b/i, 'translation memories'],
];

/** Words that the translations of the interface do not have: other terms, and forms of address that change on the way. */
const foreign: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
	de: [
		[/\b[Nn]iederschr\w+|\bschreibt .* nieder\b/, 'transkribieren'],
		[/\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein(?:e[mnrs]?)?)\b/, 'Sie, Ihr'],
		[/\b(?:Öffne|Wähle|Nimm|Stell|Frag|Transkribiere|Gib|Schreib) /, 'Öffnen Sie …'],
		[/\bRechner/, 'Computer'],
		[/\bTokens\b/, 'Token'],
		[/\bFassung\b/, 'Version'],
		[/\bSchreibmarke\b/, 'Cursor'],
		[/\bTeamserver\b/, 'Team-Server'],
		[/\bZwischenspeicher\b/, 'Cache'],
		// The word is what German calls a language model.
		[/(?<!\w)Sprachmodell/, 'Spracherkennungsmodell'],
		[/\bspr(?:icht|echen) (?:die|das|eine) \S*Schnittstelle/, 'kompatibel mit'],
	],
	fr: [
		[/(?<!\p{L})(?:tu|toi|ton|tes)(?!\p{L})/iu, 'vous'],
		[/'/, 'the apostrophe ’'],
		// Without its negation it says the opposite.
		[/\} plus utilisés/, 'qui ne servent plus'],
		[/\bChercher\b/, 'Rechercher'],
		[/point d’accès/, 'point de terminaison'],
		[/(?<!\p{L})(?:les?|des|un|vos) chats?(?!\p{L})/iu, 'discussion'],
		[/\bparle l’interface/, 'compatible avec'],
		[/\b(?:paramètres|variables) auraient été perdu/, 'espaces réservés'],
	],
	es: [
		[/(?<!\p{L})(?:tú|tus?|contigo)(?!\p{L})/iu, 'usted, su'],
		[
			/(?<!\p{L})(?:Pide|Elige|Pega|Empieza|Comprueba|Selecciona|Permite|eliges|escribes|usas|has iniciado|escribe un)(?!\p{L})/u,
			'pida, elija, escriba …',
		],
		[/(?<!\p{L})(?:ordenador|máquina)(?!\p{L})/iu, 'equipo'],
		[/espacio de trabajo/i, 'área de trabajo'],
		[/petici(?:ón|ones)/i, 'solicitud'],
		[/(?<!\p{L})(?:la|ninguna) orden(?!\p{L})/iu, 'comando'],
		[/punto de acceso/i, 'punto de conexión'],
		[/\bhabla la interfaz/, 'es compatible con'],
	],
};

const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** A document without its code, which has names that are fixed. */
const prose = (text: string) =>
	text.replaceAll(/```.*?^\s*```/gms, '').replaceAll(/`[^`\n]*`/g, '');

/** Texts people read: documents, help of commands, titles and messages. */
function texts(): Map<string, string> {
	const documents = globSync(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md'], {
		cwd: root,
	})
		// Its last column lists what is not said.
		.filter((name) => name.replaceAll('\\', '/') !== 'docs/glossary.md')
		.map((name) => [name, prose(read(name))] as const);
	const english = Object.keys(JSON.parse(read('l10n/bundle.l10n.de.json'))).join('\n');
	const titles = Object.values(JSON.parse(read('package.nls.json'))).join('\n');
	return new Map([...documents, ['l10n', english], ['package.nls.json', titles]]);
}

const wrong = (text: string, list: readonly (readonly [RegExp, string])[]) =>
	text
		.split('\n')
		.flatMap((line) =>
			list.filter(([found]) => found.test(line)).map(([, better]) => `${better}: ${line.trim()}`),
		);

test('documents, help and messages use the terms of the field, and others are found', () => {
	assert.equal(wrong('It hears recordings, a remark.', terms).length, 2);
	const found = [...texts()].flatMap(([name, text]) =>
		wrong(text, terms).map((line) => `${name}: ${line}`),
	);
	assert.deepEqual(found, []);
});

test('German, French and Spanish texts have one word for a thing and one form of address', () => {
	for (const [language, list] of Object.entries(foreign))
		for (const name of [`l10n/bundle.l10n.${language}.json`, `package.nls.${language}.json`]) {
			const values = Object.values(JSON.parse(read(name)) as Record<string, string>).join('\n');
			assert.deepEqual(wrong(values, list), [], name);
		}
});

test('cells of tables can be read', () => {
	for (const name of globSync(['README.md', 'docs/**/*.md'], { cwd: root })) {
		const file = name.replaceAll('\\', '/');
		// Made from the source, which is read there.
		if (file.startsWith('docs/reference/') || file === 'docs/api.md') continue;
		const cells = prose(read(name))
			.split('\n')
			.filter((line) => line.startsWith('|'))
			.flatMap((line) => line.split('|'));
		assert.deepEqual(
			cells.filter((cell) => cell.length > 400),
			[],
			name,
		);
	}
});
