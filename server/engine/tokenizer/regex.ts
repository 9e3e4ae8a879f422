/** Patterns of tokenizer files: Oniguruma's syntax as JavaScript regular expressions with equal matches. */

import { toRegExp } from 'oniguruma-to-es';
import { AppError } from '../../protocol/index.ts';

/**
 * Compiles a pattern for all matches in a text; its groups are not for use.
 * @throws AppError `unsupported_model` for a pattern that is malformed or has no equal
 */
export function compilePattern(source: string): RegExp {
	try {
		return toRegExp(source, {
			// An approximation would cut texts otherwise than the model has learnt.
			accuracy: 'strict',
			global: true,
			// What every editor's Node reads.
			target: 'ES2024',
			// The only thing the subclass would add are the numbers of groups.
			avoidSubclass: true,
			rules: { recursionLimit: 2 },
		});
	} catch (error) {
		throw new AppError(
			'unsupported_model',
			`The tokenizer uses the pattern ${source}, which cannot be read here.`,
			{ cause: error },
		);
	}
}

/** A pattern that matches exactly this text. */
export function literalPattern(text: string): RegExp {
	return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'gu');
}
