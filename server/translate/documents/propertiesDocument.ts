/** Java `.properties` files: values; keys, comments, separators and continuation lines stay. */

import { gateRules } from '../gate/gateRules.ts';
import { isProse } from './isProse.ts';
import type { Extract, Piece } from './piece.ts';
import { propertyEntries } from './propertyEntries.ts';
import { remarksIn } from './remarks.ts';

/** Keys that only frameworks, build tools and loggers read. */
const settings =
	/^(?:spring|quarkus|micronaut|hibernate|jakarta|javax|log4j2?|logback|org\.gradle|systemProp|ksp|sonar|junit)\.|^(?:distribution(?:Base|Path|Url)|zipStore(?:Base|Path))$/;
/** Keys that messages begin with as well: theirs have words with blanks between them, or a capital. */
const likelySettings =
	/^(?:server|logging|management|eureka|java|jdk|android|kotlin|maven|wrapper|kafka|datasource|jdbc)\./;
/** Options of a program, places and lists of classes. */
const setting =
	/^(?:-{1,2}[A-Za-z][^\s]*(?:\s+-{1,2}[A-Za-z][^\s]*)*|[a-z][a-z\d+.-]*:[^\s]+|~?\/[^\s]*|[\w$-]+(?:\.[\w$*-]+)+(?:\s*[,;]\s*[\w$-]+(?:\.[\w$*-]+)+)*|true|false|null)$/;

function isMessage(key: string, value: string): boolean {
	if (!isProse(value, key.split('.')) || settings.test(key) || setting.test(value.trim()))
		return false;
	return !likelySettings.test(key) || /^\p{Lu}|\s/u.test(value.trim());
}

function extract(text: string): Piece[] {
	const isKept = remarksIn(text);
	const ascii = /^[\x00-\x7f]*$/.test(text);
	const entries = propertyEntries(text);
	const isDoubled = !entries.some(({ value }) => hasArgument.test(value) && isSingle(value));
	return entries
		.filter(({ key, value, start }) => isMessage(key, value) && !isKept(start, ''))
		.map(({ value, valueStart, end }) => {
			const isSpaceEscaped = /\\(?:u0020| )$/.test(text.slice(valueStart, end));
			const doubles = isDoubled && hasArgument.test(value);
			return {
				start: valueStart,
				end,
				text: doubles ? value.replaceAll("''", "'") : value,
				encode: (translation) => {
					const written = encode(doubles ? translation.replace(/''?/g, "''") : translation, ascii);
					return isSpaceEscaped ? written.replace(/ $/, '\\u0020') : written;
				},
			};
		});
}

/** What only the MessageFormat of Java replaces, to which a single apostrophe is a quotation mark. */
const hasArgument = /\{\d/;

/** Whether a value has an apostrophe that is not written twice; other single ones quote what is between them. */
const isSingle = (value: string): boolean => /\p{L}'\p{L}/u.test(value.replaceAll("''", ' '));

export const extractProperties: Extract = Object.assign(extract, { rules: gateRules.properties });

function encode(text: string, ascii: boolean): string {
	const escaped = text
		.replaceAll('\\', '\\\\')
		.replaceAll('\n', '\\n')
		.replaceAll('\r', '\\r')
		.replaceAll('\t', '\\t')
		.replace(/^ /, '\\ ');
	if (!ascii) return escaped;
	// A file in plain ASCII may be read as Latin-1.
	return escaped.replace(
		/[^\x00-\x7f]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
