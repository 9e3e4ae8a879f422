/**
 * Secrets that a front handed over: kept in memory only, for as long as the daemon lives. They come
 * over the private channel (the daemon's key), never through argv, env or a file.
 */

import type { SecretName } from '../protocol/index.ts';

/** Who hands secrets over by hand, for as long as the daemon lives. */
export const commandLine = 'command-line';

interface Handed {
	readonly value: string;
	/** Place in the order in which values were changed. */
	readonly turn: number;
}

/**
 * Secrets by where they come from, so that an editor and the command line take nothing from each
 * other. Of several values the one that was changed last counts; handing one over again changes nothing.
 */
export class Secrets {
	readonly #sources = new Map<string, Map<SecretName, Handed>>();
	#turn = 0;

	get(name: SecretName): string | undefined {
		return this.all(name)[0];
	}

	/** The values of all sources, the one that was changed last first. */
	all(name: SecretName): readonly string[] {
		const handed = [...this.#sources.values()].flatMap((values) => values.get(name) ?? []);
		return handed.sort((a, b) => b.turn - a.turn).map(({ value }) => value);
	}

	/** `undefined` forgets what this source has handed over; those of others stay. */
	set(name: SecretName, value: string | undefined, source: string = commandLine): void {
		const values = this.#sources.get(source) ?? new Map<SecretName, Handed>();
		if (value === undefined || value === '') values.delete(name);
		else if (values.get(name)?.value !== value) values.set(name, { value, turn: ++this.#turn });
		if (values.size > 0) this.#sources.set(source, values);
		else this.#sources.delete(source);
	}

	/** Names that are set; values never leave. */
	names(): readonly SecretName[] {
		return [...new Set([...this.#sources.values()].flatMap((values) => [...values.keys()]))];
	}
}
