/** Collects everything wrong with a configuration, so that one run names all of it. */

import { AppError } from '../../protocol/errors.ts';
import type { Finding } from './checkSchema.ts';

export class Problems {
	readonly errors: Finding[] = [];
	readonly warnings: Finding[] = [];

	error(path: string, message: string): void {
		this.errors.push({ path, message });
	}

	warn(path: string, message: string): void {
		this.warnings.push({ path, message });
	}

	/** Throws when anything was wrong; the message names every place. */
	throwIfAny(): void {
		if (this.errors.length === 0) return;
		const lines = this.errors.map(({ path, message }) => `  ${path}: ${message}`);
		throw new AppError('invalid_request', `The configuration cannot be used:\n${lines.join('\n')}`);
	}
}
