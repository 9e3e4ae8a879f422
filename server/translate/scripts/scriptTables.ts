/** Own tables for how people type languages of other scripts in Latin letters, and the way back. */

import type { Convert } from './convert.ts';

/** `a=б` pairs; the longest source wins. */
function mapper(pairs: string, fallback?: Convert): Convert {
	const table = new Map(
		pairs
			.trim()
			.split(/\s+/)
			.map((pair): [string, string] => {
				const at = pair.indexOf('=', 1);
				return [pair.slice(0, at), pair.slice(at + 1)];
			}),
	);
	const longest = Math.max(...[...table.keys()].map(({ length }) => length));
	return (text) => {
		let out = '';
		for (let at = 0; at < text.length; ) {
			let size = Math.min(longest, text.length - at);
			while (size > 0 && !table.has(text.slice(at, at + size))) size--;
			if (size > 0) {
				out += table.get(text.slice(at, at + size)) ?? '';
				at += size;
			} else {
				const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
				out += fallback ? fallback(character) : character;
				at += character.length;
			}
		}
		return out;
	};
}

/** Keeps the case of the first letter, and all capitals where a word is all capitals. */
function keepingCase(convert: Convert): Convert {
	return (text) =>
		text.replace(/[\p{L}\p{M}'’ʹʺ]+/gu, (word) => {
			const made = convert(word.toLowerCase());
			if (word.length > 1 && word === word.toUpperCase()) return made.toUpperCase();
			const first = String.fromCodePoint(made.codePointAt(0) ?? 32);
			return word[0] !== word[0]?.toLowerCase()
				? first.toUpperCase() + made.slice(first.length)
				: made;
		});
}

const cyrillicBase =
	"shch=щ sch=щ sh=ш ch=ч zh=ж kh=х ts=ц tz=ц yu=ю ju=ю ya=я ja=я yo=ё jo=ё ye=е je=е iy=ий yi=ы a=а b=б v=в w=в g=г d=д e=е z=з i=и j=й k=к l=л m=м n=н o=о p=п r=р s=с t=т u=у f=ф h=х c=ц q=к x=кс y=ы '=ь ’=ь ʹ=ь ʺ=ъ ë=ё é=э";
const cyrillicOwn: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		uk: 'yj=ий i=і y=и yi=ї ye=є je=є h=г g=ґ iy=ій yo=йо e=е',
		be: 'i=і y=ы w=ў u=у shch=шч yo=ё h=г e=э ye=е',
		bg: 'sht=щ y=й ya=я a=а u=у ie=ие iy=ий yi=йи yo=йо e=е ye=йе',
		mk: 'gj=ѓ kj=ќ dz=ѕ dj=џ lj=љ nj=њ j=ј y=ј ja=ја ju=ју je=је yu=ју ya=ја h=х yo=јо ye=је jo=јо',
		'mn-Cyrl': 'ö=ө oe=ө ü=ү ue=ү kh=х h=х j=ж y=й',
		kk: 'ä=ә ae=ә ğ=ғ gh=ғ q=қ ñ=ң ng=ң ö=ө ū=ұ u=ұ ü=ү h=һ i=і ı=ы y=ы w=у ş=ш sh=ш x=х kh=х yi=й',
		ky: 'ng=ң ñ=ң ö=ө ü=ү j=ж kh=х',
		tg: 'gh=ғ q=қ h=ҳ kh=х j=ҷ ī=ӣ i=и ū=ӯ y=й yo=ё',
		tt: 'ä=ә ae=ә ö=ө ü=ү j=җ ñ=ң ng=ң h=һ kh=х q=къ ğ=гъ gh=гъ ı=ы y=ы w=в',
		'sr-Latn':
			'lj=љ nj=њ dž=џ đ=ђ dj=ђ ć=ћ č=ч š=ш ž=ж j=ј c=ц h=х ja=ја ju=ју je=је jo=јо ya=ја yu=ју sh=ш ch=ч zh=ж y=ј e=е ts=тс kh=кх iy=иј tz=тз yi=ји yo=јо ye=је shch=шч sch=сч',
	}),
);

