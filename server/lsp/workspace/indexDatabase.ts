/** The index of a folder in SQLite: its files, their chunks, words (FTS5) and vectors. Texts stay in the files. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SourceChunk } from './chunkText.ts';
import { ftsQuery, indexedText } from './searchTerms.ts';
import { quantised, VectorTable } from './vectorTable.ts';
import type { FoundFile } from './walkFiles.ts';

export const indexVersion = 1;

export const indexSchema = `
	CREATE TABLE IF NOT EXISTS files (
		id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime INTEGER NOT NULL
	);
	CREATE TABLE IF NOT EXISTS chunks (
		id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
		start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, symbols TEXT NOT NULL, vector BLOB
	);
	CREATE INDEX IF NOT EXISTS chunks_of_file ON chunks (file);
	CREATE INDEX IF NOT EXISTS chunks_to_embed ON chunks (id) WHERE vector IS NULL;
	CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
	CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
		path, symbols, text, content='', contentless_delete=1, tokenize='porter unicode61'
	);
`;

/** Where a chunk lies. */
export interface ChunkPlace {
	readonly id: number;
	readonly path: string;
	/** From 0; the last one is part of it. */
	readonly startLine: number;
	readonly endLine: number;
	readonly symbols: string;
}

export interface FoundChunk extends ChunkPlace {
	/** Fused from both ranks; only good for comparing. */
	readonly score: number;
	/** By what it was found. */
	readonly by: readonly ('words' | 'meaning')[];
}

export interface IndexCounts {
	readonly files: number;
	readonly chunks: number;
	/** Chunks that have vectors. */
	readonly embedded: number;
}

/** Chunks of each kind of search that are put together. */
const candidates = 60;
/** Reciprocal rank fusion (Cormack et al., 2009); `npm run bench -- workspace` shows what the numbers are worth. */
const rankOffset = 20;
/** Of meaning beside words: small embedders read code less well than words find it. */
const meaningWeight = 0.5;
/** Names and paths say more than the text. */
const columnWeights = '5.0, 4.0, 1.0';
/** A question is answered by several files rather than by all chunks of one. */
const maxPerFile = 2;

/** One per open database. Everything happens at once: it belongs into a thread. */
export class IndexDatabase {
	readonly #db: DatabaseSync;
	readonly #vectors = new VectorTable();
	readonly #statements = new Map<string, StatementSync>();

