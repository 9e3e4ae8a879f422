/**
 * Abbreviations that do not end a sentence, and words that look like them and do: CLDR's lists hold
 * ordinary words (`On.`, `Link.`, `Test.`), after which a sentence ends.
 */

import { primaryLanguage } from './languageCodes.ts';
import cldr from './scripts/data/abbreviations.json' with { type: 'json' };

/** Abbreviations that CLDR's lists lack and that practically never end a sentence. */
const more = new Map(
	Object.entries({
		en: 'Dr. Mr. Mrs. Ms. Prof. Sr. Jr. St. vs. e.g. i.e. cf. Cf. figs. Nos. Eq. eq. approx. Inc. Ltd. Co. Corp. Gen. Col. Lt. Capt. Rev. Hon. Gov. Sen. al. resp. viz. ca. eds. Jan. Feb. Mar. Apr. Jun. Jul. Aug. Sep. Sept. Oct. Nov. Dec.',
		de: 'Dr. Prof. Hr. Fr. Nr. Abb. Kap. bzw. Bzw. ca. ggf. inkl. exkl. evtl. usw. vgl. z.B. d.h. u.a. s.o. s.u. z. B. d. h. u. a. i. d. R. o. ä. S. Bd. Hrsg. Str. Tel. St. Mio. Mrd. Jan. Feb. Apr. Aug. Sept. Okt. Nov. Dez.',
		fr: 'M. MM. Mme. Mlle. Dr. Pr. St. Ste. p. ex. cf. env. av. apr. J.-C. éd. chap. n° tél.',
		es: 'Sr. Sra. Srta. Dr. Dra. D. Dña. Ud. Uds. EE. UU. p. ej. pág. págs. núm. aprox. tel. av. avda. máx. mín.',
		it: 'Sig. sig. Sig.ra sig.ra Dott. Dott.ssa Prof. Avv. Ing. pag. pp. es. ecc. tel.',
		pt: 'Sr. Sra. Dr. Dra. Prof. Exmo. pág. págs. núm. aprox. tel. máx. mín.',
		nl: 'dhr. mevr. dr. prof. ir. bijv. d.w.z. o.a. enz. nr. blz. ca. m.b.t. i.p.v. t.o.v. vgl.',
		ru: 'т. е. т.е. т. д. т.д. т. п. т.п. т. к. т.к. г. гг. в. вв. стр. рис. табл. ул. д. кв. см. напр. др. пр. руб. коп. млн. млрд. тыс. проф. акад.',
		pl: 'dr. prof. inż. mgr. np. tzn. tj. itd. itp. ul. nr. str. rys. godz. m.in. r. w. św.',
		cs: 'dr. prof. ing. mgr. např. tzn. tj. atd. apod. č. str. obr. ul. nám. r. st. sv. popř. resp.',
		sv: 'dr. prof. t.ex. bl.a. d.v.s. m.m. osv. nr. s. ca. resp. st. kl.',
		tr: 'Dr. Prof. Doç. Sn. vb. vs. örn. bkz. Cad. Sok.',
	}),
);

/** Dictionary words (and units, and names) among the lists, in lower case and without their full stop. */
const words = new Map(
	Object.entries({
		en: 'aa ab act ad all alt as by cap card cont dc def diff do ed etc ex exec gb go hat hz id in is jam job joe kb lib link long mart mb md min misc num ok on op or org pc pro rep sq to up var vs',
		de: 'alt am app art ben best bibl bed dat dim dir do einh gem int led max min mod op phys pin port prot reg rel rep so tab test temp trans',
		es: 'aa all ant bien ca com corp da dc desc dom em ene exc fabric fr id kit korn mar may mm ms pp ram rol sa sol vid vie',
		fr: 'all art aux cam comm config dc desc dict dir doc ex graph imm jeu mar mart mer quart sam var ven voit vol',
		it: 'all arch dc div int liv mitt mod on ver vol',
		pt: 'cap com des desc dez dir doc end ex fac fil fim lat lin mai mar mat mov org out pal port ref rel res set sol sup',
		ru: 'до им отд',
	}),
);

