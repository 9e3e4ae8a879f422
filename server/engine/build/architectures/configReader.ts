/** Reads config.json of a model that is to be built: numbers with their names in errors. */

import { AppError } from '../../../protocol/index.ts';
import { asNumber, asRecord, type JsonRecord } from '../../modelFiles/json.ts';

/** @param fault part of a sentence: `has no hidden_size` */
export function configFault(fault: string): AppError {
	return new AppError('unsupported_model', `The model's config.json ${fault}; it cannot be built.`);
}

/** Settings of one object of config.json, with what a family means by those that are absent. */
export class ConfigReader {
	readonly values: JsonRecord;
	readonly #defaults: Readonly<Record<string, number>>;

	constructor(values: JsonRecord, defaults: Readonly<Record<string, number>> = {}) {
		this.values = values;
		this.#defaults = defaults;
	}

	/** The first of the settings that is a number. */
	number(...keys: readonly string[]): number | undefined {
		return this.#first(keys);
	}

	#first(keys: readonly string[]): number | undefined {
		for (const key of keys) {
			const value = asNumber(this.values[key]);
			if (value !== undefined) return value;
		}
		for (const key of keys) {
			// One that says null has been set.
			if (this.values[key] !== null && Object.hasOwn(this.#defaults, key))
				return this.#defaults[key];
		}
		return undefined;
	}

	/** A size: a whole number above 0. @throws AppError `unsupported_model` without one */
	size(...keys: readonly string[]): number {
		const value = this.#first(keys);
		if (value === undefined) throw configFault(`has no ${keys[0]}`);
		if (!Number.isSafeInteger(value) || value <= 0 || value > 2 ** 31)
			throw configFault(`gives ${keys[0]} as ${value}`);
		return value;
	}

	record(key: string): JsonRecord | undefined {
		return asRecord(this.values[key]);
	}

	text(key: string): string | undefined {
		const value = this.values[key];
		return typeof value === 'string' ? value : undefined;
	}

	list(key: string): readonly unknown[] | undefined {
		const value = this.values[key];
		return Array.isArray(value) ? value : undefined;
	}
}