	constructor(db: DatabaseSync) {
		this.#db = db;
		for (const { id, vector } of this.#all(
			'SELECT id, vector FROM chunks WHERE vector IS NOT NULL',
		)) {
			const bytes = vector as Uint8Array;
			this.#vectors.set(Number(id), new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
		}
	}

	/** Path → size and time of what is in the index. */
	files(): Map<string, FoundFile> {
		return new Map(
			this.#all('SELECT path, size, mtime FROM files').map(({ path, size, mtime }) => [
				String(path),
				{ path: String(path), size: Number(size), mtimeMs: Number(mtime) },
			]),
		);
	}

	/** Replaces a file's chunks. */
	put(file: FoundFile, chunks: readonly SourceChunk[]): void {
		this.#atOnce(() => {
			this.#remove(file.path);
			const { lastInsertRowid: id } = this.#prepared(
				'INSERT INTO files (path, size, mtime) VALUES (?, ?, ?)',
			).run(file.path, file.size, file.mtimeMs);
			const path = indexedText(file.path);
			for (const { startLine, endLine, symbols, text } of chunks) {
				const { lastInsertRowid: row } = this.#prepared(
					'INSERT INTO chunks (file, start_line, end_line, symbols) VALUES (?, ?, ?, ?)',
				).run(id, startLine, endLine, symbols);
				this.#prepared('INSERT INTO words (rowid, path, symbols, text) VALUES (?, ?, ?, ?)').run(
					row,
					path,
					indexedText(symbols),
					indexedText(text),
				);
			}
		});
	}

	remove(path: string): void {
		this.#atOnce(() => this.#remove(path));
	}

	/** Paths of a folder that is gone. */
	below(folder: string): string[] {
		return [...this.files().keys()].filter((path) => path.startsWith(`${folder}/`));
	}

	/** Chunks without a vector; those of another model are forgotten first. */
	toEmbed(model: string, limit: number): ChunkPlace[] {
		const [known] = this.#all("SELECT value FROM facts WHERE name = 'model'");
		if (known?.['value'] !== model)
			this.#atOnce(() => {
				this.#db.exec('UPDATE chunks SET vector = NULL');
				this.#prepared("INSERT OR REPLACE INTO facts VALUES ('model', ?)").run(model);
				this.#vectors.clear();
			});
		return this.#all(
			`SELECT chunks.id, path, start_line, end_line, symbols FROM chunks JOIN files ON files.id = file
			WHERE vector IS NULL ORDER BY chunks.id LIMIT ?`,
			limit,
		).map(placeOf);
	}

	embed(vectors: readonly { readonly id: number; readonly vector: Float32Array }[]): void {
		this.#atOnce(() => {
			for (const { id, vector } of vectors) {
				const small = quantised(vector);
				const { changes } = this.#prepared('UPDATE chunks SET vector = ? WHERE id = ?').run(
					new Uint8Array(small.buffer),
					id,
				);
				// Its file may have changed while the model worked.
				if (Number(changes) > 0) this.#vectors.set(id, small);
			}
		});
	}

	counts(): IndexCounts {
		const count = (table: string) =>
			Number(this.#all(`SELECT count(*) AS n FROM ${table}`)[0]?.['n'] ?? 0);
		return { files: count('files'), chunks: count('chunks'), embedded: this.#vectors.size };
	}

	/** The chunks that fit a question best, best first. Without a vector only its words count. */
	search(question: string, vector: Float32Array | undefined, limit: number): FoundChunk[] {
		const byWords = this.#byWords(question);
		const byMeaning = vector ? this.#vectors.nearest(vector, candidates).map(({ id }) => id) : [];
		const scores = new Map<number, number>();
		const add = (ids: readonly number[], weight: number) => {
			for (const [rank, id] of ids.entries())
				scores.set(id, (scores.get(id) ?? 0) + weight / (rankOffset + rank + 1));
		};
		add(byWords, 1);
		add(byMeaning, meaningWeight);
		const perFile = new Map<string, number>();
		const found: FoundChunk[] = [];
		for (const [id, score] of [...scores].sort((a, b) => b[1] - a[1])) {
			const place = this.#place(id);
			const before = place ? (perFile.get(place.path) ?? 0) : maxPerFile;
			if (!place || before >= maxPerFile) continue;
			perFile.set(place.path, before + 1);
			const by = [
				...(byWords.includes(id) ? (['words'] as const) : []),
				...(byMeaning.includes(id) ? (['meaning'] as const) : []),
			];
			found.push({ ...place, score, by });
			if (found.length === limit) break;
		}
		return found;
	}

	close(): void {
		this.#statements.clear();
		this.#db.close();
	}

	#byWords(question: string): number[] {
		const query = ftsQuery(question);
		if (query === '') return [];
		return this.#all(
			`SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, ${columnWeights}) LIMIT ?`,
			query,
			candidates,
		).map(({ rowid }) => Number(rowid));
	}

	#place(id: number): ChunkPlace | undefined {
		const [row] = this.#all(
			`SELECT chunks.id, path, start_line, end_line, symbols FROM chunks
			JOIN files ON files.id = file WHERE chunks.id = ?`,
			id,
		);
		return row && placeOf(row);
	}

	#remove(path: string): void {
		const rows = this.#all(
			'SELECT chunks.id FROM chunks JOIN files ON files.id = file WHERE path = ?',
			path,
		);
		for (const { id } of rows) {
			this.#prepared('DELETE FROM words WHERE rowid = ?').run(Number(id));
			this.#vectors.delete(Number(id));
		}
		this.#prepared('DELETE FROM files WHERE path = ?').run(path);
	}

	#atOnce(work: () => void): void {
		this.#db.exec('BEGIN IMMEDIATE');
		try {
			work();
			this.#db.exec('COMMIT');
		} catch (error) {
			if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
			throw error;
		}
	}

	#all(sql: string, ...given: (string | number)[]): Record<string, unknown>[] {
		return this.#prepared(sql).all(...given);
	}

	#prepared(sql: string): StatementSync {
		const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
		this.#statements.set(sql, known);
		return known;
	}
}

function placeOf(row: Record<string, unknown>): ChunkPlace {
	return {
		id: Number(row['id']),
		path: String(row['path']),
		startLine: Number(row['start_line']),
		endLine: Number(row['end_line']),
		symbols: String(row['symbols']),
	};
}
