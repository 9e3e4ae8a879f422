/** The grammar of a custom tool's input as EBNF of a text inside of JSON. */

import { AppError } from '../../protocol/index.ts';
import type { CustomFormat } from '../../protocol/routes/customTools.ts';
import { ebnfOf } from './grammar/ebnf.ts';
import { larkRules } from './grammar/larkPart.ts';
import { regexPart } from './grammar/regexPart.ts';

/** Characters of the EBNF. */
const maxLength = 1_000_000;

/**
 * Rules of EBNF, the one of the whole text is `input`.
 * @throws AppError `unsupported_parameter`, `invalid_request` for what cannot be enforced or read
 */
export function inputGrammar(
	{ syntax, definition }: Extract<CustomFormat, { type: 'grammar' }>,
	param: string,
): string {
	const lines =
		syntax === 'regex'
			? [`input ::= ${ebnfOf(regexPart(definition, param))}`]
			: [...larkRules(definition, param)].map(
					([name, part], index) => `${index === 0 ? 'input' : name} ::= ${ebnfOf(part)}`,
				);
	const text = lines.join('\n');
	if (text.length <= maxLength) return text;
	throw new AppError('too_expensive', `The grammar in '${param}' is too large.`, { param });
}