/** Latin → Cyrillic of a language, as people type it. */
export function cyrillicFromLatin(language: string): Convert {
	const convert = mapper(`${cyrillicBase} ${cyrillicOwn.get(language) ?? ''}`);
	if (language !== 'uk') return keepingCase(convert);
	// After a consonant "yi" ends an adjective; elsewhere it is a letter of its own.
	return keepingCase((word) => convert(word.replace(/(?<=[bcdfghklmnprstvz])yi$/, 'yj')));
}

const turkicBase =
	'а=a б=b в=v г=g д=d е=e ё=yo ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya';
const turkicOwn: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		tg: "ғ=gh ӣ=i қ=q ӯ=u ҳ=h ҷ=j ъ=' ы=i",
		tt: 'ә=ä җ=j ң=ñ ө=ö ү=ü һ=h ы=ı',
	}),
);

/** Tajik and Tatar → Latin. */
export function latinFromTurkicCyrillic(language: string): Convert {
	return keepingCase(mapper(`${turkicBase} ${turkicOwn.get(language) ?? ''}`));
}

const arabicToLatin =
	"ا=a أ=a إ=i آ=aa ب=b ت=t ث=th ج=j ح=h خ=kh د=d ذ=dh ر=r ز=z س=s ش=sh ص=s ض=d ط=t ظ=z ع=e غ=gh ف=f ق=q ك=k ل=l م=m ن=n ه=h و=w ي=y ى=a ة=a ء=' ؤ=o ئ=e پ=p چ=ch ژ=zh گ=g ک=k ی=y ے=e ں=n ٹ=t ڈ=d ڑ=r ہ=h ھ=h ۀ=h ۃ=a ٻ=b ڀ=bh ٺ=th ٽ=t ٿ=th ڄ=j ڃ=ny ڇ=chh ڌ=dh ڊ=d ڏ=d ڍ=dh ڙ=r ڦ=ph ڪ=k ڳ=g ڱ=ng ڻ=n َ=a ُ=u ِ=i ً=an ٌ=un ٍ=in ّ= ْ= ٰ=a ـ= ،=, ؛=; ؟=? ٠=0 ١=1 ٢=2 ٣=3 ٤=4 ٥=5 ٦=6 ٧=7 ٨=8 ٩=9 ۰=0 ۱=1 ۲=2 ۳=3 ۴=4 ۵=5 ۶=6 ۷=7 ۸=8 ۹=9";
const hebrewToLatin =
	'א=a ב=v ג=g ד=d ה=h ו=v ז=z ח=ch ט=t י=y כ=k ך=ch ל=l מ=m ם=m נ=n ן=n ס=s ע=a פ=p ף=f צ=tz ץ=tz ק=k ר=r ש=sh ת=t בּ=b כּ=k פּ=p וֹ=o וּ=u ְ= ֱ=e ֲ=a ֳ=o ִ=i ֵ=e ֶ=e ַ=a ָ=a ֹ=o ֻ=u ּ= ׁ= ׂ= ־=-';

/** Arabic and Hebrew script → Latin: consonants as written, `w` and `y` between consonants as vowels. */
export function latinFromSemitic(language: string): Convert {
	const convert = mapper(language === 'he' ? hebrewToLatin : arabicToLatin);
	return (text) => {
		const latin = convert(text);
		if (language === 'he')
			return latin
				.replace(/(?<=[bcdfghjklmnpqrstvz])v(?=[bcdfghjklmnpqrstz]|\b)/g, 'o')
				.replace(/(?<=[a-z])y(?=[bcdfghjklmnpqrstvz]|\b)/g, 'i');
		return latin
			.replace(/(?<=[bcdfghjklmnpqrstvz])w(?=[bcdfghjklmnpqrstvz]|\b)/g, 'u')
			.replace(/(?<=[bcdfghjklmnpqrstvz])y(?=[bcdfghjklmnpqrstvz]|\b)/g, 'i');
	};
}

