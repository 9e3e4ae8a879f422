/** Checks that every speech model makes of a request. */

import { AppError } from '../../protocol/index.ts';
import { speechLanguageCode, speechLanguages } from './languages.ts';

/**
 * The model's code of the asked language; `undefined` = detect. An empty list of known languages
 * means a model of English only.
 */
export function checkedLanguage(
	requested: string | undefined,
	known: readonly string[],
): string | undefined {
	if (requested === undefined) return undefined;
	const code = speechLanguageCode(requested);
	if (code === undefined) {
		throw new AppError(
			'invalid_request',
			`'${requested}' is no language of speech models. Use an ISO 639-1 code such as 'en' or 'de', or leave it out.`,
			{ param: 'language' },
		);
	}
	const languages = known.length === 0 ? ['en'] : known;
	if (!languages.includes(code)) {
		const names =
			languages.length > 8 ? `${languages.length} others` : languages.map(nameOf).join(', ');
		throw new AppError(
			'unsupported_parameter',
			`This speech model does not know ${nameOf(code)}; it knows ${names}.`,
			{ param: 'language' },
		);
	}
	return code;
}

function nameOf(code: string): string {
	const name = speechLanguages.get(code) ?? code;
	return name.replace(/\b\p{Ll}/gu, (letter) => letter.toUpperCase());
}
