/**
 * Recordings that were chosen and that nobody has taken over yet: a file of each window, so that those of one that
 * was reloaded are offered again. A window that is there touches its file now and then; one that goes away renames it.
 */

import { randomUUID } from 'node:crypto';
import {
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pushAll } from '../../server/protocol/lists.ts';

/** Recordings of a window that are kept; who chooses more has these after a reload. */
export const maxUnsentRecordings = 1000;
/** Days after which nobody wants to be asked any more. */
const maxDays = 30;
/** Looks in a row that find a file untouched, after which its window is gone. */
const looksForOwner = 4;
const leftEnding = '.left.json';

export class UnsentRecordings {
	readonly #folder: string;
	readonly #path: string;
	readonly #everyMs: number;
	#uris: readonly string[] = [];
	#timer: NodeJS.Timeout | undefined;
	#isDisposed = false;

	/** @param everyMs Milliseconds between two touches, and between two looks. */
	constructor(folder: string, everyMs = 2000) {
		this.#folder = folder;
		this.#path = join(folder, `${randomUUID()}.json`);
		this.#everyMs = everyMs;
	}

	keep(uris: readonly string[]): void {
		this.#set([...new Set([...this.#uris, ...uris])].slice(0, maxUnsentRecordings));
	}

	/** They were taken over, or are not wanted. */
	drop(uris: readonly string[]): void {
		const gone = new Set(uris);
		this.#set(this.#uris.filter((uri) => !gone.has(uri)));
	}

	/** Takes over those of windows that are gone, which are this window's from then on. */
	async adopt(): Promise<readonly string[]> {
		const found: string[] = [];
		const untouched = new Map<string, { readonly mtimeMs: number; readonly looks: number }>();
		// What this window leaves when it goes away is not its own any more.
		while (!this.#isDisposed) {
			let isOneThere = false;
			for (const name of this.#names()) {
				const path = join(this.#folder, name);
				const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
				if (path === this.#path || mtimeMs === undefined) continue;
				const before = untouched.get(name);
				const looks = before?.mtimeMs === mtimeMs ? before.looks + 1 : 1;
				untouched.set(name, { mtimeMs, looks });
				if (name.endsWith(leftEnding) || looks >= looksForOwner) pushAll(found, this.#claim(path));
				// One that was touched between two looks is of a window that is there.
				else if (looks > 1 || !before) isOneThere = true;
			}
			if (!isOneThere) break;
			await wait(this.#everyMs * 2, undefined, { ref: false });
		}
		return found;
	}

	/** The window goes away: what it has not handed over is the next one's. */
	dispose(): void {
		if (this.#isDisposed) return;
		this.#isDisposed = true;
		clearInterval(this.#timer);
		if (this.#uris.length > 0)
			attempt(() => renameSync(this.#path, this.#path.replace(/\.json$/, leftEnding)));
	}

	#names(): string[] {
		return attempt(() => readdirSync(this.#folder).filter((name) => name.endsWith('.json'))) ?? [];
	}

	/** Of two windows the one that renames the file has it. */
	#claim(path: string): readonly string[] {
		const own = join(this.#folder, `${randomUUID()}.json`);
		const uris = attempt(() => {
			renameSync(path, own);
			const days = (Date.now() - statSync(own).mtimeMs) / 86_400_000;
			return days > maxDays ? [] : urisOf(readFileSync(own, 'utf8'));
		});
		if (uris) this.keep(uris);
		attempt(() => rmSync(own, { force: true }));
		return uris ?? [];
	}

	#set(uris: readonly string[]): void {
		// What fails while the window goes away has not been answered by anybody.
		if (this.#isDisposed) return;
		this.#uris = uris;
		clearInterval(this.#timer);
		if (uris.length === 0) return void attempt(() => rmSync(this.#path, { force: true }));
		attempt(() => {
			mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
			writeFileSync(this.#path, JSON.stringify({ uris }), { mode: 0o600 });
		});
		this.#timer = setInterval(
			() => attempt(() => utimesSync(this.#path, new Date(), new Date())),
			this.#everyMs,
		);
		this.#timer.unref();
	}
}

function urisOf(text: string): readonly string[] {
	const { uris } = JSON.parse(text) as { uris?: unknown };
	if (!Array.isArray(uris)) return [];
	return uris.filter((uri) => typeof uri === 'string').slice(0, maxUnsentRecordings);
}

/** What the disk does not do is lost with the window alone. */
function attempt<T>(act: () => T): T | undefined {
	try {
		return act();
	} catch {
		return undefined;
	}
}