const arabicConsonants =
	"kh=خ gh=غ sh=ش th=ث dh=ذ ch=تش zh=ج b=ب t=ت j=ج h=ح d=د r=ر z=ز s=س f=ف q=ق k=ك l=ل m=م n=ن w=و y=ي p=ب v=ف g=غ c=ك x=كس '=ء 3=ع 7=ح 2=ء aa=ا ee=ي oo=و ou=و ii=ي uu=و ,=، ;=؛ ?=؟";
const arabicLetters: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		ar: 'h=ه',
		fa: 'ch=چ zh=ژ p=پ v=و g=گ k=ک y=ی h=ه ee=ی ii=ی th=ث',
		ur: 'ch=چ zh=ژ p=پ v=و g=گ k=ک y=ی h=ہ ee=ی ii=ی kh=خ bh=بھ ph=پھ th=تھ dh=دھ chh=چھ jh=جھ',
		sd: 'ch=چ p=پ v=و g=گ k=ڪ y=ي h=ھ bh=ڀ th=ٿ dh=ڌ',
	}),
);

/** Latin → Arabic script: long vowels written, short ones only at the edges of words. */
export function arabicFromLatin(language: string): Convert {
	const letters = mapper(`${arabicConsonants} ${arabicLetters.get(language) ?? ''}`);
	const yeh = language === 'ar' || language === 'sd' ? 'ي' : 'ی';
	const lastE = language === 'ur' ? 'ے' : yeh;
	return (text) =>
		text.toLowerCase().replace(/(?<![a-z'0-9])(?=['0-9]*[a-z])[a-z'0-9]+|[,;?]/g, (word) => {
			const marked = word
				.replace(/([bcdfghjklmnpqrstvwxyz])\1/g, '$1')
				.replace(/^(?:aa|a)/, 'ا')
				.replace(/^(?:ee|i|e)/, (vowel) => (vowel === 'ee' ? `ا${yeh}` : 'ا'))
				.replace(/^(?:oo|u|o)/, (vowel) => (vowel === 'oo' ? 'او' : 'ا'))
				.replace(/(?:aa|a|ah)$/, 'ا')
				.replace(/(?:ee|i)$/, yeh)
				.replace(/e$/, lastE)
				.replace(/(?:oo|u|o)$/, 'و')
				.replace(/(?<=[bcdfghjklmnpqrstvwxyz])[aeiou](?=[bcdfghjklmnpqrstvwxyz])/g, '')
				.replace(/(?<![aeiou])[aeiou](?![aeiou])/g, '');
			return letters(marked);
		});
}

const hebrewLetters =
	"sh=ש tz=צ ts=צ ch=ח kh=ח th=ת b=ב v=ו g=ג d=ד h=ה z=ז t=ת y=י j=ג' k=ק l=ל m=מ n=נ s=ס p=פ f=פ q=ק r=ר c=ק w=ו x=קס o=ו u=ו i=י ee=י oo=ו e= a= '=ע";
const hebrewFinals: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({ כ: 'ך', מ: 'ם', נ: 'ן', פ: 'ף', צ: 'ץ' }),
);

/** Latin → Hebrew letters: vowels that the script leaves out are left out. */
export const hebrewFromLatin: Convert = (text) => {
	const letters = mapper(hebrewLetters);
	return text.toLowerCase().replace(/(?<![a-z'])(?='*[a-z])[a-z']+/g, (word) => {
		const made = letters(
			word
				.replace(/^[aeiou]/, (vowel) => `א${/[iou]/.test(vowel) ? vowel : ''}`)
				.replace(/ah?$/, 'ה'),
		);
		return made.replace(/[כמנפצ]$/u, (last) => hebrewFinals.get(last) ?? last);
	});
};
