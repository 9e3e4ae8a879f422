/**
 * A film of a window for the documents: pictures, each with the time it is shown. Only `scripts/screenshots.mjs` asks for one
 * (`E2E_FILM=1`); without it the same steps are taken, at once and without pictures.
 */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

export const filming = process.env['E2E_FILM'] === '1';

export class Film {
	readonly #frames: { readonly file: string; readonly ms: number }[] = [];
	readonly #folder: string;
	readonly #page: Page;

	/** @param folder Where its pictures go, with `frames.json`: their names and times. */
	constructor(page: Page, folder: string) {
		this.#page = page;
		this.#folder = folder;
		if (!filming) return;
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true });
	}

	/** Shows what is there now for a time. */
	async hold(ms: number): Promise<void> {
		if (!filming) return;
		const file = `${String(this.#frames.length).padStart(3, '0')}.png`;
		// The cursor is not there in some pictures and in others, as chance has it.
		await this.#page.screenshot({
			path: join(this.#folder, file),
			animations: 'disabled',
			caret: 'hide',
		});
		this.#frames.push({ file, ms });
	}

	/** Types as a person does. */
	async type(text: string): Promise<void> {
		if (!filming) return this.#page.keyboard.type(text);
		for (const part of text.match(/.{1,3}/gs) ?? []) {
			await this.#page.keyboard.type(part);
			await this.hold(120);
		}
	}

	/** Shows what happens while something is done, a picture for each moment. */
	async during(work: Promise<unknown>, ms: number, most = 12): Promise<void> {
		let under = true;
		const done = work.finally(() => {
			under = false;
		});
		for (let count = 0; filming && under && count < most; count++) await this.hold(ms);
		await done;
	}

	/** Writes the list of its pictures. */
	end(): void {
		if (filming) writeFileSync(join(this.#folder, 'frames.json'), JSON.stringify(this.#frames));
	}
}
