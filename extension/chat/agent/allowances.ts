/** What the agent may do without being asked: in this session, or always in this workspace. Knows no editor. */

import { dirname } from 'node:path';
import { JsonFile, type JsonFormat } from '../../../server/store/jsonFile.ts';
import { makePrivateFolder } from '../../privateFiles.ts';

/** A tool, and what it may do. */
export interface Allowance {
	readonly tool: string;
	/** The command line, the file's address; of all files: the tool's name. */
	readonly scope: string;
}

/** An allowance, and how long it lasts. */
export interface GivenAllowance extends Allowance {
	readonly isAlways: boolean;
}

interface KeptAllowances {
	readonly allowed: readonly Allowance[];
}

const isAllowance = (value: unknown): value is Allowance => {
	const { tool, scope } = (value ?? {}) as Partial<Allowance>;
	return typeof tool === 'string' && typeof scope === 'string';
};

const format: JsonFormat<KeptAllowances> = {
	holds: 'What the agent of chats may do without being asked',
	fresh: () => ({ allowed: [] }),
	parse: ({ allowed }) =>
		Array.isArray(allowed) && allowed.every(isAllowance) ? { allowed } : undefined,
};

const isSame = (one: Allowance, other: Allowance): boolean =>
	one.tool === other.tool && one.scope === other.scope;

/** One for all chats of a window. What is allowed always is read from its file each time: another window may take it back. */
export class Allowances {
	readonly #path: () => string;
	#known: JsonFile<KeptAllowances> | undefined;
	/** With the file of the folders it was given for: others may be opened in this window. */
	#session: readonly (Allowance & { readonly path: string })[] = [];
	#listeners: readonly (() => void)[] = [];

	/** @param path gives the file for the folders that are open now; in a folder of the extension's own, not in the workspace */
	constructor(path: () => string) {
		this.#path = path;
	}

	get #file(): JsonFile<KeptAllowances> {
		const path = this.#path();
		if (this.#known?.path !== path) this.#known = new JsonFile(path, format);
		return this.#known;
	}

	/** What was allowed in this session for the folders that are open now. */
	get #inSession(): readonly Allowance[] {
		const path = this.#path();
		return this.#session.filter((one) => one.path === path);
	}

	/** @throws AppError `store_unavailable` */
	async has(asked: Allowance): Promise<boolean> {
		if (this.#inSession.some((one) => isSame(one, asked))) return true;
		return (await this.#file.read()).allowed.some((one) => isSame(one, asked));
	}

	/** In the order in which they were given; those of the session first. */
	async list(): Promise<GivenAllowance[]> {
		const { allowed } = await this.#file.read();
		return [
			...this.#inSession.map(({ tool, scope }) => ({ tool, scope, isAlways: false })),
			...allowed.map((one) => ({ ...one, isAlways: true })),
		];
	}

	/** @throws AppError `store_unavailable`, `disk_full` */
	async give({ tool, scope, isAlways }: GivenAllowance): Promise<void> {
		const given = { tool, scope };
		if (isAlways) await this.#change((all) => [...all.filter((one) => !isSame(one, given)), given]);
		else this.#session = [...this.#session, { ...given, path: this.#path() }];
		this.#notify();
	}

	/** From now on a person is asked again. @throws AppError `store_unavailable`, `disk_full` */
	async takeBack(taken: readonly GivenAllowance[]): Promise<void> {
		const isTaken = (one: Allowance, isAlways: boolean) =>
			taken.some((other) => other.isAlways === isAlways && isSame(one, other));
		const path = this.#path();
		this.#session = this.#session.filter((one) => one.path !== path || !isTaken(one, false));
		if (taken.some(({ isAlways }) => isAlways))
			await this.#change((all) => all.filter((one) => !isTaken(one, true)));
		this.#notify();
	}

	/** Calls `listener` when something is allowed or taken back in this window; returns what ends that. */
	onChange(listener: () => void): () => void {
		this.#listeners = [...this.#listeners, listener];
		return () => {
			this.#listeners = this.#listeners.filter((one) => one !== listener);
		};
	}

	async #change(change: (all: readonly Allowance[]) => readonly Allowance[]): Promise<void> {
		const file = this.#file;
		await makePrivateFolder(dirname(file.path));
		await file.change(({ allowed }) => [{ allowed: change(allowed) }, undefined]);
	}

	#notify(): void {
		for (const listener of this.#listeners) listener();
	}
}
