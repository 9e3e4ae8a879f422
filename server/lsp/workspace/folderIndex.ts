/** Keeps the index of one folder as its files are. Reads files and SQLite at once: it belongs into a thread. */

import { basename } from 'node:path';
import { openSqliteFile } from '../../store/openSqlite.ts';
import { chunkText } from './chunkText.ts';
import { IgnoreRules } from './ignoreRules.ts';
import {
	type FoundChunk,
	type IndexCounts,
	IndexDatabase,
	indexSchema,
	indexVersion,
} from './indexDatabase.ts';
import { type FoundFile, findFile, readSource, walkFiles } from './walkFiles.ts';

/** Characters of a chunk that a model embeds: its name, its comment and how it begins. */
const embeddedCharacters = 480;

/** A chunk's text for a model that makes vectors. */
export interface TextToEmbed {
	readonly id: number;
	readonly text: string;
}

/** A chunk with its lines as they are now. */
export interface FoundPiece extends FoundChunk {
	readonly text: string;
}

export interface FolderIndexOptions {
	readonly folder: string;
	/** File of the database. */
	readonly path: string;
	readonly onAside: (sentence: string) => void;
	/** Told how many of how many files have been looked at. */
	readonly onProgress: (done: number, total: number) => void;
}

export class FolderIndex {
	readonly #options: FolderIndexOptions;
	readonly #database: IndexDatabase;

	private constructor(options: FolderIndexOptions, database: IndexDatabase) {
		this.#options = options;
		this.#database = database;
	}

	static async open(options: FolderIndexOptions): Promise<FolderIndex> {
		const database = await openSqliteFile(options.path, {
			holds: 'The index of a workspace',
			schema: indexSchema,
			version: indexVersion,
			busyMs: 5000,
			now: () => new Date(),
			onAside: options.onAside,
		});
		return new FolderIndex(options, new IndexDatabase(database));
	}

	/** Looks at every file; reads those that are new or another than before. */
	async synchronise(): Promise<IndexCounts> {
		const { folder, onProgress } = this.#options;
		const known = this.#database.files();
		const changed: FoundFile[] = [];
		for await (const file of walkFiles(folder)) {
			const before = known.get(file.path);
			known.delete(file.path);
			if (before?.size !== file.size || before.mtimeMs !== file.mtimeMs) changed.push(file);
		}
		for (const path of known.keys()) this.#database.remove(path);
		for (const [done, file] of changed.entries()) {
			await this.#read(file);
			if (done % 50 === 0) onProgress(done, changed.length);
		}
		onProgress(changed.length, changed.length);
		return this.#database.counts();
	}

	/** Files or folders that were saved, made or removed; a changed `.gitignore` concerns all. */
	async update(paths: readonly string[]): Promise<IndexCounts> {
		if (paths.some((path) => basename(path) === '.gitignore')) return this.synchronise();
		const { folder } = this.#options;
		const rules = new IgnoreRules(folder);
		const known = this.#database.files();
		for (const path of new Set(paths)) {
			const file = await findFile(folder, path);
			if (file && !(await rules.ignores(path))) {
				const before = known.get(path);
				if (before?.size !== file.size || before.mtimeMs !== file.mtimeMs) await this.#read(file);
				continue;
			}
			for (const gone of [path, ...this.#database.below(path)]) {
				if (known.has(gone) && (gone === path || !(await findFile(folder, gone))))
					this.#database.remove(gone);
			}
		}
		return this.#database.counts();
	}

	/** Texts of chunks that `model` has not read yet. */
	async toEmbed(model: string, limit: number): Promise<TextToEmbed[]> {
		const places = this.#database.toEmbed(model, limit);
		const lines = await this.#lines(places);
		return places.map(({ id, path, symbols, startLine, endLine }) => {
			const text = lines.get(path)?.slice(startLine, endLine + 1) ?? [];
			const words = `${path} ${symbols}\n${text.map((line) => line.trim()).join('\n')}`;
			return { id, text: words.slice(0, embeddedCharacters) };
		});
	}

	/** @param vectors float32 of each chunk */
	embed(vectors: readonly { readonly id: number; readonly vector: Float32Array }[]): IndexCounts {
		this.#database.embed(vectors);
		return this.#database.counts();
	}

	async search(
		question: string,
		vector: Float32Array | undefined,
		limit: number,
	): Promise<FoundPiece[]> {
		const found = this.#database.search(question, vector, limit);
		const lines = await this.#lines(found);
		return found.flatMap((chunk) => {
			const text = lines.get(chunk.path)?.slice(chunk.startLine, chunk.endLine + 1);
			return text?.length ? [{ ...chunk, text: text.join('\n') }] : [];
		});
	}

	close(): void {
		this.#database.close();
	}

	async #read(file: FoundFile): Promise<void> {
		const text = await readSource(this.#options.folder, file.path);
		this.#database.put(file, text === undefined ? [] : await chunkText(file.path, text));
	}

	async #lines(places: readonly { readonly path: string }[]): Promise<Map<string, string[]>> {
		const paths = [...new Set(places.map(({ path }) => path))];
		const texts = await Promise.all(paths.map((path) => readSource(this.#options.folder, path)));
		return new Map(paths.map((path, at) => [path, texts[at]?.split(/\r?\n/) ?? []]));
	}
}