/** What does not end a sentence only because a number comes next: `No. 5`, `Abb. 3`, `max. 10`. */
const numbered = new Map(
	Object.entries({
		en: 'No. no. Nos. nos. Fig. fig. Figs. figs. Sec. sec. Art. art. Vol. vol. Ch. ch. p. pp. Eq. eq. Col. Cap. Op. op. ed. Ed. Act. max. min. Max. Min. Ver. ver.',
		de: 'Nr. Abb. Tab. Kap. S. Art. Abs. Bd. Fn. Op. max. min. Max. Min. Std. Ziff.',
		fr: 'no. No. n°. art. Art. chap. fig. Fig. vol. Vol. p. max. min. Max. Min.',
		es: 'núm. art. Art. cap. fig. Fig. pág. p. vol. Vol. máx. mín.',
		it: 'n. art. Art. cap. fig. Fig. pag. p. vol. Vol. max. min.',
		pt: 'n. art. Art. cap. fig. Fig. pág. p. vol. Vol. núm.',
		nl: 'nr. art. fig. blz. max. min.',
		ru: 'рис. табл. стр. д. кв. г.',
		pl: 'nr. rys. tab. str. art.',
		cs: 'č. obr. tab. str. čl.',
		sv: 'nr. s. fig. kl.',
		tr: 'No. no.',
	}),
);

/** Words that begin a sentence, with their capital, where an abbreviation has ended the one before. */
const starters = new Map(
	Object.entries({
		en: 'he she it they we i you the this that these those in on at but and however if when what why how there a an for as after before then so also our my his her its their now',
		de: 'er sie es wir ich ihr du das dies diese dieser dann danach aber wenn was warum wie hier dort jetzt nun so auch man dazu dabei beide alle',
		fr: 'il elle ils elles nous vous je tu ce cette ces mais si quand puis ensuite alors ici là on dans pour',
		es: 'él ella ellos ellas nosotros usted yo tú esto esta este estos estas pero si cuando luego después entonces aquí allí en para',
		it: 'lui lei essi noi voi io tu questo questa questi queste ma se quando poi allora qui là in per',
		pt: 'ele ela eles elas nós você eu tu isto esta este estes estas mas se quando depois então aqui ali em para',
		ru: 'он она оно они мы я ты вы это этот эта эти но если когда потом затем тогда здесь там',
	}),
);

/** Titles: a name comes next, whatever it looks like. */
const titles = /^(?:dr|mr|mrs|ms|prof|st|hr|fr|m|mm|mme|mlle|sr|sra|srta|dra|sig|dott)\.$/;

interface Lists {
	readonly never: ReadonlySet<string>;
	readonly beforeNumber: ReadonlySet<string>;
	readonly starters: ReadonlySet<string>;
}

const known = new Map<string, Lists>();
const cldrLists = new Map<string, readonly string[]>(Object.entries(cldr.lists));

const split = (list: string | undefined): readonly string[] => list?.split(' ') ?? [];

function listsOf(language: string): Lists {
	const primary = primaryLanguage(language);
	const found = known.get(primary);
	if (found) return found;
	const ordinary = new Set(split(words.get(primary)));
	// Units of two words ("z. B.") are matched by their last word; dotted ones are seen without a list.
	const listed = [...(cldrLists.get(primary) ?? []), ...split(more.get(primary) ?? more.get('en'))];
	const made = {
		never: new Set(listed.filter((word) => !ordinary.has(word.toLowerCase().replace(/\.$/, '')))),
		beforeNumber: new Set(split(numbered.get(primary) ?? numbered.get('en'))),
		starters: new Set(split(starters.get(primary))),
	};
	// Languages are those of the interface, a few of which have lists of their own.
	if (known.size < 300) known.set(primary, made);
	return made;
}

/**
 * Whether a word with its full stop is an abbreviation, in exactly this case, so that the sentence goes on.
 *
 * @param next What comes after it, without white space.
 */
export function isAbbreviation(word: string, next: string, language: string): boolean {
	const { never, beforeNumber } = listsOf(language);
	if (/^\p{N}/u.test(next) && (beforeNumber.has(word) || never.has(word))) return true;
	if (!never.has(word)) return false;
	// "etc.", "Inc." and months end sentences too: a capitalised function word decides.
	return titles.test(word.toLowerCase()) || !startsSentence(next, language);
}

/** Whether a text begins with a function word in capitals, as a sentence does. */
export function startsSentence(text: string, language: string): boolean {
	const [first = ''] = /^[\p{L}\p{M}]+/u.exec(text) ?? [];
	return listsOf(language).starters.has(first.toLowerCase());
}
