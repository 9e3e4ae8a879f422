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

/** Something that may be a link to a place in another file. */
const hasOutward = /[^\s(<"'\]#]#[^\s#]/;
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
	const known = new Map<PlannedFile, Promise<TranslatedLinks | undefined>>();
	const linksOf = (file: PlannedFile, made?: DocumentFile) => {
		const found = known.get(file) ?? readLinks(file, made, encoding, signal);
		known.set(file, found);
		return found;
	};
	const changed: string[] = [];
	for (const file of linked) {
		signal.throwIfAborted();
		const { target, source, to } = file;
		const before = record.file(target);
		const read = await readIfThere(target, encoding).catch(() => undefined);
		if (!before || !read || !hasOutward.test(read.text)) continue;
		if (textHash(read.bytes) !== before.made) continue;
		const links = await linksOf(file, read);
		if (!links) continue;
		const nameOf = async ({ path, name }: OutwardLink): Promise<string | undefined> => {
			const other = endings
				.map((ending) => places.get(resolve(join(dirname(target), path + ending))))
				.find((one) => one?.to === to);
			const names = other && (await linksOf(other))?.names;
			return names && renamed(new Map(names), name);
		};
		const edits = fresh.has(target)
			? await editsOf(links.made, links.made, nameOf)
			: await editsOf(links.made, links.source, nameOf);
		if (edits.length === 0) continue;
		const { text } = applyEdits(read.text, edits);
		const written = await writeDocument(target, text, read.encoding);
		record.setFile(target, { ...before, source, made: textHash(written.bytes) });
		changed.push(target);
	}
	return changed;
}

async function readLinks(
	{ source, target, to }: PlannedFile,
	made: DocumentFile | undefined,
	encoding: string | undefined,
	signal: AbortSignal,
): Promise<TranslatedLinks | undefined> {
	try {
		const { text } = await readDocument(source, encoding);
		const own = made ?? (await readDocument(target, encoding));
		const job = { fileName: basename(source), text, to, target: own.text };
		return await translatedLinksInWorker(job, signal);
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
	nameOf: (link: OutwardLink) => Promise<string | undefined>,
): Promise<{ start: number; end: number; text: string }[]> {
	const edits: { start: number; end: number; text: string }[] = [];
	for (const path of new Set(made.map((link) => link.path))) {
		const [own, theirs] = [made, source].map((links) => links.filter((one) => one.path === path));
		if (!own || !theirs || own.length !== theirs.length) continue;
		const wanted: string[] = [];
		for (const link of theirs) wanted.push((await nameOf(link)) ?? link.name);
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
