/** Links from one translated file to a heading of another: they follow once both are there. */

import { basename, dirname, join, resolve } from 'node:path';
import type { TranslatedLinks } from '../translate/documents/documentJob.ts';
import { translatedLinksInWorker } from '../translate/documents/documentThread.ts';
import { applyEdits } from '../translate/documents/edits.ts';
import { renamed } from '../translate/documents/headingLinks.ts';
import type { OutwardLink } from '../translate/documents/slugs.ts';
import { formatOf } from '../translate/documents/translateDocument.ts';
import { textHash } from '../translate/documents/translationRecord.ts';
import { type DocumentFile, readDocument, readIfThere, writeDocument } from './documentFile.ts';
import type { ProjectRecord } from './projectRecord.ts';
import type { PlannedFile } from './translationPlan.ts';

/** Something that may be a link to a place in another file, with the path of that. */
const outward = /(?<![^\s(<"'\]#])([^\s(<"'\]#]{1,400})#[^\s#]/g;
/** What the address of a page stands for, beside the file itself. */
const endings = ['', '.md', '.mdx', '.adoc', '/index.md', '/index.mdx', '/README.md'];

/**
 * Puts the headings' names into links of translations that nobody has changed.
 *
 * @param fresh places of what was translated just now
 * @returns places of the files that have changed
 */
export async function linkTranslatedFiles(
	files: readonly PlannedFile[],
	fresh: ReadonlySet<string>,
	record: ProjectRecord,
	{ encoding, signal }: { readonly encoding?: string; readonly signal: AbortSignal },
): Promise<string[]> {
	const linked = files.filter(
		({ source, target }) => source !== target && formatOf(source)?.anchors !== undefined,
	);
	if (!linked.some(({ target }) => fresh.has(target))) return [];
	const places = new Map(linked.map((file) => [resolve(file.target), file]));
	const known = new Map<PlannedFile, Promise<ReadLinks | undefined>>();
	const fileAt = ({ target, to }: PlannedFile, path: string) =>
		endings
			.map((ending) => places.get(resolve(join(dirname(target), path + ending))))
			.find((one) => one?.to === to);
	/** Whether something of it may lead into what was translated just now; it is read for that alone. */
	const mayLead = (file: PlannedFile, text: string): boolean =>
		[...new Set(Array.from(text.matchAll(outward), ([, path = '']) => path))]
			.flatMap((path) => [path, path.replace(/^[^:=]*[:=]/, ''), decoded(path)])
			.map((path) => fileAt(file, path))
			.some((other) => other !== undefined && (fresh.has(file.target) || fresh.has(other.target)));
	const linksOf = (file: PlannedFile, made?: DocumentFile) => {
		const found = known.get(file) ?? readLinks(file, made, encoding, signal);
		known.set(file, found);
		return found;
	};
	const changed: string[] = [];
	for (const file of linked) {
		await new Promise((turn) => setImmediate(turn));
		signal.throwIfAborted();
		const { target, source } = file;
		const before = record.file(target);
		const read = await readIfThere(target, encoding).catch(() => undefined);
		if (!before || !read || textHash(read.bytes) !== before.made) continue;
		if (!mayLead(file, read.text)) continue;
		const links = await linksOf(file, read);
		if (!links) continue;
		const namesAt = async (path: string) => {
			const other = fileAt(file, path);
			return other && (await linksOf(other))?.names;
		};
		const edits = fresh.has(target)
			? await editsOf(links.made, links.made, namesAt)
			: await editsOf(links.made, links.source, namesAt);
		if (edits.length === 0) continue;
		const { text } = applyEdits(read.text, edits);
		const written = await writeDocument(target, text, read.encoding);
		record.setFile(target, { ...before, source, made: textHash(written.bytes) });
		changed.push(target);
	}
	return changed;
}

/** Links of a translated file and what its headings have become. */
interface ReadLinks extends Omit<TranslatedLinks, 'names'> {
	readonly names: ReadonlyMap<string, string>;
}

function decoded(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}

async function readLinks(
	{ source, target, to }: PlannedFile,
	made: DocumentFile | undefined,
	encoding: string | undefined,
	signal: AbortSignal,
): Promise<ReadLinks | undefined> {
	try {
		const { text } = await readDocument(source, encoding);
		const own = made ?? (await readDocument(target, encoding));
		const job = { fileName: basename(source), text, to, target: own.text };
		const links = await translatedLinksInWorker(job, signal);
		return { ...links, names: new Map(links.names) };
	} catch {
		signal.throwIfAborted();
		// A file that is not there, or cannot be read, has no headings to link to.
		return undefined;
	}
}

/**
 * Changes of links, each into what the same link of the source has become. Those of one file are in the order of the
 * source, or lead to the same places altogether.
 */
async function editsOf(
	made: readonly OutwardLink[],
	source: readonly OutwardLink[],
	namesAt: (path: string) => Promise<ReadonlyMap<string, string> | undefined>,
): Promise<{ start: number; end: number; text: string }[]> {
	const edits: { start: number; end: number; text: string }[] = [];
	const byPath = Map.groupBy(source, ({ path }) => path);
	for (const [path, own] of Map.groupBy(made, (link) => link.path)) {
		const theirs = byPath.get(path);
		if (own.length !== theirs?.length) continue;
		const names = await namesAt(path);
		const wanted = theirs.map(({ name }) => (names && renamed(names, name)) ?? name);
		if (
			isSameSet(
				wanted,
				own.map(({ name }) => name),
			)
		)
			continue;
		own.forEach(({ start, end, name, isEncoded }, at) => {
			const text = wanted[at] ?? name;
			if (text !== name)
				edits.push({ start, end, text: isEncoded ? encodeURIComponent(text) : text });
		});
	}
	return edits;
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
	JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
